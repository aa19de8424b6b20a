// Linear biases: a mask for attention that lowers each score by its distance times a slope of the head.
//
//   const auto mask = alibi(alibi_slopes<float>(8), {.queries = 16, .keys = 16});      // [8, 16, 16]
//   attention(q, k, v, {.mask = mask}, {.causal = true});
#pragma once

#include "gradproof/core/registry.hpp"

namespace gradproof {

struct AlibiAttrs {
    Index queries = 0, keys = 0;  ///< L and S
    Index offset = 0;             ///< query i stands at position i + offset of the keys
    static void fields(auto& a, auto&& f) {
        f("queries", a.queries);
        f("keys", a.keys);
        f("offset", a.offset);
    }
};

/// Attention with linear biases: the bias of each score, for use as the mask of attention().
/// Shapes  slopes [H] -> y [H, L, S].   Units  slopes per token, y dimensionless.
/// The paper's models are causal and mask keys after the query; the bias that these have here is a convention.
/// Errors  ShapeError for slopes that are not one axis, ValueError for negative sizes or an offset beyond 2^40.
template <Operand X>
X alibi(const X& slopes, const AlibiAttrs& attrs);

/// The paper's slopes for H = `heads` heads: 2^(-8/H), 2^(-16/H), ..., 2^-8 if H is a power of two; else the slopes of the next
/// smaller power of two, followed by every other slope of the next larger one.
/// Shapes  -> [heads].   Errors  ValueError for fewer than 1 head.
/// Source  Press et al. 2022, section 3; the other counts as in the authors' code.
template <Scalar T>
Tensor<T> alibi_slopes(Index heads);

}  // namespace gradproof
