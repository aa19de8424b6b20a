// One training run, whatever it trains: its steps, its evaluations, and what it reports on the way.
//
//   const std::unique_ptr<TrainingRun> run = make_expression_training({.model = ModelKind::block});
//   run->train({.on_interval = [](const IntervalReport& r) { print(r.validation.loss); }});
//
// A step depends on the options, its number and the tensors of the run only, so a run that is resumed from a checkpoint
// reaches the same bits as one that was never stopped.
#pragma once

#include <atomic>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "gradproof/core/io/array.hpp"
#include "gradproof/nn/train/monitor.hpp"

namespace gradproof {

struct StepReport {
    Index step = 0;   ///< counted from 1
    double loss = 0;  ///< mean cross-entropy of the batch, in nats
    double gradient_norm = 0;
    double rate = 0;
};
struct Evaluation {
    double loss = 0;      ///< mean cross-entropy, in nats
    double accuracy = 0;  ///< share of the answers, or next symbols, to which the model gives the largest probability
    AttentionStats attention{};
};
/// What is reported after each interval of steps, and after the last step.
struct IntervalReport {
    Index epoch = 0;            ///< whole passes over the training data so far
    Index step = 0, steps = 0;  ///< steps done, and steps of the whole run
    double loss = 0;            ///< mean over the steps since the last whole interval
    Evaluation validation{};
    double gradient_norm = 0;  ///< of the last step
    double rate = 0;
    double ms_per_step = 0;
    double eta_seconds = 0;
    std::vector<TrainingWarning> warnings{};  ///< the most serious first
    std::vector<GradientStats> gradients{};   ///< of the last step, before clipping, in tree order
};

/// Functions that are called while a run trains.
struct TrainingHooks {
    std::function<void(const StepReport&)> on_step{};
    std::function<void(const IntervalReport&)> on_interval{};  ///< without it nothing is evaluated before the end
    std::function<void(const StepReport&)> after_step{};       ///< after on_interval, where an interval ends: the moment to save
    const std::atomic<bool>* stop = nullptr;                   ///< read before each step
    Index until = std::numeric_limits<Index>::max();           ///< stops after this step, without an evaluation
};
struct RunSummary {
    enum class End { finished, stopped, diverged };
    End end = End::finished;
    std::string first_bad{};  ///< diverged: the first tensor that is not finite, in words
    Index steps = 0;          ///< steps done by this call
    double seconds = 0;       ///< spent in them, without evaluation
    double last_loss = 0;
    Evaluation validation{};  ///< at the end, unless `until` was reached
};

/// How far a run has come, beside its tensors.
struct RunPosition {
    Index steps_done = 0;
    double first_loss = 0;  ///< of its first step; 0 before it, and where a checkpoint does not hold it
    double loss_sum = 0;    ///< over the steps since the last whole interval
    Index loss_steps = 0;   ///< how many steps those are
    std::string kernels{};  ///< of a checkpoint: kernels_in_use() when it was written; "" where it does not say
};

/// A model, its optimiser, the data and a position in them, whatever the element type.
class TrainingRun {
  public:
    virtual ~TrainingRun() = default;
    const RunPosition& position() const { return position_; }
    Index steps_done() const { return position_.steps_done; }
    virtual Index steps_total() const = 0;
    /// Steps from one report to the next.
    virtual Index interval() const = 0;
    /// Whole passes over the training data so far.
    virtual Index epochs_done() const = 0;
    virtual Index parameter_count() const = 0;
    /// Names and shapes in tree order.
    virtual std::vector<std::pair<std::string, Shape>> parameter_shapes() const = 0;

    /// One training step. If it fails, `loss` or `gradient_norm` is not finite, and the parameters are as before the step.
    virtual StepReport step() = 0;
    virtual Evaluation evaluate() = 0;
    /// Trains to the end, with a report after each interval. Ends early at a step whose loss or gradient is not finite.
    RunSummary train(const TrainingHooks& hooks = {});
    /// Repeats the current step and names the first tensor that is not finite, forward before backward; "" for none.
    virtual std::string first_bad_tensor() = 0;
    /// The gradients of the last step before clipping, in tree order, until the next evaluation;
    /// none where the loss of that step was not finite.
    virtual std::vector<GradientStats> gradients() const = 0;

    /// Every tensor of the run by name: parameters, then the optimiser's state as "optimiser.<state>.<parameter>".
    virtual std::vector<NamedArray> tensors() const = 0;
    /// Sets the tensors and the position. Errors: IoError naming `source` and the tensor that does not fit.
    virtual void restore(const std::vector<NamedArray>& tensors, const RunPosition& position, std::string_view source) = 0;
    /// The options of the run as the JSON text that a checkpoint keeps.
    virtual std::string config() const = 0;

  protected:
    RunPosition position_;
};

}  // namespace gradproof
