// Root-mean-square normalisation over the last axis, with an optional gain.
#pragma once

#include "gradproof/core/registry.hpp"

namespace gradproof {

struct RmsNormAttrs {
    double eps = 1e-5;
    static void fields(auto& a, auto&& f) { f("eps", a.eps); }
};

/// Root-mean-square normalisation over the last axis.
///   xhat = x * rrms,  rrms = 1 / sqrt(mean(x^2) + eps);  y = xhat * gain
///   dxhat = dy * gain;  dx = rrms * (dxhat - xhat * mean(dxhat * xhat));  dgain = sum(dy * xhat)
/// Shapes  x [..., C], gain [C] -> y as x; dgain sums over all rows.
/// Units   xhat dimensionless; eps in the square of x's unit.   Saves  x, rrms [rows], gain.
/// Errors  ShapeError for rank 0 or a gain that is not [C]; ValueError for eps negative or not finite.
/// Source  Zhang and Sennrich 2019; with eps = 0 a row of zeros gives y = 0 and dx = 0, never NaN.
template <Operand X>
X rms_norm(const X& x, const RmsNormAttrs& attrs = {});
template <Operand X>
X rms_norm(const X& x, const X& gain, const RmsNormAttrs& attrs = {});

}  // namespace gradproof
