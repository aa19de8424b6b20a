// Ticks at round numbers, and the mapping from numbers to pixels.
#include "tools/figures/axis.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "tools/figures/svg.hpp"

namespace gradproof::figures {

std::string power_of_ten(int n) {
    static constexpr const char* kRaised[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                              "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    std::string out = "10";
    if (n < 0) out += "\u207b";
    for (const char c : std::to_string(std::abs(n))) out += kRaised[c - '0'];
    return out;
}

namespace {

std::string log_text(double mantissa, int power) {
    if (power >= -3 && power <= 4) return number(mantissa * std::pow(10, power), 6);
    return mantissa == 1 ? power_of_ten(power) : fmt::format("{}\u00b7{}", mantissa, power_of_ten(power));
}

}  // namespace

std::string axis_text(const Axis& axis) { return axis.unit.empty() ? axis.label : fmt::format("{} ({})", axis.label, axis.unit); }

std::string_view no_place(const Axis& axis, double v) {
    if (!std::isfinite(v)) return "not finite";
    if (axis.logarithmic && v <= 0) return "not positive on a logarithmic axis";
    const double rounding = 1e-6 * std::abs(v);
    if (v + rounding < axis.low.value_or(v) || v - rounding > axis.high.value_or(v)) return "beyond the axis";
    return {};
}

std::vector<Tick> linear_ticks(double low, double high, int wanted) {
    if (!(low < high) || !std::isfinite(high - low))
        value_error("axis: the ends are {} and {}, expected finite ones in order", low, high);
    const double rough = (high - low) / wanted, power = std::pow(10, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (const double m : {5.0, 2.0, 1.0})
        if (m * power >= rough) step = m * power;
    std::vector<Tick> out;
    for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k)
        out.push_back({k * step, number(k == 0 ? 0 : k * step, 6)});
    return out;
}

std::vector<Tick> log_ticks(double low, double high) {
    if (!(low > 0 && low < high) || !std::isfinite(high))
        value_error("axis: the ends are {} and {}, expected positive ones in order", low, high);
    constexpr int kMost = 8;
    const int first = static_cast<int>(std::floor(std::log10(low))), last = static_cast<int>(std::ceil(std::log10(high)));
    const bool dense = std::log10(high / low) < 3;
    const int every = std::max(1, (last - first + kMost - 1) / kMost);
    std::vector<Tick> out;
    for (int p = first; p <= last; ++p)
        for (const double m : {1.0, 2.0, 5.0}) {
            const double v = m * std::pow(10, p);
            if (v < low * (1 - 1e-9) || v > high * (1 + 1e-9) || (m != 1 && !dense) || (m == 1 && p % every != 0)) continue;
            out.push_back({v, log_text(m, p)});
        }
    return out.size() < 2 ? linear_ticks(low, high) : out;
}

AxisMap::AxisMap(const Axis& axis, double low, double high, double first, double last)
    : logarithmic_(axis.logarithmic), first_(first), last_(last) {
    if (!(low <= high)) low = high = logarithmic_ ? 1 : 0;  // no data
    if (low == high) {
        const double spread = logarithmic_ ? 0 : std::max(std::abs(low) * 0.1, 0.5);
        low = logarithmic_ ? low / 2 : low - spread;
        high = logarithmic_ ? high * 2 : high + spread;
    } else if (!logarithmic_) {
        // A small margin beyond the data, unless it would cross zero.
        const double margin = 0.04 * (high - low);
        low = low >= 0 && low < margin ? 0 : low - margin;
        high += margin;
    } else {
        const double margin = std::pow(high / low, 0.03);
        low /= margin, high *= margin;
    }
    low_ = axis.low.value_or(low);
    high_ = axis.high.value_or(high);
    if (axis.ticks.empty()) ticks_ = logarithmic_ ? log_ticks(low_, high_) : linear_ticks(low_, high_);
    for (const double v : axis.ticks)
        if (v >= low_ && v <= high_) ticks_.push_back({v, number(v, 6)});
}

double AxisMap::pixel(double v) const {
    const double t = logarithmic_ ? std::log(v / low_) / std::log(high_ / low_) : (v - low_) / (high_ - low_);
    return first_ + t * (last_ - first_);
}

}  // namespace gradproof::figures
