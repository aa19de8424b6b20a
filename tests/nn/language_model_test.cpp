// The language model: what it may see, decoding beside the whole forward, the layers it consists of.
#include "gradproof/nn/language_model.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "gradproof/nn/train/options.hpp"
#include "gradproof/ops/matmul.hpp"
#include "tests/support.hpp"

namespace gradproof {
namespace {

LanguageModelOptions small(PositionKind positions) {
    return {.vocabulary = 11, .context = 12, .layers = 2, .heads = 2, .channels = 8, .positions = positions};
}

Tensor<Index> ids_of(Index rows, Index length, std::uint64_t seed) {
    Random random(seed);
    Tensor<Index> out({rows, length});
    for (Index& id : out) id = random.below(11);
    return out;
}

class EveryPosition : public ::testing::TestWithParam<PositionKind> {};

}  // namespace

INSTANTIATE_TEST_SUITE_P(LanguageModels, EveryPosition,
                         ::testing::Values(PositionKind::learned, PositionKind::sinusoidal, PositionKind::rotary,
                                           PositionKind::alibi, PositionKind::none),
                         [](const auto& p) { return name_of(p.param); });

TEST_P(EveryPosition, ScoresDependOnNothingThatComesLater) {
    LanguageModel<double> model(small(GetParam()), 3);
    Step<double> step(model.tree());
    step.begin_evaluation();
    Tensor<Index> ids = ids_of(2, 12, 1);
    const Tensor<double> before = model.forward(step, ids).value().clone();
    for (Index r = 0; r < 2; ++r) ids[r * 12 + 7] = (ids[r * 12 + 7] + 1) % 11;
    const Tensor<double> after = model.forward(step, ids).value();
    double later = 0;
    for (Index i = 0; i < before.size(); ++i) {
        if (i / 11 % 12 < 7)
            ASSERT_EQ(before[i], after[i]) << i;
        else
            later = std::max(later, std::abs(before[i] - after[i]));
    }
    EXPECT_GT(later, 1e-6);
}

TEST_P(EveryPosition, DecodingGivesTheScoresOfTheWholeForward) {
    const auto largest_difference = [](auto zero, PositionKind positions) {
        using T = decltype(zero);
        LanguageModel<T> model(small(positions), 3);
        Decoder<T> cached(model), whole(model, Decoding::whole);
        const Tensor<Index> ids = ids_of(1, 40, 2);  // far beyond the context of 12
        double worst = 0;
        for (Index at = 0; at < 40; at += 1 + at % 3) {
            const std::span<const Index> some(ids.data() + at, static_cast<std::size_t>(std::min<Index>(1 + at % 3, 40 - at)));
            const Tensor<T> a = cached.read(some), b = whole.read(some);
            EXPECT_EQ(cached.context(), whole.context());
            EXPECT_LE(cached.context().size(), 12u);
            for (Index i = 0; i < a.size(); ++i)
                worst = std::max(worst, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
        }
        return worst;
    };
    EXPECT_LT(largest_difference(0.0, GetParam()), 1e-13);
    EXPECT_LT(largest_difference(0.0f, GetParam()), 1e-6);
}

TEST_P(EveryPosition, OrderMattersUnlessThereAreNoPositions) {
    LanguageModelOptions o = small(GetParam());
    o.layers = 1;  // a second one would see how many keys each position had
    LanguageModel<double> model(o, 3);
    Step<double> step(model.tree());
    step.begin_evaluation();
    // The keys in another order, the same query last.
    const auto last = [&](std::initializer_list<Index> ids) {
        const Tensor<double> y = model.forward(step, Tensor<Index>::from({1, 4}, ids)).value();
        return Tensor<double>::from({11}, std::span<const double>(y.data() + 33, 11));
    };
    const Tensor<double> a = last({1, 1, 2, 5}), b = last({1, 2, 1, 5});
    double difference = 0;
    for (Index i = 0; i < 11; ++i) difference = std::max(difference, std::abs(a[i] - b[i]));
    EXPECT_EQ(difference > 1e-9, GetParam() != PositionKind::none) << difference;  // with none, sums in another order
}

namespace {

/// The model of one layer, from the layers it is said to have.
struct ByHand {
    ByHand(const LanguageModelOptions& o, HeadPositions in_heads)
        : embedding(o.vocabulary, o.channels, init::normal(0.02)),
          learned(o.context, o.channels),
          sinusoidal(o.context, o.channels),
          block({.channels = o.channels,
                 .heads = o.heads,
                 .hidden = 4 * o.channels,
                 .residual_gain = 1 / std::sqrt(2.0),
                 .positions = in_heads}),
          norm(o.channels) {
        block.attention.attrs.causal = true;
    }
    void parameters(auto&& visit) {
        visit("embedding", embedding);
        visit("positions", learned);
        visit("blocks.0", block);
        visit("norm", norm);
    }
    Embedding<double> embedding;
    LearnedPositions<double> learned;
    SinusoidalPositions<double> sinusoidal;
    Block<double> block;
    LayerNorm<double> norm;
};

}  // namespace

TEST_P(EveryPosition, TheModelIsThatOfItsLayers) {
    LanguageModelOptions o = small(GetParam());
    o.layers = 1;
    LanguageModel<double> model(o, 3);
    ByHand layers(o, GetParam() == PositionKind::rotary  ? HeadPositions::rotary
                     : GetParam() == PositionKind::alibi ? HeadPositions::alibi
                                                         : HeadPositions::none);
    ParameterTree<double> tree(layers, 3);  // the same names, so the same first values
    Step<double> step(model.tree()), by_hand(tree);
    step.begin_evaluation();
    by_hand.begin_evaluation();
    const Tensor<Index> ids = ids_of(2, 12, 4);
    Var<double> x = layers.embedding.forward(by_hand, ids);
    if (GetParam() == PositionKind::learned) x = layers.learned.forward(by_hand, x);
    if (GetParam() == PositionKind::sinusoidal) x = layers.sinusoidal.forward(by_hand, x);
    x = layers.norm.forward(by_hand, layers.block.forward(by_hand, x));
    const Tensor<double> expected = matmul(x, by_hand(layers.embedding.weight), {.transpose_b = true}).value(),
                         scores = model.forward(step, ids).value();
    for (Index i = 0; i < scores.size(); ++i) ASSERT_NEAR(scores[i], expected[i], 1e-15) << i;
}

TEST(LanguageModel, TheReadoutIsTheEmbedding) {
    LanguageModel<float> model({.vocabulary = 96, .context = 128, .layers = 5, .heads = 4, .channels = 128}, 1);
    // 96 and 128 rows of 128; a block: 4 C² + 8 C² + 5 C of biases + 4 C of norms; a last norm.
    EXPECT_EQ(model.tree().count(), (96 + 128) * 128 + 5 * (12 * 128 * 128 + 9 * 128) + 2 * 128);
    EXPECT_EQ(model.tree()[0].name, "embedding.weight");
    EXPECT_EQ(model.tree()[1].name, "positions.weight");
    EXPECT_EQ(model.tree()[2].name, "blocks.0.norm1.gain");
}

TEST(LanguageModel, BadSizesAreNamed) {
    const auto text = [](const LanguageModelOptions& o) { return testing::error_of([&] { LanguageModel<float>(o, 1); }); };
    EXPECT_EQ(text({.heads = 3}), "language model: heads must divide the width: heads is 3, width is 128");
    EXPECT_EQ(text({.layers = 0}), "language model: layers is 0, expected 1 to 1000");
    EXPECT_EQ(text({.layers = 1001}), "language model: layers is 1001, expected 1 to 1000");
    EXPECT_EQ(text({.context = -1}), "language model: context is -1, expected 1 to 1000000");
    LanguageModel<double> model(small(PositionKind::learned), 3);
    Step<double> step(model.tree());
    step.begin_evaluation();
    EXPECT_THROW(model.forward(step, Tensor<Index>({1, 13}, 0)), ShapeError);
    EXPECT_THROW(model.forward(step, Tensor<Index>({1, 0})), ShapeError);
    EXPECT_THROW(model.forward(step, Tensor<Index>({1, 3}, 11)), ValueError);
    auto caches = model.caches(1);
    model.decode(step, Tensor<Index>({1, 3}, 1), caches);
    EXPECT_THROW(model.decode(step, Tensor<Index>({1, 10}, 1), caches), ShapeError);
    EXPECT_THROW(model.decode(step, Tensor<Index>({1, 1}, 11), caches), ValueError);
    for (const auto& cache : caches) EXPECT_EQ(cache.length(), 3);
}

TEST(LanguageModel, AReadThatIsRefusedReadsNothing) {
    LanguageModel<double> model(small(PositionKind::learned), 3);
    const std::vector<Index> first = {1, 2, 3}, bad = {4, 11}, many(20, -1), next = {5};
    for (const Decoding decoding : {Decoding::cached, Decoding::whole}) {
        Decoder<double> spoilt(model, decoding), clean(model, decoding);
        spoilt.read(first);
        clean.read(first);
        EXPECT_EQ(testing::error_of([&] { spoilt.read(bad); }), "language model: id is 11, expected 0 to 10");
        EXPECT_THROW(spoilt.read(many), ValueError);
        EXPECT_EQ(spoilt.context(), first);
        const Tensor<double> a = spoilt.read(next), b = clean.read(next);
        EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin()));
    }
}

}  // namespace gradproof
