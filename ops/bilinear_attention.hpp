// Multiplicative attention: a query and a key, of widths that may differ, are scored through a matrix.
//
//   bilinear_attention(q, k, v, w);     // q [B, L, D], k [B, S, F], v [B, S, E], w [D, F] -> [B, L, E]
#pragma once

#include "gradproof/core/registry.hpp"

namespace gradproof {

struct BilinearAttentionAttrs {
    double scale = 1;     ///< of the scores; the paper has none
    bool causal = false;  ///< query i sees key j only if j <= i
    static void fields(auto& a, auto&& f) {
        f("scale", a.scale);
        f("causal", a.causal);
    }
};

/// Bilinear attention, the score called "general".
/// Shapes  q [..., L, D], k [..., S, F], v [..., S, E], w [D, F] -> y [..., L, E]; w serves all heads.
/// Units   s, p dimensionless.
/// Errors  ShapeError if sizes disagree, ValueError for a scale that is not finite.
/// A query without keys gives y = 0 and no gradient.
///         A key that a query does not see reaches neither its y nor its dq, whatever it and its value hold: NaN and inf too.
template <Operand X>
X bilinear_attention(const X& q, const X& k, const X& v, const X& w, const BilinearAttentionAttrs& attrs = {});

}  // namespace gradproof
