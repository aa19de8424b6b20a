// The words of one tensor, element by element, and those that choose between two by a mask.
#include "gradproof/core/algebra/elementwise.hpp"
#include "gradproof/core/algebra/products.hpp"
#include "gradproof/core/kernel_choice.hpp"

namespace gradproof {
namespace {

/// f of each element, by the faster way where there is one.
template <class T, class F>
Tensor<T> quick_map(std::string_view word, typename FastMaps<T>::Map fast, Tensor<T> x, F f) {
    if (!fast || in_page_scope()) return detail::map(word, std::move(x), f);
    detail::expect_defined(word, x);
    Tensor<T> y = x.unique() ? x : Tensor<T>(x.shape());
    fast(x.data(), y.data(), y.size());
    return y;
}

}  // namespace

template <Scalar T>
Tensor<T> operator-(Tensor<T> x) {
    return detail::map("-", std::move(x), [](const T& v) { return T(-v); });
}
template <Scalar T>
Tensor<T> exp(Tensor<T> x) {
    return quick_map("exp", fast_maps<T>.exp, std::move(x), [](const T& v) { return exp(v); });
}
template <Scalar T>
Tensor<T> log(Tensor<T> x) {
    return detail::map("log", std::move(x), [](const T& v) { return log(v); });
}
template <Scalar T>
Tensor<T> sqrt(Tensor<T> x) {
    return detail::map("sqrt", std::move(x), [](const T& v) { return sqrt(v); });
}
template <Scalar T>
Tensor<T> tanh(Tensor<T> x) {
    return quick_map("tanh", fast_maps<T>.tanh, std::move(x), [](const T& v) { return tanh(v); });
}
template <Scalar T>
Tensor<T> sigmoid(Tensor<T> x) {
    return quick_map("sigmoid", fast_maps<T>.sigmoid, std::move(x), [](const T& v) { return sigmoid(v); });
}
template <Scalar T>
Tensor<T> constant(Tensor<T> x) {
    if constexpr (!is_dual<T>) return x;
    return detail::map("constant", std::move(x), [](const T& v) { return without_slope(v); });
}

template <Scalar T>
Tensor<bool> isneginf(const Tensor<T>& x) {
    detail::expect_defined("isneginf", x);
    Tensor<bool> y(x.shape());
    detail::assign(
        y, [](const T& v) { return primal(v) == -std::numeric_limits<base_t<T>>::infinity(); }, x);
    return y;
}
template <Scalar T>
Tensor<bool> isinf(const Tensor<T>& x) {
    detail::expect_defined("isinf", x);
    Tensor<bool> y(x.shape());
    detail::assign(
        y, [](const T& v) { return isinf(v); }, x);
    return y;
}
template <Scalar T>
Tensor<bool> equal(const Tensor<T>& a, const Tensor<T>& b) {
    detail::expect_defined("equal", a);
    detail::expect_defined("equal", b);
    Tensor<bool> y(broadcast("equal", a.shape(), b.shape()));
    detail::assign(
        y, [](const T& p, const T& q) { return p == q; }, broadcast_to(a, y.shape()), broadcast_to(b, y.shape()));
    return y;
}
template <Scalar T>
Tensor<T> where(const Tensor<bool>& mask, const Tensor<T>& a, const Tensor<T>& b) {
    detail::expect_defined("where", mask);
    detail::expect_defined("where", a);
    detail::expect_defined("where", b);
    Tensor<T> y(broadcast("where", mask.shape(), broadcast("where", a.shape(), b.shape())));
    const auto* m = reinterpret_cast<const unsigned char*>(mask.data());  // loops over bool are not vectorised by g++ 12
    const auto choose = [&, out = y.data()](const Tensor<T>& x, auto f) {
        for_each_broadcast(y.shape(), mask.shape(), x.shape(),
                           [=, p = x.data()](Index o, Index i, Index j) { out[o] = f(m[i] != 0, p[j]); });
    };
    if (b.size() == 1)
        choose(a, [q = b[0]](bool take, T p) { return take ? p : q; });
    else if (a.size() == 1)
        choose(b, [p = a[0]](bool take, T q) { return take ? p : q; });
    else
        detail::assign(
            y, [](bool take, const T& p, const T& q) { return take ? p : q; }, broadcast_to(mask, y.shape()),
            broadcast_to(a, y.shape()), broadcast_to(b, y.shape()));
    return y;
}

#define GRADPROOF_ALGEBRA(T)                                         \
    template Tensor<T> operator-(Tensor<T>);                         \
    template Tensor<T> exp(Tensor<T>);                               \
    template Tensor<T> log(Tensor<T>);                               \
    template Tensor<T> sqrt(Tensor<T>);                              \
    template Tensor<T> tanh(Tensor<T>);                              \
    template Tensor<T> sigmoid(Tensor<T>);                           \
    template Tensor<T> constant(Tensor<T>);                          \
    template Tensor<bool> isneginf(const Tensor<T>&);                \
    template Tensor<bool> isinf(const Tensor<T>&);                   \
    template Tensor<bool> equal(const Tensor<T>&, const Tensor<T>&); \
    template Tensor<T> where(const Tensor<bool>&, const Tensor<T>&, const Tensor<T>&);
GRADPROOF_FOR_SCALARS(GRADPROOF_ALGEBRA)
#undef GRADPROOF_ALGEBRA

}  // namespace gradproof
