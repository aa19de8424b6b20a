// Training on the expressions: options, one run of steps with its evaluation, and what it reports.
//
//   auto training = make_training({.model = ModelKind::block, .epochs = 30, .seed = 42});
//   training->run({.on_interval = [](const IntervalReport& r) { print(r.validation.accuracy); }});
//
// Everything a step depends on is a function of the options and the step's number, or is saved: a run continued from a
// checkpoint has the bits of one that was never stopped.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/io/array.hpp"
#include "nn/models.hpp"
#include "nn/optimiser.hpp"
#include "nn/tasks/expressions.hpp"

namespace gradproof {

/// The element type of a run.
enum class Precision { f32, f64 };
inline constexpr std::array<std::string_view, 2> kPrecisionNames = {"f32", "f64"};

struct TrainOptions {
    ModelKind model = ModelKind::single_head;
    ModelOptions sizes{};
    Precision precision = Precision::f32;
    Index epochs = 30;
    Index batch = 64;
    double rate = 3e-3;
    std::uint64_t seed = 42;
    /// Decay this strong is what makes every seed generalise to the last of the 600 expressions held out.
    OptimiserOptions optimiser{.momentum = 0.9, .weight_decay = 1};
    double clip = 1;            ///< of the global gradient norm; 0 does not clip
    Index warmup = 40;          ///< steps over which the rate rises to `rate`
    Index decay_epochs = 30;    ///< epochs over which it falls along a cosine, then keeps its floor; 0 keeps it constant.
                                ///< Not tied to `epochs`, so that 2 epochs and 2 more are the same run as 4.
    double validation_share = 0.2;
};
/// Errors: ValueError naming the option, what it is and what was expected.
void check(const TrainOptions& options);

struct StepReport {
    Index step = 0;       ///< counted from 1
    double loss = 0;      ///< mean cross-entropy of the batch, in nats
    double gradient_norm = 0;
    double rate = 0;
};
struct Evaluation {
    double loss = 0;
    double accuracy = 0;
    double attention_entropy = 0;  ///< mean over queries, divided by the logarithm of the number of keys: 1 is uniform
};
/// After each epoch.
struct IntervalReport {
    Index epoch = 0, step = 0, steps = 0;  ///< steps: of the whole run
    double loss = 0;                       ///< mean over the steps of this run since the last report
    Evaluation validation{};
    double gradient_norm = 0;  ///< of the last step
    double rate = 0;
    double ms_per_step = 0;
    double eta_seconds = 0;
};

struct Callbacks {
    std::function<void(const StepReport&)> on_step{};
    std::function<void(const IntervalReport&)> on_interval{};
    const std::atomic<bool>* stop = nullptr;  ///< looked at before each step
};
struct Outcome {
    enum class End { finished, stopped, diverged };
    End end = End::finished;
    std::string first_bad{};   ///< diverged: the first tensor that is not finite, in words
    Index steps = 0;           ///< steps done by this call
    double seconds = 0;        ///< spent in them, evaluation left out
    double last_loss = 0;
    Evaluation validation{};   ///< at the end
};

/// One run: a model, its optimiser, the data and a position in them. The element type is hidden behind it.
class Training {
  public:
    virtual ~Training() = default;
    virtual const TrainOptions& options() const = 0;
    virtual Index steps_done() const = 0;
    virtual Index steps_per_epoch() const = 0;
    Index steps_total() const { return options().epochs * steps_per_epoch(); }
    virtual Index parameter_count() const = 0;
    /// Names and shapes in tree order.
    virtual std::vector<std::pair<std::string, Shape>> parameter_shapes() const = 0;

    /// One training step. `loss` or `gradient_norm` is not finite where it went bad; the parameters are then as before the step.
    virtual StepReport step() = 0;
    /// Steps to the end of the last epoch, with a report after each epoch.
    virtual Outcome run(const Callbacks& callbacks = {}) = 0;
    virtual Evaluation evaluate() = 0;
    /// The first tensor of the current step, repeated, that is not finite: forward first, then backward; "" for none.
    virtual std::string first_bad_tensor() = 0;
    /// The attention weights [heads, length, length] of one row of the data.
    virtual Tensor<double> attention(Index row) = 0;
    /// The probabilities [answers] the model gives to the answers of one row of the data.
    virtual Tensor<double> probabilities(Index row) = 0;
    /// The rows held out for validation.
    virtual const std::vector<Index>& validation_rows() const = 0;
    /// The rows of the current step's batch.
    virtual std::vector<Index> batch_rows() const = 0;

    /// Every tensor of the run by name: parameters, then the optimiser's state as "optimiser.<state>.<parameter>".
    virtual std::vector<NamedArray> tensors() const = 0;
    /// Takes all of them back and goes on after `steps_done`. Errors: IoError naming `source` and the tensor that does not fit.
    virtual void restore(const std::vector<NamedArray>& tensors, Index steps_done, std::string_view source) = 0;
};

/// Errors: those of check().
std::unique_ptr<Training> make_training(const TrainOptions& options);

}  // namespace gradproof
