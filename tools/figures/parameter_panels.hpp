// A number of each parameter over the steps of a run, in panels: one for each module that has several parameters.
//
//   draw(ParameterPanels{.title = "Gradient norms", .label = "norm", .names = {"attention.wq", "readout.bias"},
//                        .steps = {1, 38, 76}, .values = {{0.1, 0.2, 0.05}, {0.4, 0.3, 0.1}}});
#pragma once

#include <string>
#include <vector>

#include "tools/figures/svg.hpp"

namespace gradproof::figures {

struct ParameterPanels {
    std::string title{}, label{};
    std::vector<std::string> names{};  ///< with dots: what stands before the second one from the left names a panel
    std::vector<double> steps{};
    std::vector<std::vector<double>> values{};  ///< of each name at each step; on a logarithmic axis, the same in all panels
};
/// Errors: ShapeError unless there are as many values as names and steps; ValueError for none.
Figure draw(const ParameterPanels& panels);

}  // namespace gradproof::figures
