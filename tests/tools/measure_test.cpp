// The statistics of the experiments, against values worked out by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "tools/experiments/measure.hpp"

namespace gradproof::experiments {
namespace {

using Points = std::vector<std::pair<double, double>>;
using Numbers = std::vector<double>;

TEST(Measure, MomentsAndMedian) {
    const Moments m = moments(Numbers{1, 2, 3, 6});
    EXPECT_EQ(m.mean, 3);
    EXPECT_EQ(m.variance, 3.5);
    EXPECT_EQ(median({5, 1, 2}), 2);
    EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
}

TEST(Measure, AnEstimateIsTheMeanWithItsInterval) {
    const Estimate e = estimate(Numbers{1, 2, 3});  // standard deviation 1, two degrees of freedom
    EXPECT_NEAR(e.value, 2, 1e-12);
    EXPECT_NEAR(e.error, 4.303 / std::sqrt(3), 1e-12);
    EXPECT_NEAR(estimate(Numbers(40, 0.5)).error, 0, 1e-12);
    EXPECT_TRUE(std::isinf(estimate(Numbers{5}).error)) << "one repeat says nothing of the next";
}

TEST(Measure, PowerLawOfOneIsFound) {
    const PowerLaw p = power_law(Points{{2, 12}, {4, 48}, {8, 192}, {16, 0}, {32, NAN}});
    EXPECT_NEAR(p.exponent, 2, 1e-12);
    EXPECT_NEAR(p.factor, 3, 1e-12);
    EXPECT_TRUE(std::isnan(power_law(Points{{2, 12}}).exponent));
}

TEST(Measure, CorrelationOfValuesAndOfRanks) {
    EXPECT_NEAR(correlation(Numbers{1, 2, 3}, Numbers{5, 7, 9}), 1, 1e-12);
    EXPECT_NEAR(correlation(Numbers{1, 2, 3}, Numbers{1, 0, 1}), 0, 1e-12);
    EXPECT_TRUE(std::isnan(correlation(Numbers{1, 1}, Numbers{1, 2})));
    EXPECT_TRUE(std::isnan(correlation(Numbers{0.1, 0.1, 0.1}, Numbers{1, 2, 3}))) << "three times 0.1 over 3 is not 0.1";
    EXPECT_NEAR(rank_correlation(Numbers{1, 2, 3, 4}, Numbers{-1, -10, -100, -1000}), -1, 1e-12);
    EXPECT_NEAR(rank_correlation(Numbers{1, 2, 2, 3}, Numbers{1, 2, 2, 3}), 1, 1e-12);
    EXPECT_NEAR(rank_correlation(Numbers{1, 2, 3, 4}, Numbers{2, 1, 4, 3}), 0.6, 1e-12);
    EXPECT_NEAR(rank_correlation(Numbers{1, 2, 2, 3}, Numbers{1, 2, 3, 4}), std::sqrt(0.9), 1e-12)
        << "the two in the middle share their places";
}

TEST(Measure, DistancesOfDistributions) {
    EXPECT_NEAR(cosine(Numbers{1, 0}, Numbers{1, 1}), std::sqrt(0.5), 1e-12);
    EXPECT_EQ(total_variation(Numbers{1, 0}, Numbers{0, 1}), 1);
    EXPECT_NEAR(entropy(Numbers{0.5, 0.5, 0}), std::log(2), 1e-12);
    EXPECT_NEAR(softmax_slope(Numbers{0.5, 0.5}), 0.5, 1e-12) << "[[1, -1], [-1, 1]] / 4";
    EXPECT_NEAR(softmax_slope(Numbers{1, 0, 0}), 0, 1e-12) << "a saturated softmax does not move";
}

}  // namespace
}  // namespace gradproof::experiments
