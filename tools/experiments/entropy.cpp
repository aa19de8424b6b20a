// Experiment 11: the entropy of attention against accuracy: through training, between inputs, and when attention is made sharper.
#include <cmath>

#include <fmt/format.h>

#include "tools/experiments/measure.hpp"
#include "tools/experiments/probe.hpp"
#include "tools/experiments/registry.hpp"
#include "tools/figures/chart.hpp"

namespace gradproof::experiments {
namespace {

/// Entropy over log n of what position 0 attends to in each row, the mean over heads.
std::vector<double> first_entropies(const Tensor<double>& w) {
    const Index heads = w.dim(1), n = w.dim(3);
    std::vector<double> out;
    for (Index i = 0; i < w.dim(0); ++i) {
        double sum = 0;
        for (Index h = 0; h < heads; ++h) sum += entropy(row_of(w, (i * heads + h) * n)) / std::log(static_cast<double>(n));
        out.push_back(sum / static_cast<double>(heads));
    }
    return out;
}

/// Weights as if scores were multiplied by `factor`.
Tensor<Real> sharpened(const Tensor<Real>& w, Real factor) {
    Tensor<Real> out(w.shape());
    const Index n = w.shape().last(0);
    for (Index r = 0; r < w.size() / n; ++r) {
        Real sum = 0;
        for (Index j = 0; j < n; ++j) sum += out[r * n + j] = std::pow(w[r * n + j], factor);
        for (Index j = 0; j < n; ++j) out[r * n + j] /= sum;
    }
    return out;
}

std::vector<double> probability_of_answer(const Probe& model, const Examples& examples) {
    const Tensor<double> p = probabilities(model, examples.ids);
    std::vector<double> out;
    for (Index i = 0; i < examples.count(); ++i) out.push_back(p[i * p.dim(1) + examples.answers[i]]);
    return out;
}

}  // namespace

Result run_entropy(const Context& context) {
    using figures::Line;
    const Task task = expression_task(context);
    const Index epochs = context.pick<Index>(30, 10, 4), seeds = context.pick<Index>(4, 2, 1);
    Result out;
    Table through{"training", "Through training: single head", {"seed", "epoch", "entropy / log 8", "accuracy"}, {}, true};
    Table sharp{"sharpness", "The trained head with its scores multiplied", {"factor", "entropy / log 8", "accuracy"}, {}};
    figures::Chart path{.title = "Through training", .x = {.label = "entropy of position 0 / log 8"}, .y = {.label = "held-out accuracy", .low = 0, .high = 1}, .lines = {}, .width = 300};
    std::vector<double> entropies, accuracies, within;
    double gain = 0;
    Line factor_line{.name = "", .points = {}, .style = Line::Style::marked};
    for (Index s = 0; s < seeds; ++s) {
        const std::uint64_t seed = context.seed + static_cast<std::uint64_t>(s);
        Probe model({}, seed);
        ProbeTraining training(model, task.training, {.epochs = epochs, .decay_epochs = 30}, seed);
        Line line{.name = fmt::format("seed {}", seed), .points = {}, .style = Line::Style::marked};
        for (Index epoch = 0; epoch <= epochs; ++epoch) {
            training.run_to(epoch);
            const std::vector<double> all = first_entropies(attention_weights(model, task.validation.ids));
            const double e = mean(all), accuracy = evaluate(model, task.validation).accuracy;
            line.points.emplace_back(e, accuracy);
            entropies.push_back(e);
            accuracies.push_back(accuracy);
            through.rows.push_back({static_cast<Index>(seed), epoch, e, accuracy});
            // Half-way there are right and wrong answers to compare.
            if (epoch == std::max<Index>(1, epochs / 4)) within.push_back(rank_correlation(all, probability_of_answer(model, task.validation)));
        }
        path.lines.push_back(line);
        if (s > 0) continue;
        const double as_trained = evaluate(model, task.validation).accuracy;
        for (const Real f : {0.125F, 0.25F, 0.5F, 1.0F, 2.0F, 4.0F, 8.0F}) {
            const Change change{.weights = [f](const Tensor<Real>& w) { return sharpened(w, f); }};
            const double accuracy = evaluate(model, task.validation, change).accuracy;
            const Tensor<double> w = attention_weights(model, task.validation.ids);
            const double e = mean(first_entropies(cast<double>(sharpened(cast<Real>(w), f))));
            sharp.rows.push_back({static_cast<double>(f), e, accuracy});
            factor_line.points.emplace_back(static_cast<double>(f), accuracy);
            if (f > 1) gain = std::max(gain, accuracy - as_trained);
        }
    }
    out.findings = {
        at_most("Entropy falls as accuracy rises through training", "rank correlation of entropy and accuracy over all epochs", rank_correlation(entropies, accuracies), -0.7),
        at_most("Inputs that are attended to more sharply are answered more surely", "rank correlation between inputs of entropy and probability of the answer, early in training", mean(within), -0.2),
        at_most("Sharper attention alone is not better", "best gain of accuracy from multiplying the trained scores by 2, 4 or 8", gain, 0.005),
    };
    out.figures.push_back({"entropy", figures::grid("Entropy and accuracy", {
        figures::draw(path),
        figures::draw(figures::Chart{.title = "Trained scores multiplied", .x = {.label = "factor", .logarithmic = true}, .y = {.label = "held-out accuracy", .low = 0, .high = 1}, .lines = {factor_line}, .width = 300})}, 2)});
    out.tables = {std::move(sharp), std::move(through)};
    return out;
}

}  // namespace gradproof::experiments
