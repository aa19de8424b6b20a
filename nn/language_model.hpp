// A causal language model: token and position embedding, pre-norm blocks, a last normalisation, and a readout that shares the
// matrix of the embedding.
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

/// How the position of a token enters the model.
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
    Index hidden = 0;  ///< width inside the feed-forward parts; 0: four times the channels
    PositionKind positions = PositionKind::learned;
};
/// Errors  ValueError naming the size, what it is and what was expected.
void validate(const LanguageModelOptions& options);

/// Pre-norm blocks with causal attention, a readout tied to the embedding (Press and Wolf 2017), and initial projections into the
/// residual path that are smaller by a factor sqrt(2 layers).   Source  Radford et al. 2019.
template <Scalar T>
class LanguageModel {
  public:
    LanguageModel(const LanguageModelOptions& options, std::uint64_t seed);
    /// Scores of the next token at each position, from that position and the earlier ones.
    /// Shapes  ids [B, T] -> [B, T, vocabulary], 1 <= T <= context.
    /// Errors  ShapeError, ValueError for an id outside the vocabulary.
    Var<T> forward(const Step<T>& step, const Tensor<Index>& ids) const;
    /// Calls visit with the attention weights of each layer in turn, [B, heads, T, T]; only one layer's are held in memory.
    void attention_weights(const Step<T>& step, const Tensor<Index>& ids,
                           const std::function<void(const Tensor<T>&)>& visit) const;
    /// An empty cache for each layer, for sequences of up to `context` positions.
    std::vector<KeyValueCache<T>> caches(Index batch) const;
    /// The last L rows of forward, given the positions in the caches.   Shapes  ids [B, L] -> [B, L, vocabulary].
    /// Errors  those of forward, and ShapeError if the positions exceed the context; the caches are then unchanged.
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

/// How scores are computed: with a key-value cache, or by the whole forward each time.
enum class Decoding { cached, whole };

/// Reads one sequence token by token. When the context is full, its last half is read again from position 0.
template <Scalar T>
class Decoder {
  public:
    /// The model must outlive it, and its parameters must not change.
    explicit Decoder(LanguageModel<T>& model, Decoding decoding = Decoding::cached);
    /// Reads the ids; returns the scores [vocabulary] of the token after them.
    /// Errors  ValueError for no ids or an id outside the vocabulary; nothing is read then.
    Tensor<T> read(std::span<const Index> ids);
    /// The ids that the next scores depend on, at most as many as the context.
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
