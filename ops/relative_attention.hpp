// Attention that sees how far apart a query and a key are, up to a distance from which on all are alike.
//
//   relative_attention(q, k, v, rk, rv, {.causal = true});     // rk [2c+1, D], rv [2c+1, E]: distances -c to c
#pragma once

#include <optional>

#include "gradproof/core/registry.hpp"

namespace gradproof {

struct RelativeAttentionAttrs {
    std::optional<double> scale{};  ///< of the scores; 1 / sqrt(D) where not given
    bool causal = false;            ///< query i sees key j only if j <= i
    static void fields(auto& a, auto&& f) {
        f("scale", a.scale);
        f("causal", a.causal);
    }
};

/// Attention with relative position representations; p = clip(j - i, -c, c) + c is the row of the tables for query i and key j.
/// Shapes  q [..., L, D], k [..., S, D], v [..., S, E], rk [2c+1, D], rv [2c+1, E] -> y [..., L, E]; the tables serve all heads.
/// Units   s, w dimensionless.
/// Cost    O(L S): keys and values shifted for each pair, [L, S, D], are never made; q rkᵀ is [L, 2c+1].
/// Errors  ShapeError if sizes disagree or a table has an even number of rows; ValueError for a scale that is not finite.
///         A query without keys gives y = 0 and no gradient.
///         A key that a query does not see reaches neither its y nor its dq, whatever it and its value hold: NaN and inf too.
///         The tables reach every query, and every query their gradients, whatever the distance: 0 inf is NaN there.
template <Operand X>
X relative_attention(const X& q, const X& k, const X& v, const X& rk, const X& rv, const RelativeAttentionAttrs& attrs = {});

}  // namespace gradproof
