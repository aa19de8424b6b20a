// Branches that draws hardly meet: windows, many together, infinities, and what no path reaches.
#include <array>

#include <gtest/gtest.h>

#include "gradproof/core/proof/judge/report.hpp"
#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

TEST(Branches, AWindowIsPassedBySizesBeyondIt) {
    EXPECT_EQ(verdicts("dims n d a h\ninput q [a, h, n, d], k [a, h, n, d], v [a, h, n, d]\nforward\n"
                       "  y = attention(q, k, v, window_left=6, causal=true)\nclaim\n  y = attention(q, k, v, causal=true)\n"
                       "  y = attention(q, k, v, window_left=7, causal=true)\n"
                       "  y = attention(q, k, v, window_left=6, causal=true)\n"),
              "wrong, wrong, right");
}

TEST(Verdicts, ALargeNumberHidesNoTerm) {
    const ProofReport r = judged(
        "dims n\ninput x [n], w [n]\nforward\n  s = sum(x ⊙ w) + 1e15 sum(w)\nclaim\n  s = 1e15 sum(w) - sum(x ⊙ w)\n"
        "  ∂s/∂w = 1e15 ones(n) - x\n  ∂s/∂w = 1e15 ones(n) + x\n  ∂s/∂x = w\n");
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_EQ(r.lines[i].verdict, i < 2 ? Verdict::cannot_tell : Verdict::right) << r.lines[i].text;
    EXPECT_NE(r.lines[0].reason.find("as formulas the two sides differ"), std::string::npos) << r.lines[0].reason;
}

TEST(Vacuous, AGradientThatNoPathReachesIsSaidWhereNoLossIsStated) {
    const std::string vae =
        "dims n d\ninput μ [n, d], s [n, d]\nconst ε [n, d]\nforward\n  z = μ + exp(s) ⊙ ε\n"
        "  k = (μ^2 + exp(2 s)) / 2 - s\n";
    const std::string claim = "claim\n  ∂L/∂s = ∂L/∂z ⊙ ε + ∂L/∂k ⊙ (exp(2 s) - 1)\n";
    const LineReport line = judged(vae + claim).lines.at(0);
    EXPECT_EQ(line.verdict, Verdict::cannot_tell);
    EXPECT_NE(line.reason.find("no path leads from z to k"), std::string::npos) << line.reason;
    EXPECT_EQ(verdicts(vae + "loss L = sum(z ⊙ z) + sum(k)\n" + claim), "wrong");
}

TEST(Verdicts, WhatIsInfiniteThroughoutCannotBeTold) {
    const std::string text = "dims n\ninput x [n]\nforward\n  y = 2 x\nclaim\n";
    EXPECT_EQ(verdicts(text + "  exp(20000) = exp(30000)\n  1/0 = 2/0\n"), "cannot tell, cannot tell");
}

// Of many branches draws do not meet each combination.
TEST(Branches, ManyCombinationsAreNotTakenForMet) {
    std::string inputs = "input x [n]", gates = "1";
    for (const char* g : {"a", "b", "c", "d", "f", "g", "h", "k", "l", "m", "o", "q"}) {
        inputs += std::string(", ") + g + " [n]";
        gates += std::string(gates == "1" ? " + " : " * ") + "step(" + g + ")";
    }
    EXPECT_EQ(
        verdicts("dims n\n" + inputs + "\nforward\n  z = x * (" + gates + ")\nclaim\n  dx = dz\n  dx = dz * (" + gates + ")\n"),
        "wrong, right");
}

TEST(Vacuous, NothingIsSaidByOneSideTwice) {
    const LineReport same = judged("dims n m\ninput X [n, m], w [m]\nforward\n  y = X w\nclaim\n  X w = X w\n").lines.at(0);
    EXPECT_EQ(same.verdict, Verdict::cannot_tell);
    EXPECT_EQ(same.reason, "both sides are the same: the line claims nothing");
}

TEST(Branches, NoPowerOfWhatIsNotANumberIsOne) {
    EXPECT_EQ(verdicts("dims n\ninput x [n]\nforward\n  y = 2 * x\nclaim\n  y = 2 x * log(x)^0\n  y[i] = 2 x[i] log(x[i])^0\n"),
              "wrong, wrong");
}

TEST(Kinks, ARootOfNothingHasNoDerivative) {
    const FileReport r = check_proof("dims n\ninput X [n]\nforward\n  Y = sqrt(X - X) + X\nclaim\n  dX = dY\n", {});
    EXPECT_EQ(r.proofs[0].lines[0].verdict, Verdict::cannot_tell);
    EXPECT_EQ(r.proofs[0].lines[0].reason,
              "sqrt(X - X) has no derivative where X - X is 0, which it is in a draw: keep it away from 0, as with + 1e-6");
}

/// Conditions behind a claim, in a text of vectors.
TEST(Branches, AConditionThatNoDrawMeetsTellsNothing) {
    const std::string given = "Let $x\\in\\mathbb{R}^{n}$.\n\\[ y_i = x_i^3 \\]\n\\[ \\frac{\\partial y_i}{\\partial x_i} = ";
    EXPECT_EQ(of_tex(given + "x_i^7 \\quad \\text{for } i > n \\]\n"), "3 cannot tell");
    EXPECT_EQ(of_tex(given + "x_i^7 \\quad \\text{if } x_i^2 < 0 \\]\n"), "3 cannot tell");
    EXPECT_EQ(of_tex(given + "4 x_i^2 \\quad \\text{for } i > 8 \\]\n"), "3 wrong");
    EXPECT_EQ(of_tex(given + "3 x_i^2 \\quad \\text{for } i > 8 \\]\n"), "3 right");
}

TEST(Branches, ASideThatNoIndexReachesNeedNotBeMet) {
    const std::string chain =
                          "Let $x\\in\\mathbb{R}^{n}$.\n\\[ f = \\sum_{i=1}^{n-1} (x_{i+1} - x_i)^2 \\]\n"
                          "\\[ \\frac{\\partial f}{\\partial x_i} = \\begin{cases} 2(x_1 - x_2) & i = 1 \\\\ ",
                      rest = " & i = n \\\\ 2(2x_i - x_{i-1} - x_{i+1}) & \\text{otherwise} \\end{cases} \\]\n";
    EXPECT_EQ(of_tex(chain + "2(x_n - x_{n-1})" + rest), "3 right");
    EXPECT_EQ(of_tex(chain + "2(x_{n-1} - x_n)" + rest), "3 wrong");
    // A sum of one entry more than there are has no side that is only never met.
    const std::string sum =
        "Let $W \\in \\mathbb{R}^{n\\times m}$, $x\\in\\mathbb{R}^m$, $t \\in \\mathbb{R}^n$.\n\\[ y = W x \\]\n"
        "\\[ L = \\frac12 \\|y - t\\|^2 \\]\n\\[ \\frac{\\partial L}{\\partial x_j} = \\sum_{i=0}^";
    EXPECT_EQ(of_tex(sum + "n (y_i - t_i) W_{ij} \\]\n"), "4 cannot tell");
    EXPECT_EQ(of_tex(sum + "{n-1} (y_i - t_i) W_{ij} \\]\n"), "4 right");
}

TEST(Branches, AWindowWiderThanWhatIsDrawnTellsNothing) {
    const auto with = [](const std::string& window) {
        return verdicts(
            "dims b h n d\ninput Q [b,h,n,d], K [b,h,n,d], V [b,h,n,d]\nforward\n  Y = attention(Q, K, V, window_left=" + window +
            ")\nclaim\n  dV = softmax(Q K^T / sqrt(d))^T dY\n");
    };
    EXPECT_EQ(with("3"), "wrong");
    EXPECT_EQ(with("40"), "cannot tell");
    EXPECT_EQ(with("200"), "cannot tell");
    // Where all sizes are stated, so is what the window leaves out.
    EXPECT_EQ(
        verdicts("dims n=4 d=3\ninput Q [1,1,n,d], K [1,1,n,d], V [1,1,n,d]\nforward\n  Y = attention(Q, K, V, window_left=9)\n"
                 "claim\n  dV = softmax(Q K^T / sqrt(d))^T dY\n"),
        "right");
}

/// Each value's range is worked out once: four times the one before, nineteen times over, took minutes.
TEST(Branches, RangesOfALongChainTakeNoTime) {
    std::string text = "dims n\ninput x [n] ~ positive\nforward\n  y0 = x\n";
    for (int k = 1; k < 20; ++k) text += fmt::format("  y{1} = y{0} + y{0} + y{0} + y{0}\n", k - 1, k);
    EXPECT_EQ(verdicts(text + "  z = relu(y19)\nclaim\n  dy19 = dz ⊙ step(y19)\n"), "right");
}

TEST(Branches, ThresholdsOnNormsAreMetOnTheWayToZeroAndFarOut) {
    const std::string unit =
        "dims n d\ninput x [d]\nforward\n  r = max(norm(x), 1e-12)\n  y = x / r\nclaim\n"
        "  dx = where(norm(x) > %, (dy - y sum(y ⊙ dy)) / r, dy / r)\n";
    const std::string clipped =
        "dims n d\ninput X [n,d]\nforward\n  r = norm(X)\n  Y = where(r > 1, X / r, X)\nclaim\n"
        "  dX = where(r > %, dY / r - X sum(X ⊙ dY) / r^3, dY)\n";
    const std::string far =
        "dims n d\ninput W [n,d]\nforward\n  V = W / max(1, norm(W) / 1e4)\nclaim\n"
        "  dW = where(norm(W) > %, 1e4 (dV / norm(W) - W sum(W ⊙ dV) / norm(W)^3), dV)\n";
    const std::string penalty =
        "dims n d\ninput X [n,d]\nforward\n  g = sum(X^2)\nloss L = relu(g - 1)\nclaim\n"
        "  dX = 2 X (norm(X) > %)\n";
    const auto with = [](std::string text, const std::string& threshold) {
        return verdicts(text.replace(text.find('%'), 1, threshold));
    };
    for (const auto& [text, right, wrong] : std::vector<std::array<std::string, 3>>{
             {unit, "1e-12", "1e-8"}, {clipped, "1", "1.05"}, {far, "1e4", "1e5"}, {penalty, "1", "1.05"}}) {
        EXPECT_EQ(with(text, right), "right") << text;
        EXPECT_EQ(with(text, wrong), "wrong") << text;
    }
}

TEST(Branches, SizesOfGradientsAreMetBesideOtherBranches) {
    const auto of_relu = [](const std::string& claim) {
        return verdicts("dims n d\ninput X [n,d]\nforward\n  Y = relu(X)\nclaim\n  dX = " + claim + "\n");
    };
    for (const char* claim : {"where(norm(dY) < 1, 7, dY ⊙ step(X))", "where(abs(dY) < 1e-6, 0, dY ⊙ step(X))",
                              "clip(dY, -1e38, 1e38) ⊙ step(X)", "step(X) ⊙ (dY + (dY == 0))", "step(X) ⊙ where(dY == 0, 1, dY)"})
        EXPECT_EQ(of_relu(claim), "cannot tell") << claim;
    for (const char* claim : {"where(dY == 0, 0, dY ⊙ step(X))", "sign(dY) ⊙ abs(dY) ⊙ step(X)"})
        EXPECT_EQ(of_relu(claim), "right") << claim;
}

}  // namespace
}  // namespace gradproof::proof
