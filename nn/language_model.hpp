// A causal language model: token and position embedding, pre-norm blocks, a last normalisation,
// and the embedding again as the readout.
//
//   LanguageModel<float> model({.vocabulary = 96, .context = 128}, 42);
//   Var<float> scores = model.forward(step, ids);          // ids [B, T] -> scores [B, T, vocabulary] of what comes next
//   Decoder<float> decoder(model);
//   decoder.read(prompt);                                   // scores [vocabulary] of the next token, from a key-value cache
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "gradproof/nn/layers.hpp"

namespace gradproof {

/// How a token's place enters the model.
enum class PositionKind { learned, sinusoidal, rotary, alibi, none };
inline constexpr std::array<std::string_view, 5> names(PositionKind) {
    return {"learned", "sinusoidal", "rotary", "alibi", "none"};
}

struct LanguageModelOptions {
    Index vocabulary = 256;
    Index context = 128;  ///< the longest sequence
    Index layers = 4;
    Index heads = 4;
    Index channels = 128;
    Index hidden = 0;  ///< of the feed-forward parts; 0: four times the channels
    PositionKind positions = PositionKind::learned;
};
/// Errors  ValueError naming the size, what it is and what was expected.
void validate(const LanguageModelOptions& options);

/// Radford et al. 2019: pre-norm blocks with causal attention, the readout tied to the embedding (Press and Wolf 2017), and the
/// projections into the residual path drawn smaller by sqrt(2 layers).
template <Scalar T>
class LanguageModel {
  public:
    LanguageModel(const LanguageModelOptions& options, std::uint64_t seed);
    /// Scores of the token after each position, from that position and those before it.
    /// Shapes  ids [B, T] -> [B, T, vocabulary], 1 <= T <= context.
    /// Errors  ShapeError, ValueError for an id outside the vocabulary.
    Var<T> forward(const Step<T>& step, const Tensor<Index>& ids) const;
    /// Calls visit with the attention weights of each layer, [B, heads, T, T]; those of one layer are there at a time.
    void attention_weights(const Step<T>& step, const Tensor<Index>& ids,
                           const std::function<void(const Tensor<T>&)>& visit) const;
    /// One cache a layer, for sequences of up to `context` positions.
    std::vector<KeyValueCache<T>> caches(Index batch) const;
    /// As the last L rows of forward, given the positions in the caches.   Shapes  ids [B, L] -> [B, L, vocabulary].
    /// Errors  those of forward, ShapeError too where the positions leave the context; the caches are then as they were.
    Tensor<T> decode(const Step<T>& step, const Tensor<Index>& ids, std::vector<KeyValueCache<T>>& caches) const;

    const LanguageModelOptions& options() const { return options_; }
    ParameterTree<T>& tree() { return tree_; }

  private:
    struct Layers {
        explicit Layers(const LanguageModelOptions& o);
        void parameters(auto&& visit) {
            visit("embedding", embedding);
            if (learned) visit("positions", *learned);
            for (std::size_t i = 0; i < blocks.size(); ++i) visit("blocks." + std::to_string(i), blocks[i]);
            visit("norm", norm);
        }
        Embedding<T> embedding;
        std::optional<LearnedPositions<T>> learned;
        std::optional<SinusoidalPositions<T>> sinusoidal;
        std::vector<Block<T>> blocks;
        LayerNorm<T> norm;
    };
    Var<T> embedded(const Step<T>& step, const Tensor<Index>& ids, Index offset) const;
    Var<T> readout(const Step<T>& step, const Var<T>& x) const;

    LanguageModelOptions options_;
    Layers layers_;
    ParameterTree<T> tree_;
};

/// How scores are worked out: from a key-value cache, or by the whole forward each time.
enum class Decoding { cached, whole };

/// One sequence, read a token at a time. When the context is full the last half of it is read again from position 0.
template <Scalar T>
class Decoder {
  public:
    /// The model must outlive it, and its parameters stay as they are.
    explicit Decoder(LanguageModel<T>& model, Decoding decoding = Decoding::cached);
    /// The scores [vocabulary] of the token that follows all read so far.
    /// Errors  ValueError for no ids or one outside the vocabulary; nothing was then read.
    Tensor<T> read(std::span<const Index> ids);
    /// The ids the next scores depend on: at most a context of them.
    const std::vector<Index>& context() const { return window_; }

  private:
    Tensor<T> append(std::span<const Index> ids);
    LanguageModel<T>& model_;
    Decoding decoding_;
    Step<T> step_;
    std::vector<KeyValueCache<T>> caches_;
    std::vector<Index> window_;
};

extern template class LanguageModel<float>;
extern template class LanguageModel<double>;
extern template class Decoder<float>;
extern template class Decoder<double>;

}  // namespace gradproof
