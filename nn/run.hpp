// One training run, whatever it trains: its steps, its evaluations, and what it reports while it goes.
//
//   const std::unique_ptr<TrainingRun> run = make_training({.model = ModelKind::block});
//   run->train({.on_interval = [](const IntervalReport& r) { print(r.validation.loss); }});
//
// Everything a step depends on is a function of the options and the step's number, or is among the tensors: a run continued
// from a checkpoint has the bits of one that was never stopped.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gradproof/core/io/array.hpp"
#include "gradproof/nn/diagnose.hpp"

namespace gradproof {

/// The element type of a run.
enum class Precision { f32, f64 };
inline constexpr std::array<std::string_view, 2> kPrecisionNames = {"f32", "f64"};
/// What there is to train on.
enum class Task { expressions, text };
inline constexpr std::array<std::string_view, 2> kTaskNames = {"expressions", "text"};

/// The name of an option's value in the list of its names.
template <std::size_t N, class E>
std::string name_of(const std::array<std::string_view, N>& names, E value) {
    return std::string(names[static_cast<std::size_t>(value)]);
}

struct StepReport {
    Index step = 0;   ///< counted from 1
    double loss = 0;  ///< mean cross-entropy of the batch, in nats
    double gradient_norm = 0;
    double rate = 0;
};
struct Evaluation {
    double loss = 0;      ///< mean cross-entropy, in nats
    double accuracy = 0;  ///< share of the answers, or next symbols, that the model holds likeliest
    AttentionStats attention{};
};
/// After each interval of steps, and after the last one.
struct IntervalReport {
    Index epoch = 0;            ///< whole passes over the training data so far
    Index step = 0, steps = 0;  ///< steps: of the whole run
    double loss = 0;            ///< mean over the steps since the last whole interval
    Evaluation validation{};
    double gradient_norm = 0;  ///< of the last step
    double rate = 0;
    double ms_per_step = 0;
    double eta_seconds = 0;
    std::vector<Diagnosis> diagnoses{};  ///< what is wrong with it, the gravest first
};

struct Callbacks {
    std::function<void(const StepReport&)> on_step{};
    std::function<void(const IntervalReport&)> on_interval{};
    std::function<void(const StepReport&)>
        after_step{};                         ///< once the step's interval is reported, where one ends there: the time to save
    const std::atomic<bool>* stop = nullptr;  ///< looked at before each step
};
struct RunSummary {
    enum class End { finished, stopped, diverged };
    End end = End::finished;
    std::string first_bad{};  ///< diverged: the first tensor that is not finite, in words
    Index steps = 0;          ///< steps done by this call
    double seconds = 0;       ///< spent in them, evaluation left out
    double last_loss = 0;
    Evaluation validation{};  ///< at the end
};

/// Where a run is, beside its tensors.
struct RunPosition {
    Index steps_done = 0;
    double first_loss = 0;  ///< of its first step; 0 before it, and where a checkpoint did not keep it
    double loss_sum = 0;    ///< over the steps since the last whole interval
    Index loss_steps = 0;   ///< as many
};

/// A model, its optimiser, the data and a position in them. The element type is hidden behind it.
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

    /// One training step. `loss` or `gradient_norm` is not finite where it went bad; the parameters are then as before the step.
    virtual StepReport step() = 0;
    virtual Evaluation evaluate() = 0;
    /// Steps to the end, with a report after each interval.
    RunSummary train(const Callbacks& callbacks = {});
    /// The first tensor of the current step, repeated, that is not finite: forward first, then backward; "" for none.
    virtual std::string first_bad_tensor() = 0;
    /// The gradients of the last step, in tree order, until the next evaluation.
    virtual std::vector<GradientStats> gradients() const = 0;

    /// Every tensor of the run by name: parameters, then the optimiser's state as "optimiser.<state>.<parameter>".
    virtual std::vector<NamedArray> tensors() const = 0;
    /// Takes the tensors back and goes on from that position. Errors: IoError naming `source` and the tensor that does not fit.
    virtual void restore(const std::vector<NamedArray>& tensors, const RunPosition& position, std::string_view source) = 0;
    /// How it was started, as the JSON text of a checkpoint's config.
    virtual std::string config() const = 0;

  protected:
    RunPosition position_;
};

}  // namespace gradproof
