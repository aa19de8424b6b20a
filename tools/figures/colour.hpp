// Colour maps: a perceptually uniform one, a diverging one, and a few colours that are easy to distinguish.
//
//   hex(sequential(0.5))     // of a weight in [0, 1]
//   hex(diverging(-0.2))     // of a signed number in [-1, 1]; 0 is near white
#pragma once

#include <string>

namespace gradproof::figures {

/// An sRGB colour, each component in [0, 1].
struct Colour {
    double r = 0, g = 0, b = 0;
};
/// "#rrggbb"
std::string hex(const Colour& c);

/// Coordinates in which equal distances look equal.   Source  Ottosson 2020, "A perceptual color space for image processing".
struct Oklab {
    double lightness = 0, a = 0, b = 0;
};
Oklab oklab(const Colour& c);

/// From dark violet over teal to light yellow, with increasing lightness; equal steps of t look equal. t is clamped to [0, 1].
Colour sequential(double t);
/// Blue below 0, orange above, near white at 0, equally strong on both sides; distinguishable with every common colour blindness.
Colour diverging(double t);
/// The colour of the i-th line of a chart; repeats after eight.   Source  Okabe and Ito 2008.
Colour category(int i);
/// Black or white, whichever is easier to read on `ground`.
Colour ink_on(const Colour& ground);

}  // namespace gradproof::figures
