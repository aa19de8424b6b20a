// Layer normalisation over the last axis, with an optional gain and bias.
#pragma once

#include "gradproof/core/registry.hpp"

namespace gradproof {

struct LayerNormAttrs {
    double eps = 1e-5;
    static void fields(auto& a, auto&& f) { f("eps", a.eps); }
};

/// y = gain (x - mean(x)) / sqrt(var(x) + eps) + bias, over the last axis.
/// Shapes  x [..., C], gain [C], bias [C] -> y as x; dgain and dbias sum over all rows.
/// Units   y is dimensionless before gain and bias; eps has the square of x's unit.
/// Errors  ShapeError for rank 0 or a gain or bias that is not [C]; ValueError for eps negative or not finite.
template <Operand X>
X layer_norm(const X& x, const LayerNormAttrs& attrs = {});
template <Operand X>
X layer_norm(const X& x, const X& gain, const LayerNormAttrs& attrs = {});
template <Operand X>
X layer_norm(const X& x, const X& gain, const X& bias, const LayerNormAttrs& attrs = {});

}  // namespace gradproof
