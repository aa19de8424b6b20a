// Experiment 16: the gradient of each component through training, and the three paths by which it returns to the input.
#include <algorithm>
#include <array>
#include <cmath>

#include "gradproof/core/tape.hpp"
#include "gradproof/nn/train/expression_training.hpp"
#include "gradproof/ops/attention.hpp"
#include "gradproof/ops/cross_entropy.hpp"
#include "gradproof/ops/linear.hpp"
#include "gradproof/ops/reshape.hpp"
#include "gradproof/ops/slice.hpp"
#include "tools/experiments/measure.hpp"
#include "tools/experiments/probe.hpp"
#include "tools/figures/chart.hpp"
#include "tools/figures/parameter_panels.hpp"

namespace gradproof::experiments {
namespace {

/// The root mean square of the gradient of each parameter at some steps of a run.
struct Components {
    std::vector<std::string> names{};
    std::vector<double> steps{}, losses{}, norms{};  ///< norms: of all gradients together
    std::vector<std::vector<double>> sizes{};        ///< of each parameter at each step
};

Components watch(TrainingRun& run) {
    constexpr Index kEvery = 10;
    Components out;
    run.train({.on_step = [&](const StepReport& s) {
        if (s.step % kEvery != 1) return;
        const std::vector<GradientStats> all = run.gradients();
        if (out.names.empty()) {
            for (const GradientStats& g : all) out.names.push_back(g.name);
            out.sizes.resize(all.size());
        }
        out.steps.push_back(static_cast<double>(s.step));
        out.losses.push_back(s.loss);
        out.norms.push_back(s.gradient_norm);
        for (std::size_t i = 0; i < all.size(); ++i) out.sizes[i].push_back(all[i].root_mean_square());
    }});
    return out;
}

/// Of each parameter the least ratio, over steps, of its gradient to the largest one's.
std::vector<double> least_ratios(const Components& c) {
    std::vector<double> out(c.sizes.size(), INFINITY);
    for (std::size_t k = 0; k < c.steps.size(); ++k) {
        double largest = 0;
        for (const auto& size : c.sizes) largest = std::max(largest, size[k]);
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::min(out[i], c.sizes[i][k] / largest);
    }
    return out;
}

/// Root mean square of the gradient of the loss with respect to the input of the attention, by the path it took.
using Paths = std::array<double, 3>;
constexpr std::array<const char*, 3> kPathNames = {"through Q", "through K", "through V"};

Paths paths(Probe& model, const Examples& examples) {
    Step<Real> step(model.tree());
    step.begin_evaluation();
    const Tensor<double> x = cast<double>(model.embedded(step, examples.ids).value());
    const auto weight = [&](const Parameter<Real>& p) { return Var<double>(cast<double>(p.value)); };
    Tape<double> tape;
    const std::array<Var<double>, 3> inputs = {tape.leaf(x), tape.leaf(x), tape.leaf(x)};
    const Probe::Layer& layer = model.layer(0);
    AttentionAttrs one;
    one.q_heads = one.kv_heads = 1;
    const Var<double> y = attention(linear(inputs[0], weight(layer.wq)), linear(inputs[1], weight(layer.wk)),
                                    linear(inputs[2], weight(layer.wv)), one);
    const Shape s = y.shape();
    const Var<double> first = reshape(slice(y, {.axis = 1, .start = 0, .stop = 1}), {.shape = {s[0], s[2]}});
    const Var<double> scores =
        linear(first, weight(model.tree().find("readout.weight")), weight(model.tree().find("readout.bias")));
    tape.backward(cross_entropy(scores, {.ids = examples.answers}));
    Paths out{};
    for (std::size_t p = 0; p < 3; ++p) {
        const Tensor<double> dx = tape.grad(inputs[p]);
        for (const double g : dx) out[p] += g * g / static_cast<double>(dx.size());
        out[p] = std::sqrt(out[p]);
    }
    return out;
}

/// The share of the weakest path in the sum of all three.
double weakest(const Paths& p) { return *std::min_element(p.begin(), p.end()) / (p[0] + p[1] + p[2]); }

struct PathsOfSeed {
    double first = 0, last = 0;  ///< share of the weakest path before and after training
};

/// The three paths through training; lines of the chart for the first seed.
PathsOfSeed watch_paths(const Context& context, Index epochs, std::array<figures::Line, 3>* lines) {
    const Task task = expression_task(context);
    Probe model({}, context.seed);
    ProbeTraining training(model, task.training, {.epochs = epochs}, context.seed);
    PathsOfSeed out;
    for (Index epoch = 0; epoch <= epochs; ++epoch) {
        training.run_to(epoch);
        if (epoch > 0 && epoch < epochs && !lines) continue;
        const Paths p = paths(model, task.validation);
        if (epoch == 0) out.first = weakest(p);
        if (epoch == epochs) out.last = weakest(p);
        for (std::size_t k = 0; k < 3 && lines; ++k) (*lines)[k].points.emplace_back(static_cast<double>(epoch), p[k]);
    }
    return out;
}

Result run_gradient_components(const Context& context) {
    const Index epochs = context.pick<Index>(30, 12, 1);
    Result out;
    Table table{"components",
                "Root mean square of the gradient of each parameter, first seed",
                {"model", "parameter", "first step", "last step looked at", "largest", "least over the largest component's"},
                {}};
    std::array<std::vector<double>, 2> ratios;
    std::vector<double> growth, follows;
    constexpr std::array<ModelKind, 2> kKinds = {ModelKind::single_head, ModelKind::block};
    for (Index n = 0; n < context.repeats(); ++n)
        for (std::size_t m = 0; m < kKinds.size(); ++m) {
            if (m == 1 && n >= context.pick<Index>(12, 3, 1)) continue;
            const auto run = make_expression_training({.model = kKinds[m], .epochs = epochs, .seed = context.repeat(n).seed});
            const Components c = watch(*run);
            const std::vector<double> least = least_ratios(c);
            ratios[m].push_back(*std::min_element(least.begin(), least.end()));
            if (m == 0) {
                growth.push_back(*std::max_element(c.norms.begin(), c.norms.end()) / c.norms.front());
                follows.push_back(rank_correlation(c.losses, c.norms));
            }
            if (n > 0) continue;
            const std::string model = name_of(kKinds[m]);
            for (std::size_t i = 0; i < c.names.size(); ++i)
                table.rows.push_back({model, c.names[i], c.sizes[i].front(), c.sizes[i].back(),
                                      *std::max_element(c.sizes[i].begin(), c.sizes[i].end()), least[i]});
            out.figures.push_back({model == "block" ? "block" : "single_head",
                                   figures::draw(figures::ParameterPanels{.title = "Gradients of the " + model + " model",
                                                                          .label = "root mean square",
                                                                          .names = c.names,
                                                                          .steps = c.steps,
                                                                          .values = c.sizes})});
        }
    std::array<figures::Line, 3> lines;
    for (std::size_t k = 0; k < 3; ++k) lines[k].name = kPathNames[k];
    std::vector<PathsOfSeed> by_path;
    for (Index n = 0; n < context.repeats(); ++n)
        by_path.push_back(watch_paths(context.repeat(n), epochs, n == 0 ? &lines : nullptr));
    out.figures.push_back({"paths", figures::draw(figures::Chart{.title = "Gradient at the input by the path it took",
                                                                 .x = {.label = "epoch"},
                                                                 .y = {.label = "root mean square", .logarithmic = true},
                                                                 .lines = {lines.begin(), lines.end()}})});
    out.findings = {
        at_least("No component of the single head has a vanishing gradient",
                 "smallest over largest root mean square of a parameter, least over training, mean over seeds",
                 estimate(ratios[0]), 1e-3),
        at_least("... nor any of the block", "the same, mean over seeds", estimate(ratios[1]), 1e-3),
        at_most("Gradients do not explode, as weights are at most 1",
                "largest norm of all gradients over the first, mean over seeds", estimate(growth), 10),
        at_least("Gradients shrink as the loss does", "rank correlation of loss and norm over training, mean over seeds",
                 estimate(follows), 0.5),
        at_least("Q, K and V are three paths back to the input, each of which counts",
                 "share of the weakest path before training, mean over seeds", estimate(by_path, &PathsOfSeed::first), 0.05),
        at_least("... and goes on to count", "share of the weakest path after training, mean over seeds",
                 estimate(by_path, &PathsOfSeed::last), 0.05),
    };
    out.tables.push_back(std::move(table));
    return out;
}

const NewExperiment kExperiment(
    {.number = 16,
     .name = "gradient-components",
     .title = "Gradient of each component through training",
     .setting =
         "The single-head model and the block, every 10 steps: the root mean square of the gradient of each parameter; and the "
         "gradient that returns to the input through queries, keys and values, each on its own.",
     .run = run_gradient_components});

}  // namespace

}  // namespace gradproof::experiments
