// The affine map of a layer: x W + b.
//
//   linear(x, w, b);     // x [B, T, 64], w [64, 16], b [16] -> [B, T, 16]
#pragma once

#include "core/registry.hpp"

namespace gradproof {

/// Affine map of the last axis.
///   y = x W + b
///   dx = dy Wᵀ;  dW = xᵀ dy;  db = the sum of dy over all rows
/// Shapes  x [..., in] (rank >= 1), w [in, out], b [out] -> y [..., out].
/// Saves   x, w.
/// Errors  ShapeError if a rank or size does not fit.
/// Source  Giles 2008, section 2.2.1.
template <Operand X>
X linear(const X& x, const X& w);
template <Operand X>
X linear(const X& x, const X& w, const X& b);

}  // namespace gradproof
