// Training on the expressions: its options, and one run.
//
//   auto training = make_training({.model = ModelKind::block, .epochs = 30, .seed = 42});
//   training->train({.on_interval = [](const IntervalReport& r) { print(r.validation.accuracy); }});
#pragma once

#include <memory>
#include <vector>

#include "gradproof/nn/models.hpp"
#include "gradproof/nn/optimiser.hpp"
#include "gradproof/nn/run.hpp"
#include "gradproof/nn/tasks/expressions.hpp"

namespace gradproof {

struct TrainOptions {
    ModelKind model = ModelKind::single_head;
    Precision precision = Precision::f32;
    Index epochs = 30;
    Index batch = 64;
    double rate = 3e-3;
    std::uint64_t seed = 42;
    /// Decay this strong is what makes every seed generalise to the last of the 600 expressions held out.
    OptimiserOptions optimiser{.momentum = 0.9, .weight_decay = 1};
    double clip = 1;          ///< of the global gradient norm; 0 does not clip
    Index warmup = 40;        ///< steps over which the rate rises to `rate`
    Index decay_epochs = 30;  ///< epochs over which it falls along a cosine, then keeps its floor; 0 keeps it constant.
                              ///< Not tied to `epochs`, so that 2 epochs and 2 more are the same run as 4.
    double validation_share = 0.2;
};
/// Errors: ValueError naming the option, what it is and what was expected.
void validate(const TrainOptions& options);

/// One run on the expressions.
class Training : public TrainingRun {
  public:
    virtual const TrainOptions& options() const = 0;
    Index interval() const override { return steps_per_epoch(); }
    virtual Index steps_per_epoch() const = 0;
    Index steps_total() const override { return options().epochs * steps_per_epoch(); }
    Index epochs_done() const override { return steps_done() / steps_per_epoch(); }

    /// The attention weights [heads, length, length] of one row of the data.
    virtual Tensor<double> attention(Index row) = 0;
    /// The probabilities [answers] the model gives to the answers of one row of the data.
    virtual Tensor<double> probabilities(Index row) = 0;
    /// The rows held out for validation.
    virtual const std::vector<Index>& validation_rows() const = 0;
    /// The rows of the current step's batch.
    virtual std::vector<Index> batch_rows() const = 0;
};

/// Errors: those of validate().
std::unique_ptr<Training> make_training(const TrainOptions& options);

}  // namespace gradproof
