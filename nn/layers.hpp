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

/// Rows of a table by their ids.   Shapes  ids [...] -> [..., channels].
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
    /// Of a sequence that begins at position `offset`.   Errors: also ValueError unless 0 <= offset <= length - T.
    Var<T> forward(const Step<T>& step, const Var<T>& x, Index offset) const;
    void parameters(auto&&) {}
    Tensor<T> table;
};

/// x + a trained table.   Shapes  x [..., T, C], T the table's length.
template <Scalar T>
struct LearnedPositions {
    LearnedPositions(Index length, Index channels, const Initialiser& weights = init::normal(0.02));
    Var<T> forward(const Step<T>& step, const Var<T>& x) const;
    /// Of a sequence that begins at position `offset`, T <= length.
    /// Errors: ShapeError, ValueError unless 0 <= offset <= length - T.
    Var<T> forward(const Step<T>& step, const Var<T>& x, Index offset) const;
    void parameters(auto&& visit) { visit("weight", weight); }
    Parameter<T> weight;
};

/// One head: softmax(q kᵀ / sqrt(D)) v with q = x Wq, k = x Wk, v = x Wv, no bias: the documents' 64 -> 16 has 3072 parameters.
/// Shapes  x [B, T, channels] -> y [B, T, head_size].
template <Scalar T>
struct SingleHeadAttention {
    SingleHeadAttention(Index channels, Index head_size);
    Var<T> forward(const Step<T>& step, const Var<T>& x) const;
    /// The attention weights [B, 1, T, T] of x.
    Tensor<T> weights(const Step<T>& step, const Var<T>& x) const;
    /// A cache of this layer's shape, empty.
    KeyValueCache<T> cache(Index batch, Index capacity) const;
    /// The rows of the whole forward for L more positions of a causal layer, given those in the cache; it then holds them too.
    /// Shapes  x [B, L, C] -> y [B, L, head_size].   Cost  O(L S) with S positions in the cache, whatever its capacity.
    /// Errors  ShapeError, ValueError for an x or a cache that does not fit,
    /// a cache without room, a layer that sees later positions
    ///         (neither causal nor window_right = 0) or has a mask or lengths; TapeError in a step that records.
    ///         The cache is then as it was.
    Tensor<T> decode(const Step<T>& step, const Tensor<T>& x, KeyValueCache<T>& cache) const;
    void parameters(auto&& visit) {
        visit("wq", wq);
        visit("wk", wk);
        visit("wv", wv);
    }
    Parameter<T> wq, wk, wv;
    AttentionAttrs attrs;  ///< causal, window and the like may be set
};

/// Where a layer of heads learns the order of its inputs:
/// nowhere, by turning queries and keys (ops/rotary.hpp), or by a bias that grows
/// with the distance (ops/alibi.hpp, the paper's slopes). Nothing is trained either way.
enum class HeadPositions { none, rotary, alibi };
inline constexpr std::array<std::string_view, 3> names(HeadPositions) { return {"none", "rotary", "alibi"}; }

struct MultiHeadOptions {
    Index channels = 64;
    Index heads = 4;
    Index kv_heads = 0;  ///< 0: as many as heads; fewer: grouped queries
    HeadPositions positions = HeadPositions::none;
    double output_gain = 1;  ///< of the first values of the output projection
};

/// Heads side by side in the last axis, then an output projection; no biases.   Shapes  x [B, T, C] -> y [B, T, C].
/// Errors  ValueError unless heads divides channels and kv_heads divides heads, and for rotary positions of heads of an odd size.
template <Scalar T>
struct MultiHeadAttention {
    explicit MultiHeadAttention(const MultiHeadOptions& options);
    Var<T> forward(const Step<T>& step, const Var<T>& x) const;
    /// The attention weights [B, heads, T, T] of x.
    Tensor<T> weights(const Step<T>& step, const Var<T>& x) const;
    /// As those of SingleHeadAttention.
    KeyValueCache<T> cache(Index batch, Index capacity) const;
    Tensor<T> decode(const Step<T>& step, const Tensor<T>& x, KeyValueCache<T>& cache) const;
    void parameters(auto&& visit) {
        visit("wq", wq);
        visit("wk", wk);
        visit("wv", wv);
        visit("wo", wo);
    }
    Parameter<T> wq, wk, wv, wo;
    AttentionAttrs attrs;
    HeadPositions positions;
};

/// Layer normalisation of the last axis with a trained gain and bias.
template <Scalar T>
struct LayerNorm {
    explicit LayerNorm(Index channels, double epsilon = 1e-5);
    Var<T> forward(const Step<T>& step, const Var<T>& x) const;
    void parameters(auto&& visit) {
        visit("gain", gain);
        visit("bias", bias);
    }
    Parameter<T> gain, bias;
    double epsilon;
};

/// y = gelu(x W1 + b1) W2 + b2.   Shapes  x [..., channels] -> y [..., channels].
template <Scalar T>
struct FeedForward {
    FeedForward(Index channels, Index hidden, double down_gain = 1);
    Var<T> forward(const Step<T>& step, const Var<T>& x) const;
    void parameters(auto&& visit) {
        visit("up", up);
        visit("down", down);
    }
    Linear<T> up, down;
};

struct BlockOptions {
    Index channels = 64;
    Index heads = 4;
    Index hidden = 128;
    double residual_gain = 1;  ///< of the first values of both projections into the residual path
    HeadPositions positions = HeadPositions::none;
};

/// A transformer block that normalises before each part: x = x + attention(norm1(x)); x = x + feed_forward(norm2(x)).
/// Source  Xiong et al. 2020, figure 1 (b).
template <Scalar T>
struct Block {
    explicit Block(const BlockOptions& options);
    Var<T> forward(const Step<T>& step, const Var<T>& x) const;
    Tensor<T> weights(const Step<T>& step, const Var<T>& x) const;
    /// As those of SingleHeadAttention, of the attention inside.
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

/// Modules one after the other; their parameters are named "0....", "1....".
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
    M(SinusoidalPositions) M(LearnedPositions) M(SingleHeadAttention) M(MultiHeadAttention) M(LayerNorm) M(FeedForward) M(Block)
#define GRADPROOF_EXTERN_LAYER(L)    \
    extern template struct L<float>; \
    extern template struct L<double>;
GRADPROOF_LAYERS(GRADPROOF_EXTERN_LAYER)
#undef GRADPROOF_EXTERN_LAYER

}  // namespace gradproof
