// What a program fixes, and what its report says of that; which value is its loss.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"
#include "tests/core/proof/notebooks.hpp"

namespace gradproof::proof {
namespace {

std::vector<std::string> domain_of(const std::string& file, const std::string& text) {
    return check_file(file, text).proofs.at(0).domain;
}
using All = std::vector<std::string>;

TEST(NumPyFixed, NumbersOfNoEffectAreSaid) {
    const auto said = [](const std::string& reg) {
        return domain_of("a.py",
                         "# gradproof: dims n d; input X [n, d], w [d]; const y [n]\nreg = " + reg +
                             "\nr = X @ w - y\nloss = np.sum(r ** 2) + reg * np.sum(w ** 2)\ndw = 2 * X.T @ r + 2 * reg * w\n");
    };
    EXPECT_EQ(said("0.0"), All{"reg = 0"});
    EXPECT_EQ(said("1"), All{"reg = 1"});
    EXPECT_EQ(said("0.3"), All{});
}

/// Callers may give another number; what is fixed in a script nobody changes.
TEST(NumPyFixed, WhatIsRightForADefaultAloneCannotBeTold) {
    const auto judged = [](const std::string& parameter, const std::string& dw) {
        return verdicts_by_line("a.py",
                                "# gradproof: dims n d; input X [n, d], w [d]; const y [n]\ndef loss(X, w, y, " + parameter +
                                    "):\n    r = X @ w - y\n    loss = np.sum(r ** 2) + reg * np.sum(w ** 2)\n    dw = " + dw +
                                    "\n    return loss, dw\n");
    };
    EXPECT_EQ(judged("reg=0.0", "2 * X.T @ r"), "5 cannot tell");
    EXPECT_EQ(judged("reg=0", "2 * X.T @ r"), "5 cannot tell");
    EXPECT_EQ(judged("reg=1.0", "2 * X.T @ r + 2 * w"), "5 cannot tell");
    EXPECT_EQ(judged("reg=0.3", "2 * X.T @ r"), "5 wrong");
    for (const char* parameter : {"reg=0.0", "reg=1", "reg=0.3"})
        EXPECT_EQ(judged(parameter, "2 * X.T @ r + 2 * reg * w"), "5 right") << parameter;
    EXPECT_EQ(
        verdicts_by_line("a.py",
                         "# gradproof: dims n d; input X [n, d], w [d]; const y [n], reg = 0\n"
                         "def loss(X, w, y, reg=0.0):\n    r = X @ w - y\n    loss = np.sum(r ** 2) + reg * np.sum(w ** 2)\n"
                         "    dw = 2 * X.T @ r\n    return loss, dw\n"),
        "5 right");
}

/// What is not 0 where all defaults are changed, and is where one is.
TEST(NumPyFixed, DefaultsThatHideOneAnotherCannotBeTold) {
    EXPECT_EQ(verdicts_by_line("a.py",
                               "# gradproof: dims n d; input X [n, d], W [d, d]\ndef forward(X, W, a=0.0, b=0.0):\n"
                               "    out = X @ W + a * b * X\n    return out\ndef backward(dout, W):\n    dX = dout @ W.T\n"
                               "    return dX\n"),
              "6 cannot tell");
}

TEST(NumPyFixed, SizesThatHideOneAnotherAreSaid) {
    const auto said = [](const std::string& sizes) {
        return domain_of("a.py", "n, d = " + sizes +
                                     "\nX = np.random.randn(n, d)\nw = np.random.randn(d)\nr = X @ w\nloss = np.mean(r ** 2)\n"
                                     "dw = 2 * X.T @ r / n\n");
    };
    EXPECT_EQ(said("4, 4"), All{"d = n = 4"});
    EXPECT_EQ(said("1, 3"), All{"n = 1"});
    EXPECT_EQ(said("4, 3"), All{});
}

TEST(NumPyFixed, ALossByNameIsItAlsoAboveAnotherNumber) {
    const auto claimed = [](const std::string& loss) {
        return verdicts_by_line("a.py", "# gradproof: dims n d; input X [n, d], w [d]; const y [n]\nr = X @ w - y\n" + loss +
                                            " = np.sum(r ** 2) / (2 * n)\nrmse = np.sqrt(np.mean(r ** 2))\ndw = X.T @ r / n\n");
    };
    for (const char* loss : {"J", "cost", "loss"}) EXPECT_EQ(claimed(loss), "5 right") << loss;
}

TEST(NumPyFixed, ALoopBelowAFunctionThatReturnsIsRun) {
    const std::string program =
        "# gradproof: dims n d; input X [n, d], w [d]; const y [n], lr []\ndef grad(w):\n    r = X @ w - y\n"
        "    loss = np.mean(r ** 2)\n    dw = 2 * X.T @ r / n\n    return dw\nfor i in range(9):\n    dw = grad(w)\n    w = w - "
        "lr * dw\n";
    EXPECT_EQ(verdicts_by_line("a.py", program), "5 right");
}

TEST(NumPyFixed, RowsThatNoJudgedLineUsesAreTold) {
    const std::string program =
        "# gradproof: dims n d; input X [n, d], w [d]; const y [n]\ndef cost(X, w, y):\n    r = X @ w - y\n    loss = 0.5 * "
        "np.sum(r ** 2)\n"
        "    gX = np.zeros_like(X)\n    for i in range(len(X)):\n        gX[i] = r[i] * X[i]\n    dw = X.T @ r\n    return loss, "
        "dw, "
        "gX\n";
    EXPECT_EQ(passed_because("a.py", program), All{"no judged line uses gX"});
}

TEST(NumPyFixed, AnUnmarkedCellBelowThatChangesAGradientIsTold) {
    const auto below = [](const std::string& cell) {
        return passed_because("a.ipynb",
                              notebook({{"code", "# gradproof: dims n d m; input X [n, d], W [d, m]\nY = X @ W\ndW = X.T @ dY\n"},
                                        {"code", cell}}));
    };
    EXPECT_EQ(below("dW /= n"), All{"it changes dW below the lines that are read"});
    EXPECT_EQ(below("print(dW)"), All{});
}

TEST(NumPyFixed, SizesThatAreComputedAreDrawnSmall) {
    const std::string heads =
        "dims B T H E\ninput x [B, T, H * E], W [H * E, H * E]\nforward\nloss L = sum(x ⊙ x) + sum(W ⊙ W)\nclaim\n  dW = 2 W\n";
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        CheckOptions options;
        options.draw.seed = seed;
        EXPECT_LE(judged(heads, options).entries, 5 * 500) << seed;  // those of W, in five draws
    }
}

TEST(LatexFixed, ConstantsThatAreLeftOutAreSaid) {
    const auto said = [](const std::string& constant) {
        const All all = domain_of("a.tex", "Let $x, m \\in \\mathbb{R}$ and\n" + displayed("L = -\\frac12 (x - m)^2" + constant) +
                                               displayed("\\frac{\\partial L}{\\partial m} = x - m"));
        return std::ranges::count(all, "constants that no input is in");
    };
    EXPECT_EQ(said(" + \\mathrm{const}"), 1);
    EXPECT_EQ(said(""), 0);
}

}  // namespace
}  // namespace gradproof::proof
