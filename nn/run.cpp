// The training loop.
#include "gradproof/nn/run.hpp"

#include <chrono>
#include <cmath>

namespace gradproof {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

RunSummary TrainingRun::train(const Callbacks& callbacks) {
    RunSummary out;
    bool evaluated = false;
    const auto start_of_run = Clock::now();
    const auto report_interval = [&](const StepReport& report) {
        TrainingSigns signs{
            .step = report.step, .loss = report.loss, .first_loss = position_.first_loss, .gradients = gradients()};
        out.validation = evaluate();
        signs.attention = out.validation.attention;
        const auto left = static_cast<double>(steps_total() - steps_done());
        if (callbacks.on_interval)
            callbacks.on_interval({.epoch = epochs_done(),
                                   .step = steps_done(),
                                   .steps = steps_total(),
                                   .loss = position_.loss_sum / static_cast<double>(position_.loss_steps),
                                   .validation = out.validation,
                                   .gradient_norm = report.gradient_norm,
                                   .rate = report.rate,
                                   .ms_per_step = 1e3 * out.seconds / static_cast<double>(out.steps),
                                   .eta_seconds = left * seconds_since(start_of_run) / static_cast<double>(out.steps),
                                   .diagnoses = diagnose(signs)});
        if (steps_done() % interval() != 0)
            return;  // the end, within an interval: a run that goes on has all of its steps to tell of
        position_.loss_sum = 0;
        position_.loss_steps = 0;
    };
    while (steps_done() < steps_total()) {
        if (callbacks.stop && callbacks.stop->load()) {
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
        if (callbacks.on_step) callbacks.on_step(report);
        evaluated = steps_done() % interval() == 0 || steps_done() == steps_total();
        if (evaluated) report_interval(report);
        if (callbacks.after_step) callbacks.after_step(report);
    }
    if (!evaluated) out.validation = evaluate();
    return out;
}

}  // namespace gradproof
