// Draws weights as a graph: nodes on a circle, and for each weight an edge as wide as the weight.
//
//   draw(Graph{.title = "Max(1,6,2)", .nodes = tokens, .weights = w, .focus = 0});     // w[i, j]: what node i takes from node j
#pragma once

#include <string>
#include <vector>

#include "gradproof/core/tensor.hpp"
#include "tools/figures/svg.hpp"

namespace gradproof::figures {

struct Graph {
    std::string title{};
    std::vector<std::string> nodes{};
    Tensor<double> weights{};  ///< [n, n], each in [0, 1]: row i is what node i takes from the others, along edges from them to i
    Index focus = -1;          ///< the node whose incoming edges are dark and carry their weights; -1 for none
    double least = 0.05;       ///< edges of smaller weights are not drawn, and counted below
    double size = 280;         ///< of the circle with its nodes
};
/// Errors: ShapeError unless weights is [n, n] with n nodes and focus is below n; ValueError for a weight outside [0, 1].
Figure draw(const Graph& graph);

}  // namespace gradproof::figures
