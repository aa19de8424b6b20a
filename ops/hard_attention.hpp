// Hard attention: each query takes the value of its nearest key, the limit of softmax attention as the scores grow.
//
//   hard_attention(q, k, v);                                        // q [..., L, D], k [..., S, D], v [..., S, E] -> [..., L, E]
//   hard_attention(v, {.chosen = nearest_keys(q, k)});              // the same
#pragma once

#include "gradproof/core/registry.hpp"

namespace gradproof {

struct NearestOptions {
    bool causal = false;  ///< query i sees key j only if j <= i
};
/// For each query, the key with the largest product; the first of several. NaN counts as smaller than any number.
/// Shapes  q [..., L, D], k [..., S, D] -> [..., L] of numbers below S.
/// Errors  ShapeError if sizes disagree or there are queries and no key.
template <Scalar T>
Tensor<Index> nearest_keys(const Tensor<T>& q, const Tensor<T>& k, const NearestOptions& options = {});

struct HardAttentionAttrs {
    Tensor<Index> chosen{};  ///< [..., L]: the key of each query
    static void fields(auto& a, auto&& f) { f("chosen", a.chosen); }
};

/// The value of the chosen key, for each query.
/// The choice has no gradient: where it is unique, small changes of q and k do not change it, and at a tie it jumps. So the
/// derivative with respect to q and k is defined as 0 everywhere.
/// Shapes  v [..., S, E], chosen [..., L] -> y [..., L, E], the axes before alike.
/// Errors  ShapeError if sizes disagree, ValueError for a missing choice or one beyond the keys.
template <Operand X>
X hard_attention(const X& v, const HardAttentionAttrs& attrs);
/// ... chosen by the largest product of query and key.   Errors  also those of nearest_keys.
template <Operand X>
X hard_attention(const X& q, const X& k, const X& v, const NearestOptions& options = {});

}  // namespace gradproof
