// Copies between memory layouts: permuted axes, in tiles, for any element type.
//
//   permute(x.data(), x.shape(), Axes{0, 2, 1, 3}, y.data());   // [B, T, H, D] -> [B, H, T, D]
#pragma once

#include <algorithm>

#include "gradproof/core/shape.hpp"

namespace gradproof {

/// y[i[perm[0]], i[perm[1]], ...] = x[i[0], i[1], ...]: axis a of y is axis perm[a] of x. Both contiguous, not overlapping.
/// `perm` holds every axis once, none negative.
template <class T>
void permute(const T* x, const Shape& shape, const Axes& perm, T* y);

/// `blocks` runs of `length` elements each: run i from x + i * x_step to y + i * y_step.
template <class T>
void copy_runs(Index blocks, Index length, const T* x, Index x_step, T* y, Index y_step) {
    for (Index i = 0; i < blocks; ++i) std::copy(x + i * x_step, x + i * x_step + length, y + i * y_step);
}

}  // namespace gradproof
