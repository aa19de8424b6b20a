// Transposed copies of small blocks, in rows of whole vectors.
#pragma once

#include "gradproof/ops/kernels/simd/vec.hpp"

namespace gradproof {
namespace {

/// n rounded up to whole vectors.
template <class T>
constexpr Index padded(Index n) {
    return (n + kLanes<T> - 1) / kLanes<T> * kLanes<T>;
}

/// Four rows of four, transposed and multiplied.
template <class T>
void transpose_block(const T* from, Index stride, T factor, T* to, Index ld) {
    for (Index r = 0; r < 4; ++r)
        for (Index c = 0; c < 4; ++c) to[c * ld + r] = factor * from[r * stride + c];
}
#if defined(__SSE2__) && !GRADPROOF_PLAIN_VECTORS
inline void transpose_block(const float* from, Index stride, float factor, float* to, Index ld) {
    __m128 a = _mm_loadu_ps(from), b = _mm_loadu_ps(from + stride), c = _mm_loadu_ps(from + 2 * stride),
           d = _mm_loadu_ps(from + 3 * stride);
    _MM_TRANSPOSE4_PS(a, b, c, d);
    const __m128 f = _mm_set1_ps(factor);
    _mm_storeu_ps(to, _mm_mul_ps(a, f)), _mm_storeu_ps(to + ld, _mm_mul_ps(b, f));
    _mm_storeu_ps(to + 2 * ld, _mm_mul_ps(c, f)), _mm_storeu_ps(to + 3 * ld, _mm_mul_ps(d, f));
}
#endif

/// to [columns, ld] = factor from [rows, columns]ᵀ; columns of `to` behind `rows` are 0 up to whole vectors.
template <class T>
void transpose(const T* from, Index stride, Index rows, Index columns, T factor, T* to, Index ld) {
    const Index lanes = padded<T>(rows), whole_rows = rows / 4 * 4, whole_columns = columns / 4 * 4;
    for (Index r = 0; r < whole_rows; r += 4)
        for (Index c = 0; c < whole_columns; c += 4) transpose_block(from + r * stride + c, stride, factor, to + c * ld + r, ld);
    for (Index c = 0; c < columns; ++c) {
        T* const row = to + c * ld;
        for (Index r = c < whole_columns ? whole_rows : 0; r < rows; ++r) row[r] = factor * from[r * stride + c];
        for (Index r = rows; r < lanes; ++r) row[r] = T(0);
    }
}

}  // namespace
}  // namespace gradproof
