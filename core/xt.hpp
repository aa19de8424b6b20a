// The one door to xtensor: array(t) lays an xtensor expression over a tensor, for any element type.
//
//   auto&& a = array(x);                                          // no copy; x must outlive it
//   xt::noalias(array(y)) = xt::exp(a - xt::amax(a, {1}, kKeep));  // reads like the formula
//
// Allowed: arithmetic, the named functions, lazy reducers (sum, mean, amax, prod) with kKeep or without, view, transpose,
// expand_dims, broadcast, where, maximum. Not allowed: eval, immediate reducers, variance, stddev, strided_view
// assignment, `array(y) = ...` without noalias (it builds a temporary and moves it in), an expression that leaves its
// function, `auto` for an expression over temporaries. With g++ 12 in C++20 some of these corrupt memory in xtensor 0.24.3; the
// two specialisations below prevent that, and this list stays on the safe side all the same.
#pragma once

#include "gradproof/core/tensor.hpp"

// A dual inside xtensor: a scalar to its traits, and a branch to its select.
namespace xtl {
template <class T>
struct is_scalar;
template <class B, class T>
gradproof::Dual<T> select(const B& condition, const gradproof::Dual<T>& a, const gradproof::Dual<T>& b) noexcept {
    return condition ? a : b;
}
}  // namespace xtl

#include <xtl/xtype_traits.hpp>

template <class T>
struct xtl::is_scalar<gradproof::Dual<T>> : std::true_type {};

#include <xtensor/xexpression_traits.hpp>
#include <xtensor/xstorage.hpp>
#include <xtensor/xtensor_forward.hpp>

#if defined(__GNUC__) && !defined(__clang__) && __cplusplus > 201703L
// xtensor guards this rule with `__cplusplus == 201703L`; without it g++ takes a dynamic shape for a fixed one.
namespace xt::detail {
template <>
struct xtype_for_shape<xt::dynamic_shape<std::size_t>> {
    template <class T, layout_type L>
    using type = xarray<T, L>;
};
template <>
struct xtype_for_shape<xt::dynamic_shape<std::ptrdiff_t>> {
    template <class T, layout_type L>
    using type = xarray<T, L>;
};
}  // namespace xt::detail
#endif

#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xview.hpp>

namespace gradproof {

/// Reducer option: the reduced axis stays with size 1, so that the result broadcasts back.
inline constexpr auto kKeep = xt::keep_dims;

inline xt::dynamic_shape<std::size_t> xt_shape(const Shape& shape) {
    return xt::dynamic_shape<std::size_t>(shape.begin(), shape.end());
}

/// An xtensor expression over the tensor's buffer; the tensor must outlive it.
template <class T>
auto array(const Tensor<T>& t) {
    return xt::adapt(t.data(), static_cast<std::size_t>(t.size()), xt::no_ownership(), xt_shape(t.shape()));
}
template <class T>
auto array(Tensor<T>& t) {
    return xt::adapt(t.data(), static_cast<std::size_t>(t.size()), xt::no_ownership(), xt_shape(t.shape()));
}

/// A new tensor with the value of an xtensor expression.
template <class E>
auto evaluate(const E& expression) {
    using T = typename E::value_type;
    Shape shape;
    for (const auto dim : expression.shape()) shape.push_back(static_cast<Index>(dim));
    Tensor<T> t(shape);
    auto&& out = array(t);
    xt::noalias(out) = expression;
    return t;
}

}  // namespace gradproof
