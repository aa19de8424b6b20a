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

/// Bilinear attention: the score of query i and key j is scale q_i w k_jᵀ, called "general" in the paper.
/// Shapes  q [..., L, D], k [..., S, F], v [..., S, E], w [D, F] -> y [..., L, E]; all heads share w.
/// Units   scores and weights dimensionless.
/// Errors  ShapeError if sizes disagree, ValueError for a scale that is not finite. A query without keys gives y = 0 and no
///         gradient.
///         A key that a query does not see affects neither its y nor its dq, even if the key or its value holds NaN or infinity.
template <Operand X>
X bilinear_attention(const X& q, const X& k, const X& v, const X& w, const BilinearAttentionAttrs& attrs = {});

}  // namespace gradproof
