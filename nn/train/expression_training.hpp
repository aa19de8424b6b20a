// A training run on the expressions.
//
//   auto training = make_expression_training({.model = ModelKind::block, .epochs = 30, .seed = 42});
//   training->train({.on_interval = [](const IntervalReport& r) { print(r.validation.accuracy); }});
#pragma once

#include <memory>
#include <vector>

#include "gradproof/nn/train/options.hpp"
#include "gradproof/nn/train/trainer.hpp"

namespace gradproof {

class ExpressionTraining : public TrainingRun {
  public:
    virtual const ExpressionTrainOptions& options() const = 0;
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
    virtual std::vector<Index> batch_rows() = 0;
};

/// Errors: those of validate().
std::unique_ptr<ExpressionTraining> make_expression_training(const ExpressionTrainOptions& options);

}  // namespace gradproof
