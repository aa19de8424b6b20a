// Layers: linear, embedding, positions, attention, normalisation, feed-forward, the pre-norm block, and a sequence of them.
//
//   Block<float> block({.channels = 64, .heads = 4, .hidden = 128});
//   ParameterTree<float> tree(block, 42);      // "norm1.gain", ..., "attention.wq", ..., "feed_forward.down.bias"
//   Var<float> y = block.forward(step, x);     // [B, T, 64] -> [B, T, 64]
#pragma once

#include <array>
#include <string_view>
#include <tuple>

#include "gradproof/nn/cache.hpp"
#include "gradproof/nn/module.hpp"
#include "gradproof/ops/attention.hpp"
#include "gradproof/ops/linear.hpp"

namespace gradproof {

/// y = f(x W + b).   Shapes  x [..., in] -> y [..., out].
template <Scalar T>
struct Linear {
    enum class Bias { with, without };
    Linear(Index in, Index out, Bias bias = Bias::with, const Initialiser& weights = init::xavier());
    Var<T> forward(const Step<T>& step, const Var<T>& x, Activation activation = Activation::none) const;
    void parameters(auto&& visit) {
        visit("weight", weight);
        if (has_bias) visit("bias", bias);
    }
    Parameter<T> weight, bias;
    bool has_bias;
};

/// The rows of a trained table with these ids.   Shapes  ids [...] -> [..., channels].
template <Scalar T>
struct Embedding {
    Embedding(Index vocabulary, Index channels, const Initialiser& weights = init::normal());
    Var<T> forward(const Step<T>& step, const Tensor<Index>& ids) const;
    void parameters(auto&& visit) { visit("weight", weight); }
    Parameter<T> weight;
};

/// x + PE, the fixed sines and cosines of Vaswani et al. 2017, section 3.5.   Shapes  x [..., T, C], T <= length.
template <Scalar T>
struct SinusoidalPositions {
    SinusoidalPositions(Index length, Index channels);
    /// Errors: ShapeError for a sequence longer than `length` or another width.
    Var<T> forward(const Step<T>& step, const Var<T>& x) const;
    /// For a sequence that begins at position `offset`.   Errors: also ValueError unless 0 <= offset <= length - T.
    Var<T> forward(const Step<T>& step, const Var<T>& x, Index offset) const;
    void parameters(auto&&) {}
    Tensor<T> table;
};

/// x + a trained table.   Shapes  x [..., T, C], T the length of the table.
template <Scalar T>
struct LearnedPositions {
    LearnedPositions(Index length, Index channels, const Initialiser& weights = init::normal(0.02));
    Var<T> forward(const Step<T>& step, const Var<T>& x) const;
    /// For a sequence that begins at position `offset`, T <= length.
    /// Errors: ShapeError, ValueError unless 0 <= offset <= length - T.
    Var<T> forward(const Step<T>& step, const Var<T>& x, Index offset) const;
    void parameters(auto&& visit) { visit("weight", weight); }
    Parameter<T> weight;
};

/// How the order of the inputs enters a layer of heads: not at all, by rotating queries and keys (ops/rotary.hpp), or by a bias
/// that grows with the distance (ops/alibi.hpp, with the slopes of the paper). None of these has parameters.
enum class HeadPositions { none, rotary, alibi };
inline constexpr std::array<std::string_view, 3> names(HeadPositions) { return {"none", "rotary", "alibi"}; }

/// The common part of the layers of heads: projections of one sequence to queries, keys and values, without biases, and attention
/// over them.
/// Shapes  x [B, T, C] -> y [B, T, heads D], heads packed.
template <Scalar T>
struct AttentionHeads {
    Var<T> forward(const Step<T>& step, const Var<T>& x) const;
    /// The attention weights [B, heads, T, T] of x.
    Tensor<T> weights(const Step<T>& step, const Var<T>& x) const;
    /// An empty cache that fits this layer.
    KeyValueCache<T> cache(Index batch, Index capacity) const;
    /// The last L rows of forward, given the positions in the cache, which then holds the L new ones too. For causal layers.
    /// Shapes  x [B, L, C] -> y [B, L, heads D].   Cost  O(L S) with S positions in the cache, whatever its capacity.
    /// Errors  ShapeError, ValueError for an x or a cache that does not fit, a full cache, a layer that sees later positions
    ///         (neither causal nor window_right = 0) or has a mask or lengths; TapeError in a step that records. The cache is
    ///         then unchanged.
    Tensor<T> decode(const Step<T>& step, const Tensor<T>& x, KeyValueCache<T>& cache) const;
    void check_decode(const Step<T>& step, const Tensor<T>& x, const KeyValueCache<T>& cache) const;
    void parameters(auto&& visit) { visit("wq", wq), visit("wk", wk), visit("wv", wv); }
    Parameter<T> wq, wk, wv;
    AttentionAttrs attrs{};  ///< causal, window and the like may be set
    HeadPositions positions = HeadPositions::none;
};

/// One head: softmax(q kᵀ / sqrt(D)) v with q = x Wq, k = x Wk, v = x Wv. From 64 to 16 channels, as in the teaching texts of
/// core/proof/documents, it has 3072 parameters.
/// Shapes  x [B, T, channels] -> y [B, T, head_size].
template <Scalar T>
struct SingleHeadAttention : AttentionHeads<T> {
    SingleHeadAttention(Index channels, Index head_size);
};

struct MultiHeadOptions {
    Index channels = 64;
    Index heads = 4;
    Index kv_heads = 0;  ///< 0: as many as heads; fewer: grouped queries
    HeadPositions positions = HeadPositions::none;
    double output_gain = 1;  ///< scales the initial values of the output projection
};

/// Several heads, then an output projection; no biases.   Shapes  x [B, T, C] -> y [B, T, C].
/// Errors  ValueError unless heads divides channels and kv_heads divides heads, and for rotary positions of heads of an odd size.
template <Scalar T>
struct MultiHeadAttention : AttentionHeads<T> {
    explicit MultiHeadAttention(const MultiHeadOptions& options);
    Var<T> forward(const Step<T>& step, const Var<T>& x) const;
    Tensor<T> decode(const Step<T>& step, const Tensor<T>& x, KeyValueCache<T>& cache) const;
    void parameters(auto&& visit) {
        AttentionHeads<T>::parameters(visit);
        visit("wo", wo);
    }
    Parameter<T> wo;
};

/// Layer normalisation of the last axis with a trained gain and bias.
template <Scalar T>
struct LayerNorm {
    explicit LayerNorm(Index channels, double epsilon = 1e-5);
    Var<T> forward(const Step<T>& step, const Var<T>& x) const;
    void parameters(auto&& visit) { visit("gain", gain), visit("bias", bias); }
    Parameter<T> gain, bias;
    double epsilon;
};

/// y = gelu(x W1 + b1) W2 + b2.   Shapes  x [..., channels] -> y [..., channels].
template <Scalar T>
struct FeedForward {
    FeedForward(Index channels, Index hidden, double down_gain = 1);
    Var<T> forward(const Step<T>& step, const Var<T>& x) const;
    void parameters(auto&& visit) { visit("up", up), visit("down", down); }
    Linear<T> up, down;
};

struct BlockOptions {
    Index channels = 64;
    Index heads = 4;
    Index hidden = 128;
    double residual_gain = 1;  ///< scales the initial values of both projections into the residual path
    HeadPositions positions = HeadPositions::none;
};

/// A transformer block that normalises before each part: x = x + attention(norm1(x)); x = x + feed_forward(norm2(x)).
/// Source  Xiong et al. 2020, figure 1 (b).
template <Scalar T>
struct Block {
    explicit Block(const BlockOptions& options);
    Var<T> forward(const Step<T>& step, const Var<T>& x) const;
    Tensor<T> weights(const Step<T>& step, const Var<T>& x) const;
    /// As those of AttentionHeads, for the attention inside.
    KeyValueCache<T> cache(Index batch, Index capacity) const;
    Tensor<T> decode(const Step<T>& step, const Tensor<T>& x, KeyValueCache<T>& cache) const;
    void parameters(auto&& visit) {
        visit("norm1", norm1);
        visit("attention", attention);
        visit("norm2", norm2);
        visit("feed_forward", feed_forward);
    }
    LayerNorm<T> norm1;
    MultiHeadAttention<T> attention;
    LayerNorm<T> norm2;
    FeedForward<T> feed_forward;
};

/// Modules one after the other. The names of their parameters begin with "0.", "1.", ...
template <Scalar T, class... Modules>
struct Sequential {
    explicit Sequential(Modules... m) : modules(std::move(m)...) {}
    Var<T> forward(const Step<T>& step, Var<T> x) const {
        std::apply([&](const auto&... m) { ((x = m.forward(step, x)), ...); }, modules);
        return x;
    }
    void parameters(auto&& visit) {
        std::apply(
            [&](auto&... m) {
                int i = 0;
                (visit(std::to_string(i++), m), ...);
            },
            modules);
    }
    std::tuple<Modules...> modules;
};

#define GRADPROOF_LAYERS(M) \
    M(Linear)               \
    M(Embedding)            \
    M(SinusoidalPositions)  \
    M(LearnedPositions) M(AttentionHeads) M(SingleHeadAttention) M(MultiHeadAttention) M(LayerNorm) M(FeedForward) M(Block)
#define GRADPROOF_EXTERN_LAYER(L)    \
    extern template struct L<float>; \
    extern template struct L<double>;
GRADPROOF_LAYERS(GRADPROOF_EXTERN_LAYER)
#undef GRADPROOF_EXTERN_LAYER

}  // namespace gradproof
