// Layer normalisation over the last axis, with an optional gain and bias.
#pragma once

#include "gradproof/core/registry.hpp"

namespace gradproof {

struct LayerNormAttrs {
    double eps = 1e-5;
    static void fields(auto& a, auto&& f) { f("eps", a.eps); }
};

/// Layer normalisation over the last axis.
///   xhat = (x - mean(x)) * rstd,  rstd = 1 / sqrt(mean((x - mean(x))^2) + eps);  y = xhat * gain + bias
///   dxhat = dy * gain;  dx = rstd * (dxhat - mean(dxhat) - xhat * mean(dxhat * xhat));  dgain = sum(dy * xhat);  dbias = sum(dy)
/// Shapes  x [..., C], gain [C], bias [C] -> y as x; dgain and dbias sum over all rows.
/// Units   xhat dimensionless; eps in the square of x's unit.   Saves  xhat, rstd [rows], gain: never x.
/// Errors  ShapeError for rank 0 or a gain or bias that is not [C]; ValueError for eps negative or not finite.
/// Source  Ba et al. 2016; with eps = 0 a row without variance gives xhat = 0 and dx = 0, never NaN.
template <Operand X>
X layer_norm(const X& x, const LayerNormAttrs& attrs = {});
template <Operand X>
X layer_norm(const X& x, const X& gain, const LayerNormAttrs& attrs = {});
template <Operand X>
X layer_norm(const X& x, const X& gain, const X& bias, const LayerNormAttrs& attrs = {});

}  // namespace gradproof
