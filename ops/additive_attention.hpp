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

/// Additive attention; q and k come projected to the A units (the paper's W s and U h).
/// Shapes  q [..., L, A], k [..., S, A], v [..., S, E], a [A] -> y [..., L, E]; a serves all heads.
/// Units   u, s, w dimensionless.
/// Errors  ShapeError if sizes disagree. A query without keys gives y = 0 and no gradient.
///         A key that a query does not see reaches neither its y nor its dq, whatever it and its value hold: NaN and inf too.
template <Operand X>
X additive_attention(const X& q, const X& k, const X& v, const X& a, const AdditiveAttentionAttrs& attrs = {});

}  // namespace gradproof
