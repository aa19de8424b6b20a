// Activations on elements: tanh, sigmoid, relu, gelu, silu, softplus.
#pragma once

#include <array>

#include "gradproof/core/registry.hpp"

namespace gradproof {

/// Hyperbolic tangent.
/// Shapes  x any -> y as x.   Units  x, y dimensionless.
template <Operand X>
X tanh(const X& x, const NoFields& attrs = {});

/// Logistic function.
/// Shapes  x any -> y as x.   Units  x in nats, y dimensionless.
/// Only exp(-|x|) is taken, so that nothing overflows.
template <Operand X>
X sigmoid(const X& x, const NoFields& attrs = {});

/// Rectifier.
/// Shapes  x any -> y as x.   Units  as x.   Slope 0 at x = 0 (as PyTorch and JAX).
template <Operand X>
X relu(const X& x, const NoFields& attrs = {});

enum class GeluForm { exact, tanh };
constexpr std::array<std::string_view, 2> names(GeluForm) { return {"exact", "tanh"}; }

struct GeluAttrs {
    GeluForm form = GeluForm::exact;
    static void fields(auto& a, auto&& f) { f("form", a.form); }
};

/// Gaussian error linear unit.
/// Shapes  x any -> y as x.   Units  x, y dimensionless.
template <Operand X>
X gelu(const X& x, const GeluAttrs& attrs = {});

/// Sigmoid linear unit, also known as swish.
/// Shapes  x any -> y as x.   Units  x, y dimensionless.
template <Operand X>
X silu(const X& x, const NoFields& attrs = {});

/// Smooth rectifier.
/// Shapes  x any -> y as x.   Units  x, y in nats.
template <Operand X>
X softplus(const X& x, const NoFields& attrs = {});

}  // namespace gradproof
