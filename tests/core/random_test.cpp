// Random numbers: the generator's known answers, the same numbers everywhere, and their distribution.
#include "gradproof/core/random.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gradproof {
namespace {

TEST(Random, PhiloxMatchesItsPublishedAnswerForZero) {
    // Philox 4x32-10 of counter 0, key 0: 6627e8d5 e169c58d bc57ac4c 9b00dbd8 (the authors' known-answer test).
    Random rng(0);
    EXPECT_EQ(rng.bits(), 0xe169c58d6627e8d5ULL);
    EXPECT_EQ(rng.bits(), 0x9b00dbd8bc57ac4cULL);
}

TEST(Random, ASeedNamesTheSameNumbersEverywhere) {
    // Pinned to the last bit: a change of compiler, library or machine must not move them.
    Random rng(42);
    const double pinned[] = {-0x1.42dc65ce0ff8bp-4, -0x1.a3f4a5b3e5028p-2, -0x1.caca1d20ed486p-2,
                             -0x1.d61412d6e26a2p-4, 0x1.a1a8bc2f2eb4fp-2,  0x1.805c509d131d6p-1};
    for (const double expected : pinned) EXPECT_EQ(rng.normal(), expected);
}

TEST(Random, StreamsAndSeedsDifferAndSeekRepeats) {
    Random a(1), b(2), c = a.stream(0);
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 100; ++i) seen.insert({a.bits(), b.bits(), c.bits()});
    EXPECT_EQ(seen.size(), 300u);
    const auto at = a.position();
    const double x = a.normal();
    a.seek(at);
    EXPECT_EQ(a.normal(), x);
}

TEST(Random, QuantileInvertsTheDistributionFunction) {
    for (const double p : {1e-300, 1e-20, 1e-5, 0.01, 0.07, 0.3, 0.5, 0.77, 0.975, 1 - 1e-9}) {
        const double x = normal_quantile(p);
        // erfc is accurate to an ulp or two; the condition of the tail is x^2 p, hence the factor.
        EXPECT_NEAR(0.5 * std::erfc(-x / std::sqrt(2.0)) / p, 1.0, 1e-15 * (4 + 2 * x * x)) << p;
    }
}

TEST(Random, MomentsAreThoseOfTheNormal) {
    Random rng(7);
    const int n = 200000;
    double sum = 0, squares = 0, fourth = 0;
    for (int i = 0; i < n; ++i) {
        const double x = rng.normal();
        sum += x;
        squares += x * x;
        fourth += x * x * x * x;
    }
    // Five standard errors: sqrt(1/n), sqrt(2/n), sqrt(96/n).
    EXPECT_NEAR(sum / n, 0, 5 * std::sqrt(1.0 / n));
    EXPECT_NEAR(squares / n, 1, 5 * std::sqrt(2.0 / n));
    EXPECT_NEAR(fourth / n, 3, 5 * std::sqrt(96.0 / n));
}

TEST(Random, BelowIsInRangeAndPermutationsArePermutations) {
    Random rng(3);
    for (int i = 0; i < 1000; ++i) EXPECT_LT(rng.below(7), 7);
    EXPECT_THROW(rng.below(0), ValueError);
    const auto order = rng.permutation(50);
    EXPECT_EQ(std::set<Index>(order.begin(), order.end()).size(), 50u);
    EXPECT_NE(order, rng.permutation(50));
}

}  // namespace
}  // namespace gradproof
