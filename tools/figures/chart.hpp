// Curves over a common pair of axes, and bars beside their names.
//
//   draw(Chart{.title = "Loss", .x = {.label = "step"}, .y = {.label = "loss", .unit = "nats", .logarithmic = true},
//              .lines = {{.name = "training", .points = points}}});
#pragma once

#include <utility>
#include <vector>

#include "tools/figures/axis.hpp"
#include "tools/figures/svg.hpp"

namespace gradproof::figures {

struct Line {
    enum class Style { line, dashed, marked };
    std::string name{};
    std::vector<std::pair<double, double>> points{};
    Style style = Style::line;
    int colour = -1;  ///< of the categories; -1: by its place among the lines
};

/// A point that has no place (NaN, not positive on a logarithmic axis, beyond a given end)
/// breaks its line and is counted below the chart.
struct Chart {
    std::string title{};
    Axis x{}, y{};
    std::vector<Line> lines{};
    double width = 460, height = 270;  ///< of the plot, axes and legend left out
};
/// Errors: ValueError for given ends of an axis that are not finite, in order, and positive on a logarithmic one.
Figure draw(const Chart& chart);

struct Bar {
    std::string name{};
    double value = 0;
    int colour = 0;
};
/// Horizontal bars from 0, each with its number; one that has no place has no bar, and its number is red.
struct Bars {
    std::string title{};
    Axis axis{};  ///< linear
    std::vector<Bar> bars{};
    double width = 360;
};
/// Errors: ValueError for given ends of the axis that are not finite or not in order.
Figure draw(const Bars& bars);

}  // namespace gradproof::figures
