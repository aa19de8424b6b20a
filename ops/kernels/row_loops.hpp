// What kernels share: rows in parallel, the sum and the largest of a row, and sums over rows.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <limits>

#include "gradproof/core/platform/threads.hpp"
#include "gradproof/core/rows.hpp"
#include "gradproof/ops/kernels/kernels.hpp"

namespace gradproof {

/// Items per task, so that a task does about `work` multiply-adds; `sizes` are those of one item.
/// Of empty axes the product can be more than an Index holds.
inline Index task_grain(double work, std::initializer_list<Index> sizes) {
    for (const Index n : sizes) work /= static_cast<double>(std::max<Index>(n, 1));
    return std::max<Index>(1, static_cast<Index>(work));
}

/// body(r) for every row, in parallel where the rows together are worth it. Ranges depend on the sizes only.
template <class Body>
void for_rows(Index rows, Index n, const Body& body) {
    constexpr Index kWorthATask = 1 << 14;
    if (rows * n <= kWorthATask) {
        for (Index r = 0; r < rows; ++r) body(r);
        return;
    }
    parallel_for(rows, std::max<Index>(1, kWorthATask / std::max<Index>(n, 1)), [&](Index begin, Index end) {
        for (Index r = begin; r < end; ++r) body(r);
    });
}

/// f(0) + ... + f(n-1), pairwise.
template <class T, class F>
T row_sum(Index n, const F& f) {
    return detail::pairwise_sum<T>(0, n, f);
}

/// The largest of f(0) .. f(n-1); -inf for an empty row, NaN where one is.
template <class T, class F>
T row_max(Index n, const F& f) {
    T m = -std::numeric_limits<T>::infinity();
    for (Index i = 0; i < n; ++i) m = max(m, T(f(i)));
    return m;
}

/// sum [n] of what part(first, count, to) makes of some rows, pairwise in blocks of them.
template <class T, class Part>
void add_up_rows(Index first, Index rows, Index n, T* sum, const Part& part) {
    constexpr Index kBlock = 256;
    if (rows <= kBlock) return part(first, rows, sum);
    const Index half = (rows / 2 + kBlock - 1) / kBlock * kBlock;
    Tensor<T> rest({n});
    add_up_rows(first, half, n, sum, part);
    add_up_rows(first + half, rows - half, n, rest.data(), part);
    kernels<T>().add(sum, rest.data(), sum, n);
}

/// sum[j] = x[0, j] + ... + x[rows-1, j] for the columns [begin, end) of x [rows, n], pairwise.
template <class T>
void sum_some_columns(const T* x, T* sum, Index rows, Index n, Index begin, Index end) {
    add_up_rows(0, rows, end - begin, sum + begin, [=](Index first, Index count, T* to) {
        kernels<T>().sum_columns(x + first * n + begin, n, to, count, end - begin);
    });
}
/// ... for all columns, in parallel.
template <class T>
void sum_columns(const T* x, T* sum, Index rows, Index n) {
    constexpr Index kColumns = 128;
    parallel_for(n, rows < row_grain(kColumns) ? n : kColumns,
                 [=](Index begin, Index end) { sum_some_columns(x, sum, rows, n, begin, end); });
}

}  // namespace gradproof
