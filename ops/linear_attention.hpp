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
/// Shapes  q [..., L, D], k [..., S, D], v [..., S, E] -> y [..., L, E], the axes before alike.
/// Cost    O((L + S) D E) of time and, beside the inputs, O((L + S) (D + E)) of memory; causal sums run forwards for y and dq,
///         backwards for dk and dv.
/// Errors  ShapeError if sizes disagree. If the sum of a query's weights is 0 (no key, or features that underflow), y and the
///         gradients through it are 0.
///         A key that a query does not see affects neither its y nor its dq, even if the key or its value holds NaN or infinity.
template <Operand X>
X linear_attention(const X& q, const X& k, const X& v, const LinearAttentionAttrs& attrs = {});

}  // namespace gradproof
