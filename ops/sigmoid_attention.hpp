// Attention whose weights do not compete: each is a logistic function of its own score.
//
//   sigmoid_attention(q, k, v, {.causal = true});     // [B, H, L, D], [B, H, S, D], [B, H, S, E] -> [B, H, L, E]
#pragma once

#include <optional>

#include "gradproof/core/registry.hpp"

namespace gradproof {

struct SigmoidAttentionAttrs {
    std::optional<double> scale{};  ///< of the scores; 1 / sqrt(D) where not given
    std::optional<double> bias{};   ///< added to the scores; -log(S) where not given: S equal weights then sum to about 1
    bool causal = false;            ///< query i sees key j only if j <= i
    static void fields(auto& a, auto&& f) {
        f("scale", a.scale);
        f("bias", a.bias);
        f("causal", a.causal);
    }
};

/// Sigmoid attention: weights 1 / (1 + exp(-s)) of the scores s = scale q kᵀ + bias.
/// Shapes  q [..., L, D], k [..., S, D], v [..., S, E] -> y [..., L, E].
/// Units   scores and weights dimensionless.
/// Errors  ShapeError if sizes disagree, ValueError for a scale or bias that is not finite. A query without keys gives y = 0.
///         A key that a query does not see affects neither its y nor its dq, even if the key or its value holds NaN or infinity.
template <Operand X>
X sigmoid_attention(const X& q, const X& k, const X& v, const SigmoidAttentionAttrs& attrs = {});

}  // namespace gradproof
