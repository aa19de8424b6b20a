// Finds other attention weights with the same output: changes of the weights that the values map to zero.
//
//   const Tensor<double> d = silent_directions(v);           // v [8, 4]: 3 directions
//   const Weights other = furthest(w, d, random);            // a distribution too
//   output(other, v);                                        // the same as output(w, v)
#pragma once

#include <vector>

#include "gradproof/core/random.hpp"
#include "gradproof/core/tensor.hpp"

namespace gradproof::experiments {

using Weights = std::vector<double>;

/// Directions that change neither the output nor the sum of the weights: the left null space of [v, 1].
/// Shapes  v [T, E], T > E + 1 -> [T, T - E - 1], orthonormal columns.   Errors  ShapeError.
Tensor<double> silent_directions(const Tensor<double>& v);

/// The distribution furthest from w that is found by random steps along silent directions; each step ends where a weight becomes
/// 0.
Weights furthest(const Weights& w, const Tensor<double>& directions, Random& random);

/// Σ_t w_t v_t
Weights output(const Weights& w, const Tensor<double>& v);

}  // namespace gradproof::experiments
