// The words that reduce axes: sums are pairwise (core/rows.hpp), the largest carries NaN, and rows of nothing have a value.
#include "gradproof/core/algebra/elementwise.hpp"
#include "gradproof/core/rows.hpp"

namespace gradproof {
namespace {

template <class T>
Rows<T> rows_of(std::string_view word, const Tensor<T>& x, const Axes& axes) {
    detail::expect_defined(word, x);
    return Rows<T>(x, axis_set(word, axes, x.rank()), true);
}

/// What x carries beside its plain number.
template <class T>
T tangents_of(const T& x) {
    if constexpr (is_dual<T>)
        return {tangents_of(x.value), x.tangent};
    else
        return T(0);
}

/// The largest element of each row, -inf for none. NaN wins.
template <class T>
Tensor<T> largest(const Rows<T>& rows) {
    constexpr Index kLanes = 16;
    constexpr T lowest = -std::numeric_limits<T>::infinity();
    Tensor<T> m(rows.out, lowest);
    T* out = m.data();
    for (Index o = 0; o < rows.outer; ++o) {
        const T* x = rows.x.data() + o * rows.n * rows.inner;
        if (rows.inner != 1) {
            for (Index k = 0; k < rows.n; ++k)
                for (Index c = 0; c < rows.inner; ++c)
                    out[o * rows.inner + c] = max(out[o * rows.inner + c], x[k * rows.inner + c]);
            continue;
        }
        std::array<T, kLanes> lanes;
        lanes.fill(lowest);
        Index k = 0;
        for (; k + kLanes <= rows.n; k += kLanes)
            for (Index l = 0; l < kLanes; ++l)
                lanes[static_cast<std::size_t>(l)] = max(lanes[static_cast<std::size_t>(l)], x[k + l]);
        for (; k < rows.n; ++k) lanes[0] = max(lanes[0], x[k]);
        for (const T& lane : lanes) out[o] = max(out[o], lane);
    }
    return m;
}

}  // namespace

template <Scalar T, AxisList A>
Tensor<T> sum(const Tensor<T>& x, const A& axes) {
    const Rows<T> rows = rows_of("sum", x, axes);
    Tensor<T> y(rows.out);
    sum_rows(rows, y, [from = rows.x.data()](Index i, Index) { return from[i]; });
    return y;
}

template <Scalar T, AxisList A>
Tensor<T> mean(const Tensor<T>& x, const A& axes) {
    Tensor<T> total = sum(x, axes);
    const Index n = total.size() > 0 ? x.size() / total.size() : 0;
    return std::move(total) / std::max<Index>(n, 1);
}

template <Scalar T>
Tensor<T> amax(const Tensor<T>& x, const Axes& axes) {
    Tensor<T> m = largest(rows_of("amax", x, axes));
    if constexpr (is_dual<T>) {
        const auto of_ties = [&](auto f) {
            return sum(detail::zip("amax", x, m, [f](const T& p, const T& q) { return p == q ? T(f(p)) : T(0); }), axes);
        };
        const Tensor<T> ties = of_ties([](const T&) { return 1; }), tangents = of_ties(tangents_of<T>);
        for (Index j = 0; j < m.size(); ++j)
            if (primal(ties[j]) > 0) m[j] = without_slope(m[j]) + tangents[j] / primal(ties[j]);
    }
    return m;
}

template <Scalar T>
Tensor<T> exp_shift(const Tensor<T>& x, const Axes& axes) {
    const Tensor<T> m = constant(largest(rows_of("exp_shift", x, axes)));
    return where(isneginf(m), 0, m);
}

#define GRADPROOF_ALGEBRA(T)                                \
    template Tensor<T> sum(const Tensor<T>&, const Axes&);  \
    template Tensor<T> mean(const Tensor<T>&, const Axes&); \
    template Tensor<T> amax(const Tensor<T>&, const Axes&); \
    template Tensor<T> exp_shift(const Tensor<T>&, const Axes&);
GRADPROOF_FOR_SCALARS(GRADPROOF_ALGEBRA)
#undef GRADPROOF_ALGEBRA

}  // namespace gradproof
