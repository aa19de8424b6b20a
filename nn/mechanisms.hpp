// Attention mechanisms other than plain dot-product attention, each as a layer named after its paper; and the recurrent and
// convolutional layers that attention is compared with.
//
//   RelativeAttention<float> layer({.channels = 64, .heads = 4, .causal = true}, 8);
//   ParameterTree<float> tree(layer, 42);        // "wq", "wk", "wv", "wo", "rk", "rv"
//   Var<float> y = layer.forward(step, x);       // [B, T, 64] -> [B, T, 64]
//   Lstm<float> lstm(64, 32);                    // [B, T, 64] -> [B, T, 32]
#pragma once

#include "gradproof/nn/layers.hpp"
#include "gradproof/ops/conv1d.hpp"

namespace gradproof {

struct HeadOptions {
    Index channels = 64;
    Index heads = 4;
    bool causal = false;
};

/// The projections of one sequence to the queries, keys and values of all heads, and of their outputs back; no biases.
/// The layers below add a way to attend.
/// Errors  ValueError unless heads divides channels.
template <Scalar T>
struct HeadProjections {
    explicit HeadProjections(const HeadOptions& options);
    struct Heads {
        Var<T> q, k, v;
    };
    /// Shapes  x [B, T, C] -> three of [B, H, T, D].
    Heads split(const Step<T>& step, const Var<T>& x) const;
    /// Shapes  y [B, H, T, D] -> [B, T, C].
    Var<T> merge(const Step<T>& step, const Var<T>& y) const;
    void parameters(auto&& visit) { visit("wq", wq), visit("wk", wk), visit("wv", wv), visit("wo", wo); }
    Parameter<T> wq, wk, wv, wo;
    Index heads;
    bool causal;
};

/// Heads with trained tables of relative positions, for keys and for values, up to `distance`; all heads share the tables.
/// Shapes  x [B, T, C] -> y [B, T, C].
/// Source  Shaw et al. 2018.   Errors  also ValueError for a negative distance.
template <Scalar T>
struct RelativeAttention : HeadProjections<T> {
    RelativeAttention(const HeadOptions& options, Index distance);
    Var<T> forward(const Step<T>& step, const Var<T>& x) const;
    void parameters(auto&& visit) {
        HeadProjections<T>::parameters(visit);
        visit("rk", rk);
        visit("rv", rv);
    }
    Parameter<T> rk, rv;
};

/// Heads whose weights are a logistic function of each score.   Shapes  x [B, T, C] -> y [B, T, C].   Source  Ramapuram et al.
/// 2024.
template <Scalar T>
struct SigmoidAttention : HeadProjections<T> {
    using HeadProjections<T>::HeadProjections;
    Var<T> forward(const Step<T>& step, const Var<T>& x) const;
};

/// Heads that each take the value of the nearest key. No gradient reaches the projections of queries and keys.
/// Shapes  x [B, T, C] -> y [B, T, C].
/// Source  the limit of Vaswani et al. 2017 equation 1 for a scale that grows without bound.
template <Scalar T>
struct HardAttention : HeadProjections<T> {
    using HeadProjections<T>::HeadProjections;
    Var<T> forward(const Step<T>& step, const Var<T>& x) const;
};

/// Heads whose weights are products of features; the cost is linear in T.   Shapes  x [B, T, C] -> y [B, T, C].
/// Source  Katharopoulos et al. 2020.
template <Scalar T>
struct LinearAttention : HeadProjections<T> {
    using HeadProjections<T>::HeadProjections;
    Var<T> forward(const Step<T>& step, const Var<T>& x) const;
};

/// Options of a layer that attends from one sequence to another, its memory.
struct MemoryOptions {
    Index channels = 64;         ///< of the sequence that attends
    Index memory_channels = 64;  ///< of the memory
    Index units = 16;            ///< additive: number of tanh units that score a pair
    Index values = 16;           ///< width of the output
    bool causal = false;         ///< for a memory that is the sequence itself
};

/// s_ij = a·tanh(x_i wq + m_j wk);  y = softmax(s) m wv.   Shapes  x [B, L, C], memory [B, S, M] -> y [B, L, values].
/// Source  Bahdanau et al. 2015, where the values are the memory itself.
template <Scalar T>
struct AdditiveAttention {
    explicit AdditiveAttention(const MemoryOptions& options);
    Var<T> forward(const Step<T>& step, const Var<T>& x, const Var<T>& memory) const;
    Var<T> forward(const Step<T>& step, const Var<T>& x) const { return forward(step, x, x); }
    void parameters(auto&& visit) { visit("wq", wq), visit("wk", wk), visit("wv", wv), visit("a", a); }
    Parameter<T> wq, wk, wv, a;
    bool causal;
};

/// s_ij = x_i w m_jᵀ;  y = softmax(s) m wv.   Shapes  as AdditiveAttention.
/// Source  Luong et al. 2015, "general", where the values are the memory itself.
template <Scalar T>
struct BilinearAttention {
    explicit BilinearAttention(const MemoryOptions& options);
    Var<T> forward(const Step<T>& step, const Var<T>& x, const Var<T>& memory) const;
    Var<T> forward(const Step<T>& step, const Var<T>& x) const { return forward(step, x, x); }
    void parameters(auto&& visit) { visit("w", w), visit("wv", wv); }
    Parameter<T> w, wv;
    bool causal;
};

struct CrossOptions {
    Index channels = 64;
    Index memory_channels = 64;
    Index heads = 4;
};

/// Heads whose queries come from one sequence and whose keys and values come from another, of any length and width.
/// Shapes  x [B, L, C], memory [B, S, M] -> y [B, L, C].   Errors  ValueError unless heads divides channels.
/// Source  Vaswani et al. 2017, section 3.2.3.
template <Scalar T>
struct CrossAttention {
    explicit CrossAttention(const CrossOptions& options);
    Var<T> forward(const Step<T>& step, const Var<T>& x, const Var<T>& memory) const;
    /// The attention weights [B, heads, L, S].
    Tensor<T> weights(const Step<T>& step, const Var<T>& x, const Var<T>& memory) const;
    void parameters(auto&& visit) { visit("wq", wq), visit("wk", wk), visit("wv", wv), visit("wo", wo); }
    Parameter<T> wq, wk, wv, wo;
    AttentionAttrs attrs;  ///< kv_len for memories of several lengths, bool_mask and the like may be set
};

/// A tanh recurrence that starts from the state 0.   Shapes  x [B, T, in] -> h [B, T, hidden].   Source  Elman 1990.
template <Scalar T>
struct Recurrent {
    Recurrent(Index in, Index hidden);
    Var<T> forward(const Step<T>& step, const Var<T>& x) const;
    void parameters(auto&& visit) { visit("wx", wx), visit("wh", wh), visit("bias", bias); }
    Parameter<T> wx, wh, bias;
};

/// Long short-term memory that starts from states 0; the order of the gates is i f g o.   Shapes  x [B, T, in] -> h [B, T,
/// hidden].
/// Source  Hochreiter and Schmidhuber 1997, Gers et al. 2000.
template <Scalar T>
struct Lstm {
    Lstm(Index in, Index hidden);
    Var<T> forward(const Step<T>& step, const Var<T>& x) const;
    void parameters(auto&& visit) { visit("wx", wx), visit("wh", wh), visit("bias", bias); }
    Parameter<T> wx, wh, bias;
};

/// Convolution over time; causal and same keep the length.   Shapes  x [B, T, in] -> y [B, T', out].
template <Scalar T>
struct Convolution {
    Convolution(Index in, Index out, Index window, const Conv1dAttrs& attrs = {});
    Var<T> forward(const Step<T>& step, const Var<T>& x) const;
    void parameters(auto&& visit) { visit("weight", weight), visit("bias", bias); }
    Parameter<T> weight, bias;
    Conv1dAttrs attrs;
};

#define GRADPROOF_MECHANISMS(M) \
    M(HeadProjections)          \
    M(RelativeAttention)        \
    M(SigmoidAttention)         \
    M(HardAttention)            \
    M(LinearAttention) M(AdditiveAttention) M(BilinearAttention) M(CrossAttention) M(Recurrent) M(Lstm) M(Convolution)
#define GRADPROOF_EXTERN_MECHANISM(L) \
    extern template struct L<float>;  \
    extern template struct L<double>;
GRADPROOF_MECHANISMS(GRADPROOF_EXTERN_MECHANISM)
#undef GRADPROOF_EXTERN_MECHANISM

}  // namespace gradproof
