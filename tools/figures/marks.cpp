// Shapes of marks as paths, and patterns of dashes.
#include "tools/figures/marks.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/format.h>

namespace gradproof::figures {
namespace {

/// A closed path through points of a circle about `at`, at these turns from the top; each with its own distance.
std::string through(Point at, const std::vector<std::pair<double, double>>& turns_and_distances) {
    std::string out;
    for (const auto& [turn, distance] : turns_and_distances) {
        const double angle = 2 * std::numbers::pi * turn;
        out += fmt::format("{}{:.2f} {:.2f}", out.empty() ? "M" : "L", at.x + distance * std::sin(angle),
                           at.y - distance * std::cos(angle));
    }
    return out + "z";
}

/// A cross of four arms, upright or turned by 45 degrees.
std::string cross(Point at, double radius, double turn) {
    std::vector<std::pair<double, double>> corners;
    const double wide = 0.36 * radius, far = 1.3 * radius, half = std::atan2(wide, far) / (2 * std::numbers::pi);
    for (int arm = 0; arm < 4; ++arm) {
        const double at_arm = turn + 0.25 * arm;
        corners.insert(corners.end(), {{at_arm - half, std::hypot(wide, far)},
                                       {at_arm + half, std::hypot(wide, far)},
                                       {at_arm + 0.125, wide * std::numbers::sqrt2}});
    }
    return through(at, corners);
}

std::string polygon(Point at, double radius, int corners, double turn) {
    std::vector<std::pair<double, double>> all;
    for (int i = 0; i < corners; ++i) all.emplace_back(turn + static_cast<double>(i) / corners, radius);
    return through(at, all);
}

/// Empty for a circle.
std::string shape(Point at, int kind, double r) {
    switch (kind % 8) {
        case 1: return polygon(at, 1.25 * r, 4, 0.125);
        case 2: return polygon(at, 1.3 * r, 3, 0);
        case 3: return polygon(at, 1.3 * r, 4, 0);
        case 4: return polygon(at, 1.3 * r, 3, 0.5);
        case 5: return cross(at, r, 0);
        case 6: return cross(at, r, 0.125);
        case 7: return polygon(at, 1.15 * r, 6, 0);
        default: return {};
    }
}

}  // namespace

void mark(Canvas& canvas, Point at, int kind, std::string_view colour, double radius) {
    if (const std::string path = shape(at, kind, radius); path.empty())
        canvas.circle(at, radius, colour);
    else
        canvas.path(path, colour);
}

void outline(Canvas& canvas, Point at, int kind, std::string_view colour, double radius) {
    if (const std::string path = shape(at, kind, radius); path.empty())
        canvas.circle(at, radius, "none", colour);
    else
        canvas.path(path, "none", colour);
}

std::string_view dashes(int i) {
    static constexpr std::array<std::string_view, 8> kPatterns = {"",    "8 3",          "2.5 2.5", "9 3 2 3",
                                                                  "5 2", "12 3 2 3 2 3", "1.5 4",   "14 4"};
    return kPatterns[static_cast<std::size_t>(i) % kPatterns.size()];
}

}  // namespace gradproof::figures
