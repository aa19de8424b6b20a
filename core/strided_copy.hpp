// Copies out of strided memory, in runs and tiles, for any element type: permuted axes, broadcast axes, ranges in steps.
//
//   copy_strided(x.data(), Shape{D, B}, Shape{1, D}, y.data());   // x [B, D] -> y [D, B]
#pragma once

#include "gradproof/core/shape.hpp"

namespace gradproof {

/// y[i, j, ...] = x[i strides[0] + j strides[1] + ...], y contiguous of `shape`; strides in elements, 0 and negative allowed.
/// x and y do not overlap.
template <class T>
void copy_strided(const T* x, const Shape& shape, const Shape& strides, T* y);

}  // namespace gradproof
