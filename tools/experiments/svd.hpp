// The singular value decomposition of small matrices.
//
//   const std::vector<double> s = singular_values(w);   // w [64, 16] -> 16 values, the largest first
//   effective_rank(s);
#pragma once

#include <span>
#include <vector>

#include "gradproof/core/tensor.hpp"

namespace gradproof::experiments {

/// A = U diag(values) Vᵀ of a matrix [m, n] with r = min(m, n).
struct Svd {
    std::vector<double> values{};  ///< r, not negative, the largest first
    Tensor<double> left{};         ///< U [m, r], orthonormal columns
    Tensor<double> right{};        ///< V [n, r], orthonormal columns
    // For a singular value 0 the longer of the two (U of a square matrix) has a column of zeros; the other is orthonormal anyway.
};

/// One-sided Jacobi: plane rotations of the columns until every pair is orthogonal up to rounding.
/// Shapes  a [m, n].   Errors  ShapeError for another rank or an empty matrix, ValueError for entries that are not finite.
/// Source  Hestenes 1958; de Rijk 1989.   Cost  a few sweeps of m n² each, fit for matrices of a few hundred rows.
Svd svd(const Tensor<double>& a);
std::vector<double> singular_values(const Tensor<double>& a);

/// exp of the entropy of the values divided by their sum: r for r equal values, 1 for a single one.
/// Source  Roy and Vetterli 2007.
double effective_rank(std::span<const double> values);
/// The number of values above `share` times the largest.
Index numerical_rank(std::span<const double> values, double share = 1e-2);
/// The smallest number of values whose squares make up `share` of the sum of all squares.
Index rank_of_energy(std::span<const double> values, double share = 0.9);

}  // namespace gradproof::experiments
