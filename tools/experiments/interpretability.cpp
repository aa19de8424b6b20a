// Experiment 14: what attention weights do not tell: other weights with the same output, and weights against the harm of a removal.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/random.hpp"
#include "core/tape.hpp"
#include "nn/tasks/expressions.hpp"
#include "ops/cross_entropy.hpp"
#include "ops/linear.hpp"
#include "ops/matmul.hpp"
#include "ops/reshape.hpp"
#include "ops/slice.hpp"
#include "ops/transpose.hpp"
#include "tools/experiments/alternatives.hpp"
#include "tools/experiments/measure.hpp"
#include "tools/experiments/probe.hpp"
#include "tools/experiments/registry.hpp"
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

/// By how much the answer of each input changes when a position is removed from all heads: the total variation distance, [N, T].
Tensor<double> harm_of_removal(const Probe& model, const Examples& examples) {
    const Tensor<double> own = probabilities(model, examples.ids);
    Tensor<double> out({examples.count(), kLength});
    for (Index j = 0; j < kLength; ++j) {
        const Tensor<double> without = probabilities(model, examples.ids, {.weights = [j](const Tensor<Real>& x) {
            Tensor<Real> y = x.clone();
            for (Index r = 0; r < y.size() / kLength; ++r) {
                const Real rest = 1 - y[r * kLength + j];
                for (Index k = 0; k < kLength; ++k) y[r * kLength + k] = k == j ? 0 : rest > 0 ? y[r * kLength + k] / rest : 1 / static_cast<Real>(kLength - 1);
            }
            return y;
        }});
        for (Index i = 0; i < examples.count(); ++i) out[i * kLength + j] = total_variation(row_of(own, i), row_of(without, i));
    }
    return out;
}

/// The gradient of the loss of each input with respect to the attention weights of position 0, [N, heads, T].
Tensor<double> weight_gradients(Probe& model, const Examples& examples, const Tensor<double>& w) {
    Step<Real> step(model.tree());
    step.begin_evaluation();
    const auto parameter = [&](const char* name) { return Var<double>(cast<double>(model.tree().find(name).value)); };
    const Index n = examples.count();
    const Tensor<double> v = matmul(cast<double>(model.embedded(step, examples.ids).value()), cast<double>(model.layer(0).wv.value));
    const Tensor<double> heads = transpose(v.reshape({n, kLength, kHeads, kSize}), {.perm = {0, 2, 1, 3}});
    Tape<double> tape;
    const Var<double> first = tape.leaf(slice(w, {.axis = 2, .start = 0, .stop = 1}));  // [N, heads, 1, T]
    const Var<double> joined = reshape(matmul(first, Var<double>(heads)), {.shape = {n, kHeads * kSize}});
    const Var<double> scores = linear(matmul(joined, parameter("layer0.wo")), parameter("readout.weight"), parameter("readout.bias"));
    tape.backward(cross_entropy(scores, {.ids = examples.answers, .reduction = Reduction::sum}));
    return tape.grad(first).reshape({n, kHeads, kLength});
}

/// What a position seems to matter, [N, T]: the sum over heads of its weight, or of what its removal would change at first order.
struct Importance {
    Tensor<double> by_weight, by_gradient;
};
Importance importance(const Tensor<double>& w, const Tensor<double>& g) {
    const Index n = w.dim(0);
    Importance out{Tensor<double>({n, kLength}, 0.0), Tensor<double>({n, kLength}, 0.0)};
    for (Index i = 0; i < n; ++i) {
        for (Index h = 0; h < kHeads; ++h) {
            const auto p = row_of(w, (i * kHeads + h) * kLength), slope = row_of(g, i * kHeads + h);
            double mean = 0;
            for (std::size_t j = 0; j < p.size(); ++j) mean += p[j] * slope[j];
            for (std::size_t j = 0; j < p.size(); ++j) {
                out.by_weight[i * kLength + static_cast<Index>(j)] += p[j];
                out.by_gradient[i * kLength + static_cast<Index>(j)] += p[j] * (slope[j] - mean);
            }
        }
        for (Index j = 0; j < kLength; ++j) out.by_gradient[i * kLength + j] = std::abs(out.by_gradient[i * kLength + j]);
    }
    return out;
}

/// The rank correlation of each input's row of x with that of y, of those that have one.
std::vector<double> rank_correlations(const Tensor<double>& x, const Tensor<double>& y) {
    std::vector<double> out;
    for (Index i = 0; i < x.dim(0); ++i)
        if (const double c = rank_correlation(row_of(x, i), row_of(y, i)); std::isfinite(c)) out.push_back(c);
    return out;
}

figures::Figure picture(const Tensor<double>& own, const Tensor<Real>& other, const Tensor<double>& gradients, Index input, const Examples& examples) {
    std::vector<std::string> tokens, heads;
    for (Index j = 0; j < kLength; ++j) tokens.emplace_back(kTokens[static_cast<std::size_t>(examples.ids[input * kLength + j])]);
    Tensor<double> a({kHeads, kLength}), b({kHeads, kLength}), g({kHeads, kLength});
    for (Index h = 0; h < kHeads; ++h) {
        heads.push_back(fmt::format("head {}", h));
        for (Index j = 0; j < kLength; ++j) {
            a[h * kLength + j] = own[((input * kHeads + h) * kLength) * kLength + j];
            g[h * kLength + j] = gradients[(input * kHeads + h) * kLength + j];
            b[h * kLength + j] = static_cast<double>(other[((input * kHeads + h) * kLength) * kLength + j]);
        }
    }
    figures::Heatmap map{.title = "as trained", .values = a, .row_labels = heads, .column_labels = tokens, .column_axis = "key", .unit = "weight", .cell_size = 32};
    std::vector<figures::Figure> maps = {figures::draw(map)};
    map.title = "the same output";
    map.values = b;
    maps.push_back(figures::draw(map));
    map.title = "gradient of the loss, as trained";
    map.values = g;
    map.unit = "nats";
    map.scale = figures::Scale::symmetric;
    maps.push_back(figures::draw(map));
    return figures::grid("What position 0 attends to: two sets of weights with one output, and the gradient of the first", maps, 2);
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
    const Tensor<double> gradients = weight_gradients(model, examples, w), harm = harm_of_removal(model, examples);
    const Importance guess = importance(w, gradients);
    const std::vector<double> by_weight = rank_correlations(guess.by_weight, harm), by_gradient = rank_correlations(guess.by_gradient, harm);
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
        at_least("A high weight marks a position the answer depends on", "rank correlation of weight and harm of removal, mean over inputs", mean(by_weight), 0.5),
        at_least("... though not as well as its gradient does", "rank correlation of the first-order effect and harm, less that of weight and harm", mean(by_gradient) - mean(by_weight), 0),
    };
    Table table{"alternatives", "Attention of position 0 and other weights with the same output", {"quantity", "value"}, {}};
    table.rows = {{std::string("inputs"), examples.count()}, {std::string("distance, mean"), mean(other.distance)}, {std::string("distance, median"), median(other.distance)},
                  {std::string("distance, largest"), other.distance[static_cast<std::size_t>(most)]}, {std::string("rank correlation of weight and harm, mean"), mean(by_weight)},
                  {std::string("rank correlation of first-order effect and harm, mean"), mean(by_gradient)}};
    out.figures.push_back({"alternatives", picture(w, other.weights, gradients, most, examples)});
    out.tables.push_back(std::move(table));
    return out;
}

}  // namespace gradproof::experiments
