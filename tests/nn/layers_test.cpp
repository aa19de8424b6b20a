// Layers: what each computes, on small sizes against plain loops, and how their parameters are named and counted.
#include "gradproof/nn/layers.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "gradproof/ops/activations.hpp"
#include "gradproof/ops/arithmetic.hpp"
#include "gradproof/ops/reduce.hpp"

using namespace gradproof;

namespace {

template <class Module>
std::vector<std::string> names_of(Module& module) {
    ParameterTree<double> tree(module, 1);
    std::vector<std::string> out;
    for (int i = 0; i < tree.size(); ++i) out.push_back(tree[i].name);
    return out;
}

Tensor<double> drawn(const Shape& shape, std::uint64_t seed = 3) { return Random(seed).normal<double>(shape); }

/// y [rows, out] = x [rows, in] w [in, out], the plain way.
std::vector<double> product(const double* x, Index rows, Index in, const Tensor<double>& w) {
    const Index out = w.dim(1);
    std::vector<double> y(static_cast<std::size_t>(rows * out));
    for (Index r = 0; r < rows; ++r)
        for (Index c = 0; c < out; ++c)
            for (Index k = 0; k < in; ++k) y[static_cast<std::size_t>(r * out + c)] += x[r * in + k] * w[k * out + c];
    return y;
}

}  // namespace

TEST(Linear, IsAnAffineMapWithOrWithoutBias) {
    Linear<double> with(3, 2), without(3, 2, Linear<double>::Bias::without);
    EXPECT_EQ(names_of(with), (std::vector<std::string>{"weight", "bias"}));
    EXPECT_EQ(names_of(without), (std::vector<std::string>{"weight"}));
    ParameterTree<double> tree(with, 1);
    with.weight.value = Tensor<double>::from({3, 2}, {1, 2, 3, 4, 5, 6});
    with.bias.value = Tensor<double>::from({2}, {0.5, -1});
    Step<double> step(tree);
    step.begin_evaluation();
    const Tensor<double> y = with.forward(step, Tensor<double>::from({1, 3}, {1, 0, -1})).value();
    EXPECT_DOUBLE_EQ(y[0], 1 - 5 + 0.5);
    EXPECT_DOUBLE_EQ(y[1], 2 - 6 - 1);
}

TEST(Embedding, TakesRowsByTheirIds) {
    Embedding<double> embedding(5, 3);
    ParameterTree<double> tree(embedding, 1);
    Step<double> step(tree);
    step.begin_evaluation();
    const Tensor<double> y = embedding.forward(step, Tensor<Index>::from({1, 2}, {4, 0})).value();
    EXPECT_EQ(y.shape(), (Shape{1, 2, 3}));
    EXPECT_EQ(y[1], embedding.weight.value[4 * 3 + 1]);
    EXPECT_EQ(y[4], embedding.weight.value[1]);
}

TEST(Positions, SinusoidsAreAddedAndAShortSequenceTakesTheFirstOnes) {
    SinusoidalPositions<double> positions(8, 4);
    Linear<double> unused(1, 1);
    ParameterTree<double> tree(unused, 1);
    Step<double> step(tree);
    step.begin_evaluation();
    const Tensor<double> y = positions.forward(step, Tensor<double>({2, 3, 4}, 1.0)).value();
    // PE(p, 2i) = sin(p / 10000^(2i/C)), PE(p, 2i+1) = cos of the same.
    const Index p = 2;
    EXPECT_NEAR(y.at({1, p, 0}), 1 + std::sin(2.0), 1e-15);
    EXPECT_NEAR(y.at({1, p, 1}), 1 + std::cos(2.0), 1e-15);
    EXPECT_NEAR(y.at({0, p, 2}), 1 + std::sin(0.02), 1e-15);
    EXPECT_NEAR(y.at({0, p, 3}), 1 + std::cos(0.02), 1e-15);
    EXPECT_THROW(positions.forward(step, Tensor<double>({2, 9, 4}, 1.0)), ShapeError);
    EXPECT_THROW(positions.forward(step, Tensor<double>({2, 3, 5}, 1.0)), ShapeError);
}

TEST(Positions, LearnedOnesAreAParameter) {
    LearnedPositions<double> positions(3, 2);
    ParameterTree<double> tree(positions, 1);
    Step<double> step(tree);
    step.begin();
    const Var<double> y = positions.forward(step, Tensor<double>({4, 3, 2}, 1.0));
    EXPECT_EQ(y.value().at({2, 1, 1}), 1 + positions.weight.value.at({1, 1}));
    step.tape().backward(y, Tensor<double>({4, 3, 2}, 1.0));
    EXPECT_EQ(step.grad(0).shape(), (Shape{3, 2}));
    EXPECT_EQ(step.grad(0)[0], 4);  // one from each of the four rows of the batch
    step.begin();
    EXPECT_THROW(positions.forward(step, Tensor<double>({4, 2, 2}, 1.0)), ShapeError);
}

TEST(SingleHeadAttention, TheDocumentsSizeHasItsParameters) {
    SingleHeadAttention<float> attention(64, 16);
    ParameterTree<float> tree(attention, 1);
    EXPECT_EQ(tree.count(), 3072);
    EXPECT_EQ(tree.size(), 3);
}

TEST(SingleHeadAttention, IsTheFormulaAndItsWeightsAreRowsThatSumToOne) {
    const Index T = 3, C = 5, D = 2;
    SingleHeadAttention<double> attention(C, D);
    ParameterTree<double> tree(attention, 4);
    Step<double> step(tree);
    step.begin_evaluation();
    const Tensor<double> x = drawn({1, T, C});
    const Tensor<double> y = attention.forward(step, x).value(), w = attention.weights(step, x);
    ASSERT_EQ(y.shape(), (Shape{1, T, D}));
    ASSERT_EQ(w.shape(), (Shape{1, 1, T, T}));
    const auto q = product(x.data(), T, C, attention.wq.value), k = product(x.data(), T, C, attention.wk.value),
               v = product(x.data(), T, C, attention.wv.value);
    for (Index i = 0; i < T; ++i) {
        std::vector<double> e(T);
        double sum = 0;
        for (Index j = 0; j < T; ++j) {
            double s = 0;
            for (Index d = 0; d < D; ++d) s += q[static_cast<std::size_t>(i * D + d)] * k[static_cast<std::size_t>(j * D + d)];
            sum += e[static_cast<std::size_t>(j)] = std::exp(s / std::sqrt(2.0));
        }
        for (Index j = 0; j < T; ++j) EXPECT_NEAR(w[i * T + j], e[static_cast<std::size_t>(j)] / sum, 1e-14);
        for (Index d = 0; d < D; ++d) {
            double expected = 0;
            for (Index j = 0; j < T; ++j)
                expected += e[static_cast<std::size_t>(j)] / sum * v[static_cast<std::size_t>(j * D + d)];
            EXPECT_NEAR(y[i * D + d], expected, 1e-14);
        }
    }
}

TEST(MultiHeadAttention, OneHeadIsSingleHeadAttentionAndAProjection) {
    const Shape shape{2, 4, 6};
    MultiHeadAttention<double> multi({.channels = 6, .heads = 1});
    SingleHeadAttention<double> single(6, 6);
    ParameterTree<double> multi_tree(multi, 4), single_tree(single, 4);  // equal names draw equal values
    Step<double> a(multi_tree), b(single_tree);
    a.begin_evaluation();
    b.begin_evaluation();
    const Tensor<double> x = drawn(shape), y = multi.forward(a, x).value(), z = single.forward(b, x).value();
    const auto expected = product(z.data(), 8, 6, multi.wo.value);
    for (Index i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[static_cast<std::size_t>(i)], 1e-14);
}

TEST(MultiHeadAttention, FewerKeyHeadsHaveFewerParameters) {
    MultiHeadAttention<double> grouped({.channels = 8, .heads = 4, .kv_heads = 2});
    ParameterTree<double> tree(grouped, 1);
    EXPECT_EQ(tree.count(), 2 * 8 * 8 + 2 * 8 * 4);
    Step<double> step(tree);
    step.begin_evaluation();
    EXPECT_EQ(grouped.weights(step, drawn({2, 3, 8})).shape(), (Shape{2, 4, 3, 3}));
    EXPECT_EQ(grouped.forward(step, drawn({2, 3, 8})).shape(), (Shape{2, 3, 8}));
    EXPECT_THROW(MultiHeadAttention<double>({.channels = 6, .heads = 4}), ValueError);
    EXPECT_THROW(MultiHeadAttention<double>({.channels = 8, .heads = 4, .kv_heads = 3}), ValueError);
}

TEST(FeedForward, IsTwoLinearLayersWithGeluBetween) {
    FeedForward<double> feed_forward(6, 5);
    ParameterTree<double> tree(feed_forward, 2);
    Step<double> step(tree);
    step.begin_evaluation();
    const Tensor<double> x = drawn({2, 3, 6});
    const Tensor<double> y = feed_forward.forward(step, x).value();
    const Tensor<double> expected = feed_forward.down.forward(step, gelu(feed_forward.up.forward(step, x))).value();
    for (Index i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], expected[i]);
}

TEST(Block, AddsAttentionAndFeedForwardToItsInput) {
    Block<double> block({.channels = 6, .heads = 2, .hidden = 5});
    EXPECT_EQ(names_of(block),
              (std::vector<std::string>{"norm1.gain", "norm1.bias", "attention.wq", "attention.wk", "attention.wv",
                                        "attention.wo", "norm2.gain", "norm2.bias", "feed_forward.up.weight",
                                        "feed_forward.up.bias", "feed_forward.down.weight", "feed_forward.down.bias"}));
    ParameterTree<double> tree(block, 2);
    Step<double> step(tree);
    step.begin_evaluation();
    const Tensor<double> x = drawn({2, 3, 6});
    const Var<double> h = add(Var<double>(x), block.attention.forward(step, block.norm1.forward(step, x)));
    const Tensor<double> expected = add(h, block.feed_forward.forward(step, block.norm2.forward(step, h))).value();
    const Tensor<double> y = block.forward(step, x).value();
    for (Index i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], expected[i]);
    // With the output projections at zero nothing is added.
    block.attention.wo.value.fill(0);
    block.feed_forward.down.weight.value.fill(0);
    const Tensor<double> same = block.forward(step, x).value();
    for (Index i = 0; i < same.size(); ++i) EXPECT_EQ(same[i], x[i]);
}

TEST(Block, GradientsOfEveryParameterAgreeWithCentralDifferences) {
    Block<double> block({.channels = 4, .heads = 2, .hidden = 3});
    ParameterTree<double> tree(block, 2);
    Step<double> step(tree);
    const Tensor<double> x = drawn({2, 3, 4}), c = drawn({2, 3, 4}, 8);
    const auto loss = [&] { return sum(mul(block.forward(step, x), Var<double>(c))); };
    step.begin();
    step.backward(loss());
    std::vector<Tensor<double>> grads;
    for (int i = 0; i < tree.size(); ++i) grads.push_back(step.grad(i).clone());
    const double h = 1e-5;  // error h^2 |f'''| / 6 + eps |f| / h: about 1e-10
    for (int i = 0; i < tree.size(); ++i)
        for (const Index k : {Index{0}, tree[i].value.size() - 1}) {
            double& w = tree[i].value[k];
            const double at = w;
            step.begin_evaluation();
            w = at + h;
            const double up = loss().value().item();
            w = at - h;
            const double down = loss().value().item();
            w = at;
            EXPECT_NEAR(grads[static_cast<std::size_t>(i)][k], (up - down) / (2 * h), 1e-8) << tree[i].name << " " << k;
        }
}

TEST(Sequential, RunsItsModulesInOrderAndNamesThemByNumber) {
    Sequential<double, Linear<double>, LayerNorm<double>, Linear<double>> stack(Linear<double>(3, 4), LayerNorm<double>(4),
                                                                                Linear<double>(4, 2));
    EXPECT_EQ(names_of(stack), (std::vector<std::string>{"0.weight", "0.bias", "1.gain", "1.bias", "2.weight", "2.bias"}));
    ParameterTree<double> tree(stack, 2);
    Step<double> step(tree);
    step.begin_evaluation();
    const Tensor<double> x = drawn({5, 3});
    const auto& [a, b, c] = stack.modules;
    const Tensor<double> expected = c.forward(step, b.forward(step, a.forward(step, x))).value();
    const Tensor<double> y = stack.forward(step, x).value();
    for (Index i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], expected[i]);
}
