// Experiment 6: permutation equivariance of self-attention, and the effect of positions.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "gradproof/core/random.hpp"
#include "gradproof/nn/positions.hpp"
#include "gradproof/nn/tasks/expressions.hpp"
#include "gradproof/ops/attention.hpp"
#include "gradproof/ops/matmul.hpp"
#include "tools/experiments/measure.hpp"
#include "tools/experiments/probe.hpp"
#include "tools/figures/chart.hpp"

namespace gradproof::experiments {
namespace {

constexpr Index kLength = 12, kChannels = 32;

struct Weights {
    Tensor<double> q, k, v;
};

Tensor<double> self_attention(const Tensor<double>& x, const Weights& w, const AttentionAttrs& attrs) {
    return attention(matmul(x, w.q), matmul(x, w.k), matmul(x, w.v), attrs);
}

/// x [1, T, C] with row order[i] at position i.
Tensor<double> permuted(const Tensor<double>& x, const std::vector<Index>& order) {
    Tensor<double> out(x.shape());
    const Index c = x.shape().last(0);
    for (std::size_t i = 0; i < order.size(); ++i)
        std::copy_n(x.data() + order[i] * c, c, out.data() + static_cast<Index>(i) * c);
    return out;
}

Tensor<double> with_positions(const Tensor<double>& x) {
    const Tensor<double> table = position_encoding<double>(kLength, kChannels);
    Tensor<double> out = x.clone();
    for (Index i = 0; i < out.size(); ++i) out[i] += table[i];
    return out;
}

/// max |f(P x) - P f(x)| / max |f(x)|, the worst of several random inputs, weights and permutations.
double equivariance_error(auto&& f, std::uint64_t seed, int draws) {
    double worst = 0;
    for (int d = 0; d < draws; ++d) {
        Random random = Random(seed).stream(600 + static_cast<std::uint64_t>(d));
        const Tensor<double> x = random.normal<double>({1, kLength, kChannels});
        const double spread = 1 / std::sqrt(static_cast<double>(kChannels));
        const Weights w{random.normal<double>({kChannels, 16}, 0, spread), random.normal<double>({kChannels, 16}, 0, spread),
                        random.normal<double>({kChannels, 16}, 0, spread)};
        const std::vector<Index> order = random.permutation(kLength);
        const Tensor<double> after = f(permuted(x, order), w), before = permuted(f(x, w), order);
        double largest = 0, difference = 0;
        for (Index i = 0; i < after.size(); ++i) {
            largest = std::max(largest, std::abs(before[i]));
            difference = std::max(difference, std::abs(after[i] - before[i]));
        }
        worst = std::max(worst, difference / largest);
    }
    return worst;
}

/// Accuracy on the expressions of one function: 0 Max, 1 Min, 2 First.
double accuracy_of(const Probe& model, const Examples& examples, Index function) {
    std::vector<Index> rows;
    for (Index i = 0; i < examples.count(); ++i)
        if (examples.ids[i * kExpressionLength] == 10 + function) rows.push_back(i);
    return evaluate(model, examples.rows(rows)).accuracy;
}

Result run_permutation(const Context& context) {
    Result out;
    AttentionAttrs plain, causal;
    plain.q_heads = plain.kv_heads = causal.q_heads = causal.kv_heads = 2;
    causal.causal = true;
    const int draws = context.pick(50, 10, 2);
    const double bare = equivariance_error([&](const Tensor<double>& x, const Weights& w) { return self_attention(x, w, plain); },
                                           context.seed, draws);
    const double placed =
        equivariance_error([&](const Tensor<double>& x, const Weights& w) { return self_attention(with_positions(x), w, plain); },
                           context.seed, draws);
    const double masked = equivariance_error(
        [&](const Tensor<double>& x, const Weights& w) { return self_attention(x, w, causal); }, context.seed, draws);
    out.tables.push_back({"equivariance",
                          "Largest relative difference between attention of the permuted input and the permuted attention",
                          {"attention", "difference"},
                          {{std::string("without positions"), bare},
                           {std::string("sinusoidal positions"), placed},
                           {std::string("causal mask, no positions"), masked}}});

    const Task task = expression_task(context);
    const ProbeSettings settings{.epochs = context.pick<Index>(60, 30, 1)};
    Table learned{"learned", "Accuracy on held-out expressions after training", {"positions", "Max", "Min", "First"}, {}};
    std::vector<figures::Bar> bars;
    double order_free = 1, first[2] = {};
    for (const bool positions : {true, false}) {
        // Four heads with a residual path; the answer is read from position 0.
        Probe model({.heads = 4, .residual = true, .norm = true, .positions = positions}, context.seed);
        train(model, task.training, settings, context.seed);
        double accuracy[3];
        for (Index f = 0; f < 3; ++f) {
            accuracy[f] = accuracy_of(model, task.validation, f);
            bars.push_back(
                {std::string(kTokens[static_cast<std::size_t>(10 + f)]) + (positions ? ", with positions" : ", without"),
                 accuracy[f], positions ? 0 : 1});
        }
        if (!positions) order_free = std::min(accuracy[0], accuracy[1]);
        first[positions ? 1 : 0] = accuracy[2];
        learned.rows.push_back({std::string(positions ? "sinusoidal" : "none"), accuracy[0], accuracy[1], accuracy[2]});
    }
    out.tables.push_back(std::move(learned));
    out.figures.push_back({"positions", figures::draw(figures::Bars{.title = "Held-out accuracy with and without positions",
                                                                    .axis = {.label = "accuracy"},
                                                                    .bars = bars})});
    out.findings = {
        at_most("Permuting the input permutes the output of self-attention and does nothing else",
                "largest relative difference, float64", bare, 1e-12),
        at_least("Positions added to the input end that symmetry", "largest relative difference with sinusoidal positions",
                 placed, 1e-3),
        at_least("So does a causal mask", "largest relative difference with a causal mask", masked, 1e-3),
        at_least("Without positions attention has no notion of order, which Max and Min do not need",
                 "lower of the accuracies of Max and Min without positions", order_free, 0.95),
        at_most("... but First does", "accuracy of First without positions", first[0], 0.7),
        at_least("With positions First is learned", "accuracy of First with positions", first[1], 0.95),
    };
    return out;
}

const NewExperiment kExperiment({.number = 6,
                                 .name = "permutation",
                                 .title = "Permutations of the input",
                                 .setting = "Self-attention before and after its input is permuted, with and without positions; "
                                            "then models trained with and without positions.",
                                 .run = run_permutation});

}  // namespace

}  // namespace gradproof::experiments
