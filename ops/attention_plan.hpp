// The plan of one attention call: its sizes, and which keys each query may attend to. Checked once, used by every kernel.
//
//   const AttentionPlan plan = plan_attention(attrs, inputs);       // throws for anything contradictory
//   key_band(plan, mask.defined(), b).limit;                        // the queries of batch entry b see no key from there on
#pragma once

#include <algorithm>

#include "gradproof/ops/attention.hpp"
#include "gradproof/ops/attention_band.hpp"

namespace gradproof {

/// The inputs of one call; absent ones are undefined.
template <class T>
struct AttentionOperands {
    Tensor<T> q, k, v, mask, past_key, past_value;
};

/// A mask laid over [B, Hq, L, columns]: strides are 0 along broadcast axes, keys at or beyond `columns` are masked.
struct MaskLayout {
    Index batch = 0, head = 0, query = 0, key = 0;
    Index columns = 0;
    Index at(Index b, Index h, Index i, Index j) const { return b * batch + h * head + i * query + j * key; }
};

struct AttentionPlan {
    Index B = 0, Hq = 0, Hk = 0, L = 0, P = 0, S = 0, D = 0, E = 0;  ///< S of this call: there are P + S keys
    bool packed = false;
    double scale = 1, softcap = 0;
    bool causal = false;
    Index window_left = -1, window_right = -1;
    Tensor<Index> kv_len;
    Tensor<bool> bool_mask;
    MaskLayout mask_layout, bool_layout;

    Index keys() const { return P + S; }
    /// Of causal and window: query i of batch entry b stands at the position of key i + offset.
    Index offset(Index b) const { return kv_len.defined() ? kv_len[b] - L : P; }
    /// Keys of the longest batch entry: what there is to do grows with these.
    Index longest() const { return kv_len.defined() && B > 0 ? *std::max_element(kv_len.begin(), kv_len.end()) : keys(); }
    Index group() const { return Hk == 0 ? 0 : Hq / Hk; }
    Shape weights() const { return {B, Hq, L, keys()}; }
    /// Of the float mask, before it is summed over broadcast axes.
    Shape mask_gradient() const { return {B, Hq, L, mask_layout.columns}; }
    Shape output() const { return packed ? Shape{B, L, Hq * E} : Shape{B, Hq, L, E}; }
};

/// Shapes of the inputs, nullptr where absent.
struct AttentionShapes {
    const Shape *q, *k, *v, *mask, *past_key, *past_value;
};
/// Errors: ShapeError, ValueError as the docstring of `attention` says.
AttentionPlan plan_attention(const AttentionAttrs& attrs, const AttentionShapes& shapes);
/// Errors: ShapeError if the weights, which the page holds, are more than a tensor can be.
void check_weights(const AttentionPlan& plan);

template <class T>
AttentionPlan plan_attention(const AttentionAttrs& attrs, const AttentionOperands<T>& x) {
    const auto shape = [](const Tensor<T>& t) { return t.defined() ? &t.shape() : nullptr; };
    return plan_attention(attrs, {shape(x.q), shape(x.k), shape(x.v), shape(x.mask), shape(x.past_key), shape(x.past_value)});
}

/// The keys that length, mask width, causality and window leave to the queries of batch entry b.
AttentionBand key_band(const AttentionPlan& plan, bool has_mask, Index b);

}  // namespace gradproof
