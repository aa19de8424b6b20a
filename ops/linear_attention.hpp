// Attention whose weights are products of positive features: its cost grows with the length, not with its square.
//
//   linear_attention(q, k, v);                          // [B, H, L, D], [B, H, S, D], [B, H, S, E] -> [B, H, L, E]
//   linear_attention(q, k, v, {.causal = true});
#pragma once

#include "gradproof/core/registry.hpp"

namespace gradproof {

struct LinearAttentionAttrs {
    bool causal = false;  ///< query i sees key j only if j <= i
    static void fields(auto& a, auto&& f) { f("causal", a.causal); }
};

/// Linear attention: the softmax's exp(q·k) replaced by p(q)·p(k) with the features p(x) = elu(x) + 1, element by element.
///   m_i = Σ_j p(k_j)ᵀ v_j;  u_i = Σ_j p(k_j), over the keys query i sees;  z_i = p(q_i)·u_i;  y_i = p(q_i) m_i / z_i
///   dn = dy / z;  dz = -(dy·y) / z;  dp(q) = dn mᵀ + dz u;  dv_j = p(k_j) Σ_i p(q_i)ᵀ dn_i;
///   dp(k_j) = v_j (Σ_i p(q_i)ᵀ dn_i)ᵀ + Σ_i dz_i p(q_i), over the queries that see key j;  dx = p'(x) * dp, p' = min(p, 1)
/// Shapes  q [..., L, D], k [..., S, D], v [..., S, E] -> y [..., L, E], the axes before alike.
/// Units   z is a sum of S products of D features, up to a power of 2 of each query that cancels.
/// Saves  q, k, v, y, z [..., L].
/// Cost    O((L + S) D E) of time and, beside the inputs, O((L + S) (D + E)) of memory;
/// causal sums run in blocks of 64 positions,
///         forwards for y and dq, backwards for dk and dv.
/// Errors  ShapeError if sizes disagree. Where z is 0 (no key, or features that underflow) y and the gradients through it are 0.
///         A key that a query does not see reaches neither its y nor its dq, whatever it and its value hold: NaN and inf too.
/// Source  Katharopoulos et al. 2020, equations 4 to 7 and section 3.3.1.
template <Operand X>
X linear_attention(const X& q, const X& k, const X& v, const LinearAttentionAttrs& attrs = {});

}  // namespace gradproof
