// The matrix product inside the fused attention: an element of A times a vector of B, sums kept in registers.
//
//   product<T, true>(m, k, vectors, Across<T>{a, lda}, b, ldb, c, ldc);     // c += a b
//
// C is [m, vectors * lanes] and B is [k, vectors * lanes]: columns are whole vectors, callers pad. Every element of C is one
// chain of fused multiply-adds over k in order, whatever block it falls in.
#pragma once

#include "ops/kernels/simd/vec.hpp"

#define GRADPROOF_UNROLL _Pragma("GCC unroll 16")

namespace gradproof {
namespace {

/// A stored by rows: element [i, p] is data[i * stride + p].
template <class T>
struct Across {
    const T* data;
    Index stride;
    const T* from(Index i) const { return data + i * stride; }
    static constexpr bool kAcross = true;
};
/// A stored by columns: element [i, p] is data[p * stride + i].
template <class T>
struct Down {
    const T* data;
    Index stride;
    const T* from(Index i) const { return data + i; }
    static constexpr bool kAcross = false;
};

/// kRows rows by kVectors vectors of C.
template <class T, bool kAdd, int kRows, int kVectors, class A>
__attribute__((noinline)) void block(Index k, A a, const T* __restrict b, Index ldb, T* __restrict c, Index ldc) {
    constexpr Index w = kLanes<T>;
    // Every loop over rows and vectors is unrolled: only then do the sums live in registers from the start.
    V<T> sum[kRows][kVectors];
    GRADPROOF_UNROLL for (int r = 0; r < kRows; ++r)
        GRADPROOF_UNROLL for (int v = 0; v < kVectors; ++v) sum[r][v] = kAdd ? load(c + r * ldc + v * w) : V<T>(T(0));
    // Few addresses: a pointer for every three rows, and those between at one and two strides.
    constexpr int kGroups = (kRows + 2) / 3;
    const T* row[kGroups];
    GRADPROOF_UNROLL for (int g = 0; g < kGroups; ++g) row[g] = a.from(3 * g);
    for (Index p = 0; p < k; ++p, b += ldb) {
        V<T> right[kVectors];
        GRADPROOF_UNROLL for (int v = 0; v < kVectors; ++v) right[v] = load(b + v * w);
        GRADPROOF_UNROLL for (int r = 0; r < kRows; ++r) {
            const V<T> left(A::kAcross ? row[r / 3][(r % 3) * a.stride] : row[0][r]);
            GRADPROOF_UNROLL for (int v = 0; v < kVectors; ++v) sum[r][v] = fma(left, right[v], sum[r][v]);
        }
        if constexpr (A::kAcross)
            GRADPROOF_UNROLL for (int g = 0; g < kGroups; ++g) ++row[g];
        else
            row[0] += a.stride;
    }
    GRADPROOF_UNROLL for (int r = 0; r < kRows; ++r)
        GRADPROOF_UNROLL for (int v = 0; v < kVectors; ++v) store(c + r * ldc + v * w, sum[r][v]);
}

/// Rows in blocks of kBig and kSmall as long as they fit, the rest in halves.
template <class T, bool kAdd, int kVectors, int kBig, int kSmall, class A>
void rows_of_blocks(Index m, Index k, A a, const T* b, Index ldb, T* c, Index ldc) {
    const auto next = [&](Index rows) {
        m -= rows, a.data = a.from(rows), c += rows * ldc;
    };
    for (; m == kBig || m >= kBig + kSmall; next(kBig)) block<T, kAdd, kBig, kVectors>(k, a, b, ldb, c, ldc);
    for (; m >= kSmall; next(kSmall)) block<T, kAdd, kSmall, kVectors>(k, a, b, ldb, c, ldc);
    if constexpr (kSmall > 1) {
        if (m > 0) rows_of_blocks<T, kAdd, kVectors, kSmall / 2, kSmall / 2>(m, k, a, b, ldb, c, ldc);
    }
}

// Registers: rows * vectors sums, a row of B, one element of A.
#if defined(GRADPROOF_ARCH_avx512) || defined(__aarch64__)
constexpr int kRowsOfOne = 12, kRowsOfTwo = 12, kRowsOfThree = 8;
#else
constexpr int kRowsOfOne = 6, kRowsOfTwo = 6, kRowsOfThree = 4;
#endif

/// c = a b, or c += a b.
template <class T, bool kAdd, class A>
void product(Index m, Index k, Index vectors, A a, const T* b, Index ldb, T* c, Index ldc) {
    constexpr Index w = kLanes<T>;
    while (vectors > 0) {
        const Index n = vectors == 1 ? 1 : vectors % 2 == 0 ? 2 : 3;
        if (n == 1) rows_of_blocks<T, kAdd, 1, kRowsOfOne, kRowsOfOne * 2 / 3>(m, k, a, b, ldb, c, ldc);
        else if (n == 2) rows_of_blocks<T, kAdd, 2, kRowsOfTwo, kRowsOfTwo * 2 / 3>(m, k, a, b, ldb, c, ldc);
        else rows_of_blocks<T, kAdd, 3, kRowsOfThree, kRowsOfThree / 2>(m, k, a, b, ldb, c, ldc);
        vectors -= n, b += n * w, c += n * w;
    }
}

}  // namespace
}  // namespace gradproof
