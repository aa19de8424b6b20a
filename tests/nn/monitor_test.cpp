// The monitor: each symptom is seen in the numbers that show it, and in no others.
#include <gtest/gtest.h>

#include <cmath>
#include <span>

#include "gradproof/nn/train/monitor.hpp"
#include "tests/support.hpp"

namespace gradproof {
namespace {

TrainingStats healthy() {
    return {.step = 500,
            .loss = 1.2,
            .first_loss = 2.3,
            .attention = {.rows = 64, .entropy = 0.6, .largest = 0.5, .saturated = 0.1},
            .gradients = {{"wq", 0.01, 100}, {"readout", 0.1, 100}}};
}
std::vector<Symptom> symptoms(const TrainingStats& signs) {
    std::vector<Symptom> out;
    for (const TrainingWarning& d : training_warnings(signs)) out.push_back(d.symptom);
    return out;
}
using List = std::vector<Symptom>;

TEST(Diagnose, AHealthyStepHasNoSymptom) {
    EXPECT_EQ(symptoms(healthy()), List{});
    EXPECT_EQ(symptoms({}), List{}) << "nothing was looked at";
}

TEST(AttentionStats, ThoseOfTwoPartsAreThoseOfTheWhole) {
    const auto weights = Tensor<double>::from({5, 3}, {1, 0, 0, 0.5, 0.5, 0, 0.2, 0.3, 0.5, 0.995, 0.005, 0, NAN, 0, 1});
    const auto part = [&](Index begin, Index end) {
        return attention_stats(Tensor<double>::from(
            {end - begin, 3}, std::span<const double>(weights.data() + begin * 3, static_cast<std::size_t>((end - begin) * 3))));
    };
    const AttentionStats whole = part(0, 5);
    for (const Index cut : {0, 1, 3, 4, 5}) {
        const AttentionStats both = merged(part(0, cut), part(cut, 5));
        EXPECT_EQ(both.rows, whole.rows);
        EXPECT_EQ(both.not_finite, 1);
        EXPECT_NEAR(both.entropy, whole.entropy, 1e-15);
        EXPECT_NEAR(both.largest, whole.largest, 1e-15);
        EXPECT_NEAR(both.saturated, whole.saturated, 1e-15);
    }
}

TEST(Diagnose, UniformAttentionIsAFaultOnlyAfterAWhile) {
    TrainingStats s = healthy();
    s.attention.entropy = 0.99;
    EXPECT_EQ(symptoms(s), List{Symptom::uniform_attention});
    s.step = 10;
    EXPECT_EQ(symptoms(s), List{});
}

TEST(Diagnose, OverFocusedAttentionIsNoFaultOnceTheTaskIsLearned) {
    TrainingStats s = healthy();
    s.attention.saturated = 0.95;
    EXPECT_EQ(symptoms(s), List{Symptom::over_focused});
    s.loss = 0.01;
    EXPECT_EQ(symptoms(s), List{});
}

TEST(Diagnose, AVanishingGradientIsNamedBesideTheLargest) {
    TrainingStats s = healthy();
    s.gradients[0].norm = 1e-7;
    ASSERT_EQ(symptoms(s), List{Symptom::vanishing_gradient});
    EXPECT_NE(training_warnings(s)[0].text().find("vanishing gradient: wq: root mean square down to 1e-06 of the largest"),
              std::string::npos)
        << training_warnings(s)[0].text();
    s.gradients = {{"small but of one entry", 1e-3, 1}, {"large of many", 10, 1'000'000}};  // 1e-3 and 1e-2 an entry
    EXPECT_EQ(symptoms(s), List{});
    s.gradients = {{"a", 1e-12, 1}, {"b", 1e-13, 1}};
    ASSERT_EQ(symptoms(s), List{Symptom::vanishing_gradient});
    EXPECT_NE(training_warnings(s)[0].evidence.find("all of them"), std::string::npos);
}

TEST(Diagnose, ValuesThatAreNotFiniteComeFirstAndAreNamed) {
    TrainingStats s = healthy();
    s.gradients = {{"wq", NAN, 4}, {"wk", 1e-9, 1}, {"wv", 1, 1}};
    s.loss = INFINITY;
    s.not_finite = {"output of softmax"};
    EXPECT_EQ(symptoms(s), (List{Symptom::not_finite, Symptom::vanishing_gradient}));
    EXPECT_EQ(training_warnings(s)[0].evidence, "output of softmax, the loss (inf), the gradient of wq not finite");
    for (const TrainingWarning& d : training_warnings(s)) EXPECT_FALSE(d.advice.empty());
    s.gradients = {{"wq", NAN, 4}, {"wk", INFINITY, 1}};
    EXPECT_EQ(symptoms(s), List{Symptom::not_finite}) << "what is no number does not vanish";
}

TEST(Diagnose, SignsOfWeightsAreThoseOfTheirRows) {
    const AttentionStats uniform = attention_stats(Tensor<double>({2, 3, 4}, 0.25));
    EXPECT_EQ(uniform.rows, 6);
    EXPECT_NEAR(uniform.entropy, 1, 1e-12);
    EXPECT_EQ(uniform.saturated, 0);
    const AttentionStats mixed = attention_stats(Tensor<float>::from({2, 2}, {1, 0, 0.5F, 0.5F}));
    EXPECT_NEAR(mixed.entropy, 0.5, 1e-7);
    EXPECT_NEAR(mixed.largest, 0.75, 1e-7);
    EXPECT_NEAR(mixed.saturated, 0.5, 1e-12);
    const AttentionStats bad = attention_stats(Tensor<double>::from({2, 2}, {NAN, 1, 0.5, 0.5}));
    EXPECT_EQ(bad.not_finite, 1);
    EXPECT_EQ(bad.rows, 1);
}

TEST(Diagnose, ACausalRowIsJudgedByTheKeysItMaySee) {
    const AttentionStats s = attention_stats(Tensor<double>::from({3, 3}, {1, 0, 0, 0.5, 0.5, 0, 1. / 3, 1. / 3, 1. / 3}), true);
    EXPECT_EQ(s.rows, 2) << "the first query has no choice";
    EXPECT_NEAR(s.entropy, 1, 1e-12);
    const AttentionStats cached = attention_stats(Tensor<double>::from({1, 2}, {0.5, 0.5}), true);
    EXPECT_NEAR(cached.entropy, 1, 1e-12);
    EXPECT_NE(testing::error_of([] { attention_stats(Tensor<double>({3, 2}, 0.5), true); }).find("L <= n"), std::string::npos);
}

}  // namespace
}  // namespace gradproof
