// The comparison of arrays: what agrees, what is worst, and what it is diagnosed as.
#include "gradproof/core/check/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "gradproof/core/check/compared_arrays.hpp"
#include "gradproof/core/random.hpp"

namespace gradproof::check {
namespace {

Tensor<double> random_truth() { return Random(3).normal<double>({2, 3, 4}); }

Tensor<double> scaled(const Tensor<double>& x, double factor) {
    Tensor<double> y(x.shape());
    for (Index i = 0; i < x.size(); ++i) y[i] = factor * x[i];
    return y;
}
std::string diagnosis(const Tensor<double>& claimed, const Tensor<double>& truth) {
    return compare(claimed, truth, {.sizes = {{"D", 16}, {"L", 7}}}).diagnosis.text;
}

TEST(Compare, EqualArraysAreRight) {
    const auto x = random_truth();
    const Comparison c = compare(x, x);
    EXPECT_TRUE(c.right());
    EXPECT_FALSE(c.vacuous());
    EXPECT_EQ(c.agree, 24);
    EXPECT_EQ(c.max_abs, 0);
    EXPECT_EQ(c.diagnosis.text, "");
}

TEST(Compare, ToleranceIsRelativeToTheLargestEntry) {
    const auto truth = Tensor<double>::from({3}, {100, 1e-3, -5});
    EXPECT_TRUE(compare(Tensor<double>::from({3}, {100, 1e-3 + 0.9e-7, -5}), truth, {.tolerance = 1e-9}).right());
    EXPECT_FALSE(compare(Tensor<double>::from({3}, {100, 1e-3 + 1.1e-7, -5}), truth, {.tolerance = 1e-9}).right());
}

TEST(Compare, TheFloorStandsInForArraysOfZeros) {
    const auto truth = zeros<double>({3});
    const auto claimed = Tensor<double>::from({3}, {0, 1e-17, 0});
    EXPECT_FALSE(compare(claimed, truth).right());
    EXPECT_TRUE(compare(claimed, truth, {.floor = 1e-3}).right());
}

/// One key too many in 2 048 makes all entries 4.9e-4 smaller.
TEST(Compare, AllEntriesOfAFloatOffAlikeAreToldFromRounding) {
    const auto truth = random_truth();
    const auto noise = Tensor<double>(truth.shape(), 1e-9);
    const double allowed = ratio_allowed(truth, truth, noise, DType::f32, 2048);
    EXPECT_LT(allowed, 1.0 / 2049);
    EXPECT_GT(allowed, 2048 * unit_roundoff(DType::f32));  // what sums that are rounded term by term may drift
}

TEST(Compare, TheWorstEntryIsOneThatIsOff) {
    const auto truth = Tensor<double>::from({2}, {1, 1});
    const Comparison c =
        compare(Tensor<double>::from({2}, {1.5, 1.25}), truth, {.relative = 0.1, .bounds = Tensor<double>::from({2}, {1, 0})});
    ASSERT_TRUE(c.worst);
    EXPECT_EQ(c.off_at, (std::vector<Index>{1}));
    EXPECT_EQ(c.worst->index, (Shape{1}));
    EXPECT_EQ(c.worst->error, 0.25);
}

TEST(Compare, DigitsArePrintedUntilTwoNumbersDiffer) {
    EXPECT_EQ(claimed_and_true(0.84906800000001, 0.849068, 6), "claimed 0.84906800000001, true 0.849068");
    EXPECT_EQ(ratio_text(1 + 1e-9), "1.000000001");
    EXPECT_EQ(ratio_text(1), "1");
    EXPECT_EQ(ratio_text(2.0 / 3), "0.666667");
}

TEST(Compare, NamesTheWorstEntryAndCountsTheRest) {
    const auto truth = Tensor<double>::from({2, 3}, {1, 2, 3, 4, 0, 6});
    const Comparison c = compare(Tensor<double>::from({2, 3}, {1, 2.5, -3, NAN, 1, 0}), truth);
    EXPECT_FALSE(c.right());
    EXPECT_EQ(c.agree, 1);
    ASSERT_TRUE(c.worst);
    EXPECT_EQ(c.worst->index, (Shape{1, 0}));
    EXPECT_TRUE(std::isnan(c.worst->claimed));
    EXPECT_EQ(c.worst->truth, 4);
    EXPECT_EQ(c.off_at, (std::vector<Index>{1, 2, 3, 4, 5}));
    EXPECT_EQ(c.off.text(),
              "1 not finite, 1 claimed 0, 1 where the true value is 0, 1 with the wrong sign, 1 with the right sign, "
              "claimed/true from -1 to 1.25");
}

TEST(Compare, EveryEntryMayHaveABoundOfItsOwn) {
    const auto truth = Tensor<double>::from({3}, {1, 1, 1}), claimed = Tensor<double>::from({3}, {1.5, 1.5, 1.25});
    const Comparison c = compare(claimed, truth, {.relative = 1, .scales = Tensor<double>::from({3}, {1, 0.25, 0.25})});
    EXPECT_EQ(c.off_at, (std::vector<Index>{1}));
    EXPECT_EQ(c.error, 2);
    EXPECT_EQ(c.worst->index, (Shape{1}));
    EXPECT_TRUE(compare(claimed, truth, Tolerance{.rounding = 0.5}).right());
    EXPECT_FALSE(compare(claimed, truth, Tolerance{.rounding = 0.49}).right());
}

TEST(Compare, TheWorstIsTheFurthestOffWhereNoErrorIsAllowed) {
    const Comparison c = compare(Tensor<double>::from({3}, {1, 3, 2}), zeros<double>({3}), Tolerance{.scale = 0});
    EXPECT_EQ(c.error, std::numeric_limits<double>::infinity());
    EXPECT_EQ(c.worst->index, (Shape{1}));
}

TEST(Compare, InfinitiesAreSkippedOrHeldToEachOther) {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    const auto truth = Tensor<double>::from({5}, {kInf, kInf, NAN, NAN, 1}),
               claimed = Tensor<double>::from({5}, {kInf, -kInf, 7, NAN, 1});
    const Comparison skipped = compare(claimed, truth, Tolerance{});
    EXPECT_TRUE(skipped.right());
    EXPECT_EQ(skipped.skipped, 4);
    EXPECT_EQ(skipped.skipped_alike, 1);
    const Comparison compared = compare(claimed, truth, Tolerance{}, NotFinite::compared);
    EXPECT_EQ(compared.off_at, (std::vector<Index>{1, 3}));
    EXPECT_EQ(compared.skipped, 1);
    EXPECT_EQ(compared.error, kInf);
}

TEST(Compare, SaysWhereTheDifferenceLies) {
    const auto truth = random_truth();
    auto claimed = truth.clone();
    claimed.at({0, 2, 1}) += 1;
    claimed.at({1, 2, 3}) += 1;
    EXPECT_EQ(compare(claimed, truth).where, "axis 1 at 2, axis 2 at 1 to 3");
}

TEST(Compare, NamesConstantFactors) {
    const auto x = random_truth();
    EXPECT_EQ(diagnosis(scaled(x, 2), x), "claimed = 2 * true");
    EXPECT_EQ(diagnosis(scaled(x, 0.5), x), "claimed = 1/2 * true");
    EXPECT_EQ(diagnosis(scaled(x, -1), x), "the sign is wrong: claimed = -true");
    EXPECT_EQ(diagnosis(scaled(x, 4), x), "claimed = sqrt(D) * true");
    EXPECT_EQ(diagnosis(scaled(x, -0.25), x), "claimed = -1/sqrt(D) * true");
    EXPECT_EQ(diagnosis(scaled(x, 16), x), "claimed = D * true");
    EXPECT_EQ(diagnosis(scaled(x, 1.0 / 7), x), "claimed = 1/L * true");
    EXPECT_EQ(diagnosis(scaled(x, 3), x), "claimed = 3 * true");
    EXPECT_EQ(diagnosis(scaled(x, 1.375), x), "claimed = 1.375 * true");
    EXPECT_EQ(diagnosis(scaled(x, 0), x), "claimed is zero everywhere");
}

TEST(Compare, NamesSwappedAxes) {
    const auto truth = Random(4).normal<double>({2, 3, 3});
    EXPECT_EQ(diagnosis(Tensor<double>::from_strided(truth.data(), {2, 3, 3}, {9, 1, 3}), truth), "axes 1 and 2 are swapped");
    const auto other = Random(5).normal<double>({2, 3, 4});
    const Comparison c = compare(Tensor<double>::from_strided(other.data(), {3, 2, 4}, {4, 12, 1}), other);
    EXPECT_FALSE(c.same_shape());
    EXPECT_FALSE(c.right());
    EXPECT_EQ(c.diagnosis.text, "axes 0 and 1 are swapped");
}

TEST(Compare, FindsNoExplanationWhereThereIsNone) {
    const auto x = random_truth();
    auto claimed = scaled(x, 2);
    claimed[5] += 1;
    EXPECT_EQ(diagnosis(claimed, x), "");
    EXPECT_EQ(diagnosis(scaled(x, NAN), x), "");
    EXPECT_EQ(diagnosis(Tensor<double>::scalar(2), Tensor<double>::scalar(1)), "");
    EXPECT_EQ(diagnosis(ones<double>({2}), zeros<double>({2})), "");
}

TEST(Compare, DoesNotPassWhatItCannotTell) {
    const auto truth = Tensor<double>::from({2}, {NAN, 1});
    const Comparison c = compare(truth, truth);
    EXPECT_TRUE(c.right());
    EXPECT_TRUE(c.vacuous());
    EXPECT_EQ(c.skipped, 1);
    EXPECT_TRUE(compare(zeros<double>({0, 2}), zeros<double>({0, 2})).vacuous());
    EXPECT_FALSE(compare(Tensor<double>::from({2}, {1, NAN}), Tensor<double>::from({2}, {1, 1})).right());
}

TEST(Compare, OfATruthThatIsZeroNothingIsTold) {
    ComparedArrays all;
    all.add(compared("dx", zeros<double>({3}), zeros<double>({3}), {.honest = 1e-10}));
    all.add(compared("dy", Tensor<double>::from({2}, {1, 2}), Tensor<double>::from({2}, {1, 2}), {.honest = 1e-10}));
    EXPECT_EQ(all.arrays[0].verdict(), Verdict::cannot_tell);
    EXPECT_EQ(all.arrays[1].verdict(), Verdict::right);
    EXPECT_EQ(all.verdict(), Verdict::cannot_tell);
    EXPECT_NE(to_text(all).find("the true value is 0 everywhere: nothing is tested"), std::string::npos);
}

TEST(Compare, EntriesThatAreLostBesideTheLargestAreTold) {
    const Tensor<double> truth = Tensor<double>::from({3}, {-4e8, 8, 3});
    const auto note = [&](std::initializer_list<double> claimed) {
        ComparedArrays all;
        all.add(compared("dw", Tensor<double>::from({3}, claimed), truth, {.honest = 1e-6}));
        EXPECT_EQ(all.verdict(), Verdict::right);
        return to_text(all).find("are off by as much as they are or more") != std::string::npos;
    };
    EXPECT_TRUE(note({-4e8, -8, 0}));
    EXPECT_FALSE(note({-4e8, 8.1, 3}));
    const Tensor<double> steep = Tensor<double>::from({2}, {8.9e6, 1.1e-7});  // exp(16), exp(-16)
    ComparedArrays all;
    all.add(compared("dx", Tensor<double>::from({2}, {8.9e6, 0}), steep, {.honest = 1e-10}));
    EXPECT_NE(to_text(all).find("1 of 2 entries is off by as much as it is or more"), std::string::npos);
}

TEST(Compare, ShowsAsManyDigitsAsTellTwoNumbersApart) {
    EXPECT_EQ(claimed_and_true(2.5, 2.25, 6), "claimed 2.5, true 2.25");
    EXPECT_EQ(claimed_and_true(0.1234567891, 0.1234567892, 6), "claimed 0.1234567891, true 0.1234567892");
    EXPECT_EQ(claimed_and_true(1, 1, 6), "claimed 1, true 1");
}

}  // namespace
}  // namespace gradproof::check
