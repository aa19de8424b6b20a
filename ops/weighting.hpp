// What the attentions with scores of their own share:
// the sizes of their heads, the keys a query sees, softmax over them, the weighted sum.
//
// All axes before the last two of q, k and v are heads; what is here works on one head, rows of L queries by S keys.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "gradproof/core/op.hpp"
#include "gradproof/core/platform/threads.hpp"
#include "gradproof/core/tape.hpp"
#include "gradproof/ops/kernels/gemm.hpp"
#include "gradproof/ops/row_loops.hpp"

namespace gradproof {

struct HeadSizes {
    Shape lead{};                                        ///< the axes before the last two
    Index heads = 1, L = 0, S = 0, D = 0, F = 0, E = 0;  ///< widths: D of q, F of k, E of v
    bool causal = false;

    /// How many keys query i sees: all, or those up to its own position.
    Index allowed(Index i) const { return causal ? std::min(S, i + 1) : S; }
    /// [..., rows, columns]
    Shape shape(Index rows, Index columns) const {
        Shape s = lead;
        s.push_back(rows);
        s.push_back(columns);
        return s;
    }
};

/// The sizes of q [..., L, D], k [..., S, F], v [..., S, E].   Errors  ShapeError with the op's name.
HeadSizes head_sizes(std::string_view op, const Shape& q, const Shape& k, const Shape& v, bool causal);
/// ... where also D = F.
HeadSizes matching_head_sizes(std::string_view op, const Shape& q, const Shape& k, const Shape& v, bool causal);

/// The factor of the scores: `given`, or 1 / sqrt(width).
template <class T>
T score_scale(const std::optional<double>& given, Index width) {
    return T(static_cast<base_t<T>>(given ? *given : 1 / std::sqrt(static_cast<double>(std::max<Index>(width, 1)))));
}

/// body(head) for every head, in parallel where `width` multiply-adds for each pair of a query and a key are worth it.
template <class Body>
void for_each_head(const HeadSizes& n, Index width, const Body& body) {
    parallel_for(n.heads, task_grain(1 << 17, {n.L, n.S, width}), [&](Index begin, Index end) {
        for (Index h = begin; h < end; ++h) body(h);
    });
}

/// w = softmax(s) over the keys each query sees, in place; the weights of the others are 0.
template <class T>
void softmax_weights(const HeadSizes& n, T* s, bool fast) {
    for (Index i = 0; i < n.L; ++i) {
        T* row = s + i * n.S;
        const Index seen = n.allowed(i);
        std::fill(row + seen, row + n.S, T(0));
        if constexpr (has_kernels<T>)
            if (fast) {
                kernels<T>().softmax(row, row, 1, seen, T(1));
                continue;
            }
        const base_t<T> top = row_max<T>(seen, [&](Index j) { return row[j]; });
        const T shift(std::isinf(top) && top < 0 ? base_t<T>(0) : top);
        T sum(0);
        for (Index j = 0; j < seen; ++j) sum += row[j] = exp(row[j] - shift);
        for (Index j = 0; j < seen && primal(sum) > 0; ++j) row[j] /= sum;
    }
}

/// ds = w * (dw - rowsum(dw * w)), in place of dw; 0 for the keys a query does not see.
template <class T>
void softmax_weights_backward(const HeadSizes& n, const T* w, T* dw, bool fast) {
    for (Index i = 0; i < n.L; ++i) {
        const T* weights = w + i * n.S;
        T* row = dw + i * n.S;
        const Index seen = n.allowed(i);
        std::fill(row + seen, row + n.S, T(0));
        if constexpr (has_kernels<T>)
            if (fast) {
                kernels<T>().softmax_backward(weights, row, row, 1, seen, T(1));
                continue;
            }
        const T inner = row_sum<T>(seen, [&](Index j) { return row[j] * weights[j]; });
        for (Index j = 0; j < seen; ++j) row[j] = weights[j] * (row[j] - inner);
    }
}

/// Whether no element is infinite or NaN. Where their sum overflows it may say no of numbers that all are finite.
template <class T>
bool all_finite(const T* x, Index n) {
    constexpr Index kLanes = 32;  // sums in an order of their own each: the compiler may take many at once
    std::array<T, kLanes> sums{};
    Index i = 0;
    for (; i + kLanes <= n; i += kLanes)
        for (Index lane = 0; lane < kLanes; ++lane) sums[static_cast<std::size_t>(lane)] += x[i + lane];
    for (; i < n; ++i) sums[0] += x[i];
    return std::all_of(sums.begin(), sums.end(), [](const T& sum) { return isfinite(sum); });
}

/// The sums below are products of blocks of rows with all that some row of the block has a part in.
/// The others' factor is 0, and is
/// left out row by row where 0 times what it meets would not be 0.
inline constexpr Index kCausalRows = 128;

/// c = factor a x + beta c over the keys each query sees.
/// Shapes  a [L, S], rows `stride` apart, 0 for the other keys, x [S, width], c [L, width].
template <class T>
void sum_over_keys(const HeadSizes& n, Index width, T factor, const T* a, Index stride, const T* x, T beta, T* c, bool fast) {
    const auto rows = [&](Index first, Index count, Index keys) {
        gemm(false, false, count, width, keys, factor, a + first * stride, stride, x, width, beta, c + first * width, width,
             fast);
    };
    if (!n.causal) return rows(0, n.L, n.S);
    for (Index first = 0; first < n.L; first += kCausalRows) {
        const Index count = std::min(kCausalRows, n.L - first), before = std::min(first, n.S),
                    keys = n.allowed(first + count - 1);
        if (all_finite(x + before * width, (keys - before) * width))
            rows(first, count, keys);
        else
            for (Index i = first; i < first + count; ++i) rows(i, 1, n.allowed(i));
    }
}
/// c = factor aᵀ x + beta c over the queries that see each key.   Shapes  as above, but x [L, width], c [S, width].
template <class T>
void sum_over_queries(const HeadSizes& n, Index width, T factor, const T* a, Index stride, const T* x, T beta, T* c, bool fast) {
    const auto rows = [&](Index first, Index count, Index from) {
        gemm(true, false, count, width, n.L - from, factor, a + from * stride + first, stride, x + from * width, width, beta,
             c + first * width, width, fast);
    };
    if (!n.causal) return rows(0, n.S, 0);
    for (Index first = 0; first < n.S; first += kCausalRows) {
        const Index count = std::min(kCausalRows, n.S - first), from = std::min(first, n.L), last = std::min(first + count, n.L);
        if (all_finite(x + from * width, (last - from) * width))
            rows(first, count, from);
        else
            for (Index j = first; j < first + count; ++j) rows(j, 1, std::min(j, n.L));
    }
}

/// s = factor q kᵀ  of q [L, width], k [S, width].
template <class T>
void product_scores(const HeadSizes& n, Index width, T factor, const T* q, const T* k, T* s, bool fast) {
    gemm(false, true, n.L, n.S, width, factor, q, width, k, width, T(0), s, n.S, fast);
}
/// s = factor q kᵀ:  dq = factor ds k,  dk = factor dsᵀ q, where ds is 0 for keys a query does not see.   A null one is left out.
template <class T>
void product_scores_backward(const HeadSizes& n, Index width, T factor, const T* q, const T* k, const T* ds, T* dq, T* dk,
                             bool fast) {
    if (dq) sum_over_keys(n, width, factor, ds, n.S, k, T(0), dq, fast);
    if (dk) sum_over_queries(n, width, factor, ds, n.S, q, T(0), dk, fast);
}

/// y = w v, where w is 0 for keys a query does not see.
template <class T>
void weighted_sum(const HeadSizes& n, const T* w, const T* v, T* y, bool fast) {
    sum_over_keys(n, n.E, T(1), w, n.S, v, T(0), y, fast);
}
/// y = w v:  dw = dy vᵀ, for keys a query does not see too,  dv = wᵀ dy.   A null one is left out.
template <class T>
void weighted_sum_backward(const HeadSizes& n, const T* w, const T* v, const T* dy, T* dw, T* dv, bool fast) {
    if (dw) gemm(false, true, n.L, n.S, n.E, T(1), dy, n.E, v, n.E, T(0), dw, n.S, fast);
    if (dv) sum_over_queries(n, n.E, T(1), w, n.S, dy, T(0), dv, fast);
}

/// The cotangent of input i, of the shape of x, to be written whole; undefined where nobody needs it.
template <class T>
Tensor<T> wanted(const Cotangents<T>& dx, int i, const Tensor<T>& x) {
    return dx.needs(i) ? Tensor<T>(x.shape()) : Tensor<T>();
}
/// Hands over what wanted() made for inputs 0 to 2.
template <class T>
void add_to_heads(Cotangents<T>& dx, Tensor<T> dq, Tensor<T> dk, Tensor<T> dv) {
    if (dq.defined()) dx.add(0, std::move(dq));
    if (dk.defined()) dx.add(1, std::move(dk));
    if (dv.defined()) dx.add(2, std::move(dv));
}
/// The part of a head in x [heads, rows, columns], null where x is undefined.
template <class T>
const T* head_of(const Tensor<T>& x, Index head, Index size) {
    return x.defined() ? x.data() + head * size : nullptr;
}
template <class T>
T* head_of(Tensor<T>& x, Index head, Index size) {
    return x.defined() ? x.data() + head * size : nullptr;
}

}  // namespace gradproof
