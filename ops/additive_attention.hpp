// Additive attention: a query and a key are scored by a layer of tanh units.
//
//   additive_attention(q, k, v, a);     // q [B, L, A], k [B, S, A], v [B, S, E], a [A] -> [B, L, E]
#pragma once

#include "gradproof/core/registry.hpp"

namespace gradproof {

struct AdditiveAttentionAttrs {
    bool causal = false;  ///< query i sees key j only if j <= i
    static void fields(auto& a, auto&& f) { f("causal", a.causal); }
};

/// Additive attention: the score of query i and key j is a·tanh(q_i + k_j). q and k come projected to the A hidden units (W s and
/// U h in the paper).
/// Shapes  q [..., L, A], k [..., S, A], v [..., S, E], a [A] -> y [..., L, E]; all heads share a.
/// Units   scores and weights dimensionless.
/// Errors  ShapeError if sizes disagree. A query without keys gives y = 0 and no gradient.
///         A key that a query does not see affects neither its y nor its dq, even if the key or its value holds NaN or infinity.
template <Operand X>
X additive_attention(const X& q, const X& k, const X& v, const X& a, const AdditiveAttentionAttrs& attrs = {});

}  // namespace gradproof
