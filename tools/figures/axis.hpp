// Axes of charts: where their ticks lie, and how numbers become pixels.
//
//   const AxisMap x({.label = "sequence length", .unit = "tokens", .logarithmic = true}, 64, 4096, 0, 400);
//   x.pixel(512);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gradproof::figures {

struct Axis {
    std::string label{};
    std::string unit{};  ///< in brackets after the label; empty for none
    bool logarithmic = false;
    std::optional<double> low{}, high{};  ///< ends; of the data where not given
    std::vector<double> ticks{};          ///< where the ticks lie; empty: at round numbers
};
/// "label (unit)"
std::string axis_text(const Axis& axis);

/// Why a value has no place on an axis: "not finite", "not positive on a logarithmic axis" or "beyond the axis";
/// empty where it has one.
std::string_view no_place(const Axis& axis, double value);

struct Tick {
    double value = 0;
    std::string text{};
};

/// About `wanted` round numbers from low to high.   Errors: ValueError unless low < high, both finite.
std::vector<Tick> linear_ticks(double low, double high, int wanted = 5);
/// Powers of ten, or 1, 2, 5 times them where few fit, or as linear_ticks where fewer than two do.
/// Errors: ValueError unless 0 < low < high, both finite.
std::vector<Tick> log_ticks(double low, double high);

/// Numbers to pixels.
class AxisMap {
  public:
    /// `low` and `high` are those of the data; `first` and `last` are the pixels of the ends.
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
