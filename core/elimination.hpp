// Gauss-Jordan elimination of square matrices, for every scalar.
//
//   const Eliminated<T> e = eliminate(a, n, b, m, larger);      // b becomes a⁻¹ b
//   if (!e.regular) ...                                         // a column has no pivot: a is singular
#pragma once

#include <utility>
#include <vector>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/tensor.hpp"

namespace gradproof {

template <class T>
struct Eliminated {
    std::vector<T> pivots;  ///< one for each row; their product is the determinant up to its sign
    bool negated = false;   ///< an odd number of row exchanges: the determinant is minus that product
    bool regular = true;    ///< there is a pivot in every column
};

/// Turns a [n, n] into the identity by row operations, and applies the same operations to b [n, m]. The pivot of a column is its
/// largest entry by larger(x, y), "x is larger than y"; a pivot equal to 0 makes the matrix singular.
template <class T, class Larger>
Eliminated<T> eliminate(T* a, Index n, T* b, Index m, Larger larger) {
    Eliminated<T> out;
    const auto exchange = [&](T* x, Index width, Index i, Index j) {
        for (Index k = 0; k < width; ++k) std::swap(x[i * width + k], x[j * width + k]);
    };
    const auto subtract = [](T* x, Index width, Index from, Index row, const T& factor) {
        for (Index k = 0; k < width; ++k) x[from * width + k] -= factor * x[row * width + k];
    };
    for (Index i = 0; i < n; ++i) {
        Index best = i;
        for (Index r = i + 1; r < n; ++r)
            if (larger(a[r * n + i], a[best * n + i])) best = r;
        if (a[best * n + i] == T(0)) {
            out.regular = false;
            return out;
        }
        if (best != i) {
            exchange(a, n, i, best);
            exchange(b, m, i, best);
            out.negated = !out.negated;
        }
        const T pivot = a[i * n + i];
        out.pivots.push_back(pivot);
        for (Index k = 0; k < n; ++k) a[i * n + k] /= pivot;
        for (Index k = 0; k < m; ++k) b[i * m + k] /= pivot;
        for (Index r = 0; r < n; ++r) {
            if (r == i) continue;
            const T factor = a[r * n + i];
            subtract(a, n, r, i, factor);
            subtract(b, m, r, i, factor);
        }
    }
    return out;
}

namespace elimination {

/// The size n of the matrices in the last two axes.
inline Index order_of(std::string_view op, const Shape& s) {
    if (s.rank() < 2 || s.last() != s.last(1)) shape_error("{}: expected square matrices [..., n, n]: x is {}", op, s);
    return s.last();
}

/// x [..., n, n] as [batch, n, n], the batch axes of x apart.
struct Batch {
    Shape axes;
    Index count = 1, n = 0;
    Batch(std::string_view op, const Shape& s) : n(order_of(op, s)) {
        for (int i = 0; i + 2 < s.rank(); ++i) {
            axes.push_back(s[i]);
            count *= s[i];
        }
    }
};

inline constexpr auto kLarger = [](const auto& a, const auto& b) { return abs(a) > abs(b); };

inline constexpr auto kRefuse = [](std::string_view op, Index which, Index count) {
    if (count == 1) value_error("{}: x is singular", op);
    value_error("{}: matrix {} of {} in x is singular", op, which, count);
};

/// f of the elimination of each matrix.
template <class T, class Larger, class F>
Tensor<T> of_each(std::string_view op, const Tensor<T>& x, Larger larger, F f) {
    const Batch batch(op, x.shape());
    Tensor<T> a = x.clone(), y(batch.axes);
    for (Index m = 0; m < batch.count; ++m)
        y[m] = f(eliminate<T>(a.data() + m * batch.n * batch.n, batch.n, nullptr, 0, larger), m, batch);
    return y;
}

}  // namespace elimination

/// The inverses of the matrices in the last two axes of x, [..., n, n]; `refuse` is called with one that is singular, and throws.
/// Errors, here and below: ShapeError for matrices that are not square; ValueError for one that is singular.
template <class T, class Larger = decltype(elimination::kLarger), class Refuse = decltype(elimination::kRefuse)>
Tensor<T> inverses(std::string_view op, const Tensor<T>& x, Larger larger = {}, Refuse refuse = {}) {
    const elimination::Batch batch(op, x.shape());
    Tensor<T> a = x.clone(), y(x.shape(), T(0));
    const Index size = batch.n * batch.n;
    for (Index m = 0; m < batch.count; ++m) {
        for (Index i = 0; i < batch.n; ++i) y[m * size + i * batch.n + i] = T(1);
        if (!eliminate(a.data() + m * size, batch.n, y.data() + m * size, batch.n, larger).regular) refuse(op, m, batch.count);
    }
    return y;
}

/// Their determinants, [...]; 0 of one that is singular.
template <class T, class Larger = decltype(elimination::kLarger)>
Tensor<T> determinants(std::string_view op, const Tensor<T>& x, Larger larger = {}) {
    return elimination::of_each(op, x, larger, [](const Eliminated<T>& e, Index, const elimination::Batch&) {
        T product(e.negated ? -1 : 1);
        for (const T& p : e.pivots) product *= p;
        return e.regular ? product : T(0);
    });
}

/// The logarithms of the sizes of their determinants, [...].
template <class T>
Tensor<T> log_determinants(std::string_view op, const Tensor<T>& x) {
    return elimination::of_each(op, x, elimination::kLarger,
                                [op](const Eliminated<T>& e, Index m, const elimination::Batch& batch) {
                                    if (!e.regular) elimination::kRefuse(op, m, batch.count);
                                    T total(0);
                                    for (const T& p : e.pivots) total += log(abs(p));
                                    return total;
                                });
}

}  // namespace gradproof
