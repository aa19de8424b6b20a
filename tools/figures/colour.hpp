// Colours that carry numbers: a perceptually uniform map, a diverging one, and a few that can be told apart.
//
//   hex(sequential(0.5))     // of a weight in [0, 1]
//   hex(diverging(-0.2))     // of a signed number in [-1, 1]; 0 is near white
#pragma once

#include <string>

namespace gradproof::figures {

/// sRGB, each in [0, 1].
struct Colour {
    double r = 0, g = 0, b = 0;
};
/// "#rrggbb"
std::string hex(const Colour& c);

/// The coordinates in which equal distances look equal.   Source  Ottosson 2020, "A perceptual color space for image processing".
struct Oklab {
    double lightness = 0, a = 0, b = 0;
};
Oklab oklab(const Colour& c);

/// From dark violet over teal to light yellow: lightness rises steadily, and equal steps of t look equal. t is clamped to [0, 1].
Colour sequential(double t);
/// Blue below, orange above, near white at 0: told apart with every common colour blindness, and of equal strength on both sides.
Colour diverging(double t);
/// The i-th colour of a series of lines; repeats after eight.   Source  Okabe and Ito 2008.
Colour category(int i);
/// Black or white, whichever reads better on it.
Colour ink_on(const Colour& ground);

}  // namespace gradproof::figures
