// Root-mean-square normalisation over the last axis, with an optional gain.
#pragma once

#include "gradproof/core/registry.hpp"

namespace gradproof {

struct RmsNormAttrs {
    double eps = 1e-5;
    static void fields(auto& a, auto&& f) { f("eps", a.eps); }
};

/// y = gain x / sqrt(mean(x^2) + eps), over the last axis.
/// Shapes  x [..., C], gain [C] -> y as x; dgain sums over all rows.
/// Units   y is dimensionless before the gain; eps has the square of x's unit.
/// Errors  ShapeError for rank 0 or a gain that is not [C]; ValueError for eps negative or not finite.
template <Operand X>
X rms_norm(const X& x, const RmsNormAttrs& attrs = {});
template <Operand X>
X rms_norm(const X& x, const X& gain, const RmsNormAttrs& attrs = {});

}  // namespace gradproof
