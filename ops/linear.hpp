// The affine map of a layer and its activation: y = f(x w + b).
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
/// Shapes  x [..., in] (rank >= 1), w [in, out], b [out] -> y [..., out].
/// Units   u = x w + b is dimensionless unless f is none. Relu has slope 0 at u = 0.
/// Errors  ShapeError if a rank or size does not fit, ValueError for an activation that is none of these.
template <Operand X>
X linear(const X& x, const X& w, const LinearAttrs& attrs = {});
template <Operand X>
X linear(const X& x, const X& w, const X& b, const LinearAttrs& attrs = {});

}  // namespace gradproof
