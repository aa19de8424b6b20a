// Reductions as three nested loops: what is kept before, what is reduced, what is kept after; sums that stay accurate; and
// whether all numbers of a row are finite.
//
//   const Rows<T> rows(x, axis_set("sum", axes, x.rank()), keep_dims);   // x seen as [outer, n, inner]
//   sum_rows(rows, y, [x = rows.x.data()](Index i, Index) { return x[i]; });
//
// Sums are pairwise: their error grows with log2(n), not with n, so 2^25 ones sum to 33554432 in float.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "gradproof/core/tensor.hpp"

namespace gradproof {

/// Which axes of a tensor are meant.
using AxisSet = std::array<bool, kMaxRank>;

/// Errors: ValueError as normal_axes.
inline AxisSet axis_set(std::string_view op, const Axes& axes, int rank) {
    AxisSet set{};
    for (const Index axis : normal_axes(op, axes, rank)) set[static_cast<std::size_t>(axis)] = true;
    return set;
}

/// A tensor seen as [outer, n, inner], to be reduced over n. Where the reduced axes are not neighbours it is gathered into
/// [outer, n] first; element k of row j is x[(o * n + k) * inner + c] with j = o * inner + c either way.
template <class T>
struct Rows {
    Tensor<T> x;
    Shape out;  ///< the shape of the result
    Index outer = 1, n = 1, inner = 1;

    Rows(const Tensor<T>& whole, const AxisSet& reduced, bool keep_dims) : x(whole) {
        const Shape& shape = whole.shape();
        int turns = 0;  // from a kept axis to a reduced one, or back; axes of size 1 are on either side
        bool last = false;
        for (int a = 0; a < shape.rank(); ++a) {
            const bool r = reduced[static_cast<std::size_t>(a)];
            if (!r || keep_dims) out.push_back(r ? 1 : shape[a]);
            if (shape[a] == 1) continue;
            turns += r != last;
            last = r;
            (r ? n : turns == 0 ? outer : inner) *= shape[a];
        }
        if (turns > 2 && whole.size() > 0) gather(shape, reduced);
    }

  private:
    void gather(const Shape& shape, const AxisSet& reduced) {
        const Shape own = strides_of(shape);
        Shape to, strides;
        for (const bool side : {false, true})
            for (int a = 0; a < shape.rank(); ++a)
                if (reduced[static_cast<std::size_t>(a)] == side) {
                    to.push_back(shape[a]);
                    strides.push_back(own[a]);
                }
        x = Tensor<T>::from_strided(x.data(), to, strides);
        outer *= inner;
        inner = 1;
    }
};

namespace detail {

/// term(begin) + ... + term(end - 1): eight lanes within blocks, halves above them.
template <class T, class Term>
T pairwise_sum(Index begin, Index end, const Term& term) {
    constexpr Index kLanes = 8, kBlock = 256;
    const Index n = end - begin;
    if (n > kBlock) {
        const Index middle = begin + (n / 2 + kBlock - 1) / kBlock * kBlock;
        const T left = pairwise_sum<T>(begin, middle, term);
        return left + pairwise_sum<T>(middle, end, term);
    }
    if (n < kLanes) {
        T sum = T(0);
        for (Index i = begin; i < end; ++i) sum += term(i);
        return sum;
    }
    std::array<T, kLanes> lanes;
    lanes.fill(T(0));
    Index i = begin;
    for (; i + kLanes <= end; i += kLanes)
        for (Index l = 0; l < kLanes; ++l) lanes[static_cast<std::size_t>(l)] += term(i + l);
    T rest = T(0);
    for (; i < end; ++i) rest += term(i);
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7])) + rest;
}

inline constexpr Index kColumnBlock = 64;

/// sums[c] = sum over k in [begin, end) of add(k, c), for all c at once; `spare` has room for `inner` more at each halving.
template <class T, class Term>
void pairwise_columns(Index begin, Index end, Index inner, T* sums, T* spare, const Term& term) {
    if (end - begin <= kColumnBlock) {
        std::fill(sums, sums + inner, T(0));
        for (Index k = begin; k < end; ++k)
            for (Index c = 0; c < inner; ++c) sums[c] += term(k, c);
        return;
    }
    const Index middle = begin + ((end - begin) / 2 + kColumnBlock - 1) / kColumnBlock * kColumnBlock;
    pairwise_columns(begin, middle, inner, sums, spare, term);
    pairwise_columns(middle, end, inner, spare, spare + inner, term);
    for (Index c = 0; c < inner; ++c) sums[c] += spare[c];
}

}  // namespace detail

/// y[j] = sum over the elements i of row j of term(i, j).
template <class T, class Term>
void sum_rows(const Rows<T>& rows, Tensor<T>& y, const Term& term) {
    T* out = y.data();
    const Index n = rows.n, inner = rows.inner;
    if (inner == 1) {
        for (Index j = 0; j < rows.outer; ++j)
            out[j] = detail::pairwise_sum<T>(j * n, (j + 1) * n, [&](Index i) { return term(i, j); });
        return;
    }
    Tensor<T> spare;
    if (n > detail::kColumnBlock) {
        Index halvings = 2;  // each half is at most a block longer than the other
        for (Index blocks = n / detail::kColumnBlock; blocks > 0; blocks /= 2) ++halvings;
        spare = Tensor<T>({halvings * inner});
    }
    for (Index o = 0; o < rows.outer; ++o)
        detail::pairwise_columns(0, n, inner, out + o * inner, spare.defined() ? spare.data() : nullptr,
                                 [&](Index k, Index c) { return term((o * n + k) * inner + c, o * inner + c); });
}

/// Whether no element is infinite or NaN. May be false for finite numbers whose sum overflows.
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

}  // namespace gradproof
