// What the draws or the values given may hide: a line is right only where each part of it would show.
#include <gtest/gtest.h>

#include "gradproof/core/proof/judge/report.hpp"
#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

TEST(Hidden, OnlyWhatDecidesABranchIsWidened) {  // beside a wide x the branch of t is multiplied by 0, or by infinity
    EXPECT_EQ(verdicts("dims n\ninput x [n], t [n]\nforward\n  z = min(t, 1000) ⊙ exp(-x^2)\nclaim\n"
                       "  dt = dz ⊙ exp(-x^2)\n  dt = dz ⊙ exp(-x^2) ⊙ (t < 1000)\n"),
              "wrong, right");
    EXPECT_EQ(verdicts("dims n\ninput r [n], x [n]\nforward\n  w = exp(-x^2)\n"
                       "  h = where(step(500 - abs(r)), r^2 / 2, 500 (abs(r) - 250))\nloss L = sum(w ⊙ h)\nclaim\n"
                       "  dr = w ⊙ r\n  dr = w ⊙ where(step(500 - abs(r)), r, 500 sign(r))\n"),
              "wrong, right");
    EXPECT_EQ(verdicts("dims n\ninput x [n], t [n]\nforward\n  y = exp(x^2)\n  z = min(t, 500) ⊙ y\nclaim\n"
                       "  dt = dz ⊙ y ⊙ (t < 500)\n  dt = dz ⊙ y\n"),
              "right, wrong");
    EXPECT_EQ(verdicts("dims n m\ninput x [n, m], t [n, m]\nforward\n  z = min(t, 5000) ⊙ log(softmax(x))\nclaim\n"
                       "  dt = dz ⊙ log(softmax(x)) ⊙ (t < 5000)\n"),
              "right");
}

TEST(Hidden, ABranchOfAnotherLineSpoilsNone) {
    EXPECT_EQ(
        verdicts("dims n\ninput x [n], w [n]\nforward\n  y = exp(x)\n  z = relu(w - 1000)\nloss L = sum(y) + sum(z)\nclaim\n"
                 "  dx = exp(x)\n  dx = exp(w)\n"),
        "right, wrong");
    EXPECT_EQ(verdicts("dims n\ninput x [n] ~ positive\nforward\n  y = log(1 + exp(x))\nclaim\n"
                       "  dx = dy ⊙ sigmoid(x)\n  dx = dy ⊙ (sigmoid(x) + relu(x - 20000))\n"),
              "right, cannot tell");  // where x is above 20000, y overflows
}

TEST(Hidden, PartsTooSmallToShowAreNotRight) {
    const std::string square = "dims n\ninput x [n]\nforward\n  y = x ⊙ x\nclaim\n";
    EXPECT_EQ(verdicts(square + "  dx = 2 x ⊙ dy + sigmoid(x - 1000)\n  dx = 2 x ⊙ dy ⊙ tanh(x + 1000)\n"
                                "  dx = dy ⊙ (2 x + exp(-1e12 (x - 0.3)^2))\n  dx = 2 x ⊙ dy\n"),
              "wrong, wrong, cannot tell, right");
    EXPECT_EQ(verdicts("dims n\ninput x [n]\nforward\nloss L = sum(softmax(1e5 x) ⊙ x)\nclaim\n  dx = softmax(1e5 x)\n"),
              "wrong");
    EXPECT_EQ(verdicts("dims n\ninput a [n], b [n], c [n], d [n], e [n], f [n], g [n]\nforward\n  y = a ⊙ a\nclaim\n"
                       "  da = 2 a ⊙ dy + 3 (a > 1.5) ⊙ (b > 1.5) ⊙ (c > 1.5) ⊙ (d > 1.5) ⊙ (e > 1.5) ⊙ (f > 1.5) ⊙ (g > 1.5)\n"),
              "wrong");
}

TEST(Hidden, WhatIsSaturatedInEveryDrawIsNotRight) {  // beside a term that shows
    const auto of = [](const std::string& forward, const std::string& claims) {
        return verdicts("dims n\ninput x [n], z [n]\nforward\n" + forward + "claim\n" + claims);
    };
    EXPECT_EQ(of("  y = sigmoid(1e4 (x + 50)) + x^2\n",
                 "  dx = 2 x ⊙ dy\n"
                 "  dx = 2 x ⊙ dy + 1e4 sigmoid(1e4 (x + 50)) ⊙ (1 - sigmoid(1e4 (x + 50))) ⊙ dy\n"
                 "  dx = 2 x ⊙ dy + 3e4 sigmoid(1e4 (x + 50)) ⊙ (1 - sigmoid(1e4 (x + 50))) ⊙ dy\n"),
              "wrong, right, wrong");
    EXPECT_EQ(of("  y = sigmoid(1e4 (x + 50))\n", "  dx = 2e4 y ⊙ (1 - y) ⊙ dy\n  dx = zeros(n)\n  dx = 1e4 y ⊙ (1 - y) ⊙ dy\n"),
              "wrong, wrong, right");
    EXPECT_EQ(of("  y = silu(x + 900)\n", "  dx = dy\n  dx = sigmoid(x + 900) ⊙ dy\n"), "wrong, wrong");
    EXPECT_EQ(of("  g = sigmoid(x - 900)\n  y = g ⊙ z + z\n", "  dz = dy\n  dz = (1 - g) ⊙ dy\n  dz = (1 + g) ⊙ dy\n"),
              "wrong, wrong, right");
    EXPECT_EQ(of("  h = sigmoid(x - 800)\n  y = tanh(h)\n", "  dh = dy\n  dh = (1 - 2 y^2) ⊙ dy\n  dh = (1 - y^2) ⊙ dy\n"),
              "wrong, wrong, right");
    const std::vector<LineReport> out_of_reach =
        lines_of("dims n\ninput x [n] ~ positive\nforward\n  y = sigmoid(x + 900) + x\nclaim\n  dx = dy\n");
    EXPECT_EQ(verdict_of(out_of_reach[0]), "cannot tell");
    EXPECT_NE(out_of_reach[0].reason.find("sigmoid(x + 900) is saturated in every draw"), std::string::npos)
        << out_of_reach[0].reason;
}

TEST(Hidden, ATermThatOverflowsOrVanishesInTheUsualDrawsIsMet) {
    const auto of = [](const std::string& term, const std::string& slope) {
        return verdicts("dims n\ninput x [n]\nforward\n  L = 0.5 sum(x²) + sum(" + term + ")\nclaim\n  dx = x\n  dx = x + " +
                        slope + "\n");
    };
    EXPECT_EQ(of("exp(1000 (x - 20))", "1000 exp(1000 (x - 20))"), "wrong, right");
    EXPECT_EQ(of("log(1 + exp(1000 (x - 40)))", "1000 sigmoid(1000 (x - 40))"), "wrong, right");
    EXPECT_EQ(of("1 / (1 + exp(-1000 (x - 2)))", "1000 sigmoid(1000 (x - 2)) ⊙ (1 - sigmoid(1000 (x - 2)))"), "wrong, right");
    const std::vector<LineReport> lines =
        lines_of("dims n\ninput x [n]\nforward\n  L = 0.5 sum(x²) + sum(1 / (1 + exp(-1000 (x - 2))))\nclaim\n  dx = 5 x\n");
    EXPECT_EQ(lines[0].diagnosis->text.find("0.5"), std::string::npos) << lines[0].diagnosis->text;  // nan explains nothing
}

TEST(Hidden, ATermThatIsFlatInAllDrawsIsTold) {
    const auto of = [](const std::string& term, const std::string& dx) {
        return verdicts("dims n\ninput x [n]\nforward\n  L = sum(x ⊙ x)/2 + sum(" + term + ")\nclaim\n  dx = " + dx + "\n");
    };
    for (const char* term : {"1 - exp(-exp(100 (x - 2)))", "tanh(exp(500 (x - 2)))", "0.5^(100 (50 - x))",
                             "exp(20 x)/(exp(20 x) + exp(1000))", "1/(1 + exp(1000 (5 - norm(x))))"})
        EXPECT_TRUE(of(term, "x") == "wrong" || of(term, "x") == "cannot tell") << term;
    EXPECT_EQ(of("tanh(20 x)", "x + 20 (1 - tanh(20 x)²)"), "right");
    EXPECT_EQ(of("log(1 + exp(50 x)) / 50", "x + sigmoid(50 x)"), "right");
    EXPECT_EQ(
        verdicts("dims n\ninput x [n], z [n]\nforward\n  L = sum(x ⊙ x)/2 + sum(1 - exp(-exp(100 (z - 2))))\nclaim\n  dx = x\n"),
        "right");
}

TEST(Hidden, WhatHoldsForTheValuesGivenAloneIsNotRight) {
    EXPECT_EQ(verdicts("dims n m=2\ninput X [n, m], W = [[1, 0], [0, 1]]\nforward\n  Y = X W\nclaim\n  dX = dY\n  dX = dY W^T\n"),
              "cannot tell, right");
    EXPECT_EQ(verdicts("input x = [2, 2, 2], z [3]\nforward\n  w = x ⊙ z^2\nloss L = sum(w)\nclaim\n"
                       "  dz = x ⊙ x ⊙ z\n  dz = 2 x ⊙ z\n  dz = 2 x[0] z\n"),
              "cannot tell, right, cannot tell");
    EXPECT_EQ(verdicts("input x = [1, 2]\nforward\n  y = x ⊙ x\nloss L = sum(y)\nclaim\n  dx = [2, 4]\n"), "right");
}

TEST(Hidden, SmallKinksHaveNoDerivative) {
    const std::string lasso =
        "dims n\ninput w [n]\nforward\nloss L = sum(w ⊙ w ⊙ w) + sum((w - 2)^2) + 1e-4 sum(abs(w))\nclaim\n";
    EXPECT_EQ(verdicts(lasso + "  dw = 3 w ⊙ w + 2 (w - 2) + 1e-4 (2 (w >= 0) - 1)\n"
                               "  dw = 3 w ⊙ w + 2 (w - 2) + 1e-4 sign(w)\n  dw = 3 w ⊙ w + 2 (w - 2)\n"),
              "right, right, wrong");
    EXPECT_EQ(verdicts("input x = [1, 2]\nforward\n  y = 3 x + 1e-4 abs(x - 1)\nclaim\n  dx = dy ⊙ (3 + 1e-4 sign(x - 1))\n"),
              "cannot tell");
}

TEST(Hidden, TheDerivativeOfTheLossClaimsNothing) {
    EXPECT_EQ(verdicts("dims n\ninput x [n]\nforward\n  y = x ⊙ x\nloss L = sum(y)\nclaim\n"
                       "  dx = ∂(L)/∂x\n  dx = ∂(L + 0)/∂x\n  dx = ∂(x^T x)/∂x\n"),
              "cannot tell, cannot tell, right");
}

}  // namespace
}  // namespace gradproof::proof
