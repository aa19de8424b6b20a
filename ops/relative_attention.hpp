// Attention that depends on the distance between query and key, up to a largest distance beyond which all are treated alike.
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
/// Shapes  q [..., L, D], k [..., S, D], v [..., S, E], rk [2c+1, D], rv [2c+1, E] -> y [..., L, E]; all heads share the tables.
/// Units   scores and weights dimensionless.
/// Cost    O(L S) memory: keys and values are never copied for each pair, [L, S, D]; q rkᵀ is [L, 2c+1].
/// Errors  ShapeError if sizes disagree or a table has an even number of rows; ValueError for a scale that is not finite.
///         A query without keys gives y = 0 and no gradient.
///         A key that a query does not see affects neither its y nor its dq, even if the key or its value holds NaN or infinity.
///         Every row of the tables enters every query's sums, unused ones with weight 0: an infinity in a table gives NaN.
template <Operand X>
X relative_attention(const X& q, const X& k, const X& v, const X& rk, const X& rv, const RelativeAttentionAttrs& attrs = {});

}  // namespace gradproof
