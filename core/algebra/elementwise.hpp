// Any function of elements over tensors that broadcast, as one xtensor expression: for the sources of core/algebra only.
//
//   return elementwise<T>("add", [](const T& p, const T& q) { return p + q; }, a, b);
#pragma once

#include <string_view>

#include "gradproof/core/algebra.hpp"
#include "gradproof/core/algebra/broadcast_loops.hpp"
#include "gradproof/core/xt.hpp"

namespace gradproof::detail {

template <class T>
void expect_defined(std::string_view word, const Tensor<T>& x) {
    if (!x.defined()) shape_error("{}: an operand is an undefined tensor", word);
}

/// The elements [begin, end) of a tensor in their order, for an expression.
template <class X>
auto elements(X& x, Index begin, Index end) {
    const auto n = static_cast<std::size_t>(end - begin);
    return xt::adapt(x.data() + begin, n, xt::no_ownership(), std::array<std::size_t, 1>{n});
}

/// y = f(x...), all of one shape, in parallel.
template <class R, class F, class... T>
void assign(Tensor<R>& y, F f, const Tensor<T>&... x) {
    parallel_for(y.size(), row_grain(1), [&](Index begin, Index end) {
        auto&& out = elements(y, begin, end);
        xt::noalias(out) = xt::make_lambda_xfunction(F(f), elements(x, begin, end)...);
    });
}

/// f of each element, in place if no other tensor holds the buffer of x.
template <class T, class F>
Tensor<T> map(std::string_view word, Tensor<T> x, F f) {
    expect_defined(word, x);
    Tensor<T> y = x.unique() ? x : Tensor<T>(x.shape());
    assign(y, std::move(f), x);
    return y;
}

/// f of each pair of elements; a tensor of one element is taken as the number it holds.
template <class T, class F>
Tensor<T> zip(std::string_view word, Tensor<T> a, const Tensor<T>& b, F f) {
    expect_defined(word, a);
    expect_defined(word, b);
    if (b.size() == 1 && b.rank() <= a.rank()) return map(word, std::move(a), [f, q = b[0]](const T& p) { return f(p, q); });
    if (a.size() == 1 && a.rank() <= b.rank()) return map(word, b, [f, p = a[0]](const T& q) { return f(p, q); });
    if (a.shape() == b.shape()) {
        Tensor<T> y = a.unique() ? a : Tensor<T>(a.shape());
        assign(y, std::move(f), a, b);
        return y;
    }
    const Shape shape = broadcast(word, a.shape(), b.shape());
    Tensor<T> y = a.unique() && a.shape() == shape ? a : Tensor<T>(shape);
    for_each_broadcast(
        shape, a.shape(), b.shape(),
        [=, p = std::as_const(a).data(), q = b.data(), out = y.data()](Index o, Index i, Index j) { out[o] = f(p[i], q[j]); });
    return y;
}

}  // namespace gradproof::detail
