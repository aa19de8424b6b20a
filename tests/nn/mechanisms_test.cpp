// The mechanisms as layers: their parameters, what they are made of, that gradients reach all of it, and positions of heads.
#include "gradproof/nn/mechanisms.hpp"

#include <gtest/gtest.h>

#include "gradproof/ops/additive_attention.hpp"
#include "gradproof/ops/alibi.hpp"
#include "gradproof/ops/bilinear_attention.hpp"
#include "gradproof/ops/rnn.hpp"
#include "tests/ops/waves.hpp"

using namespace gradproof;

namespace {

using D = Tensor<double>;

template <class Layer>
struct Built {
    template <class... A>
    explicit Built(A&&... a) : layer(std::forward<A>(a)...) {
        step.begin();
    }
    std::vector<std::string> names() {
        std::vector<std::string> out;
        for (int i = 0; i < tree.size(); ++i) out.push_back(tree[i].name);
        return out;
    }
    /// Every parameter gets a gradient that is not zero.
    void expect_trains(const Var<double>& y) {
        step.tape().backward(y, gradproof::testing::wave(y.shape(), 8));
        for (int i = 0; i < tree.size(); ++i) {
            ASSERT_TRUE(step.grad(i).defined()) << tree[i].name;
            EXPECT_GT(dot(step.grad(i), step.grad(i)), 1e-12) << tree[i].name;
        }
    }
    Layer layer;
    ParameterTree<double> tree{layer, 3};
    Step<double> step{tree};
};
using Names = std::vector<std::string>;

D sequence_of(const Shape& shape) { return Random(4).normal<double>(shape); }

/// A causal layer [B, T, C] -> [B, T, ...]: nothing that comes later changes an output.
template <class Layer>
void expect_causal(Built<Layer>& built, Index channels) {
    D x = sequence_of({2, 9, channels});
    const D before = built.layer.forward(built.step, x).value().clone();
    for (Index b = 0; b < 2; ++b)
        for (Index n = 5 * channels; n < 9 * channels; ++n) x[b * 9 * channels + n] += 1;
    const D after = built.layer.forward(built.step, x).value();
    const Index width = after.dim(2);
    for (Index n = 0; n < after.size(); ++n) EXPECT_EQ(after[n] == before[n], n / width % 9 < 5) << n;
}

/// Reversing the sequence reverses the output: no position is known.
template <class Layer>
bool knows_positions(Built<Layer>& built, Index channels) {
    const D x = sequence_of({1, 6, channels});
    D back(x.shape());
    for (Index t = 0; t < 6; ++t) std::copy_n(x.data() + t * channels, channels, back.data() + (5 - t) * channels);
    const D y = built.layer.forward(built.step, x).value(), z = built.layer.forward(built.step, back).value();
    for (Index t = 0; t < 6; ++t)
        for (Index c = 0; c < y.dim(2); ++c)
            if (std::abs(y[t * y.dim(2) + c] - z[(5 - t) * y.dim(2) + c]) > 1e-12) return true;
    return false;
}

}  // namespace

TEST(Mechanisms, HaveTheParametersOfTheirPapersAndTrainAllOfThem) {
    const D x = sequence_of({2, 5, 8}), memory = sequence_of({2, 7, 6});
    Built<RelativeAttention<double>> relative(HeadOptions{.channels = 8, .heads = 2}, 3);
    EXPECT_EQ(relative.names(), (Names{"wq", "wk", "wv", "wo", "rk", "rv"}));
    EXPECT_EQ(relative.tree.find("rk").shape, (Shape{7, 4}));
    relative.expect_trains(relative.layer.forward(relative.step, x));
    Built<SigmoidAttention<double>> sigmoid(HeadOptions{.channels = 8, .heads = 2});
    sigmoid.expect_trains(sigmoid.layer.forward(sigmoid.step, x));
    Built<LinearAttention<double>> linear(HeadOptions{.channels = 8, .heads = 4});
    linear.expect_trains(linear.layer.forward(linear.step, x));
    const MemoryOptions sizes{.channels = 8, .memory_channels = 6, .units = 3, .values = 4};
    Built<AdditiveAttention<double>> additive(sizes);
    EXPECT_EQ(additive.names(), (Names{"wq", "wk", "wv", "a"}));
    additive.expect_trains(additive.layer.forward(additive.step, x, memory));
    Built<BilinearAttention<double>> bilinear(sizes);
    EXPECT_EQ(bilinear.names(), (Names{"w", "wv"}));
    bilinear.expect_trains(bilinear.layer.forward(bilinear.step, x, memory));
    Built<CrossAttention<double>> cross(CrossOptions{.channels = 8, .memory_channels = 6, .heads = 2});
    cross.expect_trains(cross.layer.forward(cross.step, x, memory));
    Built<Recurrent<double>> recurrent(8, 3);
    recurrent.expect_trains(recurrent.layer.forward(recurrent.step, x));
    Built<Lstm<double>> lstm(8, 3);
    EXPECT_EQ(lstm.tree.count(), 4 * 3 * (8 + 3 + 1));
    lstm.expect_trains(lstm.layer.forward(lstm.step, x));
    Built<Convolution<double>> convolution(8, 3, 2);
    convolution.expect_trains(convolution.layer.forward(convolution.step, x));
}

TEST(Mechanisms, CausalOnesSeeNothingLater) {
    Built<RelativeAttention<double>> relative(HeadOptions{.channels = 8, .heads = 2, .causal = true}, 2);
    expect_causal(relative, 8);
    Built<HardAttention<double>> hard(HeadOptions{.channels = 8, .heads = 2, .causal = true});
    expect_causal(hard, 8);
    Built<SigmoidAttention<double>> sigmoid(HeadOptions{.channels = 8, .heads = 2, .causal = true});
    expect_causal(sigmoid, 8);
    Built<LinearAttention<double>> linear(HeadOptions{.channels = 8, .heads = 2, .causal = true});
    expect_causal(linear, 8);
    const MemoryOptions sizes{.channels = 8, .memory_channels = 8, .causal = true};
    Built<AdditiveAttention<double>> additive(sizes);
    expect_causal(additive, 8);
    Built<BilinearAttention<double>> bilinear(sizes);
    expect_causal(bilinear, 8);
    Built<Recurrent<double>> recurrent(8, 3);
    expect_causal(recurrent, 8);
    Built<Lstm<double>> lstm(8, 3);
    expect_causal(lstm, 8);
    Built<Convolution<double>> convolution(8, 3, 6, Conv1dAttrs{.padding = Padding::causal});
    expect_causal(convolution, 8);
}

TEST(Mechanisms, OnlySomeKnowPositions) {
    Built<RelativeAttention<double>> relative(HeadOptions{.channels = 8, .heads = 2}, 2);
    EXPECT_TRUE(knows_positions(relative, 8));
    Built<SigmoidAttention<double>> sigmoid(HeadOptions{.channels = 8, .heads = 2});
    EXPECT_FALSE(knows_positions(sigmoid, 8));
    Built<HardAttention<double>> hard(HeadOptions{.channels = 8, .heads = 2});
    EXPECT_FALSE(knows_positions(hard, 8));
    Built<LinearAttention<double>> linear(HeadOptions{.channels = 8, .heads = 2});
    EXPECT_FALSE(knows_positions(linear, 8));
    Built<MultiHeadAttention<double>> none(MultiHeadOptions{.channels = 8, .heads = 2});
    EXPECT_FALSE(knows_positions(none, 8));
    Built<MultiHeadAttention<double>> rotary(MultiHeadOptions{.channels = 8, .heads = 2, .positions = HeadPositions::rotary});
    EXPECT_TRUE(knows_positions(rotary, 8));
    Built<MultiHeadAttention<double>> biased(MultiHeadOptions{.channels = 8, .heads = 2, .positions = HeadPositions::alibi});
    EXPECT_FALSE(knows_positions(biased, 8));  // distances are the same from the other end
    biased.layer.attrs.causal = true;
    EXPECT_TRUE(knows_positions(biased, 8));
}

TEST(Mechanisms, HeadsAreSplitAsThoseOfMultiHeadAttention) {
    // Relative attention with tables of zeros is the same layer.
    Built<RelativeAttention<double>> relative(HeadOptions{.channels = 12, .heads = 3, .causal = true}, 2);
    Built<MultiHeadAttention<double>> plain(MultiHeadOptions{.channels = 12, .heads = 3});
    plain.layer.attrs.causal = true;
    relative.tree.find("rk").value.fill(0), relative.tree.find("rv").value.fill(0);
    relative.step.begin(), plain.step.begin();
    const D x = sequence_of({2, 5, 12});
    EXPECT_TRUE(gradproof::testing::near(relative.layer.forward(relative.step, x).value(),
                                         plain.layer.forward(plain.step, x).value(), 1e-13));
}

TEST(Mechanisms, RotaryHeadsSeeDistancesOnly) {
    // The same tokens later in the sequence attend to each other alike, if what is before them is out of sight.
    Built<MultiHeadAttention<double>> built(MultiHeadOptions{.channels = 8, .heads = 2, .positions = HeadPositions::rotary});
    built.layer.attrs.causal = true, built.layer.attrs.window_left = 1;
    const D x = sequence_of({1, 9, 8});
    D shifted(x.shape());
    for (Index n = 0; n < 72; ++n) shifted[n] = x[(n + 72 - 3 * 8) % 72];
    const D y = built.layer.forward(built.step, x).value(), z = built.layer.forward(built.step, shifted).value();
    for (Index t = 1; t < 6; ++t)
        for (Index c = 0; c < 8; ++c) EXPECT_NEAR(y[t * 8 + c], z[(t + 3) * 8 + c], 1e-13);
}

TEST(Mechanisms, WeightsOfHeadsWithPositionsAreTheOnesUsed) {
    for (const HeadPositions positions : {HeadPositions::rotary, HeadPositions::alibi}) {
        Built<MultiHeadAttention<double>> built(MultiHeadOptions{.channels = 8, .heads = 1, .positions = positions});
        const D x = sequence_of({1, 5, 8}), w = built.layer.weights(built.step, x),
                y = built.layer.forward(built.step, x).value();
        const D v = linear(linear(x, built.tree.find("wv").value), built.tree.find("wo").value);
        for (Index i = 0; i < 5; ++i)
            for (Index c = 0; c < 8; ++c) {
                double sum = 0;
                for (Index j = 0; j < 5; ++j) sum += w[i * 5 + j] * v[j * 8 + c];
                EXPECT_NEAR(y[i * 8 + c], sum, 1e-13);
            }
    }
}

TEST(Mechanisms, CrossAttentionLooksIntoAMemoryOfAnotherLength) {
    Built<CrossAttention<double>> built(CrossOptions{.channels = 8, .memory_channels = 6, .heads = 2});
    const D x = sequence_of({2, 3, 8});
    D memory = sequence_of({2, 7, 6});
    EXPECT_EQ(built.layer.forward(built.step, x, memory).shape(), (Shape{2, 3, 8}));
    EXPECT_EQ(built.layer.weights(built.step, x, memory).shape(), (Shape{2, 2, 3, 7}));
    built.layer.attrs.kv_len = Tensor<Index>::from({2}, {7, 4});
    const D before = built.layer.forward(built.step, x, memory).value().clone();
    for (Index n = 6 * (7 + 4); n < memory.size(); ++n) memory[n] = 1e6;  // the padding of the second
    EXPECT_TRUE(gradproof::testing::near(built.layer.forward(built.step, x, memory).value(), before, 0));
}

TEST(Mechanisms, WrongSizesAreRefused) {
    EXPECT_THROW((SigmoidAttention<double>(HeadOptions{.channels = 8, .heads = 3})), ValueError);
    EXPECT_THROW((RelativeAttention<double>(HeadOptions{.channels = 8, .heads = 2}, -1)), ValueError);
    EXPECT_THROW((CrossAttention<double>(CrossOptions{.channels = 8, .heads = 0})), ValueError);
    EXPECT_THROW((MultiHeadAttention<double>(MultiHeadOptions{.channels = 6, .heads = 2, .positions = HeadPositions::rotary})),
                 ValueError);
    Built<LinearAttention<double>> built(HeadOptions{.channels = 8, .heads = 2});
    EXPECT_THROW(built.layer.forward(built.step, D({5, 8}, 1.0)), ShapeError);
}
