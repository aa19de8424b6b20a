// The training loop.
#include "gradproof/nn/train/trainer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace gradproof {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

RunSummary TrainingRun::train(const TrainingHooks& hooks) {
    RunSummary out;
    bool evaluated = false;
    const auto start_of_run = Clock::now();
    const auto report_interval = [&](const StepReport& report) {
        TrainingStats stats{
            .step = report.step, .loss = report.loss, .first_loss = position_.first_loss, .gradients = gradients()};
        out.validation = evaluate();
        stats.attention = out.validation.attention;
        const auto left = static_cast<double>(steps_total() - steps_done());
        hooks.on_interval({.epoch = epochs_done(),
                           .step = steps_done(),
                           .steps = steps_total(),
                           .loss = position_.loss_sum / static_cast<double>(position_.loss_steps),
                           .validation = out.validation,
                           .gradient_norm = report.gradient_norm,
                           .rate = report.rate,
                           .ms_per_step = 1e3 * out.seconds / static_cast<double>(out.steps),
                           .eta_seconds = left * seconds_since(start_of_run) / static_cast<double>(out.steps),
                           .warnings = training_warnings(stats),
                           .gradients = stats.gradients});
    };
    while (steps_done() < std::min(hooks.until, steps_total())) {
        if (hooks.stop && hooks.stop->load()) {
            out.end = RunSummary::End::stopped;
            break;
        }
        const auto start = Clock::now();
        const StepReport report = step();
        out.seconds += seconds_since(start);
        out.last_loss = report.loss;
        if (!std::isfinite(report.loss) || !std::isfinite(report.gradient_norm)) {
            out.end = RunSummary::End::diverged;
            out.first_bad = first_bad_tensor();
            return out;
        }
        ++out.steps;
        if (hooks.on_step) hooks.on_step(report);
        const bool whole_interval = steps_done() % interval() == 0;
        evaluated = hooks.on_interval && (whole_interval || steps_done() == steps_total());
        if (evaluated) report_interval(report);
        // Where the run ends within an interval the sum stays: a run that is resumed reports the mean over all its steps.
        if (whole_interval) position_.loss_sum = 0, position_.loss_steps = 0;
        if (hooks.after_step) hooks.after_step(report);
    }
    if (!evaluated && steps_done() != hooks.until) out.validation = evaluate();
    return out;
}

}  // namespace gradproof
