// Experiment 13: the documents' pitfalls caused on purpose, and whether the monitor of nn/train/monitor.hpp reports them.
#include <cmath>

#include <fmt/format.h>

#include "tools/experiments/probe.hpp"
#include "tools/figures/chart.hpp"

namespace gradproof::experiments {
namespace {

constexpr Index kLookEvery = 10;

struct Pitfall {
    std::string name{};
    std::string how{};
    ProbeOptions options{};
    ProbeSettings settings{};
    int expected = -1;  ///< the symptom; -1: none
};

std::vector<Pitfall> pitfalls(Index epochs) {
    const ProbeSettings usual{.epochs = epochs, .decay_epochs = 30};
    ProbeSettings slow = usual, wild = usual;
    slow.rate = 1e-7;
    wild.rate = 1e30;
    wild.clip = 0;
    wild.warmup = 0;
    const ProbeOptions sharp{.score_scale = 1, .weight_gain = 16};
    return {
        {"healthy", "as trained elsewhere", {}, usual, -1},
        {"uniform",
         "scores scaled by 1e-4, a rate of 1e-7",
         {.score_scale = 1e-4},
         slow,
         static_cast<int>(Symptom::uniform_attention)},
        {"over-focused", "no scaling, first W_q and W_k 16 times as large", sharp, slow, static_cast<int>(Symptom::over_focused)},
        {"vanishing",
         "scores multiplied by 1000: every softmax saturated",
         {.score_scale = 1000, .weight_gain = 4},
         slow,
         static_cast<int>(Symptom::vanishing_gradient)},
        {"not finite", "a rate of 1e30 without clipping", {}, wild, static_cast<int>(Symptom::not_finite)},
    };
}

struct Look {
    Index step = 0;
    double entropy = 0, saturated = 0, score_gradient = 0, loss = 0;
};
struct Watched {
    std::vector<Look> looks{};
    std::vector<TrainingWarning> last{};
    Index first_step = -1;  ///< at which the expected symptom was seen
    int others = 0;         ///< looks with a warning although none was expected
};

Watched watch(const Pitfall& p, const Task& task, std::uint64_t seed) {
    Probe model(p.options, seed);
    ProbeTraining training(model, task.training, p.settings, seed);
    const Tensor<Index> sample =
        task.validation.rows(std::vector<Index>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}).ids;
    Watched out;
    const auto look = [&](Index step, double loss) {
        const TrainingStats stats{.step = step,
                                  .loss = loss,
                                  .first_loss = training.position().first_loss,
                                  .attention = attention_stats(attention_weights(model, sample)),
                                  .gradients = training.gradients()};
        double score_gradient = NAN;
        for (const GradientStats& g : stats.gradients)
            if (g.name == "layer0.wq") score_gradient = g.root_mean_square();
        const bool seen = stats.attention.rows > 0;  // none where no weight is finite
        out.looks.push_back(
            {step, seen ? stats.attention.entropy : NAN, seen ? stats.attention.saturated : NAN, score_gradient, loss});
        const std::vector<TrainingWarning> found = training_warnings(stats);
        if (!found.empty()) out.last = found;
        for (const TrainingWarning& w : found)
            if (static_cast<int>(w.symptom) == p.expected && out.first_step < 0) out.first_step = step;
        if (p.expected < 0 && !found.empty()) ++out.others;
    };
    const RunSummary run = training.train({.on_step = [&](const StepReport& s) {
        if (s.step % kLookEvery == 1) look(s.step, s.loss);
    }});
    if (run.end == RunSummary::End::diverged) look(training.steps_done() + 1, run.last_loss);
    return out;
}

Result run_pitfalls(const Context& context) {
    const Task task = expression_task(context);
    Result out;
    Table table{"pitfalls",
                "Pitfalls and what the monitor said, looking every 10 steps",
                {"pitfall", "brought about by", "entropy / log n", "saturated rows", "gradient of W_q (RMS)", "loss (nats)",
                 "first seen at step"},
                {}};
    Table said{"said", "The monitor's words", {"pitfall", "symptom", "advice"}, {}};
    figures::Chart entropy{.title = "Entropy of the attention",
                           .x = {.label = "step"},
                           .y = {.label = "entropy / log 8", .low = 0, .high = 1},
                           .lines = {},
                           .width = 300};
    figures::Chart gradient{.title = "Gradient of W_q",
                            .x = {.label = "step"},
                            .y = {.label = "root mean square", .logarithmic = true},
                            .lines = {},
                            .width = 300};
    int number = 0;
    for (const Pitfall& p : pitfalls(context.pick<Index>(12, 4, 3))) {
        const Watched w = watch(p, task, context.seed);
        const Look& last = w.looks.back();
        table.rows.push_back({p.name, p.how, last.entropy, last.saturated, last.score_gradient, last.loss,
                              p.expected < 0 ? Value(std::string("none expected")) : Value(w.first_step)});
        for (const TrainingWarning& d : w.last) said.rows.push_back({p.name, d.text(), d.advice});
        figures::Line e{.name = p.name, .points = {}, .style = figures::Line::Style::line, .colour = number}, g = e;
        for (const Look& l : w.looks) {
            e.points.emplace_back(static_cast<double>(l.step), l.entropy);
            g.points.emplace_back(static_cast<double>(l.step), l.score_gradient);
        }
        entropy.lines.push_back(e);
        gradient.lines.push_back(g);
        ++number;
        if (p.expected < 0)
            out.findings.push_back(
                at_most("A healthy run raises no alarm", "looks with an alarm in the healthy run", w.others, 0));
        else
            out.findings.push_back(
                between(fmt::format("{}: brought about by {}, it is detected", name(static_cast<Symptom>(p.expected)), p.how),
                        "step at which the monitor says so (-1: never)", static_cast<double>(w.first_step), 0, INFINITY));
    }
    out.figures.push_back(
        {"pitfalls", figures::grid("Pitfalls in the numbers of training", {figures::draw(entropy), figures::draw(gradient)}, 2)});
    out.tables = {std::move(table), std::move(said)};
    return out;
}

const NewExperiment kExperiment(
    {.number = 13,
     .name = "pitfalls",
     .title = "Pitfalls reproduced and detected",
     .setting = "Uniform and over-focused attention, vanishing gradients and values that are not finite are each brought about; "
                "a monitor looks at weights, gradients and loss every 10 steps.",
     .run = run_pitfalls});

}  // namespace

}  // namespace gradproof::experiments
