// Inverse and determinant of square matrices.
//
//   inverse(a);     // a [..., n, n] -> [..., n, n]
//   logdet(a);      // -> [...]
#pragma once

#include "gradproof/core/registry.hpp"

namespace gradproof {

/// Inverse of the matrices in the last two axes, by elimination with the largest pivot of each column.
/// Shapes  x [..., n, n] -> y [..., n, n].   Units  those of 1 / x.   n = 0 gives no entries.
/// Errors  ShapeError unless the last two axes are of one size; ValueError for a matrix that is singular.
template <Operand X>
X inverse(const X& x);

/// Determinant of the matrices in the last two axes.
/// Shapes  x [..., n, n] -> y [...].   Units  those of x to the n.   n = 0 gives 1.
/// Errors  ShapeError unless the last two axes are of one size; backward: ValueError for a matrix that is singular.
template <Operand X>
X det(const X& x);

/// Logarithm of the size of the determinant, which itself may be too large or too small for a number.
/// Shapes  as det.   Units  nats.   n = 0 gives 0.
/// Errors  ShapeError unless the last two axes are of one size; ValueError for a matrix that is singular.
template <Operand X>
X logdet(const X& x);

}  // namespace gradproof
