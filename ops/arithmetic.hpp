// Arithmetic on elements: add, sub, mul, div with NumPy broadcasting; neg, scale, pow with a constant.
#pragma once

#include "gradproof/core/registry.hpp"

namespace gradproof {

/// Sum of two tensors.
/// Shapes  a, b any two that broadcast by NumPy's rules -> y their broadcast shape.
/// Units   a, b and y have the same unit.   Errors  ShapeError if the shapes do not broadcast.
template <Operand X>
X add(const X& a, const X& b, const NoFields& attrs = {});

/// Difference of two tensors.
/// Shapes, Units, Errors  as add.
template <Operand X>
X sub(const X& a, const X& b, const NoFields& attrs = {});

/// Product of two tensors, element by element.
/// Shapes, Errors  as add.   Units  y in those of a times b.
template <Operand X>
X mul(const X& a, const X& b, const NoFields& attrs = {});

/// Quotient of two tensors, element by element.
/// Shapes, Errors  as add.   Units  y in those of a over b.
/// A divisor of 0 follows IEEE 754: infinite or NaN, no error.
template <Operand X>
X div(const X& a, const X& b, const NoFields& attrs = {});

/// -x, element by element.
/// Shapes  x any -> y as x.   Units  as x.
template <Operand X>
X neg(const X& x, const NoFields& attrs = {});

struct ScaleAttrs {
    double factor = 1;
    static void fields(auto& a, auto&& f) { f("factor", a.factor); }
};

/// Product with a constant.
/// Shapes  x any -> y as x.   Units  those of factor times x.
/// Errors  ValueError for a factor that is not finite.
template <Operand X>
X scale(const X& x, const ScaleAttrs& attrs = {});

struct PowAttrs {
    double exponent = 2;
    static void fields(auto& a, auto&& f) { f("exponent", a.exponent); }
};

/// Power with a constant exponent p.
/// Shapes  x any -> y as x.   Units  those of x to the p.
/// Errors  ValueError for an exponent that is not finite.
/// A negative x with a fractional p is NaN, 0 with a negative p is infinite, 0^0 is 1 (IEEE 754).
template <Operand X>
X pow(const X& x, const PowAttrs& attrs = {});

/// What may be combined with a Var<T> as a constant: a number, or a tensor.
template <class C, class T>
concept ConstantFor = std::is_arithmetic_v<C> || std::same_as<C, T> || std::same_as<C, Tensor<T>>;

template <class T, ConstantFor<T> C>
Var<T> constant_var(const C& c) {
    if constexpr (std::same_as<C, Tensor<T>>)
        return c;
    else
        return Tensor<T>::scalar(T(c));
}

// a + b, a - b, a * b, a / b of variables, one of which may be a tensor or a number.
#define GRADPROOF_OPERATOR(symbol, fn)                         \
    template <Scalar T>                                        \
    Var<T> operator symbol(const Var<T>& a, const Var<T>& b) { \
        return fn(a, b);                                       \
    }                                                          \
    template <Scalar T, ConstantFor<T> C>                      \
    Var<T> operator symbol(const Var<T>& a, const C& b) {      \
        return fn(a, constant_var<T>(b));                      \
    }                                                          \
    template <Scalar T, ConstantFor<T> C>                      \
    Var<T> operator symbol(const C& a, const Var<T>& b) {      \
        return fn(constant_var<T>(a), b);                      \
    }
GRADPROOF_OPERATOR(+, add)
GRADPROOF_OPERATOR(-, sub)
GRADPROOF_OPERATOR(*, mul)
GRADPROOF_OPERATOR(/, div)
#undef GRADPROOF_OPERATOR
template <Scalar T>
Var<T> operator-(const Var<T>& x) {
    return neg(x);
}

}  // namespace gradproof
