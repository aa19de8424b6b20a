// Positions inside attention: rotary turns, linear biases.
#include <gtest/gtest.h>

#include <numbers>

#include "gradproof/core/random.hpp"
#include "gradproof/ops/alibi.hpp"
#include "gradproof/ops/attention.hpp"
#include "gradproof/ops/rotary.hpp"
#include "tests/ops/waves.hpp"

namespace gradproof {
namespace {

using testing::D;

constexpr RotaryPairs kPairs[] = {RotaryPairs::interleaved, RotaryPairs::half};

double product_of(const D& a, const D& b) {
    double sum = 0;
    for (Index i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}
/// x [D] at position m.
D at(const D& x, Index m, RotaryPairs pairs) { return rotary(x.reshape({1, x.size()}), {.offset = m, .pairs = pairs}); }

TEST(Rotary, TurnsPairPByThePositionTimesItsSpeed) {
    const D x = D::from({1, 4}, {1, 0, 0, 2});
    const D y = rotary(x, {.offset = 3});
    const double slow = 3 / std::sqrt(10000.0);
    EXPECT_TRUE(
        testing::near(y, D::from({1, 4}, {std::cos(3.0), std::sin(3.0), -2 * std::sin(slow), 2 * std::cos(slow)}), 1e-15));
    const D z = rotary(x, {.offset = 3, .pairs = RotaryPairs::half});  // the pairs (0, 2) and (1, 3)
    EXPECT_TRUE(
        testing::near(z, D::from({1, 4}, {std::cos(3.0), -2 * std::sin(slow), std::sin(3.0), 2 * std::cos(slow)}), 1e-15));
}

TEST(Rotary, ScoresSeeTheDistanceOfPositionsOnly) {
    const D q = testing::wave({8}, 1), k = testing::wave({8}, 2);
    for (const RotaryPairs pairs : kPairs)
        for (const Index distance : {-5, 0, 3}) {
            const double score = product_of(at(q, 10 + distance, pairs), at(k, 10, pairs));
            for (const Index m : {0, 7, 500}) EXPECT_NEAR(product_of(at(q, m + distance, pairs), at(k, m, pairs)), score, 1e-11);
            if (distance != 0) {
                EXPECT_GT(std::abs(score - product_of(q, k)), 1e-3);
            }
        }
}

TEST(Rotary, KeepsLengthsAndIsUndoneByTheOppositePosition) {
    for (const RotaryPairs pairs : kPairs) {
        const D x = testing::wave({6}, 4), y = at(x, 12, pairs);
        EXPECT_NEAR(product_of(y, y), product_of(x, x), 1e-14);
        EXPECT_TRUE(testing::near(at(y.reshape({6}), -12, pairs).reshape({6}), x, 1e-15));
    }
}

TEST(Rotary, TheGradientIsTurnedBack) {
    for (const RotaryPairs pairs : kPairs) {
        const D x = testing::wave({5, 6}, 4);
        Tape<double> tape;
        const Var<double> leaf = tape.leaf(x), y = rotary(leaf, {.offset = 3, .pairs = pairs});
        tape.backward(y, y.value());
        EXPECT_TRUE(testing::near(tape.grad(leaf), x, 1e-15));
    }
}

TEST(Rotary, HeadsSideBySideAreTurnedLikeHeadsApart) {
    for (const RotaryPairs pairs : kPairs) {
        const D x = testing::wave({2, 5, 12}, 1);  // 3 heads of 4
        const D y = rotary(x, {.offset = 2, .pairs = pairs, .heads = 3});
        for (Index b = 0; b < 2; ++b)
            for (Index t = 0; t < 5; ++t)
                for (Index h = 0; h < 3; ++h) {
                    const Index first = (b * 5 + t) * 12 + 4 * h;
                    const D head = at(D::from({4}, {x[first], x[first + 1], x[first + 2], x[first + 3]}), 2 + t, pairs);
                    for (Index c = 0; c < 4; ++c) EXPECT_EQ(y[first + c], head[c]);
                }
    }
}

TEST(Alibi, SlopesAreThePapers) {
    const D eight = alibi_slopes<double>(8), twelve = alibi_slopes<double>(12);
    for (Index h = 0; h < 8; ++h) {
        EXPECT_DOUBLE_EQ(eight[h], std::exp2(-static_cast<double>(h + 1)));
        EXPECT_DOUBLE_EQ(twelve[h], eight[h]);
    }
    // The rest of twelve: every other slope of sixteen.
    for (Index h = 0; h < 4; ++h) EXPECT_DOUBLE_EQ(twelve[8 + h], std::exp2(-0.5 * static_cast<double>(2 * h + 1)));
    EXPECT_DOUBLE_EQ(alibi_slopes<double>(1)[0], std::exp2(-8.0));
    EXPECT_THROW(alibi_slopes<double>(0), ValueError);
}

TEST(Alibi, IsTheDistanceTimesTheSlope) {
    const D y = alibi(D::from({2}, {0.5, 3}), {.queries = 2, .keys = 3, .offset = 1});
    EXPECT_TRUE(testing::near(y, D::from({2, 2, 3}, {-0.5, 0, -0.5, -1, -0.5, 0, -3, 0, -3, -6, -3, 0}), 0));
}

TEST(Alibi, TheGradientOfASlopeIsTheSumOfItsDistances) {
    Tape<double> tape;
    const Var<double> slopes = tape.leaf(D::from({2}, {0.5, 3})), y = alibi(slopes, {.queries = 2, .keys = 3, .offset = 1});
    D dy({2, 2, 3}, 1.0);
    for (Index i = 6; i < 12; ++i) dy[i] = 10;
    tape.backward(y, dy);
    EXPECT_TRUE(testing::near(tape.grad(slopes), D::from({2}, {-5, -50}), 1e-14));  // 1 + 0 + 1 and 2 + 1 + 0
}

TEST(Alibi, AsAMaskOfCausalAttentionIsSoftmaxOfScoresLessDistances) {
    const Index T = 5;
    const D q = testing::wave({1, 2, T, 3}, 1), k = testing::wave({1, 2, T, 3}, 2), v = testing::wave({1, 2, T, 4}, 3),
            slopes = alibi_slopes<double>(2);
    const D y = attention(q, k, v, {.mask = alibi(slopes, {.queries = T, .keys = T})}, {.causal = true});
    for (Index h = 0; h < 2; ++h)
        for (Index i = 0; i < T; ++i)
            for (Index e = 0; e < 4; ++e) {
                double sum = 0, mean = 0;
                for (Index j = 0; j <= i; ++j) {
                    double s = 0;
                    for (Index d = 0; d < 3; ++d) s += q.at({0, h, i, d}) * k.at({0, h, j, d});
                    const double w = std::exp(s / std::numbers::sqrt3 - slopes[h] * static_cast<double>(i - j));
                    sum += w;
                    mean += w * v.at({0, h, j, e});
                }
                EXPECT_NEAR(y.at({0, h, i, e}), mean / sum, 1e-14);
            }
}

}  // namespace
}  // namespace gradproof
