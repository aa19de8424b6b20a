// Experiment 3: the variance of scores against d_k, and its effect on the softmax.
#include <array>

#include "gradproof/core/random.hpp"
#include "gradproof/nn/train/monitor.hpp"
#include "gradproof/ops/softmax.hpp"
#include "tools/experiments/measure.hpp"
#include "tools/figures/chart.hpp"

namespace gradproof::experiments {
namespace {

constexpr Index kKeys = 16;

/// Scores [queries, kKeys] of independent standard normal queries and keys of d_k entries, before any scaling.
Tensor<double> draw_scores(Random& random, Index queries, Index d_k) {
    Tensor<double> scores({queries, kKeys});
    for (Index i = 0; i < queries; ++i) {
        const Tensor<double> q = random.normal<double>({d_k}), k = random.normal<double>({kKeys, d_k});
        for (Index j = 0; j < kKeys; ++j) {
            double dot = 0;
            for (Index c = 0; c < d_k; ++c) dot += q[c] * k[j * d_k + c];
            scores[i * kKeys + j] = dot;
        }
    }
    return scores;
}

Tensor<double> scaled(Tensor<double> x, double factor) {
    for (double& v : x) v *= factor;
    return x;
}

/// The mean of softmax_slope over the rows of w.
double mean_slope(const Tensor<double>& w) {
    double total = 0;
    const Index rows = w.size() / kKeys;
    for (Index r = 0; r < rows; ++r) total += softmax_slope(row_of(w, r));
    return total / static_cast<double>(rows);
}

struct Measured {
    double variance = 0, mean = 0;
    AttentionStats plain{}, divided{};
    double plain_slope = 0, divided_slope = 0;
};

Measured measure(const Tensor<double>& scores, Index d_k) {
    Measured out;
    const Moments m = moments(scores.values());
    out.mean = m.mean;
    out.variance = m.variance;
    const Tensor<double> plain = softmax(scores),
                         divided = softmax(scaled(scores.clone(), 1 / std::sqrt(static_cast<double>(d_k))));
    out.plain = attention_stats(plain);
    out.divided = attention_stats(divided);
    out.plain_slope = mean_slope(plain);
    out.divided_slope = mean_slope(divided);
    return out;
}

Result run_variance(const Context& context) {
    using figures::Line;
    Result out;
    Table table{"variance",
                "Scores of standard normal queries and keys, softmax over 16 keys",
                {"d_k", "mean of q·k", "variance of q·k", "variance / d_k", "largest weight", "largest weight, scaled",
                 "entropy / log n", "entropy / log n, scaled", "softmax slope", "softmax slope, scaled"},
                {}};
    Random random = Random(context.seed).stream(3);
    Line variance{.name = "measured", .style = Line::Style::marked}, theory{.name = "theory: d_k", .style = Line::Style::dashed};
    Line plain{.name = "q·k", .style = Line::Style::marked}, divided{.name = "q·k / sqrt(d_k)", .style = Line::Style::marked},
        plain_slope = plain, divided_slope = divided;
    std::vector<std::pair<double, double>> fit;
    double worst = 0;
    Measured last;
    for (Index d_k = 1; d_k <= 1024; d_k *= 2) {
        // The 16 scores of a query share its norm, whose relative variance is 2 / d_k, so a small d_k needs more queries for the
        // same precision.
        const Index queries = context.pick<Index>(2000, 400, 20);
        last = measure(draw_scores(random, queries + 16 * queries / d_k, d_k), d_k);
        const auto d = static_cast<double>(d_k);
        worst = std::max(worst, std::abs(last.variance / d - 1));
        variance.points.emplace_back(d, last.variance);
        theory.points.emplace_back(d, d);
        fit.emplace_back(d, last.variance);
        plain.points.emplace_back(d, last.plain.largest);
        divided.points.emplace_back(d, last.divided.largest);
        plain_slope.points.emplace_back(d, last.plain_slope);
        divided_slope.points.emplace_back(d, last.divided_slope);
        table.rows.push_back({d_k, last.mean, last.variance, last.variance / d, last.plain.largest, last.divided.largest,
                              last.plain.entropy, last.divided.entropy, last.plain_slope, last.divided_slope});
    }
    const double exponent = power_law(fit).exponent;
    out.findings = {
        between("The variance of q·k grows in proportion to d_k", "fitted exponent of the variance in d_k", exponent, 0.95, 1.05),
        at_most("The variance of q·k equals d_k for standard normal entries", "largest relative distance from d_k", worst, 0.1),
        at_least("Without scaling the softmax saturates at large d_k", "mean largest weight at d_k = 1024", last.plain.largest,
                 0.9),
        at_most("Division by sqrt(d_k) keeps it from saturating", "mean largest weight at d_k = 1024, scaled",
                last.divided.largest, 0.5),
        at_least("Scaling keeps the slope of the softmax, and with it the gradient",
                 "slope with scaling over slope without, d_k = 1024", last.divided_slope / last.plain_slope, 3),
    };
    const figures::Axis d_axis{.label = "d_k", .logarithmic = true, .ticks = {1, 4, 16, 64, 256, 1024}};
    out.figures.push_back(
        {"variance", figures::grid("Scores against d_k",
                                   {
                                       figures::draw(figures::Chart{.title = "Variance of q·k",
                                                                    .x = d_axis,
                                                                    .y = {.label = "variance", .logarithmic = true},
                                                                    .lines = {variance, theory},
                                                                    .width = 300}),
                                       figures::draw(figures::Chart{.title = "Largest of 16 weights, mean",
                                                                    .x = d_axis,
                                                                    .y = {.label = "weight", .low = 0, .high = 1},
                                                                    .lines = {plain, divided},
                                                                    .width = 300}),
                                       figures::draw(figures::Chart{.title = "Norm of the softmax derivative, mean",
                                                                    .x = d_axis,
                                                                    .y = {.label = "norm", .low = 0},
                                                                    .lines = {plain_slope, divided_slope},
                                                                    .width = 300}),
                                   },
                                   2)});
    out.tables.push_back(std::move(table));
    return out;
}

const NewExperiment kExperiment(
    {.number = 3,
     .name = "variance",
     .title = "Variance of scores and saturation of the softmax",
     .setting = "Queries and keys of independent standard normal entries: the variance of their product against d_k, and how far "
                "softmax over such scores saturates, with and without the division by sqrt(d_k).",
     .run = run_variance});

}  // namespace

}  // namespace gradproof::experiments
