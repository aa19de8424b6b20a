// The affine map of a layer and its activation: f(x W + b).
//
//   linear(x, w, b);                                        // x [B, T, 64], w [64, 16], b [16] -> [B, T, 16]
//   linear(x, w, b, {.activation = Activation::gelu});      // the same as gelu(linear(x, w, b))
#pragma once

#include <array>
#include <string_view>

#include "gradproof/core/registry.hpp"

namespace gradproof {

/// f of linear: none is f(u) = u, gelu_tanh the tanh form of gelu; formulas as in ops/activations.hpp.
enum class Activation { none, relu, gelu, gelu_tanh, silu, tanh, sigmoid };
inline constexpr std::array<std::string_view, 7> names(Activation) {
    return {"none", "relu", "gelu", "gelu_tanh", "silu", "tanh", "sigmoid"};
}

struct LinearAttrs {
    Activation activation = Activation::none;
    static void fields(auto& a, auto&& f) { f("activation", a.activation); }
};

/// Affine map of the last axis, then an activation of each element.
///   u = x W + b;  y = f(u)
///   du = f'(u) dy;  dx = du Wᵀ;  dW = xᵀ du;  db = the sum of du over all rows
/// Shapes  x [..., in] (rank >= 1), w [in, out], b [out] -> y [..., out].
/// Units   u dimensionless where f is not none.
/// Saves   x, w, and what f' is a function of: y for relu, tanh and sigmoid, u for gelu, gelu_tanh and silu.
///         Relu has slope 0 at u = 0.
/// Errors  ShapeError if a rank or size does not fit, ValueError for an activation that is none of these.
/// Source  Giles 2008, section 2.2.1; the activations as in ops/activations.hpp.
template <Operand X>
X linear(const X& x, const X& w, const LinearAttrs& attrs = {});
template <Operand X>
X linear(const X& x, const X& w, const X& b, const LinearAttrs& attrs = {});

}  // namespace gradproof
