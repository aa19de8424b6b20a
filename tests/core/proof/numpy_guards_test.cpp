// Small numbers that keep a logarithm or a quotient from 0, and that the way back leaves out.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

std::string softmax_with(const std::string& loss, const std::string& lines) {
    return "import numpy as np\n# gradproof: dims n d c; input X [n, d], W [d, c]; const Y [n, c] ~ onehot\n"
           "Z = X @ W\nE = np.exp(Z)\nP = E / np.sum(E, axis=1, keepdims=True)\nloss = -np.sum(Y * " +
           loss + ") / n\n" + lines;
}
std::string judged_softmax(const std::string& loss, const std::string& lines) {
    return verdicts(softmax_with(loss, lines), {}, "a.py");
}

TEST(NumPyGuards, OfASoftmaxAreToldForWhatTheyAre) {
    const std::string guarded = "np.log(P + 1e-12)";
    EXPECT_EQ(judged_softmax("np.log(P)", "dZ = (P - Y) / n\n"), "right");
    EXPECT_EQ(judged_softmax(guarded, "dZ = (P - Y) / n\ndW = X.T @ dZ\n"), "cannot tell, right");
    EXPECT_EQ(judged_softmax("np.log(1e-12 + P)", "dZ = (P - Y) / n\n"), "cannot tell");
    const std::vector<LineReport> lines = lines_of(softmax_with(guarded, "dZ = (P - Y) / n\n"), {}, "a.py");
    EXPECT_EQ(lines.at(0).reason,
              "right but for the small number that guards np.log(P + 1e-12) in line 6: with 0 in its place the two sides agree");
}

TEST(NumPyGuards, WhatIsWrongWithoutThemTooIsWrong) {
    const std::string guarded = "np.log(P + 1e-12)";
    EXPECT_EQ(judged_softmax(guarded, "dZ = (Y - P) / n\n"), "wrong");
    EXPECT_EQ(judged_softmax(guarded, "dZ = P - Y\n"), "wrong");
    EXPECT_EQ(judged_softmax(guarded, "dZ = (P - Y) / n\ndW = Z.T @ dZ\n"), "cannot tell, wrong");
    EXPECT_EQ(judged_softmax(guarded, "dZ = (P - Y) / n + 1e-6\n"), "wrong");
}

TEST(NumPyGuards, NumbersThatAreLargeOrGuardNothingStay) {
    EXPECT_EQ(judged_softmax("np.log(P + 1e-3)", "dZ = (P - Y) / n\n"), "wrong");
    EXPECT_EQ(judged_softmax("np.log(P - 1e-12)", "dZ = (P - Y) / n\n"), "wrong");
    EXPECT_EQ(judged_softmax("(np.log(P) + 1e-7 * P)", "dZ = (P - Y) / n\n"), "wrong");
}

TEST(NumPyGuards, OfTwoLogarithmsAndByName) {
    const auto two = [](const std::string& eps, const std::string& slope) {
        return verdicts(
            "# gradproof: dims n d; input X [n, d], w [d]; const y [n] ~ binary\nimport numpy as np\neps = 1e-8\n"
            "z = X @ w\np = 1 / (1 + np.exp(-z))\nloss = -np.sum(y * np.log(p + " +
                eps + ") + (1 - y) * np.log(1 - p + " + eps + ")) / n\ndw = " + slope + "\n",
            {}, "a.py");
    };
    EXPECT_EQ(two("1e-8", "X.T @ (p - y) / n"), "cannot tell");
    EXPECT_EQ(two("eps", "X.T @ (p - y) / n"), "cannot tell");
    EXPECT_EQ(two("1e-8", "X.T @ (y - p) / n"), "wrong");
    EXPECT_EQ(two("eps", "X.T @ (p - y)"), "wrong");
}

/// That is a mistake, however small.
TEST(NumPyGuards, ALineThatLeavesOutItsGuardIsWrong) {
    const auto norm = [](const std::string& back) {
        return verdicts(
            "# gradproof: dims n; input x [n]\nimport numpy as np\nr = np.sqrt(np.sum(x ** 2) + 1e-5)\ny = x / r\n"
            "dr = -np.sum(dy * x) / " +
                back + " ** 2\n",
            {}, "a.py");
    };
    EXPECT_EQ(norm("r"), "right");
    EXPECT_EQ(norm("np.sqrt(np.sum(x ** 2))"), "wrong");
}

}  // namespace
}  // namespace gradproof::proof
