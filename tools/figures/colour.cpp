// Colour maps as curves in Oklab, parametrised by length.
#include "tools/figures/colour.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/format.h>

namespace gradproof::figures {
namespace {

double encode(double linear) {
    const double v = linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
    return std::clamp(v, 0.0, 1.0);
}
double decode(double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); }

Colour srgb(const Oklab& o) {
    const double l = std::pow(o.lightness + 0.3963377774 * o.a + 0.2158037573 * o.b, 3);
    const double m = std::pow(o.lightness - 0.1055613458 * o.a - 0.0638541728 * o.b, 3);
    const double s = std::pow(o.lightness - 0.0894841775 * o.a - 1.2914855480 * o.b, 3);
    return {encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
            encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
            encode(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

double distance(const Oklab& p, const Oklab& q) { return std::hypot(p.lightness - q.lightness, p.a - q.a, p.b - q.b); }

/// A point of the sequential curve, before it is parametrised by length. The chroma stays within what sRGB can show.
Oklab sequential_curve(double u) {
    constexpr double kDegree = std::numbers::pi / 180;
    const double hue = (305 - 200 * u) * kDegree, chroma = 0.105 + 0.045 * std::abs(2 * u - 1);
    return {0.24 + 0.68 * u, chroma * std::cos(hue), chroma * std::sin(hue)};
}

constexpr int kSteps = 512;
using Table = std::array<Oklab, kSteps + 1>;

/// Points of the curve at equal distances, measured between the sRGB colours that are shown.
Table even_steps() {
    constexpr int kFine = 8192;
    std::vector<Oklab> fine;
    std::vector<double> length{0.0};
    for (int i = 0; i <= kFine; ++i) {
        fine.push_back(oklab(srgb(sequential_curve(static_cast<double>(i) / kFine))));
        if (i > 0) length.push_back(length.back() + distance(fine[fine.size() - 2], fine.back()));
    }
    Table out;
    std::size_t at = 0;
    for (int i = 0; i <= kSteps; ++i) {
        const double wanted = length.back() * i / kSteps;
        while (at + 1 < length.size() && length[at] < wanted) ++at;
        out[static_cast<std::size_t>(i)] = fine[at];
    }
    return out;
}

}  // namespace

Oklab oklab(const Colour& c) {
    const double r = decode(c.r), g = decode(c.g), b = decode(c.b);
    const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s, 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
            0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

std::string hex(const Colour& c) {
    const auto byte = [](double v) { return static_cast<int>(std::lround(std::clamp(v, 0.0, 1.0) * 255)); };
    return fmt::format("#{:02x}{:02x}{:02x}", byte(c.r), byte(c.g), byte(c.b));
}

Colour sequential(double t) {
    static const Table table = even_steps();
    return srgb(table[static_cast<std::size_t>(std::lround(std::clamp(t, 0.0, 1.0) * kSteps))]);
}

Colour diverging(double t) {
    constexpr double kBlue = 255 * std::numbers::pi / 180, kOrange = 55 * std::numbers::pi / 180;
    const double strength = std::min(std::abs(t), 1.0), hue = t < 0 ? kBlue : kOrange;
    const double chroma = 0.135 * std::sin(strength * std::numbers::pi / 2);
    return srgb({0.975 - 0.475 * strength, chroma * std::cos(hue), chroma * std::sin(hue)});
}

Colour category(int i) {
    static constexpr std::array<std::array<int, 3>, 8> kColours = {
        {{0, 114, 178}, {213, 94, 0}, {0, 158, 115}, {204, 121, 167}, {230, 159, 0}, {86, 180, 233}, {0, 0, 0}, {150, 140, 20}}};
    const auto& c = kColours[static_cast<std::size_t>(i) % kColours.size()];
    return {c[0] / 255.0, c[1] / 255.0, c[2] / 255.0};
}

Colour ink_on(const Colour& ground) { return oklab(ground).lightness > 0.62 ? Colour{0.1, 0.1, 0.1} : Colour{1, 1, 1}; }

}  // namespace gradproof::figures
