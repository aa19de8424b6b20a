// Groups of things that are alike.
#pragma once

#include <vector>

#include "gradproof/core/tensor.hpp"

namespace gradproof::experiments {

using Cluster = std::vector<Index>;

/// Average linkage: the two clusters of the largest mean similarity are joined while that is at least `alike`.
/// The largest cluster comes first.
/// Shapes  similarity [n, n], symmetric.   Errors  ShapeError.   Source  Sokal and Michener 1958.
std::vector<Cluster> average_linkage(const Tensor<double>& similarity, double alike);

}  // namespace gradproof::experiments
