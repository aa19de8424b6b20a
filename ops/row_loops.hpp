// Loops over the rows of one axis: where a row lies, rows in parallel, the sum and the largest of a row, and the sum of rows.
#pragma once

#include <initializer_list>

#include "gradproof/core/platform/threads.hpp"
#include "gradproof/core/rows.hpp"
#include "gradproof/ops/kernels/kernels.hpp"

namespace gradproof {

/// One axis of a contiguous tensor: `outer * inner` rows of n elements, `inner` apart.
struct RowLayout {
    Index outer = 1, n = 1, inner = 1;
    RowLayout(const Shape& shape, int axis) : n(shape[axis]) {
        for (int i = 0; i < axis; ++i) outer *= shape[i];
        for (int i = axis + 1; i < shape.rank(); ++i) inner *= shape[i];
    }
    Index rows() const { return outer * inner; }
    /// Offset of the first element of row r.
    Index start(Index r) const { return r / inner * n * inner + r % inner; }
};

/// Items per task, so that a task does about `work` multiply-adds; `sizes` are those of one item.
/// Of empty axes the product can be more than an
/// Index holds.
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

/// The largest of f(0) .. f(n-1), as a plain number; -inf for an empty row, NaN where one is.
template <class T, class F>
base_t<T> row_max(Index n, const F& f) {
    base_t<T> m = -std::numeric_limits<base_t<T>>::infinity();
    for (Index i = 0; i < n; ++i) m = max(m, base_t<T>(primal(f(i))));
    return m;
}

/// sum[j] = x[0, j] + ... + x[rows-1, j] of x [rows, n].
template <class T>
void sum_columns(const T* x, T* sum, Index rows, Index n) {
    if constexpr (has_kernels<T>)
        if (use_kernels<T>()) {
            constexpr Index kColumns = 128;
            return parallel_for(n, rows < row_grain(kColumns) ? n : kColumns, [=](Index begin, Index end) {
                kernels<T>().sum_columns(x + begin, n, sum + begin, rows, end - begin);
            });
        }
    std::fill(sum, sum + n, T(0));
    for (Index r = 0; r < rows; ++r)
        for (Index j = 0; j < n; ++j) sum[j] += x[r * n + j];
}

}  // namespace gradproof
