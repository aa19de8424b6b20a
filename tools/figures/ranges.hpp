// Draws ranges of numbers below each other: the whole of each as a line, its middle part as a bar, what was expected as a frame.
//
//   draw(Ranges{.title = "Values", .axis = {.label = "value"},
//               .ranges = {{.name = "scores", .low = -9, .from = -4, .to = 4, .high = 9, .expected = {{-10, 10}}}}});
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/figures/axis.hpp"
#include "tools/figures/svg.hpp"

namespace gradproof::figures {

struct Range {
    std::string name{};
    double low = 0, from = 0, middle = 0, to = 0, high = 0;  ///< in order; finite
    std::optional<std::pair<double, double>> expected{};
    int kind = 0;  ///< colour of its bar
};
struct Ranges {
    std::string title{};
    Axis axis{};  ///< linear
    std::vector<Range> ranges{};
    std::string bar{}, frame{};  ///< what the bar and the frame stand for, said below; empty: nothing
    double width = 360;
};
/// Errors: ValueError for numbers that are not finite or not in order.
Figure draw(const Ranges& ranges);

}  // namespace gradproof::figures
