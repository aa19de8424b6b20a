// What the documents state about attention in general, each as a test: symmetry, scaling, limits, paths, masks.
#include <cmath>

#include <gtest/gtest.h>

#include "gradproof/core/random.hpp"
#include "gradproof/core/transforms.hpp"
#include "gradproof/nn/positions.hpp"
#include "gradproof/ops/arithmetic.hpp"
#include "gradproof/ops/attention.hpp"
#include "gradproof/ops/gather.hpp"
#include "gradproof/ops/log_softmax.hpp"
#include "gradproof/ops/matmul.hpp"
#include "gradproof/ops/reduce.hpp"
#include "gradproof/ops/reshape.hpp"
#include "gradproof/ops/softmax.hpp"

namespace gradproof {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
// Everything here is a few products, a softmax and a product over at most 16 terms of order 1: 100 roundings at most.
constexpr double kAttentionTolerance = 100 * kEps;

/// Attention of one head over rows: q [L, D], k [S, D], v [S, E] -> [L, E].
template <class X>
X attend(const X& q, const X& k, const X& v, const AttentionAttrs& attrs = {}) {
    const auto heads = [](const X& x) { return reshape(x, {.shape = {1, 1, x.shape()[0], x.shape()[1]}}); };
    return reshape(attention(heads(q), heads(k), heads(v), attrs), {.shape = {q.shape()[0], v.shape()[1]}});
}

/// Self-attention with projections: x[0] is X as seen by the queries, x[1] by the keys, x[2] by the values; then the weights.
const auto kSelf = [](const auto& x) { return attend(matmul(x[0], x[3]), matmul(x[1], x[4]), matmul(x[2], x[5])); };

/// X [6, 5] and three projections [5, 4].
Tensors self_inputs(std::uint64_t seed) {
    Random rng(seed);
    const auto x = rng.normal<double>({6, 5});
    return {x, x, x, rng.normal<double>({5, 4}), rng.normal<double>({5, 4}), rng.normal<double>({5, 4})};
}

Tensor<double> rows(const Tensor<double>& x, const std::vector<Index>& order) {
    return gather(x, {.ids = Tensor<Index>::from({static_cast<Index>(order.size())}, std::span<const Index>(order))});
}

void expect_within(const Tensor<double>& a, const Tensor<double>& b, double tolerance) {
    ASSERT_EQ(a.shape(), b.shape());
    for (Index i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << "at " << i;
}

TEST(AttentionProperties, PermutingTheTokensPermutesTheOutputAndTheGradient) {
    const Tensors in = self_inputs(1);
    const std::vector<Index> order = {3, 0, 5, 1, 4, 2};
    Tensors permuted = in;
    for (std::size_t i = 0; i < 3; ++i) permuted[i] = rows(in[i], order);
    Random rng(2);
    const auto dy = rng.normal<double>({6, 4});
    const auto [y, dx] = vjp(kSelf, in, dy);
    const auto [z, dz] = vjp(kSelf, permuted, rows(dy, order));
    expect_within(z, rows(y, order), kAttentionTolerance);
    for (std::size_t i = 0; i < 3; ++i)
        expect_within(dz[i], rows(dx[i], order), 10 * kAttentionTolerance);  // gradients of order 10
    for (std::size_t i = 3; i < 6; ++i) expect_within(dz[i], dx[i], 10 * kAttentionTolerance);
}

TEST(AttentionProperties, PositionEncodingsBreakThePermutation) {
    Tensors in = self_inputs(1), permuted = in;
    const std::vector<Index> order = {3, 0, 5, 1, 4, 2};
    const auto positions = position_encoding<double>(6, 5);
    for (std::size_t i = 0; i < 3; ++i) {
        permuted[i] = add(rows(in[i], order), positions);
        in[i] = add(in[i], positions);
    }
    const auto y = rows(kSelf(in), order), z = kSelf(permuted);
    double difference = 0;
    for (Index i = 0; i < y.size(); ++i) difference = std::max(difference, std::abs(y[i] - z[i]));
    EXPECT_GT(difference, 0.1);
}

TEST(AttentionProperties, RowsOfWeightsSumToOneAndAreNotNegative) {
    Random rng(3);
    const auto w =
        attention_forward(rng.normal<double>({2, 3, 4, 5}), rng.normal<double>({2, 3, 7, 5}), rng.normal<double>({2, 3, 7, 2}))
            .weights;
    for (const double x : w.values()) EXPECT_GE(x, 0);
    for (const double total : sum(w, {.axes = {-1}})) EXPECT_NEAR(total, 1, 7 * kEps);
}

TEST(AttentionProperties, OutputStaysBetweenTheValues) {
    Random rng(4);
    const auto v = rng.normal<double>({7, 3});
    const auto y = attend(rng.normal<double>({4, 5}), rng.normal<double>({7, 5}), v);
    for (Index e = 0; e < 3; ++e)
        for (Index i = 0; i < 4; ++i) {
            double low = v[e], high = v[e];
            for (Index j = 0; j < 7; ++j) low = std::min(low, v[j * 3 + e]), high = std::max(high, v[j * 3 + e]);
            EXPECT_GE(y[i * 3 + e], low - kAttentionTolerance);
            EXPECT_LE(y[i * 3 + e], high + kAttentionTolerance);
        }
}

TEST(AttentionProperties, DotProductsOfNormalVectorsHaveVarianceD) {
    constexpr Index kPairs = 20000;
    for (const Index d : {16, 64}) {
        Random rng(10 + static_cast<std::uint64_t>(d));
        const auto products = mul(rng.normal<double>({kPairs, d}), rng.normal<double>({kPairs, d}));
        const auto dots = sum(products, {.axes = {-1}});
        const double size = static_cast<double>(d);
        // q.k is a sum of d products of kurtosis 9, so its own kurtosis is 3 + 6/d, and the variance over N pairs has the
        // standard error d sqrt((2 + 6/d) / N): five of them, about 5 %.
        const double error = 5 * std::sqrt((2 + 6 / size) / static_cast<double>(kPairs));
        EXPECT_NEAR(var(dots).item() / size, 1, error) << "d " << d;
        EXPECT_NEAR(var(scale(dots, {.factor = 1 / std::sqrt(size)})).item(), 1, error) << "d " << d;
        EXPECT_NEAR(mean(dots).item(), 0, 5 * std::sqrt(size / static_cast<double>(kPairs))) << "d " << d;
    }
}

TEST(AttentionProperties, WithoutTheScaleLongVectorsSaturate) {
    Random rng(5);
    const auto q = rng.normal<double>({40, 256}), k = rng.normal<double>({8, 256});
    const auto largest = [](const Tensor<double>& w) { return mean(max(w, {.axes = {-1}})).item(); };
    const auto scores = matmul(q, k, {.transpose_b = true});
    EXPECT_GT(largest(softmax(scores)), 0.9);
    EXPECT_LT(largest(softmax(scores, {.temperature = 16})), 0.5);
}

TEST(AttentionProperties, ZeroScoresGiveTheMeanOfTheValues) {
    Random rng(6);
    const auto v = rng.normal<double>({7, 3});
    const auto y = attend(zeros<double>({2, 5}), rng.normal<double>({7, 5}), v);
    const auto expected = mean(v, {.axes = {0}});
    for (Index i = 0; i < 6; ++i) EXPECT_NEAR(y[i], expected[i % 3], kAttentionTolerance);
}

TEST(AttentionProperties, IdenticalValuesComeBackUnchanged) {
    Random rng(7);
    const double value[] = {0.25, -3, 1.5};
    Tensor<double> v({7, 3});
    for (Index i = 0; i < 21; ++i) v[i] = value[i % 3];
    const auto f = [](const auto& x) { return attend(x[0], x[1], x[2]); };
    const auto [y, dx] = vjp(f, Tensors{rng.normal<double>({4, 5}), rng.normal<double>({7, 5}), v}, rng.normal<double>({4, 3}));
    for (Index i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], value[i % 3], kAttentionTolerance);
    // Which key is chosen then makes no difference: no gradient into the scores.
    for (const double g : dx[0].values()) EXPECT_NEAR(g, 0, kAttentionTolerance);
    for (const double g : dx[1].values()) EXPECT_NEAR(g, 0, kAttentionTolerance);
}

TEST(AttentionProperties, ThreePathsLeadIntoX) {
    const Tensors in = self_inputs(8);
    Random rng(9);
    const auto dy = rng.normal<double>({6, 4});
    const auto paths = vjp(kSelf, in, dy).second;
    const auto once = [](const auto& x) { return attend(matmul(x[0], x[1]), matmul(x[0], x[2]), matmul(x[0], x[3])); };
    const auto whole = vjp(once, Tensors{in[0], in[3], in[4], in[5]}, dy).second[0];
    for (std::size_t i = 0; i < 3; ++i) EXPECT_GT(norm(paths[i]), 0.1) << "path " << i;
    for (Index i = 0; i < whole.size(); ++i)
        EXPECT_NEAR(whole[i], paths[0][i] + paths[1][i] + paths[2][i], 10 * kAttentionTolerance);
    // The value path alone is not the gradient: leaving the other two out is visible.
    EXPECT_GT(norm(add(whole, scale(paths[2], {.factor = -1}))), 0.1);
}

TEST(AttentionProperties, LowTemperatureSelectsAndHighTemperatureAverages) {
    const auto x = Tensor<double>::from({5}, {0.3, 1.1, -0.7, 0.9, 1.0});
    const auto cold = softmax(x, {.temperature = 1e-3});
    for (Index i = 0; i < 5; ++i) EXPECT_NEAR(cold[i], i == 1 ? 1 : 0, std::exp(-100.0) * 5);  // the gap is 0.1 / 1e-3
    const auto hot = softmax(x, {.temperature = 1e6});
    for (Index i = 0; i < 5; ++i) EXPECT_NEAR(hot[i], 0.2, 0.2 * 1.8e-6);  // the spread is 1.8 / 1e6
}

TEST(AttentionProperties, SaturatedSoftmaxHasAVanishingGradient) {
    Random rng(11);
    const auto x = Tensor<double>::from({4}, {0.2, 0.5, -0.3, 0.1});
    const auto dy = rng.normal<double>({4});
    const auto gradient = [&](double factor) {
        const auto f = [&](const auto& v) { return softmax(scale(v[0], {.factor = factor})); };
        return norm(vjp(f, Tensors{x}, dy).second[0]);
    };
    EXPECT_GT(gradient(1), 0.05);
    // The winner leads by 0.3, so the others weigh less than exp(-30) together three times; so does each term of the Jacobian.
    EXPECT_LT(gradient(100), 100 * 2 * 4 * 3 * std::exp(-30.0) * norm(dy));
}

TEST(AttentionProperties, EntropyLiesBetweenZeroAndTheLogarithmOfTheCount) {
    const auto entropy = [](const Tensor<double>& x) {
        return scale(sum(mul(softmax(x), log_softmax(x)), {.axes = {-1}}), {.factor = -1});
    };
    Random rng(12);
    const double most = std::log(9.0);
    for (const double spread : {0.1, 1.0, 10.0})
        for (const double h : entropy(rng.normal<double>({50, 9}, 0, spread))) {
            EXPECT_GE(h, 0);
            EXPECT_LE(h, most + 9 * kEps);
        }
    EXPECT_NEAR(entropy(zeros<double>({9})).item(), most, 9 * kEps);
    EXPECT_NEAR(entropy(Tensor<double>::from({3}, {0, 800, 0})).item(), 0, kEps);
}

TEST(AttentionProperties, MaskingAKeyEqualsRemovingIt) {
    const auto masked = softmax(Tensor<double>::from({4}, {0.3, -INFINITY, 1.1, -0.2}));
    const auto removed = softmax(Tensor<double>::from({3}, {0.3, 1.1, -0.2}));
    EXPECT_EQ(masked[1], 0);
    for (Index i = 0; i < 3; ++i) EXPECT_NEAR(masked[i + (i > 0)], removed[i], 2 * kEps);

    Random rng(13);
    const auto q = rng.normal<double>({4, 5}), k = rng.normal<double>({7, 5}), v = rng.normal<double>({7, 3}),
               dy = rng.normal<double>({4, 3});
    const std::vector<Index> kept = {0, 1, 3, 4, 5, 6};
    Tensor<bool> mask(Shape{7}, true);
    mask[2] = false;
    const auto f = [&](const auto& x) { return attend(x[0], x[1], x[2], {.bool_mask = mask}); };
    const auto g = [](const auto& x) { return attend(x[0], x[1], x[2]); };
    const auto [y, dx] = vjp(f, Tensors{q, k, v}, dy);
    const auto [z, dz] = vjp(g, Tensors{q, rows(k, kept), rows(v, kept)}, dy);
    expect_within(y, z, kAttentionTolerance);
    expect_within(dx[0], dz[0], kAttentionTolerance);
    expect_within(rows(dx[1], kept), dz[1], kAttentionTolerance);
    expect_within(rows(dx[2], kept), dz[2], kAttentionTolerance);
    for (const Index lost : {2}) {
        for (Index c = 0; c < 5; ++c) EXPECT_EQ(dx[1][lost * 5 + c], 0);
        for (Index c = 0; c < 3; ++c) EXPECT_EQ(dx[2][lost * 3 + c], 0);
    }
}

TEST(AttentionProperties, ScoresAreSymmetricOnlyWhereQueriesAreKeys) {
    Random rng(14);
    const auto x = rng.normal<double>({5, 4}), wq = rng.normal<double>({4, 3}), wk = rng.normal<double>({4, 3});
    const auto asymmetry = [](const Tensor<double>& s) {
        double most = 0;
        for (Index i = 0; i < 5; ++i)
            for (Index j = 0; j < 5; ++j) most = std::max(most, std::abs(s[i * 5 + j] - s[j * 5 + i]));
        return most;
    };
    EXPECT_GT(asymmetry(matmul(matmul(x, wq), matmul(x, wk), {.transpose_b = true})), 0.5);
    EXPECT_LE(asymmetry(matmul(matmul(x, wq), matmul(x, wq), {.transpose_b = true})), kAttentionTolerance);
}

TEST(AttentionProperties, ACausalOutputDoesNotSeeTheFuture) {
    Random rng(15);
    const auto q = rng.normal<double>({6, 5}), k = rng.normal<double>({6, 5}), v = rng.normal<double>({6, 3});
    auto later = v.clone();
    for (Index c = 0; c < 3; ++c) later[5 * 3 + c] += 1;
    const auto y = attend(q, k, v, {.causal = true}), z = attend(q, k, later, {.causal = true});
    for (Index i = 0; i < 5 * 3; ++i) EXPECT_EQ(y[i], z[i]);
    EXPECT_NE(y[5 * 3], z[5 * 3]);
    for (Index c = 0; c < 3; ++c) EXPECT_NEAR(y[c], v[c], kAttentionTolerance);  // the first token sees itself only
}

}  // namespace
}  // namespace gradproof
