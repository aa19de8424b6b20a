// Experiment 14: what attention weights do not tell: other weights with the same output, and weights against the harm of a removal.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/random.hpp"
#include "nn/tasks/expressions.hpp"
#include "ops/matmul.hpp"
#include "tools/experiments/measure.hpp"
#include "tools/experiments/probe.hpp"
#include "tools/experiments/registry.hpp"
#include "tools/experiments/svd.hpp"
#include "tools/figures/chart.hpp"
#include "tools/figures/heatmap.hpp"

namespace gradproof::experiments {
namespace {

constexpr Index kHeads = 4, kSize = 4, kLength = kExpressionLength;
using Weights = std::vector<double>;

/// Directions [T, k] that change neither the output nor the sum of the weights: the left null space of [V, 1], V [T, kSize].
Tensor<double> silent_directions(const Tensor<double>& v) {
    Tensor<double> constraints({kSize + 1, kLength});
    for (Index t = 0; t < kLength; ++t) {
        for (Index c = 0; c < kSize; ++c) constraints[c * kLength + t] = v[t * kSize + c];
        constraints[kSize * kLength + t] = 1;
    }
    // Of the squared matrix every right vector is there; those of zero values are the null space.
    const Svd s = svd(matmul(constraints, constraints, {.transpose_a = true}));
    Tensor<double> out({kLength, kLength - kSize - 1});
    for (Index t = 0; t < kLength; ++t)
        for (Index k = 0; k < out.dim(1); ++k) out[t * out.dim(1) + k] = s.right[t * kLength + kSize + 1 + k];
    return out;
}

/// Weights as far from w as some steps along random silent directions lead, each to where a weight becomes 0.
Weights furthest(const Weights& w, const Tensor<double>& directions, Random& random) {
    constexpr int kStarts = 20, kSteps = 6;
    Weights best = w;
    for (int start = 0; start < kStarts; ++start) {
        Weights at = w;
        for (int step = 0; step < kSteps; ++step) {
            Weights d(w.size(), 0.0);
            for (Index k = 0; k < directions.dim(1); ++k) {
                const double amount = random.normal();
                for (std::size_t t = 0; t < d.size(); ++t) d[t] += amount * directions[static_cast<Index>(t) * directions.dim(1) + k];
            }
            double limit = INFINITY;
            for (std::size_t t = 0; t < d.size(); ++t)
                if (d[t] < 0) limit = std::min(limit, at[t] / -d[t]);
            for (std::size_t t = 0; t < d.size(); ++t) at[t] = std::max(0.0, at[t] + limit * d[t]);
            if (total_variation(at, w) > total_variation(best, w)) best = at;
        }
    }
    return best;
}

Weights output(const Weights& w, const Tensor<double>& v) {
    Weights out(static_cast<std::size_t>(kSize), 0.0);
    for (std::size_t t = 0; t < w.size(); ++t)
        for (std::size_t c = 0; c < out.size(); ++c) out[c] += w[t] * v[static_cast<Index>(t) * kSize + static_cast<Index>(c)];
    return out;
}

/// The values of one head for each input, in double: [N] of [T, kSize].
std::vector<Tensor<double>> values_of(const Probe& model, const Tensor<Index>& ids, Index head) {
    Step<Real> step(model.tree());
    step.begin_evaluation();
    const Tensor<double> v = matmul(cast<double>(model.embedded(step, ids).value()), cast<double>(model.layer(0).wv.value));
    std::vector<Tensor<double>> out;
    for (Index i = 0; i < ids.dim(0); ++i) {
        out.emplace_back(Shape{kLength, kSize});
        for (Index t = 0; t < kLength; ++t)
            for (Index c = 0; c < kSize; ++c) out.back()[t * kSize + c] = v[(i * kLength + t) * kHeads * kSize + head * kSize + c];
    }
    return out;
}

struct Alternatives {
    Tensor<Real> weights{};            ///< [N, heads, T, T], other weights for position 0
    std::vector<double> distance{};    ///< total variation, the largest of the heads of each input
    double output_difference = 0;      ///< the largest
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
            for (std::size_t c = 0; c < y.size(); ++c) out.output_difference = std::max(out.output_difference, std::abs(y[c] - z[c]));
            double& d = out.distance[static_cast<std::size_t>(i)];
            d = std::max(d, total_variation(own, other));
            for (std::size_t t = 0; t < other.size(); ++t) out.weights[((i * kHeads + h) * kLength) * kLength + static_cast<Index>(t)] = static_cast<Real>(other[t]);
        }
    }
    return out;
}

/// The largest probability that changes when the weights of position 0 are replaced.
double change_of_probabilities(const Probe& model, const Tensor<Index>& ids, const Tensor<Real>& weights) {
    const Tensor<double> own = probabilities(model, ids), other = probabilities(model, ids, {.weights = [&](const Tensor<Real>&) { return weights; }});
    double worst = 0;
    for (Index i = 0; i < own.size(); ++i) worst = std::max(worst, std::abs(own[i] - other[i]));
    return worst;
}

/// For each input the rank correlation of the weight of a position with how much its removal changes the answer.
std::vector<double> weight_against_harm(const Probe& model, const Examples& examples, const Tensor<double>& w) {
    const Tensor<double> own = probabilities(model, examples.ids);
    std::vector<Tensor<double>> without;
    for (Index j = 0; j < kLength; ++j)
        without.push_back(probabilities(model, examples.ids, {.weights = [j](const Tensor<Real>& x) {
            Tensor<Real> y = x.clone();
            for (Index r = 0; r < y.size() / kLength; ++r) {
                const Real rest = 1 - y[r * kLength + j];
                for (Index k = 0; k < kLength; ++k) y[r * kLength + k] = k == j ? 0 : rest > 0 ? y[r * kLength + k] / rest : 1 / static_cast<Real>(kLength - 1);
            }
            return y;
        }}));
    std::vector<double> out;
    for (Index i = 0; i < examples.count(); ++i) {
        Weights weight, harm;
        for (Index j = 0; j < kLength; ++j) {
            double sum = 0;
            for (Index h = 0; h < kHeads; ++h) sum += w[((i * kHeads + h) * kLength) * kLength + j];
            weight.push_back(sum);
            harm.push_back(total_variation(row_of(own, i), row_of(without[static_cast<std::size_t>(j)], i)));
        }
        if (const double c = rank_correlation(weight, harm); std::isfinite(c)) out.push_back(c);
    }
    return out;
}

figures::Figure picture(const Tensor<double>& own, const Tensor<Real>& other, Index input, const Examples& examples) {
    std::vector<std::string> tokens, heads;
    for (Index j = 0; j < kLength; ++j) tokens.emplace_back(kTokens[static_cast<std::size_t>(examples.ids[input * kLength + j])]);
    Tensor<double> a({kHeads, kLength}), b({kHeads, kLength});
    for (Index h = 0; h < kHeads; ++h) {
        heads.push_back(fmt::format("head {}", h));
        for (Index j = 0; j < kLength; ++j) {
            a[h * kLength + j] = own[((input * kHeads + h) * kLength) * kLength + j];
            b[h * kLength + j] = static_cast<double>(other[((input * kHeads + h) * kLength) * kLength + j]);
        }
    }
    const auto map = [&](const char* title, const Tensor<double>& values) {
        return figures::draw(figures::Heatmap{.title = title, .values = values, .row_labels = heads, .column_labels = tokens, .column_axis = "key", .unit = "weight", .cell_size = 32});
    };
    return figures::grid("What position 0 attends to: two sets of weights, one output", {map("as trained", a), map("the same output", b)}, 2);
}

}  // namespace

Result run_interpretability(const Context& context) {
    const Task task = expression_task(context);
    Probe model({.heads = kHeads, .head_size = kSize, .projection = true}, context.seed);
    train(model, task.training, {.epochs = context.pick<Index>(40, 15, 1)}, context.seed);
    std::vector<Index> some(static_cast<std::size_t>(context.pick<Index>(400, 150, 8)));
    for (std::size_t i = 0; i < some.size(); ++i) some[i] = static_cast<Index>(i);
    const Examples examples = task.validation.rows(some);
    const Tensor<double> w = attention_weights(model, examples.ids);
    const Alternatives other = find_alternatives(model, examples.ids, w, context.seed);
    const double changed = change_of_probabilities(model, examples.ids, other.weights);
    const std::vector<double> correlations = weight_against_harm(model, examples, w);
    const auto most = static_cast<Index>(std::max_element(other.distance.begin(), other.distance.end()) - other.distance.begin());
    Index moved = 0;
    for (Index i = 0; i < examples.count(); ++i)
        for (Index h = 0; h < kHeads; ++h) {
            const Index at = (i * kHeads + h) * kLength * kLength;
            moved += std::max_element(w.data() + at, w.data() + at + kLength) - (w.data() + at) !=
                     std::max_element(other.weights.data() + at, other.weights.data() + at + kLength) - (other.weights.data() + at);
        }
    Result out;
    out.findings = {
        at_least("The model has learned the task", "held-out accuracy", evaluate(model, task.validation).accuracy, 0.9),
        at_most("Other attention weights give the same output", "largest difference of an output entry, float64", other.output_difference, 1e-10),
        at_most("... and the same answers", "largest change of a probability, float32", changed, 1e-3),
        at_least("... though they are quite different weights", "total variation distance, mean over inputs of the head that differs most", mean(other.distance), 0.1),
        at_least("... and may point at another token", "share of heads and inputs whose most attended token is another", static_cast<double>(moved) / static_cast<double>(examples.count() * kHeads), 0.1),
        at_least("A high weight marks a position the answer depends on", "rank correlation of weight and harm of removal, mean over inputs", mean(correlations), 0.5),
    };
    Table table{"alternatives", "Attention of position 0 and other weights with the same output", {"quantity", "value"}, {}};
    table.rows = {{std::string("inputs"), examples.count()}, {std::string("distance, mean"), mean(other.distance)}, {std::string("distance, median"), median(other.distance)},
                  {std::string("distance, largest"), other.distance[static_cast<std::size_t>(most)]}, {std::string("rank correlation of weight and harm, median"), median(correlations)}};
    out.figures.push_back({"alternatives", picture(w, other.weights, most, examples)});
    out.tables.push_back(std::move(table));
    return out;
}

}  // namespace gradproof::experiments
