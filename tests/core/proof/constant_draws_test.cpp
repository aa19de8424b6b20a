// Masks, signs and labels that hold one value throughout, which no random draw of many entries meets.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

std::string judged_with(const std::string& declared, const std::string& forward, const std::string& claim) {
    return verdicts("dims n m=60 v=200\n" + declared + "\ninput x [n]\nforward\n  " + forward + "\nclaim\n  " + claim + "\n");
}

TEST(ConstantDraws, AProductOverAMaskIsNotZero) {
    EXPECT_EQ(judged_with("const M [m] ~ binary", "y[i] = x[i] (1 + ∏_j M[j])", "y = x"), "wrong");
    EXPECT_EQ(judged_with("const M [m] ~ binary", "y[i] = x[i] (1 + ∏_j (1 - M[j]))", "y = x"), "wrong");
    EXPECT_EQ(judged_with("const s [m] ~ signs", "y[i] = x[i] (1 + ∏_j (1 + s[j]))", "y = x"), "wrong");
    EXPECT_EQ(judged_with("const M [m] ~ binary", "y[i] = x[i] (1 + ∏_j M[j])", "y[i] = x[i] + x[i] ∏_j M[j]"), "right");
}

TEST(ConstantDraws, LabelsAreAllTheSameAndAreThoseThatTheTextNames) {
    EXPECT_EQ(judged_with("const T [n, v] ~ onehot", "y[i] = x[i] (1 + T[i, 5])", "y = x"), "wrong");
    EXPECT_EQ(judged_with("const T [n, v] ~ onehot", "y[i] = x[i] (1 + T[i, 199])", "y = x"), "wrong");
    EXPECT_EQ(judged_with("const T [n, v] ~ onehot", "y = x", "T T^T = eye(n)"), "wrong");
    EXPECT_EQ(judged_with("const t [n] ~ index(v)", "y[i] = x[i] (1 + Σ_j δ[t[i], t[j]] (j > i))", "y = x"), "wrong");
    EXPECT_EQ(judged_with("const T [n, v] ~ onehot", "y[i] = x[i] Σ_k T[i, k]", "y = x"), "right");
}

/// A mean over a mask has no value where the mask is all 0, and says nothing there.
TEST(ConstantDraws, WhereNothingHasAValueNothingIsWrong) {
    EXPECT_EQ(judged_with("const M [n] ~ binary", "y = sum(M ⊙ x) / sum(M)", "dx = dy M / sum(M)"), "right");
    EXPECT_EQ(judged_with("const M [n] ~ binary", "y = sum(M ⊙ x) / sum(M)", "dx = dy M / n"), "wrong");
}

TEST(ConstantDraws, TheReasonSaysWhichValue) {
    const auto reason = [](const std::string& text) { return lines_of(text).at(0).reason; };
    EXPECT_EQ(reason("dims n m=60\nconst M [m] ~ binary\ninput x [n]\nforward\n  y[i] = x[i] (1 + ∏_j M[j])\nclaim\n  y = x\n"),
              "the two sides differ where M is all 1");
    EXPECT_EQ(reason("dims n v=60\nconst T [n, v] ~ onehot\ninput x [n]\nforward\n  y[i] = x[i] (1 + T[i, 5])\nclaim\n  y = x\n"),
              "the two sides differ where every row of T has its 1 at 5");
}

}  // namespace
}  // namespace gradproof::proof
