// The matrix product of small blocks: an element of A times a vector of B, sums kept in registers.
//
//   product<T, true>(m, k, vectors, Across<T>{a, lda}, b, ldb, c, ldc);     // c += a b
//
// C is [m, vectors * lanes] and B is [k, vectors * lanes]: columns are whole vectors, callers pad. Every element of a b is
// one chain of fused multiply-adds over k in order, whatever block it falls in.
#pragma once

#include <type_traits>

#include "gradproof/ops/kernels/simd/vec.hpp"

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

template <int n>
struct Count {
    static constexpr int value = n;
};

/// What becomes of a sum: it is stored, or added to what is there.
struct Stored {
    template <class T>
    V<T> operator()(V<T> sum, const auto&) const {
        return sum;
    }
};
struct Added {
    template <class T>
    V<T> operator()(V<T> sum, const auto& old) const {
        return old() + sum;
    }
};

/// kRows rows by kVectors vectors of C, the last vector of `part` columns if kPart.
template <class T, int kRows, int kVectors, bool kPart, class A, class Into>
__attribute__((noinline)) void block(Index k, A a, const T* __restrict b, Index ldb, const Into& into, T* __restrict c, Index ldc,
                                     Index part) {
    constexpr Index w = kLanes<T>;
    // Every loop over rows and vectors is unrolled: only then do the sums live in registers from the start.
    V<T> sum[kRows][kVectors];
    GRADPROOF_UNROLL for (int r = 0; r < kRows; ++r) GRADPROOF_UNROLL for (int v = 0; v < kVectors; ++v) sum[r][v] = V<T>(T(0));
    // Few addresses: a pointer for every three rows, and those between at one and two strides.
    constexpr int kGroups = (kRows + 2) / 3;
    const T* row[kGroups];
    GRADPROOF_UNROLL for (int g = 0; g < kGroups; ++g) row[g] = a.from(3 * g);
    const auto step = [&](Index ahead) __attribute__((always_inline)) {
        V<T> right[kVectors];
        GRADPROOF_UNROLL for (int v = 0; v < kVectors; ++v) right[v] =
            kPart && v == kVectors - 1 ? load_part(b + v * w, part) : load(b + v * w);
        GRADPROOF_UNROLL for (int r = 0; r < kRows; ++r) {
            const V<T> left(A::kAcross ? row[r / 3][(r % 3) * a.stride + ahead] : row[0][r]);
            GRADPROOF_UNROLL for (int v = 0; v < kVectors; ++v) sum[r][v] = fma(left, right[v], sum[r][v]);
        }
        b += ldb;
        if constexpr (!A::kAcross) row[0] += a.stride;
    };
    for (; k >= 2; k -= 2) {
        step(0), step(1);
        if constexpr (A::kAcross) GRADPROOF_UNROLL for (int g = 0; g < kGroups; ++g) row[g] += 2;
    }
    if (k > 0) step(0);
    GRADPROOF_UNROLL for (int r = 0; r < kRows; ++r) GRADPROOF_UNROLL for (int v = 0; v < kVectors; ++v) {
        T* const to = c + r * ldc + v * w;
        if (kPart && v == kVectors - 1)
            store_part(to, into(sum[r][v], [=] { return load_part(to, part); }), part);
        else
            store(to, into(sum[r][v], [=] { return load(to); }));
    }
}

/// Rows in blocks of kBig and kSmall as long as they fit, the rest in halves.
template <class T, int kVectors, bool kPart, int kBig, int kSmall, class A, class Into>
void rows_of_blocks(Index m, Index k, A a, const T* b, Index ldb, const Into& into, T* c, Index ldc, Index part) {
    const auto next = [&](Index rows) { m -= rows, a.data = a.from(rows), c += rows * ldc; };
    for (; m == kBig || m >= kBig + kSmall; next(kBig)) block<T, kBig, kVectors, kPart>(k, a, b, ldb, into, c, ldc, part);
    for (; m >= kSmall; next(kSmall)) block<T, kSmall, kVectors, kPart>(k, a, b, ldb, into, c, ldc, part);
    if constexpr (kSmall > 1) {
        if (m > 0) rows_of_blocks<T, kVectors, kPart, kSmall / 2, kSmall / 2>(m, k, a, b, ldb, into, c, ldc, part);
    }
}

/// The rows of a block of so many vectors: its sums, a row of B and one element of A fill the registers.
#if defined(GRADPROOF_ARCH_avx512) || defined(__aarch64__)
template <int kVectors>
constexpr int kBlockRows = kVectors == 4   ? 6
                           : kVectors == 3 ? 8
                                           : 12;
constexpr Index kBlockVectors = 4;
#else
template <int kVectors>
constexpr int kBlockRows = kVectors == 3 ? 4 : 6;
constexpr Index kBlockVectors = 2;
#endif

/// c = a b, or c += a b.
template <class T, bool kAdd, class A>
void product(Index m, Index k, Index vectors, A a, const T* b, Index ldb, T* c, Index ldc) {
    const std::conditional_t<kAdd, Added, Stored> into;
    const auto columns = [&](auto n) {
        constexpr int kVectors = decltype(n)::value, kRows = kBlockRows<kVectors>;
        rows_of_blocks<T, kVectors, false, kRows, kRows * 2 / 3>(m, k, a, b, ldb, into, c, ldc, 0);
        vectors -= kVectors, b += kVectors * kLanes<T>, c += kVectors * kLanes<T>;
    };
    // Never one vector alone behind others: its blocks load more than they multiply.
    while (vectors >= kBlockVectors && vectors != kBlockVectors + 1) columns(Count<kBlockVectors>());
    while (vectors >= 2 && vectors != 3) columns(Count<2>());
    if (vectors == 3) columns(Count<3>());
    if (vectors == 1) columns(Count<1>());
}

/// c = a b in equal chains of at most 64, whose sums are then added: large scores lose less to rounding.
template <class T>
void score_product(Index m, Index k, Index vectors, Across<T> a, const T* b, Index ldb, T* c, Index ldc) {
    constexpr Index kMost = 64;
    const Index chains = (k + kMost - 1) / kMost, chain = chains == 0 ? 0 : (k + chains - 1) / chains;
    product<T, false>(m, chain, vectors, a, b, ldb, c, ldc);
    for (Index p = chain; p < k; p += chain)
        product<T, true>(m, k - p < chain ? k - p : chain, vectors, Across<T>{a.data + p, a.stride}, b + p * ldb, ldb, c, ldc);
}

}  // namespace
}  // namespace gradproof
