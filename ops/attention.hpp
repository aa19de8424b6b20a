// Attention of every common kind behind one op: masks, causal, windows, grouped heads, caches, soft caps.
//
//   Tensor<double> y = attention(q, k, v);                                     // [B,H,L,E]
//   Var<float> z = attention(q, k, v, {.causal = true});
//   Var<float> u = attention(q, k, v, {.mask = bias, .past_key = pk, .past_value = pv}, {.window_left = 128});
//   attention_forward(q, k, v).weights;                                        // [B,H,L,S], or [B,H,L,P+S] after P past keys
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "gradproof/core/registry.hpp"

namespace gradproof {

enum class AttentionKernel {
    auto_,      ///< fused, or reference if the weights are asked for or the numbers are dual
    reference,  ///< the page: the formulas line by line
    fused,      ///< tile by tile, the whole [L, P+S] is never held; float and double
};
inline constexpr std::array<std::string_view, 3> names(AttentionKernel) { return {"auto", "reference", "fused"}; }

/// The options of a call. They have no gradient.
struct AttentionAttrs {
    std::optional<double> scale{};  ///< of the scores; 1 / sqrt(D) where not given
    bool causal = false;            ///< query i sees key j only if j <= i + offset
    double softcap = 0;             ///< c > 0: s <- c tanh(s / c), before any mask; 0 is off
    Index window_left = -1;         ///< query i sees key j only if j >= i + offset - window_left; -1 is unbounded
    Index window_right = -1;        ///< ... and j <= i + offset + window_right
    Index q_heads = 0;              ///< heads packed in the last axis of a 3-D q; 0 with 4-D inputs
    Index kv_heads = 0;             ///< the same for k and v
    Tensor<Index> kv_len{};         ///< [B]: keys at or beyond kv_len[b] are padding
    Tensor<bool> bool_mask{};       ///< true = may attend; broadcasts like the float mask
    AttentionKernel kernel = AttentionKernel::auto_;
    static void fields(auto& a, auto&& f) {
        f("scale", a.scale);
        f("causal", a.causal);
        f("softcap", a.softcap);
        f("window_left", a.window_left);
        f("window_right", a.window_right);
        f("q_heads", a.q_heads);
        f("kv_heads", a.kv_heads);
        f("kv_len", a.kv_len);
        f("bool_mask", a.bool_mask);
        f("kernel", a.kernel);
    }
};

/// The optional inputs; each has a gradient.
template <Operand X>
struct AttentionOptional {
    X mask{};        ///< added to the scores; -inf forbids a key
    X past_key{};    ///< [B,Hk,P,D], before the keys of this call
    X past_value{};  ///< [B,Hk,P,E]
};

/// Scaled dot-product attention.
/// Shapes  q [B,Hq,L,D], k [B,Hk,S,D], v [B,Hk,S,E] -> y [B,Hq,L,E], Hq a multiple of Hk; query head h uses key head h / (Hq/Hk).
///         Or q [B,L,Hq·D], k [B,S,Hk·D], v [B,S,Hk·E] -> y [B,L,Hq·E] with q_heads and kv_heads.
///         past_key [B,Hk,P,D], past_value [B,Hk,P,E] come before k, v, so that there are P + S keys; P = 0 without a past.
///         Masks, 1-D to 4-D, broadcast to [B,Hq,L,P+S]; a last axis shorter than P + S (but not 1) leaves the other keys masked.
/// Offset  of causal and window: P with a past, kv_len[b] - L with kv_len, else 0.
/// Units   scores and weights dimensionless; log_sum_exp in nats.
/// Memory  O(L) with the fused kernel; the page, which dual numbers always run, holds the weights [B,Hq,L,P+S].
/// Errors  ShapeError if sizes disagree, ValueError for contradictory options. A query without an allowed key gives y = 0,
/// weights
///         of 0 and zero gradients; a masked key is never read, so a NaN or infinity there has no effect.
template <Operand X>
X attention(const X& q, const X& k, const X& v, const AttentionAttrs& attrs = {});
template <Operand X>
X attention(const X& q, const X& k, const X& v, const AttentionOptional<X>& with, const AttentionAttrs& attrs = {});

/// All that a forward computes.
template <Scalar T>
struct AttentionResult {
    Tensor<T> y;
    Tensor<T> weights;        ///< [B,Hq,L,P+S], 0 where masked
    Tensor<T> log_sum_exp;    ///< [B,Hq,L], of the scores of each query; -inf where no key is allowed
    Tensor<T> present_key;    ///< [B,Hk,P+S,D]: the past of the next call
    Tensor<T> present_value;  ///< [B,Hk,P+S,E]
};
/// The forward of attention(), with the results that it does not hand out.   Shapes, Errors  as attention.
template <Scalar T>
AttentionResult<T> attention_forward(const Tensor<T>& q, const Tensor<T>& k, const Tensor<T>& v,
                                     const AttentionOptional<Tensor<T>>& with, const AttentionAttrs& attrs = {});
template <Scalar T>
AttentionResult<T> attention_forward(const Tensor<T>& q, const Tensor<T>& k, const Tensor<T>& v,
                                     const AttentionAttrs& attrs = {}) {
    return attention_forward(q, k, v, AttentionOptional<Tensor<T>>{}, attrs);
}

}  // namespace gradproof
