// A training run for Python: one call at a time, whichever thread it comes from.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "gradproof/nn/train/expression_training.hpp"
#include "gradproof/nn/train/text_training.hpp"
#include "tools/python/src/calls.hpp"

namespace gradproof::python {

/// What is called while a run trains; none are called after one has raised, and training then ends with what it raised.
struct Callbacks {
    std::optional<nb::callable> on_step{}, on_interval{};
};

class Run {
  public:
    explicit Run(std::unique_ptr<ExpressionTraining> run);
    explicit Run(std::unique_ptr<TextTraining> run);

    /// Called without the GIL, as all of these. Errors: ValueError where the run trains already, and what a callback raises.
    RunSummary train(const Callbacks& callbacks, std::optional<Index> until, const Stop& stop);
    /// The result of f(the run); waits until no other thread uses it.
    template <class F>
    auto alone(F&& f) {
        const std::lock_guard lock(mutex_);
        return f(*run_);
    }
    /// Errors  ValueError where the run is of the other task: `wanted` says what for.
    ExpressionTraining& expressions(std::string_view wanted) const;
    TextTraining& text(std::string_view wanted) const;
    bool is_text() const { return text_ != nullptr; }
    const TrainingRun& run() const { return *run_; }
    /// A copy.
    std::vector<IntervalReport> history();

  private:
    std::recursive_mutex mutex_;  // a callback may use the run that calls it
    bool training_ = false;
    std::vector<IntervalReport> history_;
    std::unique_ptr<TrainingRun> run_;
    ExpressionTraining* expressions_ = nullptr;
    TextTraining* text_ = nullptr;
};

/// A report by the names of `gradproof train --json`; the gradients' norms by parameter beside them.
nb::dict to_dict(const StepReport& report);
nb::dict to_dict(const IntervalReport& report);
nb::dict to_dict(const RunSummary& summary);

}  // namespace gradproof::python
