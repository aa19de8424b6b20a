// The three models: what each adds between the embedding and the readout.
#include "gradproof/nn/models.hpp"

#include "gradproof/nn/layers.hpp"
#include "gradproof/ops/reshape.hpp"
#include "gradproof/ops/slice.hpp"

namespace gradproof {
namespace {

/// x [B, T, C] -> [B, C], the first position.
template <Scalar T>
Var<T> first_position(const Var<T>& x) {
    const Shape s = x.shape();
    return reshape(slice(x, {.axis = 1, .start = 0, .stop = 1}), {.shape = {s[0], s[2]}});
}

/// In place of the normalisation before the readout in models without a residual path.
template <Scalar T>
struct NoNorm {
    explicit NoNorm(Index) {}
    Var<T> forward(const Step<T>&, const Var<T>& x) const { return x; }
};

template <Scalar T, class Body>
struct Layers {
    static constexpr bool kNorm = std::is_same_v<Body, Block<T>>;
    Layers(const ModelOptions& o, Body b, Index width)
        : embedding(o.vocabulary, o.channels, init::normal(o.embedding_spread)),
          positions(o.length, o.channels),
          body(std::move(b)),
          norm(width),
          readout(width, o.answers) {}
    void parameters(auto&& visit) {
        visit("embedding", embedding);
        visit(kNorm ? "block" : "attention", body);
        if constexpr (kNorm) visit("norm", norm);
        visit("readout", readout);
    }
    Embedding<T> embedding;
    SinusoidalPositions<T> positions;
    Body body;
    std::conditional_t<kNorm, LayerNorm<T>, NoNorm<T>> norm;
    Linear<T> readout;
};

template <Scalar T, class Body>
class ExpressionModel final : public Model<T> {
  public:
    ExpressionModel(const ModelOptions& options, Body body, Index width, std::uint64_t seed)
        : layers_(options, std::move(body), width), tree_(layers_, seed) {}
    Var<T> forward(const Step<T>& step, const Tensor<Index>& ids) const override {
        const Var<T> h = first_position(layers_.body.forward(step, embedded(step, ids)));
        return layers_.readout.forward(step, layers_.norm.forward(step, h));
    }
    Tensor<T> attention_weights(const Step<T>& step, const Tensor<Index>& ids) const override {
        return layers_.body.weights(step, embedded(step, ids));
    }
    ParameterTree<T>& tree() override { return tree_; }

  private:
    Var<T> embedded(const Step<T>& step, const Tensor<Index>& ids) const {
        return layers_.positions.forward(step, layers_.embedding.forward(step, ids));
    }
    Layers<T, Body> layers_;
    ParameterTree<T> tree_;
};

}  // namespace

template <Scalar T>
std::unique_ptr<Model<T>> make_model(ModelKind kind, const ModelOptions& o, std::uint64_t seed) {
    switch (kind) {
        case ModelKind::single_head: {
            using Body = SingleHeadAttention<T>;
            return std::make_unique<ExpressionModel<T, Body>>(o, Body(o.channels, o.head_size), o.head_size, seed);
        }
        case ModelKind::multi_head: {
            using Body = MultiHeadAttention<T>;
            return std::make_unique<ExpressionModel<T, Body>>(o, Body({.channels = o.channels, .heads = o.heads}), o.channels,
                                                              seed);
        }
        case ModelKind::block: {
            using Body = Block<T>;
            return std::make_unique<ExpressionModel<T, Body>>(
                o, Body({.channels = o.channels, .heads = o.heads, .hidden = o.hidden}), o.channels, seed);
        }
    }
    value_error("train: no model of kind {}", static_cast<int>(kind));
}
template std::unique_ptr<Model<float>> make_model(ModelKind, const ModelOptions&, std::uint64_t);
template std::unique_ptr<Model<double>> make_model(ModelKind, const ModelOptions&, std::uint64_t);

}  // namespace gradproof
