// Clusters of similar items.
#pragma once

#include <vector>

#include "gradproof/core/tensor.hpp"

namespace gradproof::experiments {

using Cluster = std::vector<Index>;

/// Average linkage: joins the two clusters of the largest mean similarity as long as it is at least `alike`. Largest cluster
/// first.
/// Shapes  similarity [n, n], symmetric.   Errors  ShapeError.   Source  Sokal and Michener 1958.
std::vector<Cluster> average_linkage(const Tensor<double>& similarity, double alike);

}  // namespace gradproof::experiments
