// Activations on elements: tanh, sigmoid, relu, gelu, silu, softplus.
#pragma once

#include <array>

#include "gradproof/core/registry.hpp"

namespace gradproof {

/// Hyperbolic tangent.
///   y = tanh(x);  dx = (1 - y^2) dy
/// Shapes  x any -> y as x.   Units  x, y dimensionless.   Saves  y.   Source  elementary calculus.
template <Operand X>
X tanh(const X& x, const NoFields& attrs = {});

/// Logistic function.
///   y = 1 / (1 + exp(-x));  dx = y (1 - y) dy
/// Shapes  x any -> y as x.   Units  x in nats, y dimensionless.   Saves  y.
/// Only exp(-|x|) is taken, so that nothing overflows.   Source  elementary calculus.
template <Operand X>
X sigmoid(const X& x, const NoFields& attrs = {});

/// Rectifier.
///   y = max(x, 0);  dx = dy where y > 0, else 0
/// Shapes  x any -> y as x.   Units  as x.   Saves  y.   Slope 0 at x = 0 (as PyTorch and JAX).
/// Source  Nair and Hinton 2010.
template <Operand X>
X relu(const X& x, const NoFields& attrs = {});

enum class GeluForm { exact, tanh };
constexpr std::array<std::string_view, 2> names(GeluForm) { return {"exact", "tanh"}; }

struct GeluAttrs {
    GeluForm form = GeluForm::exact;
    static void fields(auto& a, auto&& f) { f("form", a.form); }
};

/// Gaussian error linear unit.
///   exact  y = x P(x), P the standard normal distribution function;  dx = (P(x) + x p(x)) dy, p = P'
///   tanh   y = x (1 + tanh(u)) / 2, u = sqrt(2/pi) (x + 0.044715 x^3);  dx = (1 + t + x (1 - t^2) u') / 2 dy, t = tanh(u)
/// Shapes  x any -> y as x.   Units  x, y dimensionless.   Saves  x.   Source  Hendrycks and Gimpel 2016.
template <Operand X>
X gelu(const X& x, const GeluAttrs& attrs = {});

/// Sigmoid linear unit, also known as swish.
///   y = x s, s = sigmoid(x);  dx = s (1 + x (1 - s)) dy
/// Shapes  x any -> y as x.   Units  x, y dimensionless.   Saves  x.   Source  Elfwing et al. 2017.
template <Operand X>
X silu(const X& x, const NoFields& attrs = {});

/// Smooth rectifier.
///   y = log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|));  dx = sigmoid(x) dy = (1 - exp(-y)) dy
/// Shapes  x any -> y as x.   Units  x, y in nats.   Saves  y.   Source  Dugas et al. 2001.
template <Operand X>
X softplus(const X& x, const NoFields& attrs = {});

}  // namespace gradproof
