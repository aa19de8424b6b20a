// Axes of charts: the positions of ticks, and the mapping from numbers to pixels.
//
//   const AxisMap x({.label = "sequence length", .unit = "tokens", .logarithmic = true}, 64, 4096, 0, 400);
//   x.pixel(512);
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gradproof::figures {

/// The ends of the numbers taken so far.
struct Limits {
    double low = INFINITY, high = -INFINITY;
    void take(double v) {
        low = std::min(low, v);
        high = std::max(high, v);
    }
    double size() const { return high - low; }
};

struct Axis {
    std::string label{};
    std::string unit{};  ///< in parentheses after the label; empty for none
    bool logarithmic = false;
    std::optional<double> low{}, high{};  ///< ends of the axis; if not given, those of the data
    std::vector<double> ticks{};          ///< positions of the ticks; empty: round numbers
};
/// 10 to the power n, with raised digits: "10⁻³".
std::string power_of_ten(int n);
/// "label (unit)"
std::string axis_text(const Axis& axis);

/// Why a value cannot be drawn: "not finite", "not positive on a logarithmic axis" or "beyond the axis"; empty if it can.
std::string_view no_place(const Axis& axis, double value);

struct Tick {
    double value = 0;
    std::string text{};
};

/// About `wanted` round numbers from low to high.   Errors: ValueError unless low < high, both finite.
std::vector<Tick> linear_ticks(double low, double high, int wanted = 5);
/// Powers of ten; also 2 and 5 times them on a short axis; those of linear_ticks if there are fewer than two.
/// Errors: ValueError unless 0 < low < high, both finite.
std::vector<Tick> log_ticks(double low, double high);

/// The mapping from numbers to pixels.
class AxisMap {
  public:
    /// `low` and `high` are the limits of the data, `first` and `last` the pixels of the two ends.
    /// Errors: ValueError for ends given by the axis that are not finite, in order, and positive on a logarithmic one.
    AxisMap(const Axis& axis, double low, double high, double first, double last);
    double pixel(double value) const;
    const std::vector<Tick>& ticks() const { return ticks_; }

  private:
    bool logarithmic_;
    double low_, high_, first_, last_;
    std::vector<Tick> ticks_;
};

}  // namespace gradproof::figures
