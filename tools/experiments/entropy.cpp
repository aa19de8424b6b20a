// Experiment 11: the entropy of attention against accuracy: during training, between inputs, and when attention is sharpened.
#include <cmath>

#include <fmt/format.h>

#include "tools/experiments/measure.hpp"
#include "tools/experiments/probe.hpp"
#include "tools/figures/chart.hpp"

namespace gradproof::experiments {
namespace {

/// The entropy of what position 0 attends to in each row, divided by log n, averaged over heads.
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

/// The weights that scores multiplied by `factor` would give.
Tensor<double> sharpened(const Tensor<double>& w, double factor) {
    Tensor<double> out(w.shape());
    const Index n = w.shape().last(0);
    for (Index r = 0; r < w.size() / n; ++r) {
        double sum = 0;
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

/// The entropy and the score of a model whose attention scores are multiplied by a factor.
struct Sharpness {
    double factor = 1, entropy = 0;
    Score score{};
};
std::vector<Sharpness> sharpness(const Probe& model, const Examples& examples) {
    const Tensor<double> own = attention_weights(model, examples.ids);
    std::vector<Sharpness> out;
    for (const double f : {0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0}) {
        const Tensor<double> w = sharpened(own, f);
        out.push_back({f, mean(first_entropies(w)), evaluate(model, examples, {.weights = cast<Real>(w)})});
    }
    return out;
}

Result run_entropy(const Context& context) {
    using figures::Line;
    const Index epochs = context.pick<Index>(30, 10, 4);
    Result out;
    Table through{"training", "Through training: single head", {"seed", "epoch", "entropy / log 8", "accuracy"}, {}, true};
    Table sharp{"sharpness",
                "The trained head with its scores multiplied",
                {"seed", "factor", "entropy / log 8", "accuracy", "loss (nats)"},
                {}};
    figures::Chart path{.title = "Through training",
                        .x = {.label = "entropy of position 0 / log 8"},
                        .y = {.label = "held-out accuracy", .low = 0, .high = 1},
                        .lines = {},
                        .width = 300};
    figures::Chart factors{.title = "Trained scores multiplied",
                           .x = {.label = "factor", .logarithmic = true},
                           .y = path.y,
                           .lines = {},
                           .width = 300};
    std::vector<double> falls, within, gains;
    for (Index n = 0; n < context.repeats(); ++n) {
        const Context repeat = context.repeat(n);
        const Task task = expression_task(repeat);
        Probe model({}, repeat.seed);
        ProbeTraining training(model, task.training, {.epochs = epochs, .decay_epochs = 30}, repeat.seed);
        Line line{.name = fmt::format("seed {}", repeat.seed), .points = {}, .style = Line::Style::marked}, factor_line = line;
        std::vector<double> entropies, accuracies;
        for (Index epoch = 0; epoch <= epochs; ++epoch) {
            training.run_to(epoch);
            const std::vector<double> all = first_entropies(attention_weights(model, task.validation.ids));
            const double e = mean(all), accuracy = evaluate(model, task.validation).accuracy;
            line.points.emplace_back(e, accuracy);
            entropies.push_back(e);
            accuracies.push_back(accuracy);
            through.rows.push_back({static_cast<Index>(repeat.seed), epoch, e, accuracy});
            // After a quarter of the epochs there are still right and wrong answers to compare.
            if (epoch == std::max<Index>(1, epochs / 4))
                within.push_back(rank_correlation(all, probability_of_answer(model, task.validation)));
        }
        falls.push_back(rank_correlation(entropies, accuracies));
        path.lines.push_back(line);
        double as_trained = 0, best = INFINITY;
        for (const Sharpness& s : sharpness(model, task.validation)) {
            sharp.rows.push_back({static_cast<Index>(repeat.seed), s.factor, s.entropy, s.score.accuracy, s.score.loss});
            factor_line.points.emplace_back(s.factor, s.score.accuracy);
            if (s.factor == 1) as_trained = s.score.loss;
            if (s.factor > 1) best = std::min(best, s.score.loss);
        }
        gains.push_back(std::log(as_trained / best));
        factors.lines.push_back(factor_line);
    }
    out.findings = {
        at_most("Entropy falls as accuracy rises through training",
                "rank correlation of entropy and accuracy over epochs, mean over seeds", estimate(falls), -0.7),
        at_most("Inputs that are attended to more sharply are answered more surely",
                "rank correlation between inputs of entropy and probability of the answer, early in training, mean over seeds",
                estimate(within), -0.2),
        at_most("Sharper attention alone is not better",
                "log of held-out loss over the least with the trained scores multiplied by 2, 4 or 8, mean over seeds",
                estimate(gains), kClearly),
    };
    out.figures.push_back({"entropy", figures::grid("Entropy and accuracy", {figures::draw(path), figures::draw(factors)}, 2)});
    out.tables = {std::move(sharp), std::move(through)};
    return out;
}

const NewExperiment kExperiment({.number = 11,
                                 .name = "entropy",
                                 .title = "Entropy against accuracy",
                                 .setting = "The single head: entropy of what position 0 attends to against accuracy, through "
                                            "training and between inputs; then trained scores multiplied by a factor.",
                                 .run = run_entropy});

}  // namespace

}  // namespace gradproof::experiments
