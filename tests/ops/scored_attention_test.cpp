// Attentions with scores of their own: each against its formula written with smaller ops, and against attention where they meet.
#include <gtest/gtest.h>

#include "gradproof/core/random.hpp"
#include "gradproof/ops/activations.hpp"
#include "gradproof/ops/additive_attention.hpp"
#include "gradproof/ops/arithmetic.hpp"
#include "gradproof/ops/attention.hpp"
#include "gradproof/ops/bilinear_attention.hpp"
#include "gradproof/ops/gather.hpp"
#include "gradproof/ops/hard_attention.hpp"
#include "gradproof/ops/matmul.hpp"
#include "gradproof/ops/reduce.hpp"
#include "gradproof/ops/relative_attention.hpp"
#include "gradproof/ops/reshape.hpp"
#include "gradproof/ops/sigmoid_attention.hpp"
#include "gradproof/ops/softmax.hpp"
#include "tests/ops/waves.hpp"

namespace gradproof {
namespace {

using testing::D;
using V = Var<double>;
using Vars = std::vector<V>;

constexpr double kNear = 1e-13;  // numbers of size 1 through some hundred roundings
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<D> drawn(const std::vector<Shape>& shapes) {
    std::vector<D> out;
    for (const Shape& s : shapes) out.push_back(Random(11).stream(out.size()).normal<double>(s));
    return out;
}
/// 0 where query i sees key j, -inf elsewhere: [L, S].
V later_keys(bool causal, Index L, Index S) {
    D mask({L, S}, 0.0);
    for (Index i = 0; i < L && causal; ++i)
        for (Index j = i + 1; j < S; ++j) mask[i * S + j] = -kInfinity;
    return V(mask);
}
/// softmax(s, of the keys seen) v
V softmax_of(const V& s, const V& v, bool causal) {
    return matmul(softmax(add(s, later_keys(causal, s.shape().last(1), s.shape().last()))), v);
}

TEST(RelativeAttention, WithTablesOfZerosIsAttention) {
    for (const bool causal : {false, true})
        testing::expect_same(
            [&](const Vars& x) {
                return relative_attention(x[0], x[1], x[2], V(zeros<double>({5, 4})), V(zeros<double>({5, 6})),
                                          {.causal = causal});
            },
            [&](const Vars& x) { return attention(x[0], x[1], x[2], {.causal = causal}); },
            drawn({{2, 3, 7, 4}, {2, 3, 9, 4}, {2, 3, 9, 6}}), kNear);
}

TEST(RelativeAttention, ShiftsEachKeyAndValueByTheRowOfItsClippedDistance) {
    // One head, keys and values shifted for each pair: [L, S, D] is made here.
    const Index L = 5, S = 7, E = 3, width = 4, c = 2;
    Tensor<Index> rows({L, S});
    for (Index i = 0; i < L; ++i)
        for (Index j = 0; j < S; ++j) rows[i * S + j] = std::clamp<Index>(j - i, -c, c) + c;
    for (const bool causal : {false, true}) {
        const auto pair_by_pair = [&](const Vars& x) {
            const V keys = add(reshape(x[1], {.shape = {1, S, width}}), gather(x[3], {.ids = rows}));
            const V values = add(reshape(x[2], {.shape = {1, S, E}}), gather(x[4], {.ids = rows}));
            const V s = scale(sum(mul(reshape(x[0], {.shape = {L, 1, width}}), keys), {.axes = {-1}}), {.factor = 0.5});
            const V w = softmax(add(s, later_keys(causal, L, S)));
            return sum(mul(reshape(w, {.shape = {L, S, 1}}), values), {.axes = {1}});
        };
        testing::expect_same([&](const Vars& x) { return relative_attention(x[0], x[1], x[2], x[3], x[4], {.causal = causal}); },
                             pair_by_pair, drawn({{L, width}, {S, width}, {S, E}, {2 * c + 1, width}, {2 * c + 1, E}}), kNear);
    }
}

TEST(AdditiveAttention, ScoresAreALayerOfTanhUnits) {
    const Index L = 4, S = 6, A = 5;
    for (const bool causal : {false, true})
        testing::expect_same(
            [&](const Vars& x) { return additive_attention(x[0], x[1], x[2], x[3], {.causal = causal}); },
            [&](const Vars& x) {
                const V u = tanh(add(reshape(x[0], {.shape = {2, L, 1, A}}), reshape(x[1], {.shape = {2, 1, S, A}})));
                return softmax_of(matmul(u, x[3]), x[2], causal);
            },
            drawn({{2, L, A}, {2, S, A}, {2, S, 3}, {A}}), kNear);
}

TEST(BilinearAttention, ScoresGoThroughAMatrix) {
    for (const bool causal : {false, true})
        testing::expect_same(
            [&](const Vars& x) { return bilinear_attention(x[0], x[1], x[2], x[3], {.scale = 0.7, .causal = causal}); },
            [&](const Vars& x) {
                const V s = matmul(matmul(x[0], x[3]), x[1], {.transpose_b = true});
                return softmax_of(scale(s, {.factor = 0.7}), x[2], causal);
            },
            drawn({{2, 4, 3}, {2, 6, 5}, {2, 6, 2}, {3, 5}}), kNear);
}

TEST(BilinearAttention, WithTheUnitMatrixIsAttention) {
    D unit({4, 4}, 0.0);
    for (Index i = 0; i < 4; ++i) unit[i * 5] = 1;
    testing::expect_same([&](const Vars& x) { return bilinear_attention(x[0], x[1], x[2], V(unit), {.scale = 0.5}); },
                         [](const Vars& x) { return attention(x[0], x[1], x[2]); },
                         drawn({{2, 3, 5, 4}, {2, 3, 6, 4}, {2, 3, 6, 2}}), kNear);
}

TEST(SigmoidAttention, WeighsEachKeyByItself) {
    const Index L = 4, S = 6;
    for (const bool causal : {false, true}) {
        D seen({L, S}, 1.0);
        for (Index i = 0; i < L && causal; ++i)
            for (Index j = i + 1; j < S; ++j) seen[i * S + j] = 0;
        testing::expect_same(
            [&](const Vars& x) { return sigmoid_attention(x[0], x[1], x[2], {.scale = 0.4, .bias = -0.3, .causal = causal}); },
            [&](const Vars& x) {
                const V s = add(scale(matmul(x[0], x[1], {.transpose_b = true}), {.factor = 0.4}), V(D::scalar(-0.3)));
                return matmul(mul(sigmoid(s), V(seen)), x[2]);
            },
            drawn({{2, L, 3}, {2, S, 3}, {2, S, 5}}), kNear);
    }
}

TEST(SigmoidAttention, TheUsualBiasMakesEqualScoresSumToAboutOne) {
    for (const Index S : {1, 10, 1000}) {
        const D y = sigmoid_attention(zeros<double>({1, 1, 2}), zeros<double>({1, S, 2}), ones<double>({1, S, 1}));
        const double n = static_cast<double>(S);
        EXPECT_NEAR(y[0], n / (n + 1), 1e-13);  // S times 1 / (1 + exp(log S))
    }
}

TEST(HardAttention, TakesTheValueOfTheNearestKeyTheFirstOfSeveral) {
    const D q = D::from({3, 2}, {1, 0, 0, 2, -1, -0.5}), k = D::from({4, 2}, {1, 0, 0, 1, 1, 0, -1, 0}),
            v = D::from({4, 1}, {10, 20, 30, 40});
    EXPECT_TRUE(testing::near(hard_attention(q, k, v), D::from({3, 1}, {10, 20, 40}), 0));  // keys 0 and 2 tie
    EXPECT_TRUE(testing::near(hard_attention(q, k, v, {.causal = true}), D::from({3, 1}, {10, 20, 20}), 0));
    EXPECT_THROW(nearest_keys(q, D(Shape{0, 2})), ShapeError);
    EXPECT_THROW(nearest_keys(q, D(Shape{4, 3})), ShapeError);
}

TEST(HardAttention, AKeyWhoseProductIsNanIsChosenOnlyWhereAllAre) {
    const D q = D::from({1, 1}, {1});
    const auto chosen = [&](double a, double b, double c) { return nearest_keys(q, D::from({3, 1}, {a, b, c}))[0]; };
    EXPECT_EQ(chosen(NAN, 1, 2), 2);
    EXPECT_EQ(chosen(1, NAN, 2), 2);
    EXPECT_EQ(chosen(1, NAN, -2), 0);
    EXPECT_EQ(chosen(NAN, NAN, NAN), 0);
    EXPECT_EQ(chosen(-INFINITY, NAN, -INFINITY), 0);
}

TEST(HardAttention, AValueGetsTheCotangentsOfAllThatChoseIt) {
    Tape<double> tape;
    const V v = tape.leaf(ones<double>({3, 2}));
    const V y = hard_attention(v, {.chosen = Tensor<Index>::from({4}, {2, 0, 2, 2})});
    tape.backward(y, D::from({4, 2}, {1, 2, 3, 4, 10, 20, 100, 200}));
    EXPECT_TRUE(testing::near(tape.grad(v), D::from({3, 2}, {3, 4, 0, 0, 111, 222}), 0));
}

TEST(HardAttention, NoGradientReachesTheChoice) {
    const auto x = drawn({{2, 3, 4}, {2, 5, 4}, {2, 5, 2}});
    Tape<double> tape;
    const V q = tape.leaf(x[0]), k = tape.leaf(x[1]), v = tape.leaf(x[2]);
    const V y = hard_attention(q, k, v);
    tape.backward(y, ones<double>(y.shape()));
    EXPECT_EQ(tape.gradient(q).state, GradientState::no_path);
    EXPECT_EQ(tape.gradient(k).state, GradientState::no_path);
    EXPECT_EQ(tape.gradient(v).state, GradientState::reached);
}

TEST(HardAttention, IsWhereAttentionGoesAsItsScaleGrows) {
    // With g the gap between the largest product and the next, the weight of all other keys falls as exp(-scale g).
    const D q({1, 1, 1, 1}, 1.0), k = D::from({1, 1, 3, 1}, {0.5, 2.0, 1.5}), v = D::from({1, 1, 3, 1}, {3.0, -1.0, 7.0});
    const double hard = hard_attention(q, k, v)[0], gap = 0.5;
    EXPECT_EQ(hard, -1);
    double before = 0;
    for (const double scale : {10.0, 20.0, 30.0, 40.0, 50.0}) {
        const double error = std::abs(attention(q, k, v, {.scale = scale})[0] - hard);
        EXPECT_NEAR(error / (8 * std::exp(-scale * gap)), 1, 0.01) << scale;  // 8 is how far the next value is
        if (before > 0) {
            EXPECT_NEAR(std::log(before / error) / 10, gap, 1e-3);
        }
        before = error;
    }
    EXPECT_EQ(attention(q, k, v, {.scale = 1e4})[0], hard);
}

}  // namespace
}  // namespace gradproof
