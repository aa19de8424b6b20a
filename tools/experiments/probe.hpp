// The model of the experiments: attention layers whose scale, mask, residual path, positions, values and weights can be changed.
//
//   Probe model({.heads = 4}, 42);
//   ProbeTraining training(model, task.training, {.epochs = 30}, 42);
//   training.run_to(30);
//   evaluate(model, task.validation, {.value_order = shuffled}).accuracy;
#pragma once

#include <vector>

#include "gradproof/nn/layers.hpp"
#include "gradproof/nn/tasks/examples.hpp"
#include "gradproof/nn/train/typed_run.hpp"
#include "tools/experiments/experiment.hpp"

namespace gradproof::experiments {

using Real = float;

/// What a model is trained on, and what it is judged by.
struct Task {
    Examples training{}, validation{};
};
/// The expressions, split as `gradproof train` splits them; only a few rows for Effort::smoke.
Task expression_task(const Context& context);

/// A model that can be trained and evaluated here.
class Learner {
  public:
    virtual ~Learner() = default;
    /// Scores [B, answers], or [B, T, answers] where every position is answered.
    virtual Var<Real> scores(const Step<Real>& step, const Tensor<Index>& ids) const = 0;
    virtual ParameterTree<Real>& tree() = 0;
    virtual const ParameterTree<Real>& tree() const = 0;
};

struct ProbeOptions {
    Index vocabulary = 20, length = 8, answers = 10;
    Index channels = 64, heads = 1, head_size = 16, layers = 1;
    double score_scale = 0;  ///< 0: 1 / sqrt(head_size)
    double weight_gain = 1;  ///< scales the initial values of W_q and W_k
    bool causal = false;
    bool residual = false;        ///< x + attention(x) in each layer
    bool norm = false;            ///< layer normalisation before each attention
    bool projection = false;      ///< W_o after the heads; implied by a residual path or more than one layer
    bool positions = true;        ///< adds sinusoidal positions to the embedding
    bool frozen_scores = false;   ///< W_q and W_k keep their initial values
    bool every_position = false;  ///< reads an answer from each position, not only from the first one
};

/// What is changed in a forward, in all layers. Tensors that are not defined change nothing.
struct Change {
    Tensor<Real> value_order{};  ///< [rows, T, T]: a matrix for the values of each row; permutations move them to other positions
    Tensor<Real> head_gain{};    ///< [heads]: a factor for the output of each head; 0 removes it
    Tensor<Real> weights{};      ///< [rows, heads, T, T]: attention weights in place of the model's own
};

class Probe final : public Learner {
  public:
    struct Layer {
        Layer(const ProbeOptions& o, bool projected);
        void parameters(auto&& visit) {
            if (normed) visit("norm", norm);
            visit("wq", wq);
            visit("wk", wk);
            visit("wv", wv);
            if (projected) visit("wo", wo);
        }
        LayerNorm<Real> norm;
        Parameter<Real> wq, wk, wv, wo;
        bool normed, projected;
    };

    Probe(const ProbeOptions& options, std::uint64_t seed);
    /// Scores [B, answers], or [B, T, answers] where every position is read.
    /// `weights` receives the attention weights of each layer, [B, heads, T, T].
    /// Errors: ShapeError for a change with other numbers of rows, heads or positions.
    Var<Real> forward(const Step<Real>& step, const Tensor<Index>& ids, const Change& change = {},
                      std::vector<Tensor<Real>>* weights = nullptr) const;
    void parameters(auto&& visit) {
        visit("embedding", embedding_);
        for (std::size_t i = 0; i < layers_.size(); ++i) visit("layer" + std::to_string(i), layers_[i]);
        visit("readout", readout_);
    }
    /// The input of the first layer, [B, T, channels].
    Var<Real> embedded(const Step<Real>& step, const Tensor<Index>& ids) const;
    const Layer& layer(Index i) const { return layers_[static_cast<std::size_t>(i)]; }
    Var<Real> scores(const Step<Real>& step, const Tensor<Index>& ids) const override { return forward(step, ids); }
    ParameterTree<Real>& tree() override { return tree_; }
    const ParameterTree<Real>& tree() const override { return tree_; }
    const ProbeOptions& options() const { return options_; }

  private:
    Var<Real> attend(const Step<Real>& step, const Layer& layer, const Var<Real>& x, const Change& change,
                     std::vector<Tensor<Real>>* weights) const;
    AttentionAttrs attrs() const;

    ProbeOptions options_;
    Embedding<Real> embedding_;
    SinusoidalPositions<Real> positions_;
    std::vector<Layer> layers_;
    Linear<Real> readout_;
    ParameterTree<Real> tree_;
};

struct ProbeSettings {
    Index epochs = 30, batch = 64;
    double rate = 3e-3, weight_decay = 1, clip = 1;  ///< the defaults of `gradproof train`
    Index warmup = 40;
    Index decay_epochs = 0;  ///< 0: as many as epochs
};

/// How all experiments train: batches in a seeded order, AdamW, warm-up and cosine.
class ProbeTraining final : public TypedRun<Real, TrainingRun, Learner> {
  public:
    ProbeTraining(Learner& model, const Examples& examples, const ProbeSettings& settings, std::uint64_t seed);
    Index steps_per_epoch() const { return batches_.per_epoch(); }
    Index steps_total() const override { return epochs_ * steps_per_epoch(); }
    Index interval() const override { return steps_per_epoch(); }
    Index epochs_done() const override { return steps_done() / steps_per_epoch(); }
    /// Over the examples it trains on.
    Evaluation evaluate() override;
    std::string config() const override { return {}; }  // no checkpoint keeps it
    /// Steps to the end of epoch `epoch`.
    /// Errors: ValueError for a step that is not finite: a model that is half trained tells nothing.
    void run_to(Index epoch);

  private:
    ProbeTraining(Learner& model, const Examples& examples, const ProbeSettings& settings, EpochBatches batches);
    Var<Real> batch_loss() override;
    const Examples& examples_;
    EpochBatches batches_;
    Index epochs_;
};
/// All epochs at once.   Errors: ValueError for a step that is not finite.
void train(Learner& model, const Examples& examples, const ProbeSettings& settings, std::uint64_t seed);

struct Score {
    double loss = 0;      ///< mean cross-entropy in nats
    double accuracy = 0;  ///< of single answers
    double exact = 0;     ///< share of rows without a wrong answer
};
Score evaluate(const Learner& model, const Examples& examples);
/// `change` has a row for each of the examples.
Score evaluate(const Probe& model, const Examples& examples, const Change& change);
/// The weights of one layer, [N, heads, T, T].
Tensor<double> attention_weights(const Probe& model, const Tensor<Index>& ids, Index layer = 0);
/// The probabilities of the answers, [N, answers] or [N, T, answers].
Tensor<double> probabilities(const Probe& model, const Tensor<Index>& ids, const Change& change = {});

/// A random permutation of the positions for each row, as matrices [count, T, T].
Tensor<Real> random_orders(Index count, Index length, std::uint64_t seed);

}  // namespace gradproof::experiments
