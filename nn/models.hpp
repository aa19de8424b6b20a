// The three models that can be trained on the expressions, behind one interface.
//
//   auto model = make_model<float>(ModelKind::single_head, {}, 42);
//   Var<float> scores = model->forward(step, ids);        // ids [B, 8] -> scores [B, 10]
//   Tensor<float> w = model->attention_weights(step, ids); // [B, heads, 8, 8]
//
// All three add sinusoidal positions to a 20 x 64 embedding, attend once, and read the answer from position 0, the token of
// the function, which information about the digits can reach through attention only.
//   single-head  attention 64 -> 16 (3072 parameters), linear readout 16 -> 10
//   multi-head   4 heads and an output projection, linear readout 64 -> 10
//   block        the pre-norm block, a last normalisation, linear readout 64 -> 10
#pragma once

#include <array>
#include <memory>

#include "gradproof/nn/module.hpp"

namespace gradproof {

enum class ModelKind { single_head, multi_head, block };
inline constexpr std::array<std::string_view, 3> names(ModelKind) { return {"single-head", "multi-head", "block"}; }

struct ModelOptions {
    Index vocabulary = 20;
    Index length = 8;
    Index answers = 10;
    Index channels = 64;
    Index head_size = 16;           ///< single-head
    Index heads = 4;                ///< multi-head, block
    Index hidden = 128;             ///< block
    double embedding_spread = 0.3;  ///< standard deviation of the first values of the embedding; those of the positions have 0.7
};

template <Scalar T>
class Model {
  public:
    virtual ~Model() = default;
    /// Scores of the answers [B, answers] from ids [B, length].
    virtual Var<T> forward(const Step<T>& step, const Tensor<Index>& ids) const = 0;
    /// The attention weights [B, heads, length, length].
    virtual Tensor<T> attention_weights(const Step<T>& step, const Tensor<Index>& ids) const = 0;
    virtual ParameterTree<T>& tree() = 0;
};

/// A model whose initial parameters are drawn from `seed`.
template <Scalar T>
std::unique_ptr<Model<T>> make_model(ModelKind kind, const ModelOptions& options, std::uint64_t seed);

extern template std::unique_ptr<Model<float>> make_model(ModelKind, const ModelOptions&, std::uint64_t);
extern template std::unique_ptr<Model<double>> make_model(ModelKind, const ModelOptions&, std::uint64_t);

}  // namespace gradproof
