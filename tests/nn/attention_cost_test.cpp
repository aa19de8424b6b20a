// Costs of attention: counted again on the arrays of a layer, and how they grow.
#include "gradproof/nn/attention_cost.hpp"

#include <gtest/gtest.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/random.hpp"
#include "gradproof/nn/layers.hpp"

namespace gradproof {
namespace {

TEST(AttentionCost, CountsTheArraysOfALayer) {
    constexpr Index kWords = 5, kChannels = 12, kHeads = 3, kSize = kChannels / kHeads;
    const AttentionCost cost = attention_cost(kWords, kChannels, kHeads);
    MultiHeadAttention<double> layer({.channels = kChannels, .heads = kHeads});
    double parameters = 0;
    layer.parameters([&](const char*, const Parameter<double>& p) { parameters += static_cast<double>(p.shape.size()); });
    EXPECT_EQ(cost.parameters, parameters);
    EXPECT_EQ(cost.entries, 4 * kWords * kChannels);
    EXPECT_EQ(cost.weights, kHeads * kWords * kWords);
    // Each entry of a projection takes a product for each channel; each score, and each entry of an output, one for each it sums.
    EXPECT_EQ(cost.projecting, cost.entries * kChannels);
    EXPECT_EQ(cost.attending, cost.weights * kSize + kWords * kChannels * kWords);
}

TEST(AttentionCost, HundredWordsAreTenTimesTheArithmeticOfTenAndHundredTimesTheWeights) {
    const AttentionCost ten = attention_cost(10, 512, 8), hundred = attention_cost(100, 512, 8);
    EXPECT_EQ(hundred.parameters, ten.parameters);
    EXPECT_EQ(hundred.entries, 10 * ten.entries);
    EXPECT_EQ(hundred.weights, 100 * ten.weights);
    EXPECT_NEAR(hundred.multiplications() / ten.multiplications(), 10.87, 0.01);
}

TEST(AttentionCost, RefusesSizesBelowOne) {
    EXPECT_THROW(attention_cost(0, 4, 1), ValueError);
    EXPECT_THROW(attention_cost(4, 0, 1), ValueError);
    EXPECT_THROW(attention_cost(4, 4, -1), ValueError);
}

}  // namespace
}  // namespace gradproof
