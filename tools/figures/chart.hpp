// Line charts and bar charts.
//
//   draw(Chart{.title = "Loss", .x = {.label = "step"}, .y = {.label = "loss", .unit = "nats", .logarithmic = true},
//              .lines = {{.name = "training", .points = points}}});
#pragma once

#include <utility>
#include <vector>

#include "tools/figures/axis.hpp"
#include "tools/figures/svg.hpp"

namespace gradproof::figures {

/// A line differs from the others by its shape of mark too, so that it is told apart without colours.
struct Line {
    enum class Style {
        line,    ///< through many points: a pattern of dashes, and a mark here and there
        dashed,  ///< what others are compared with: dashed, and the outline of a mark here and there
        marked,  ///< through few points: a mark at each
    };
    std::string name{};
    std::vector<std::pair<double, double>> points{};
    Style style = Style::line;
    int colour = -1;  ///< index of a category colour, mark and pattern; -1: the index of the line
};

/// Marks at one place stand around each other, and lines have gaps, so that no line hides another. A point that cannot be drawn
/// (NaN, not positive on a logarithmic axis, beyond a given end) breaks its line and is counted below the chart.
struct Chart {
    std::string title{};
    Axis x{}, y{};
    std::vector<Line> lines{};
    double width = 460, height = 270;  ///< of the plot without axes and legend
};
/// Errors: ValueError unless the given ends of an axis are finite, in order, and positive on a logarithmic axis.
Figure draw(const Chart& chart);

struct Bar {
    std::string name{};
    double value = 0;
    int colour = 0;
};
/// Horizontal bars from 0, each with its number. A value that cannot be drawn has no bar, and its number is red.
struct Bars {
    std::string title{};
    Axis axis{};  ///< linear
    std::vector<Bar> bars{};
    double width = 360;
};
/// Errors: ValueError unless the given ends of the axis are finite and in order.
Figure draw(const Bars& bars);

}  // namespace gradproof::figures
