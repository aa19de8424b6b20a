// Decimals and powers of ten for the numbers in cells.
#include "tools/figures/cell_numbers.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tools/figures/axis.hpp"

namespace gradproof::figures {
namespace {

/// The largest size of the font at which all texts fit, 0 if that cannot be read.
double fitting_size(std::span<const double> values, const CellNumbers& numbers, double cell) {
    constexpr double kReadable = 8, kShare = 0.34;
    double widest = 0;
    for (const double v : values) widest = std::max(widest, text_width(numbers.text(v), 1));
    if (widest == 0) return kShare * cell;
    const double size = std::min(kShare * cell, 0.92 * cell / widest);
    return 0.95 * cell / widest >= kReadable ? size : 0;
}

}  // namespace

std::string CellNumbers::text(double value) const {
    const double shown = value / std::pow(10.0, power);
    const std::string out = fmt::format("{:.{}f}", shown, decimals);
    if (value != 0 && signs && out.find_first_of("123456789") == std::string::npos) return value > 0 ? "+0" : "-0";
    return out;
}

std::string CellNumbers::unit() const { return power == 0 ? "" : "\u00d7 " + power_of_ten(power); }

CellNumbers cell_numbers(std::span<const double> values, double cell, Scale scale) {
    constexpr double kLeast = 22;
    CellNumbers out{.signs = scale == Scale::symmetric};
    if (cell < kLeast || values.empty()) return out;
    double largest = 0;
    for (const double v : values) largest = std::max(largest, std::abs(v));
    int most = 2, least = 2;
    if (scale == Scale::symmetric && largest > 0) {
        const int magnitude = static_cast<int>(std::floor(std::log10(largest)));
        if (magnitude < -1 || magnitude > 2) out.power = magnitude;
        most = out.power == 0 ? std::min(2, 2 - magnitude) : 2;
        least = out.power == 0 && magnitude >= 1 ? 0 : 1;
    }
    for (out.decimals = most; out.decimals >= least; --out.decimals)
        if ((out.size = fitting_size(values, out, cell)) > 0) return out;
    return out;
}

}  // namespace gradproof::figures
