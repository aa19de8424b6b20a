// What the experiments take models apart with: changes of a forward, gradients of weights,
// removal of keys, other weights with one output, clusters.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/random.hpp"
#include "gradproof/ops/matmul.hpp"
#include "tests/support.hpp"
#include "tools/experiments/clustering.hpp"
#include "tools/experiments/measure.hpp"
#include "tools/experiments/probe_weights.hpp"

namespace gradproof::experiments {
namespace {

using gradproof::testing::error_of;

constexpr Index kSteps = 5;

Examples some_examples(Index rows) {
    Random random(11);
    Examples out{Tensor<Index>({rows, kSteps}), Tensor<Index>({rows})};
    for (Index i = 0; i < out.ids.size(); ++i) out.ids[i] = random.below(6);
    for (Index i = 0; i < rows; ++i) out.answers[i] = random.below(4);
    return out;
}
Probe small_probe(Index heads = 2) {
    return Probe(
        {.vocabulary = 6, .length = kSteps, .answers = 4, .channels = 8, .heads = heads, .head_size = 2, .projection = true}, 5);
}

double largest_change(const Tensor<double>& a, const Tensor<double>& b) {
    double worst = 0;
    for (Index i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
    return worst;
}
constexpr double kRounding = 1e-6;  // of probabilities in float32 after a few dozen sums

/// [rows, T, T], each row's positions moved on by one: out_t = x_{t+1}
Tensor<Real> moved_on(Index rows) {
    Tensor<Real> out({rows, kSteps, kSteps}, 0.0F);
    for (Index r = 0; r < rows; ++r)
        for (Index t = 0; t < kSteps; ++t) out[(r * kSteps + t) * kSteps + (t + 1) % kSteps] = 1;
    return out;
}

TEST(ProbeChange, OfNothingGivesTheSameAnswers) {
    const Probe model = small_probe();
    const Examples x = some_examples(3);
    const Tensor<double> own = probabilities(model, x.ids), w = attention_weights(model, x.ids);
    Tensor<Real> order({3, kSteps, kSteps}, 0.0F);
    for (Index i = 0; i < 3 * kSteps; ++i) order[i * kSteps + i % kSteps] = 1;
    EXPECT_LT(largest_change(own, probabilities(model, x.ids, {.weights = cast<Real>(w)})), kRounding);
    EXPECT_LT(largest_change(own, probabilities(model, x.ids, {.head_gain = Tensor<Real>({2}, 1.0F)})), kRounding);
    EXPECT_LT(largest_change(own, probabilities(model, x.ids, {.value_order = order})), kRounding);
}

TEST(ProbeChange, ValuesInAnotherOrderAreKeysInAnotherOrder) {
    const Probe model = small_probe();
    const Examples x = some_examples(3);
    const Tensor<double> w = attention_weights(model, x.ids);
    Tensor<Real> other({3, 2, kSteps, kSteps});
    for (Index r = 0; r < w.size() / kSteps; ++r)
        for (Index t = 0; t < kSteps; ++t) other[r * kSteps + (t + 1) % kSteps] = static_cast<Real>(w[r * kSteps + t]);
    const Tensor<double> by_values = probabilities(model, x.ids, {.value_order = moved_on(3)});
    EXPECT_LT(largest_change(by_values, probabilities(model, x.ids, {.weights = other})), kRounding);
    EXPECT_GT(largest_change(by_values, probabilities(model, x.ids)), 1e-3);
}

TEST(ProbeChange, AHeadOfNoGainIsAHeadOfNoWeight) {
    const Probe model = small_probe();
    const Examples x = some_examples(3);
    const Tensor<double> w = attention_weights(model, x.ids);
    Tensor<Real> silent = cast<Real>(w);
    for (Index r = 0; r < silent.size(); ++r)
        if (r / (kSteps * kSteps) % 2 == 1) silent[r] = 0;  // head 1
    const Tensor<double> without = probabilities(model, x.ids, {.head_gain = Tensor<Real>::from({2}, {1, 0})});
    EXPECT_LT(largest_change(without, probabilities(model, x.ids, {.weights = silent})), kRounding);
    EXPECT_GT(largest_change(without, probabilities(model, x.ids)), 1e-3);
}

TEST(ProbeChange, GoesWithItsRowsThroughAllPieces) {
    const Probe model = small_probe();
    const Examples x = some_examples(620);  // more than are evaluated at once
    const Tensor<double> w = attention_weights(model, x.ids);
    Tensor<Real> other = cast<Real>(w);
    const Index size = other.size() / 620;
    for (Index i = 610 * size; i < 611 * size; ++i) other[i] = i % kSteps == 0 ? 1 : 0;
    const Tensor<double> own = probabilities(model, x.ids), all = probabilities(model, x.ids, {.weights = other});
    for (Index i = 0; i < 620; ++i) {
        const double change = total_variation(row_of(own, i), row_of(all, i));
        EXPECT_TRUE(i == 610 ? change > 1e-3 : change < kRounding) << i << " is changed by " << change;
    }
}

TEST(ProbeChange, OfAnotherShapeIsAnError) {
    const Probe model = small_probe();
    const Examples x = some_examples(3);
    EXPECT_NE(error_of([&] {
                  evaluate(model, x, {.weights = Tensor<Real>({2, 2, kSteps, kSteps}, 0.2F)});
              }).find("of 2 rows"),
              std::string::npos);
    EXPECT_NE(error_of([&] {
                  evaluate(model, x, {.weights = Tensor<Real>({3, 1, kSteps, kSteps}, 0.2F)});
              }).find("expected [3, 2, 5, 5]"),
              std::string::npos);
    EXPECT_NE(
        error_of([&] { evaluate(model, x, {.head_gain = Tensor<Real>({3}, 1.0F)}); }).find("head_gain is [3], expected [2]"),
        std::string::npos);
}

TEST(ProbeTraining, AStepThatIsNotFiniteIsAnErrorAndLeavesNoGradients) {
    Probe model = small_probe();
    const Examples x = some_examples(32);
    const ProbeSettings wild{.epochs = 20, .rate = 1e30, .clip = 0, .warmup = 0};
    EXPECT_NE(error_of([&] { train(model, x, wild, 1); }).find("expected a finite loss"), std::string::npos);
    ProbeTraining training(model, x, wild, 1);  // the model is spoilt by now
    EXPECT_FALSE(std::isfinite(training.step().loss));
    EXPECT_EQ(training.steps_done(), 0);
    EXPECT_TRUE(training.gradients().empty());
}

TEST(ProbeWeights, GradientsAreThoseOfFiniteDifferences) {
    Probe model = small_probe();
    const Examples x = some_examples(2);
    const Tensor<double> w = attention_weights(model, x.ids), g = weight_gradients(model, x, w);
    constexpr double kStep = 1e-2;
    const auto loss = [&](Index at, double by) {
        Tensor<Real> other = cast<Real>(w);
        other[at] += static_cast<Real>(by);
        return evaluate(model, x, {.weights = other}).loss * 2;  // a sum, as the gradient is of one
    };
    double largest = 0;
    for (Index r = 0; r < 4; ++r)  // inputs and heads
        for (Index j = 0; j < kSteps; ++j) {
            const Index at = r * kSteps * kSteps + j;  // of position 0
            // Rounding of a loss near 1.4 over 2 kStep is 2e-5; the third derivative adds less.
            EXPECT_NEAR(g[r * kSteps + j], (loss(at, kStep) - loss(at, -kStep)) / (2 * kStep), 1e-4) << r << " " << j;
            largest = std::max(largest, std::abs(g[r * kSteps + j]));
        }
    EXPECT_GT(largest, 1e-2);
}

TEST(ProbeWeights, AKeyIsRemovedAndTheRestIsADistribution) {
    EXPECT_EQ(without_key(Weights{0.5, 0.25, 0.25}, 0), (Weights{0, 0.5, 0.5}));
    EXPECT_EQ(without_key(Weights{0, 1, 0}, 1), (Weights{0.5, 0, 0.5})) << "nothing else was attended to";
    const Tensor<double> w = Tensor<double>::from({1, 1, 3, 3}, {0.5, 0.25, 0.25, 1, 0, 0, 1, 0, 0}),
                         g = Tensor<double>::from({1, 1, 3}, {1, 2, 4});
    const Tensor<double> harm = harm_at_first_order(w, g);
    // p / (1 - p) (mean - g), the mean being 2.
    EXPECT_NEAR(harm[0], 1, 1e-12);
    EXPECT_NEAR(harm[1], 0, 1e-12);
    EXPECT_NEAR(harm[2], 2.0 / 3, 1e-12);
}

TEST(ProbeWeights, TheFirstOrderIsTheChangeOfTheLossOnTheWayToTheRemoval) {
    Probe model = small_probe();
    const Examples x = some_examples(1);
    const Tensor<double> w = attention_weights(model, x.ids), harm = harm_at_first_order(w, weight_gradients(model, x, w));
    constexpr double kStep = 1e-2;
    for (Index j = 0; j < kSteps; ++j) {
        const auto loss = [&](double share) {
            Tensor<Real> other(w.shape());
            for (Index r = 0; r < w.size() / kSteps; ++r) {
                const Weights rest = without_key(row_of(w, r), j);
                for (Index k = 0; k < kSteps; ++k)
                    other[r * kSteps + k] =
                        static_cast<Real>(w[r * kSteps + k] + share * (rest[static_cast<std::size_t>(k)] - w[r * kSteps + k]));
            }
            return evaluate(model, x, {.weights = other}).loss;
        };
        EXPECT_NEAR(harm[j], std::abs(loss(kStep) - loss(-kStep)) / (2 * kStep), 1e-4) << j;
    }
    const Tensor<double> removed = harm_of_removal(model, x, w);
    for (const double h : removed) EXPECT_TRUE(h > 0 && h < 1) << h;
}

TEST(Alternatives, OtherWeightsGiveTheSameOutput) {
    Random random(3);
    const Tensor<double> v = random.normal<double>({8, 4}), d = silent_directions(v);
    ASSERT_TRUE(d.shape() == (Shape{8, 3}));
    const Tensor<double> gram = matmul(d, d, {.transpose_a = true}), felt = matmul(d, v, {.transpose_a = true});
    for (Index i = 0; i < gram.size(); ++i) EXPECT_NEAR(gram[i], i % 4 == 0 ? 1 : 0, 1e-12);
    for (const double f : felt) EXPECT_NEAR(f, 0, 1e-12) << "the output feels a silent direction";
    const Weights w = {0.3, 0.05, 0.1, 0.15, 0.1, 0.1, 0.15, 0.05}, other = furthest(w, d, random), y = output(w, v),
                  z = output(other, v);
    for (std::size_t c = 0; c < y.size(); ++c) EXPECT_NEAR(y[c], z[c], 1e-12);
    EXPECT_NEAR(std::accumulate(other.begin(), other.end(), 0.0), 1, 1e-12);
    for (const double p : other) EXPECT_GE(p, 0);
    EXPECT_GT(total_variation(w, other), 0.05);
    EXPECT_NE(error_of([&] { silent_directions(random.normal<double>({5, 4})); }).find("T > E + 1"), std::string::npos);
}

TEST(Clustering, AverageLinkageJoinsTheMostAlike) {
    // 0 and 1 are nearly one; 2 is like 1 only, so its mean similarity to both is 0.5; 3 is like none.
    const Tensor<double> s = Tensor<double>::from({4, 4}, {1, 0.95, 0.1, -1,  //
                                                           0.95, 1, 0.9, -1,  //
                                                           0.1, 0.9, 1, -1,   //
                                                           -1, -1, -1, 1});
    EXPECT_EQ(average_linkage(s, 0.8), (std::vector<Cluster>{{0, 1}, {2}, {3}}));
    EXPECT_EQ(average_linkage(s, 0.5), (std::vector<Cluster>{{0, 1, 2}, {3}}));
    EXPECT_EQ(average_linkage(s, -1).size(), 1U);
    EXPECT_NE(error_of([] { average_linkage(Tensor<double>({2, 3}, 1.0), 0.5); }).find("expected [n, n]"), std::string::npos);
}

}  // namespace
}  // namespace gradproof::experiments
