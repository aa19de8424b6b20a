// Experiment 14: the limits of reading attention weights: other weights with the same output, and weights compared with the harm
// that the removal of a position does.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "gradproof/core/random.hpp"
#include "gradproof/nn/tasks/expressions.hpp"
#include "gradproof/ops/matmul.hpp"
#include "tools/experiments/alternatives.hpp"
#include "tools/experiments/measure.hpp"
#include "tools/experiments/probe_weights.hpp"
#include "tools/figures/heatmap.hpp"

namespace gradproof::experiments {
namespace {

constexpr Index kHeads = 4, kSize = 4, kLength = kExpressionLength;

/// The values of one head for each input, in double: [N] of [T, kSize].
std::vector<Tensor<double>> values_of(const Probe& model, const Tensor<Index>& ids, Index head) {
    Step<Real> step(model.tree());
    step.begin_evaluation();
    const Tensor<double> v = matmul(cast<double>(model.embedded(step, ids).value()), cast<double>(model.layer(0).wv.value));
    std::vector<Tensor<double>> out;
    for (Index i = 0; i < ids.dim(0); ++i) {
        out.emplace_back(Shape{kLength, kSize});
        for (Index t = 0; t < kLength; ++t)
            for (Index c = 0; c < kSize; ++c)
                out.back()[t * kSize + c] = v[(i * kLength + t) * kHeads * kSize + head * kSize + c];
    }
    return out;
}

struct Alternatives {
    Tensor<Real> weights{};          ///< [N, heads, T, T], with other weights for position 0
    std::vector<double> distance{};  ///< total variation distance for each input, the largest over heads
    double output_difference = 0;    ///< the largest of any output entry
};

Alternatives find_alternatives(const Probe& model, const Tensor<Index>& ids, const Tensor<double>& w, std::uint64_t seed) {
    Alternatives out{cast<Real>(w), std::vector<double>(static_cast<std::size_t>(ids.dim(0)), 0.0), 0};
    for (Index h = 0; h < kHeads; ++h) {
        const std::vector<Tensor<double>> values = values_of(model, ids, h);
        for (Index i = 0; i < ids.dim(0); ++i) {
            Random random = Random(seed).stream(static_cast<std::uint64_t>(14000 + i * kHeads + h));
            const Tensor<double>& v = values[static_cast<std::size_t>(i)];
            const auto row = row_of(w, (i * kHeads + h) * kLength);
            const Weights own(row.begin(), row.end()), other = furthest(own, silent_directions(v), random);
            const Weights y = output(own, v), z = output(other, v);
            for (std::size_t c = 0; c < y.size(); ++c)
                out.output_difference = std::max(out.output_difference, std::abs(y[c] - z[c]));
            double& d = out.distance[static_cast<std::size_t>(i)];
            d = std::max(d, total_variation(own, other));
            for (std::size_t t = 0; t < other.size(); ++t)
                out.weights[((i * kHeads + h) * kLength) * kLength + static_cast<Index>(t)] = static_cast<Real>(other[t]);
        }
    }
    return out;
}

/// The largest change of a probability when the weights of position 0 are replaced.
double change_of_probabilities(const Probe& model, const Tensor<Index>& ids, const Tensor<Real>& weights) {
    const Tensor<double> own = probabilities(model, ids), other = probabilities(model, ids, {.weights = weights});
    double worst = 0;
    for (Index i = 0; i < own.size(); ++i) worst = std::max(worst, std::abs(own[i] - other[i]));
    return worst;
}

/// The weight that each position gets, summed over heads, [N, T].
Tensor<double> total_weight(const Tensor<double>& w) {
    Tensor<double> out({w.dim(0), kLength}, 0.0);
    for (Index i = 0; i < w.dim(0); ++i)
        for (Index h = 0; h < kHeads; ++h)
            for (Index j = 0; j < kLength; ++j) out[i * kLength + j] += w[(i * kHeads + h) * kLength * kLength + j];
    return out;
}

/// How well weight and gradient rank the positions by the harm of their removal: mean rank correlations over the inputs where
/// both are defined.
struct Ranking {
    double by_weight = 0, by_gradient = 0;
};
Ranking ranking(const Tensor<double>& weight, const Tensor<double>& first_order, const Tensor<double>& harm) {
    std::vector<double> by_weight, by_gradient;
    for (Index i = 0; i < harm.dim(0); ++i) {
        const double p = rank_correlation(row_of(weight, i), row_of(harm, i)),
                     q = rank_correlation(row_of(first_order, i), row_of(harm, i));
        if (!std::isfinite(p) || !std::isfinite(q)) continue;
        by_weight.push_back(p);
        by_gradient.push_back(q);
    }
    return {mean(by_weight), mean(by_gradient)};
}

figures::Figure picture(const Tensor<double>& own, const Tensor<Real>& other, const Tensor<double>& gradients, Index input,
                        const Examples& examples) {
    const std::vector<std::string> tokens = token_texts(examples.row(input));
    std::vector<std::string> heads;
    Tensor<double> a({kHeads, kLength}), b({kHeads, kLength}), g({kHeads, kLength});
    for (Index h = 0; h < kHeads; ++h) {
        heads.push_back(fmt::format("head {}", h));
        for (Index j = 0; j < kLength; ++j) {
            a[h * kLength + j] = own[((input * kHeads + h) * kLength) * kLength + j];
            g[h * kLength + j] = gradients[(input * kHeads + h) * kLength + j];
            b[h * kLength + j] = static_cast<double>(other[((input * kHeads + h) * kLength) * kLength + j]);
        }
    }
    figures::Heatmap map{.title = "as trained",
                         .values = a,
                         .row_labels = heads,
                         .column_labels = tokens,
                         .column_axis = "key",
                         .unit = "weight",
                         .cell_size = 32};
    std::vector<figures::Figure> maps = {figures::draw(map)};
    map.title = "the same output";
    map.values = b;
    maps.push_back(figures::draw(map));
    map.title = "gradient of the loss, as trained";
    map.values = g;
    map.unit = "nats";
    map.scale = figures::Scale::symmetric;
    maps.push_back(figures::draw(map));
    return figures::grid("What position 0 attends to: two sets of weights with one output, and the gradient of the first", maps,
                         2);
}

/// The share of heads and inputs whose most attended token changes.
double share_moved(const Tensor<double>& own, const Tensor<Real>& other) {
    const Index rows = own.size() / (kLength * kLength);
    Index moved = 0;
    for (Index r = 0; r < rows; ++r) {
        const double* p = own.data() + r * kLength * kLength;
        const Real* q = other.data() + r * kLength * kLength;
        moved += std::max_element(p, p + kLength) - p != std::max_element(q, q + kLength) - q;
    }
    return static_cast<double>(moved) / static_cast<double>(rows);
}

struct Inspected {
    Examples examples{};
    Tensor<double> weights{}, gradients{};
    Alternatives other{};
    double accuracy = 0, changed = 0;
    Ranking ranking{};
};
Inspected inspect(const Context& context) {
    const Task task = expression_task(context);
    Probe model({.heads = kHeads, .head_size = kSize, .projection = true}, context.seed);
    train(model, task.training, {.epochs = context.pick<Index>(40, 15, 1)}, context.seed);
    std::vector<Index> some(static_cast<std::size_t>(context.pick<Index>(400, 150, 8)));
    std::iota(some.begin(), some.end(), Index{0});
    Inspected out;
    out.examples = task.validation.rows(some);
    out.accuracy = evaluate(model, task.validation).accuracy;
    out.weights = attention_weights(model, out.examples.ids);
    out.other = find_alternatives(model, out.examples.ids, out.weights, context.seed);
    out.changed = change_of_probabilities(model, out.examples.ids, out.other.weights);
    out.gradients = weight_gradients(model, out.examples, out.weights);
    out.ranking = ranking(total_weight(out.weights), harm_at_first_order(out.weights, out.gradients),
                          harm_of_removal(model, out.examples, out.weights));
    return out;
}

Result run_interpretability(const Context& context) {
    std::vector<Inspected> all;
    for (Index n = 0; n < context.repeats(); ++n) all.push_back(inspect(context.repeat(n)));
    const Inspected& m = all.front();
    const std::vector<double>& distance = m.other.distance;
    const auto most = static_cast<Index>(std::max_element(distance.begin(), distance.end()) - distance.begin());
    Result out;
    out.findings = {
        at_least("The model has learned the task", "held-out accuracy, mean over seeds", estimate(all, &Inspected::accuracy),
                 0.9),
        at_most("Other attention weights give the same output", "largest difference of an output entry, float64",
                m.other.output_difference, 1e-10),
        at_most("... and the same answers", "largest change of a probability, float32", m.changed, 1e-3),
        at_least("... though they are quite different weights",
                 "total variation distance of the head that differs most, mean over inputs and seeds",
                 estimate(all, [](const Inspected& i) { return mean(i.other.distance); }), 0.1),
        at_least("... and may point at another token",
                 "share of heads and inputs whose most attended token is another, mean over seeds",
                 estimate(all, [](const Inspected& i) { return share_moved(i.weights, i.other.weights); }), 0.1),
        at_least("A high weight marks a position the answer depends on",
                 "rank correlation of weight and harm of removal, mean over inputs and seeds",
                 estimate(all, [](const Inspected& i) { return i.ranking.by_weight; }), 0.5),
        at_least("... though not as well as its gradient does",
                 "rank correlation of the first-order effect and harm, less that of weight and harm, mean over inputs and seeds",
                 estimate(all, [](const Inspected& i) { return i.ranking.by_gradient - i.ranking.by_weight; }), 0),
    };
    Table table{
        "alternatives", "Attention of position 0 and other weights with the same output, first seed", {"quantity", "value"}, {}};
    table.rows = {{std::string("inputs"), m.examples.count()},
                  {std::string("distance, mean"), mean(distance)},
                  {std::string("distance, median"), median(distance)},
                  {std::string("distance, largest"), distance[static_cast<std::size_t>(most)]},
                  {std::string("rank correlation of weight and harm, mean"), m.ranking.by_weight},
                  {std::string("rank correlation of first-order effect and harm, mean"), m.ranking.by_gradient}};
    out.figures.push_back({"alternatives", picture(m.weights, m.other.weights, m.gradients, most, m.examples)});
    out.tables.push_back(std::move(table));
    return out;
}

const NewExperiment kExperiment(
    {.number = 14,
     .name = "interpretability",
     .title = "Limits of reading attention",
     .setting = "Four heads of size 4, fewer than the 8 positions: for each input other attention weights with the same output; "
                "then the weight of a position, and its first-order effect, against the harm of removing it.",
     .run = run_interpretability});

}  // namespace

}  // namespace gradproof::experiments
