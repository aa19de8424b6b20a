// Branches: both sides of each are met by some draw, or the lines through it are not called right.
#include <gtest/gtest.h>

#include "gradproof/core/proof/judge/report.hpp"
#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

TEST(Branches, SlopesBeyondTheUsualDrawsAreMet) {
    EXPECT_EQ(verdicts("dims n m\ninput X [n, m]\nforward\n  Y = min(max(X, 0), 6)\nclaim\n"
                       "  dX = dY ⊙ step(X) ⊙ step(6 - X)\n  dX = dY ⊙ step(X)\n"),
              "right, wrong");
    EXPECT_EQ(verdicts("dims n m\ninput X [n, m]\nforward\n  Y = X ⊙ min(max(X + 3, 0), 6) / 6\nclaim\n"
                       "  dX = dY ⊙ (min(max(X + 3, 0), 6) / 6 + X ⊙ step(X + 3) ⊙ step(3 - X) / 6)\n"
                       "  dX = dY ⊙ (min(max(X + 3, 0), 6) / 6 + X ⊙ step(X + 3) / 6)\n"
                       "  dX = dY ⊙ (min(max(X + 3, 0), 6) / 6 + X / 6)\n"),
              "right, wrong, wrong");
    EXPECT_EQ(verdicts("dims n\ninput g [n]\nconst c = 100\nforward\n  r = norm(g)\n  Y = g min(1, c / r)\nclaim\n"
                       "  dg = dY\n  dg = where(step(c - r), dY, c (dY / r - g sum(g ⊙ dY) / r^3))\n"),
              "wrong, right");
    EXPECT_EQ(verdicts("dims n\ninput x [n]\nconst κ = 50\nforward\n"
                       "  y = where(step(κ - abs(x)), x^2 / 2, κ (abs(x) - κ / 2))\nclaim\n"
                       "  dx = x ⊙ dy\n  dx = where(step(κ - abs(x)), x, κ sign(x)) ⊙ dy\n"),
              "wrong, right");
}

TEST(Branches, OfSizesAreMetOrSaid) {
    // Relative positions are clipped at 5, at 12 and at 3000: beyond the usual sizes, and beyond all that are drawn.
    const auto claimed = [](const char* clip, const char* claim) {
        return check_proof(
                   read_proofs("a.proof", fmt::format("dims n\ninput X [n, n]\nforward\n  Y[i,j] = X[i,j] max(i - j, -{})\n"
                                                      "claim\n  dX[i,j] = {}\n",
                                                      clip, claim))
                       .at(0),
                   {})
            .lines.at(0);
    };
    for (const char* clip : {"5", "12"}) {
        EXPECT_EQ(claimed(clip, fmt::format("dY[i,j] max(i - j, -{})", clip).c_str()).verdict, Verdict::right) << clip;
        EXPECT_EQ(claimed(clip, "dY[i,j] (i - j)").verdict, Verdict::wrong) << clip;
    }
    const LineReport unmet = claimed("3000", "dY[i,j] (i - j)");
    EXPECT_EQ(unmet.verdict, Verdict::cannot_tell);
    EXPECT_EQ(unmet.reason, "max(i - j, -3000) was never met with i - j + 3000 below 0: state larger sizes");
}

TEST(Branches, BelongToWhatAClaimIsMadeOf) {
    // A window of positions, a clip of probabilities and one of a norm: what the forward has and the line leaves out.
    const std::string window =
        "dims n d\ninput Q [n, d], K [n, d], V [n, d]\nforward\n"
        "  S[i,j] = where(step(16.5 - abs(i - j)), Σ_c Q[i,c] K[j,c] / sqrt(d), -inf)\n  A = softmax(S)\n  O = A V\nclaim\n";
    EXPECT_EQ(
        verdicts(window + "  A = softmax(Q K^T / sqrt(d))\n  ∂L/∂V = softmax(Q K^T / sqrt(d))^T ∂L/∂O\n  ∂L/∂V = A^T ∂L/∂O\n"),
        "wrong, wrong, right");
    EXPECT_EQ(verdicts("dims n\ninput p [n] ~ uniform(0, 1), t [n]\nforward\n  q = min(max(p, 1e-7), 1 - 1e-7)\n"
                       "  loss L = -sum(t * log(q))\nclaim\n  ∂L/∂q = -t / p\n  ∂L/∂q = -t / q\n  L = -sum(t * log(p))\n"),
              "cannot tell, right, cannot tell");
    EXPECT_EQ(verdicts("dims n\ninput x [n]\nforward\n  y = max(x, -300)\n  v = x / max(norm(x), 1e-8)\nclaim\n"
                       "  y = x\n  max(x, -300) = x\n  v = x / norm(x)\n"),
              "wrong, wrong, wrong");
    EXPECT_EQ(verdicts("dims n\ninput x [n], p [n]\nforward\n  a = max(x, -1e5)\n  b = x^2 * p\nclaim\n"
                       "  ∂b[i]/∂x[j] = 2 δ[i,j] x[i] p[i]\n"),
              "right");
    EXPECT_EQ(verdicts("dims n\ninput x [n]\nforward\n  y[i] = 2 x[i]\nclaim\n  ∂y[i]/∂x[j] = 2 δ[i,j] + relu(i - 200)\n"),
              "cannot tell");
    EXPECT_EQ(verdicts("dims n\ninput p [n] ~ positive\nforward\n  y = min(p, 2)\nclaim\n  y = p\n  dp = dy ⊙ step(2 - p)\n"),
              "wrong, right");
}

TEST(Branches, WhereNumbersMeetExactlyAreLookedAt) {
    const std::string gated = "dims n\ninput X [n], W [n]\nforward\n  Y = where(X >= 0, W, 0)\nclaim\n";
    EXPECT_EQ(verdicts(gated + "  dW = where(X >= 0, dY, 0)\n  dW = where(X > 0, dY, 0)\n"), "right, wrong");
    EXPECT_EQ(verdicts(gated + "  Y = where(X > 0, W, 0)\n  Y = where(X >= 0, W, 0)\n"), "wrong, right");
    EXPECT_EQ(judged(gated + "  Y = where(X > 0, W, 0)\n").lines[0].reason, "the two sides differ where X is exactly 0");
    EXPECT_EQ(verdicts("dims n\ninput X [n], Z [n], W [n]\nforward\n  Y = where(X > Z, W, 0)\nclaim\n"
                       "  dW = where(X > Z, dY, 0)\n  dW = where(X >= Z, dY, 0)\n"),
              "right, wrong");
    EXPECT_EQ(verdicts("dims n\ninput X [n], W [n]\nforward\n  Y = where(2 X - 1 > 0, W, 0)\nclaim\n"
                       "  dW = where(X > 0.5, dY, 0)\n  dW = where(0.3 X > 0.15, dY, 0)\n  dW = where(X >= 0.5, dY, 0)\n"),
              "right, right, wrong");
    // No slope is true at a kink, and what is the same on both sides is the same there.
    EXPECT_EQ(verdicts("dims n\ninput X [n]\nforward\n  Y = relu(X)\nclaim\n"
                       "  dX = where(X >= 0, dY, 0)\n  dX = where(X > 0, dY, 0)\n  Y = where(X >= 0, X, 0)\n"),
              "right, right, right");
    EXPECT_EQ(verdicts("dims n\ninput X [n]\nforward\n  Y = relu(X)^2\nclaim\n  dX = 2 relu(X) ⊙ step(X) ⊙ dY\n"), "right");
}

TEST(Branches, OfWhatIsNeverBelowZeroHaveOneSide) {
    for (const char* forward : {"abs(abs(X))", "relu(exp(X))", "relu(X ⊙ 0 + X^2)", "abs(sqrt(X^2 + 1) + 2 softmax(X))"}) {
        const ProofReport r = check_proof(
            read_proofs("a.proof", std::string("dims n\ninput X [n]\nforward\n  Y = ") + forward + "\nclaim\n  dX = 0 + dX\n")
                .at(0),
            {});
        EXPECT_EQ(r.lines[0].reason.find("never met"), std::string::npos) << r.lines[0].reason;
    }
}

TEST(Branches, ThatTheDomainLeavesOutNeedNotBeMet) {
    const ProofReport report = judged(
        "dims n\ninput x [n] ~ positive, u [n] ~ uniform(1, 2)\nforward\n"
        "  y = abs(x) + relu(x) + max(u, 0.5)\nclaim\n  dx = 2 dy\n"
        "  dx = (sign(x) + step(x)) ⊙ dy\n  du = dy\n  dx = dy\n");
    std::string said;
    for (const LineReport& l : report.lines) said += verdict_of(l) + ", ";
    EXPECT_EQ(said, "right, right, right, wrong, ");
    EXPECT_EQ(report.branches.at(0).find("abs(x): "), 0u);
    EXPECT_NE(report.branches.at(0).find("0 below 0, as declared"), std::string::npos) << report.branches.at(0);
    EXPECT_EQ(verdicts("dims n\ninput x [n] ~ positive\nforward\n  y = relu(x - 1e30)\nclaim\n  dx = 0 dy\n"), "cannot tell");
}

// A constant that is drawn stands for any: both sides are met, or it is said that one is not.
TEST(Branches, OfConstantsThatAreDrawnAreMetOrSaid) {
    const auto of = [](const std::string& constant, const std::string& slope, const std::string& claim) {
        return verdicts("dims n\nconst " + constant + "\ninput x [n]\nforward\n  y = " + slope + " x\nclaim\n" + claim);
    };
    EXPECT_EQ(of("p [n] ~ distribution", "p ⊙", "  dx = min(p, 0.9) ⊙ dy\n  dx = p ⊙ dy\n"), "wrong, right");
    EXPECT_EQ(of("c []", "c", "  dx = where(c > 50, 0, c dy)\n  dx = min(c, 1e4) dy\n  dx = where(c > 50, c dy, dy c)\n"),
              "wrong, wrong, right");
    EXPECT_EQ(of("c [n]", "c ⊙", "  dx = dy ⊙ max(c, -1e4)\n  dx = dy ⊙ c (norm(c) < 1000)\n"), "wrong, wrong");
    EXPECT_EQ(of("c [n]", "c ⊙", "  dx = dy ⊙ max(c, -1e12)\n"), "cannot tell");
    EXPECT_EQ(of("M [n,n] ~ binary", "M", "  dx = where(sum(M) > 1e6, 0, M)^T dy\n  dx = where(M, 1, 0)^T dy\n"),
              "cannot tell, right");
    EXPECT_EQ(of("S [n,n] ~ definite", "diag(S) ⊙", "  dx = max(diag(S), 1) ⊙ dy\n  dx = max(diag(S), 0) ⊙ dy\n"),
              "wrong, cannot tell");
    EXPECT_EQ(of("b []\nconst c = 2 b", "c", "  dx = min(c, 1e4) dy\n  dx = min(c, 1e12) dy\n  dx = c dy\n"),
              "wrong, cannot tell, right");
    // Of what is given, the sides are as given.
    EXPECT_EQ(of("c = 3", "c", "  dx = min(c, 1e4) dy\n  dx = where(c > 50, 0, c dy)\n"), "right, right");
    EXPECT_EQ(of("M = causal(n, n)", "where(M == 0, 1, 0)", "  dx = where(M == 0, 1, 0)^T dy\n"), "right");
}

// An equality needs numbers that are equal and some that are not, whichever is larger.
TEST(Branches, OfEqualitiesAreMetByWhatIsEqualAndWhatIsNot) {
    const auto of = [](const std::string& label, const std::string& claims) {
        return verdicts("dims n\ninput z [n]\nconst y [n] ~ " + label +
                        "\nforward\n  p = sigmoid(z)\n  L = -sum(y ⊙ log(p) + (1 - y) ⊙ log(1 - p))\nclaim\n" + claims);
    };
    EXPECT_EQ(of("binary",
                 "  dp[i] = where(y[i] == 1, -1/p[i], 1/(1-p[i]))\n  dp[i] = where(y[i] == 0, 1/(1-p[i]), -1/p[i])\n"
                 "  dp[i] = where(y[i] == 0, -1/p[i], 1/(1-p[i]))\n"),
              "right, right, wrong");
    EXPECT_EQ(of("binary",
                 "  dp = where(y == 1, -1/p, 1/(1-p))\n  dp = where(y ≠ 0, -1/p, 1/(1-p))\n"
                 "  dp = where((y != 1), -1/p, 1/(1-p))\n  dp = where(y == 2, 0, (p - y)/(p ⊙ (1 - p)))\n"),
              "right, right, wrong, right");
    const std::string largest = "dims n m\ninput X [n, m]\nforward\n  y = max(X, axis=1)\nclaim\n";
    EXPECT_EQ(verdicts(largest + "  dX[i,j] = dy[i] (X[i,j] == y[i])\n  dX[i,j] = dy[i] (X[i,j] != y[i])\n"), "right, wrong");
    EXPECT_EQ(verdicts("dims n\ninput a [n], b [n]\nforward\n  y = max(a, b)\nclaim\n  da = dy ⊙ (a == y)\n"
                       "  da = dy ⊙ (b == y)\n"),
              "right, wrong");
    EXPECT_EQ(of_tex("Let $X \\in \\mathbb{R}^{n \\times m}$, $y_i = \\max_j X_{ij}$. Then\n"
                     "\\[ \\frac{\\partial L}{\\partial X_{ij}} = \\frac{\\partial L}{\\partial y_i} "
                     "\\mathbf{1}[X_{ij} = \\max_k X_{ik}]. \\]\n"),
              "2 right");
    EXPECT_EQ(judged("dims n\ninput x [n]\nconst y [n] ~ index(4)\nforward\n  z = x ⊙ y\nclaim\n"
                     "  dx = where(y == 7, 0, dz ⊙ y)\n")
                  .lines[0]
                  .reason,
              "where(y == 7, 0, dz ⊙ y) was never met with y == 7 other than 0: widen the inputs, or state values on both sides");
}

// What sizes decide together, each of which the usual draws meet, and what is 0 in all the small ones.
TEST(Branches, OfSizesAreMetTogether) {
    const auto of = [](const std::string& factor) {
        return verdicts("dims n m p\ninput X [n, m], Z [p]\nforward\n  Y = X sum(Z)\nclaim\n  dX = dY sum(Z) " + factor + "\n");
    };
    for (const char* wrong :
         {"(1 - (n > 5) (m > 5) (p < 3))", "(1 - (n > 30) (m < 3))", "(1 - (n < m) (m < p))", "(1 - (n == m + 2) (p == m + 1))",
          "where(n < m, where(m < p, 2, 1), 1)", "(1 + (n-2) (n-3) (n-4) (n-5) (n-6) (n-7) (n-8))"})
        EXPECT_EQ(of(wrong), "wrong") << wrong;
    EXPECT_EQ(verdicts("dims h n d=h*h\ninput x [d], y [n]\nforward\n  z = outer(x, y)\nclaim\n"
                       "  dx = dz y (1 - (d == 9) (n == 3))\n  dx = dz y (1 + (d-4) (d-9) (d-16) (d-25) (d-36) (d-49))\n"),
              "wrong, wrong");
    for (const char* right : {"(1 - (n > 3) (n < 3))", "where(n < m, 1, where(m < p, 1, 1))", "(n - 2 - n + 3)"})
        EXPECT_EQ(of(right), "right") << right;
}

TEST(Branches, OnlyTheSizesThatDecideGrow) {
    const std::string window =
        "dims n d\ninput Q [n, d], K [n, d], V [n, d]\nforward\n  S[i,j] = where(i - j < 14, Σ_c Q[i,c] K[j,c], -inf)\n"
        "  A = softmax(S)\n  O = A V\nclaim\n";
    EXPECT_EQ(verdicts(window + "  dQ[i,c] = Σ_j where(i - j < 14, dS[i,j] K[j,c], 0)\n"
                                "  dQ[i,c] = Σ_j where(i - j < 12, dS[i,j] K[j,c], 0)\n  dS = A ⊙ (dA - rowsum(dA ⊙ A))\n"),
              "right, wrong, right");
}

TEST(Branches, AWideDrawForOneLineSpoilsNoOther) {
    EXPECT_EQ(verdicts("dims n d h o\ninput X [n, d], W1 [d, h], W2 [h, o]\nconst T [n, o] ~ onehot\nforward\n  Z1 = X W1\n"
                       "  A1 = relu(Z1)\n  Z2 = A1 W2\n  P = softmax(Z2)\n  L = -sum(T ⊙ log(P)) / n\nclaim\n"
                       "  dZ2 = (P - T) / n\n  dZ1 = dZ2 W2^T ⊙ (A1 > 0)\n  dX = dZ1 W1^T\n  dX = 2 dZ1 W1^T\n"
                       "  dZ1 = (dZ2 W2^T) ⊙ (Z1 > 0) ⊙ (Z1 < 1e7)\n"),
              "right, right, right, wrong, cannot tell");
}

TEST(Branches, AMarginIsMetByOneInputThatIsLarge) {
    const std::string loss = "dims n\ninput m []\ninput x [n]\ninput y [n]\nforward\n  d = norm(x - y)\n  L = max(0, m - d)^2\n";
    EXPECT_EQ(verdicts(loss + "claim\n  ∂L/∂d = -2 max(0, m - d)\n  ∂L/∂d = -max(0, m - d)\n"), "right, wrong");
    const std::string counts = judged(loss + "claim\n  ∂L/∂d = -2 max(0, m - d)\n").branches.at(0);
    EXPECT_EQ(counts, "max(0, m - d): 1 above 0, 5 below 0");  // of what the hinge is of
}

TEST(Branches, InIndexFormToo) {
    EXPECT_EQ(verdicts("dims n m\ninput X [n, m]\nforward\n  Y[i] = Σ_j min(X[i,j], 6)\nclaim\n"
                       "  dX[i,j] = dY[i] step(6 - X[i,j])\n  dX[i,j] = dY[i]\n"),
              "right, wrong");
}

TEST(Branches, WhatNoDrawMeetsIsSaid) {
    const ProofReport declared =
        judged("dims n\ninput r [n] ~ uniform(0.95, 1.05)\nforward\n  y = max(r, 0.8)\nclaim\n  dr = dy\n");
    EXPECT_EQ(declared.lines[0].verdict, Verdict::right);
    EXPECT_NE(declared.branches.at(0).find("as declared"), std::string::npos) << declared.branches.at(0);
    EXPECT_EQ(judged("input X = [1, 2, 3]\nforward\n  Y = relu(X)\nclaim\n  dX = dY\n").lines[0].verdict, Verdict::cannot_tell);
    EXPECT_EQ(judged("input X = [1, 2, 3]\nforward\n  Y = where(X, log(X), 0)\nclaim\n  dX = dY / X\n").lines[0].reason,
              "where(X, log(X), 0) was never met with X equal to 0: widen the inputs, or state values on both sides");
}

// A branch concerns the lines that run through it, and a branch by constants concerns none.
TEST(Branches, ConcernTheLinesThroughThemOnly) {
    EXPECT_EQ(verdicts("input X = [1, 2, 3], W [3]\nconst s = range(3)\nforward\n  Y = relu(X)\n"
                       "  U = where(mod(s, 2), Y, 2 Y)\n  Z = U ⊙ W\nclaim\n"
                       "  dU = dZ ⊙ W\n  dW = dZ ⊙ U\n  dY = where(mod(s, 2), dU, 2 dU)\n  dX = dY\n"),
              "right, right, right, cannot tell");
}

TEST(Branches, ACensusIsOfADrawThatIsWrong) {
    const ProofReport r = judged("dims n m\ninput X [n, m]\nforward\n  Y = min(max(X, 0), 6)\nclaim\n  dX = dY ⊙ step(X)\n");
    ASSERT_TRUE(r.lines[0].diagnosis);
    EXPECT_EQ(r.lines[0].diagnosis->text.find("15 of 15"), std::string::npos) << r.lines[0].diagnosis->text;
}

// Symmetric differences do not see a kink; those on either side do.
TEST(Kinks, AreSeenFromBothSides) {
    const auto verdicts = [](const std::string& text) {
        std::string out;
        const FileReport report = check_proof(text, {});
        for (const LineReport& l : report.proofs.at(0).lines)
            out += (out.empty() ? "" : ", ") + std::string(check::name(l.verdict));
        return out;
    };
    const std::string abs = "input X = [0, 1, -2]\nforward\n  Y = abs(X)\nclaim\n";
    EXPECT_EQ(verdicts(abs + "  dX = sign(X) ⊙ dY\n"), "cannot tell");
    EXPECT_EQ(verdicts(abs + "  ∂Y[i]/∂X[j] = δ[i,j] sign(X[i])\n"), "cannot tell");
    EXPECT_EQ(verdicts("input X = [0, 1, -2]\nforward\n  loss L = sum(abs(X))\nexpect\n  dX = [0, 1, -1]\n"), "cannot tell");
    EXPECT_EQ(verdicts("input X = [2, 2, 1]\nforward\n  y = max(X)\nclaim\n  dX = [0.5, 0.5, 0] dy\n"), "cannot tell");
    EXPECT_EQ(verdicts("input X = [0, 1, -2]\nforward\n  Y = relu(X) ⊙ relu(X)\nclaim\n  dX = 2 relu(X) ⊙ dY\n"), "right");
    EXPECT_EQ(verdicts("input X = [0.01, 1, -2]\nforward\n  Y = sin(100 X)\nclaim\n  dX = 100 cos(100 X) ⊙ dY\n"), "right");
}

// Each side of each branch is met, and not each combination: what residues tell apart is looked at in further draws.
TEST(Branches, CombinationsAreLookedFor) {
    const auto line = [](const std::string& text) { return check_proof(text, {}).proofs.at(0).lines.at(0); };
    for (const char* wrong :
         {"input a [], b []\nforward\n  z = max(max(a, b), 0)\nclaim\n  ∂z/∂a = step(a)\n",
          "dims n\ninput a [n], b [n], c [n], d [n]\nforward\n  y = max(max(a, b), max(c, max(d, 0)))\nclaim\n"
          "  da = dy ⊙ step(a - b) ⊙ step(a - c) ⊙ step(a - d)\n",
          "dims n\ninput x1 [n], x2 [n], u1 [n], u2 [n], y1 [n], y2 [n], v1 [n], v2 [n]\nforward\n"
          "  w = relu(min(x2, u2) - max(x1, u1))\n  h = relu(min(y2, v2) - max(y1, v1))\n"
          "  P = (x2 - x1) ⊙ (y2 - y1) + w ⊙ h\nclaim\n  dx2 = dP ⊙ (y2 - y1)\n",
          "dims n\ninput x [n], a [n]\nforward\n  r = exp(0.1 x)\n  s = min(r ⊙ a, min(max(r, 0.8), 1.2) ⊙ a)\nclaim\n"
          "  dr = ds ⊙ a ⊙ (1 - step(a) ⊙ step(r - 1.2))\n",
          "input x []\nforward\n  y = ((x-7)^2)^(1/2)\nclaim\n  y = 7 - x\n",
          "input x [1]\nforward\n  y = norm(x - 7)\nclaim\n  y = 7 - x\n"})
        EXPECT_EQ(line(wrong).verdict, Verdict::wrong) << wrong;
    EXPECT_EQ(line("dims n\ninput x [n]\nforward\n  y = relu(x)\nclaim\n  dx = dy ⊙ step(y)\n").verdict, Verdict::right);
    EXPECT_EQ(line("dims n\ninput x [n], a [n]\nforward\n  r = exp(0.1 x)\n  s = min(r ⊙ a, min(max(r, 0.8), 1.2) ⊙ a)\n"
                   "claim\n  dr = ds ⊙ a ⊙ (1 - step(a) ⊙ step(r - 1.2)) ⊙ (1 - step(-a) ⊙ step(0.8 - r))\n")
                  .verdict,
              Verdict::right);
    EXPECT_EQ(line("input a [], b []\nforward\n  z = max(max(a, b), 0)\nclaim\n  ∂z/∂a = step(a) ⊙ step(a - b)\n").verdict,
              Verdict::right);
}

// A threshold that is a little off: few draws lie between the two, and points beside each are looked at.
/// A label that is drawn once for each draw decides with a number on which side it is.
TEST(Branches, CombinationsWithLabelsAndMasksAreLookedFor) {
    const auto hinge = [](const std::string& label, const std::string& forward, const std::string& claim) {
        return verdicts("dims d\ninput w [d], x [d]\nconst y [] ~ " + label + "\nforward\n  L = " + forward +
                        "\nclaim\n  dw = " + claim);
    };
    EXPECT_EQ(hinge("signs", "max(0, 1 - y w^T x)", "-y x (y w^T x < 1)"), "right");
    EXPECT_EQ(hinge("signs", "max(0, 1 - y w^T x)", "-y x (w^T x < 1)"), "wrong");
    EXPECT_EQ(hinge("signs", "max(0, 1 + y w^T x)", "y x (w^T x > -1)"), "wrong");
    EXPECT_EQ(hinge("signs", "max(0, 1 - y w^T x)^2", "-2 max(0, 1 - y w^T x) y x (w^T x < 1)"), "wrong");
    EXPECT_EQ(hinge("signs", "max(0, 1 - y w^T x)^2", "-2 max(0, 1 - y w^T x) y x"), "right");
    EXPECT_EQ(hinge("signs", "max(0, 1 - y max(0, w^T x))", "-y x ((w^T x > 0) (w^T x < 1))"), "wrong");
    EXPECT_EQ(hinge("binary", "max(0, y - w^T x)", "-x (w^T x < 0)"), "wrong");
    EXPECT_EQ(hinge("binary", "max(0, y - w^T x)", "-x (w^T x < y)"), "right");
}

TEST(Branches, ThresholdsAreLookedAtFromBothSides) {
    const std::string relu6 = "dims n\ninput x [n]\nforward\n  r = min(max(x, 0), 6)\nclaim\n";
    for (const char* off : {"6.01", "6.000001", "5.99"})
        EXPECT_EQ(verdicts(relu6 + "  ∂r[i]/∂x[j] = δ[i,j] step(x[i]) step(" + off + " - x[i])\n"), "wrong") << off;
    EXPECT_EQ(verdicts(relu6 + "  ∂r[i]/∂x[j] = δ[i,j] step(x[i] - 0.01) step(6 - x[i])\n"), "wrong");
    EXPECT_EQ(verdicts(relu6 + "  dx = dr ⊙ (step(x) - step(x - 6))\n"), "right");
    EXPECT_EQ(verdicts(relu6 + "  ∂r[i]/∂x[j] = δ[i,j] step(x[i]) step(6.0000001 - x[i])\n"), "cannot tell");
    EXPECT_EQ(verdicts("dims n\ninput x [n]\nforward\n  h = x * min(max(x + 3, 0), 6) / 6\nclaim\n"
                       "  dx = dh ⊙ ((2 x + 3) / 6 ⊙ step(x + 2.9) ⊙ step(3 - x) + step(x - 3))\n"
                       "  dx = dh ⊙ ((2 x + 3) / 6 ⊙ step(x + 3) ⊙ step(3 - x) + step(x - 3))\n"),
              "wrong, right");
    EXPECT_EQ(verdicts("dims n\ninput x [n]\nforward\n  q = where(step(x), where(step(x - 4), 4 + (x - 4) / 2, x), 0.1 x)\n"
                       "claim\n  dx = dq ⊙ where(step(x), where(step(x - 5), 1/2, 1), 0.1)\n"
                       "  dx = dq ⊙ where(step(x), where(step(x - 4), 1/2, 1), 0.1)\n"),
              "wrong, right");
    EXPECT_EQ(verdicts("dims n\ninput x [n], y [n]\nforward\n  e = x - y\n"
                       "  b = where(step(abs(e) - 1), abs(e) - 1/2, e^2 / 2)\n  loss L = sum(b)\nclaim\n"
                       "  dx = where(step(abs(e) - 1.003), sign(e), e)\n  dx = where(step(abs(e) - 1), sign(e), e)\n"),
              "wrong, right");
    // A thin window, of a value, of one that is positive, and at the end of an interval.
    EXPECT_EQ(verdicts("dims n\ninput x [n]\nforward\n  y = x + relu(x - 0.5) relu(0.5001 - x)\nclaim\n  dx = dy\n"), "wrong");
    EXPECT_EQ(verdicts("dims n\ninput p [n] ~ positive\nforward\n  y = (p - 0.02)^2 / 2\nclaim\n"
                       "  dp = dy ⊙ sqrt((p - 0.02)^2)\n  dp = dy ⊙ (p - 0.02)\n"),
              "wrong, right");
    EXPECT_EQ(verdicts("dims n\ninput u [n] ~ uniform(-0.0001, 1)\nforward\n  b = u^3\nclaim\n"
                       "  sqrt(u)^2 = u\n  db = db\n  du = 3 u sqrt(u^2) ⊙ db\n"),
              "cannot tell, cannot tell, wrong");
}

TEST(Branches, OfWholePartsAreMetOrSaid) {
    EXPECT_EQ(
        verdicts("dims n\ninput p [n] ~ positive, x [n]\nforward\n  y = p^2 / 2\n  z = x ⊙ (1 + floor(p / 20)) + 0 y\nclaim\n"
                 "  dx = dz\n  dx = dz ⊙ (1 + floor(p / 20))\n  mod(p, 40) = p\n"),
        "wrong, right, wrong");
    const LineReport one =
        judged("dims n\ninput p [n] ~ uniform(1, 2)\nforward\n  y = floor(p) ⊙ p\nclaim\n  dp = dy\n").lines.at(0);
    EXPECT_EQ(one.verdict, Verdict::cannot_tell);
    EXPECT_EQ(one.reason, "floor(p) was never met with p outside of 1 to 2: widen the inputs, or state values on both sides");
}

// Of 0.1 + 0.2 - 0.3 doubles make 5.6e-17, and of the chance of what is certain 1 - 1.
TEST(Branches, ThatRoundingDecidesAreSaid) {
    const std::string text = "dims n\ninput x [n]\nconst α = 0.1\nconst β = 0.2\nforward\n  h = x * step(α + β - 0.3)\nclaim\n";
    EXPECT_EQ(verdicts(text + "  h = x\n  dx = dh\n  h = 0\n"), "cannot tell, cannot tell, wrong");
    EXPECT_EQ(judged(text + "  h = x\n").lines.at(0).reason,
              "rounding decides on which side of step(α + β - 0.3) α + β - 0.3 lies: state numbers that are further apart");
}

// What a line sums on both sides, equal indices, and gates that are rarely met together.
TEST(Branches, OfSumsOfEqualitiesAndOfGatesTogetherAreMet) {
    const std::string sums = "dims n\ninput x [n]\nforward\n  s = sum(x)\nclaim\n";
    EXPECT_EQ(verdicts(sums + "  Σ_i x_i = Σ_{i<5} x_i\n  Σ_i x_i = Σ_i x_i\n  s = Σ_{i≠7} x_i\n  s = Σ_i x_i (1 - δ[i,n])\n"),
              "wrong, cannot tell, wrong, cannot tell");
    EXPECT_EQ(verdicts("dims n\ninput x [n]\nforward\n  y[i] = 2 x[i]\nclaim\n  ∂y[i]/∂x[j] = 2 δ[i,j] + 1[j = 40]\n"), "wrong");
    const std::string gates = "input x [], y []\nforward\n  k = y^2 (x > 1) (y > 1)\nclaim\n";
    for (const char* wrong :
         {"  k = y^2 (x > 1) (y > 1) (x + y > 5)\n", "  k = y^2 (x > 1) (y > 1) (x y > 6)\n",
          "  ∂k/∂y = 2 y (x > 1) (y > 1) (x + y > 3.5)\n", "  k = y^2 (x > 1) (y > 1) (1 + (x > 2) (x + y < 5))\n"})
        EXPECT_EQ(verdicts(gates + wrong), "wrong") << wrong;
    EXPECT_EQ(verdicts(gates + "  ∂k/∂y = 2 y (x > 1) (y > 1)\n"), "right");
    EXPECT_EQ(judged(gates + "  ∂k/∂y = 2 (x > 1) (y > 1)\n").lines[0].diagnosis->repair, "2 (x > 1) (y > 1) ⊙ y");
}

// A line that compares one infinity with another says nothing, and a chance of nearly 1 proves nothing.
TEST(Branches, OfLinesWithAWholeJacobianAreMet) {
    EXPECT_EQ(verdicts("dims d\ninput a [d], p [d]\nforward\n  l = sum(a ⊙ a)\nclaim\n  ∂l/∂a = 2 a (‖a - p‖ > 0.05)\n"
                       "  ∂l/∂a = 2 a\n"),
              "wrong, right");
    EXPECT_EQ(verdicts("dims d\ninput a [d], p [d], n [d]\nforward\n  l = relu(‖a - p‖² - ‖a - n‖² + 1)\nclaim\n"
                       "  ∂l/∂a = 2 (n - p) (l > 0) (‖a - p‖ > 0.05)\n  ∂l/∂a = 2 (n - p) (l > 0)\n"),
              "wrong, right");
}

// One entry in a corner is enough: all of them are hardly ever there together.
TEST(Branches, CornersAreMetByOneEntry) {
    EXPECT_EQ(verdicts("dims n\ninput x [n], y [n]\nforward\n  q = max(0, 1 - max(x, y))\nclaim\n"
                       "  ∂q[i]/∂x[j] = -δ[i,j] (x[i] > y[i]) (x[i] < 1) (y[i] < 0.95)\n"
                       "  ∂q[i]/∂x[j] = -δ[i,j] (x[i] > y[i]) (x[i] < 1)\n"),
              "wrong, right");
    EXPECT_EQ(verdicts("dims n\ninput x [n], y [n]\nforward\n  d = relu(x - 1) ⊙ relu(y - 1)\nclaim\n"
                       "  d = relu(x - 1) ⊙ relu(y - 1) ⊙ (x ⊙ y > 1.1)\n  d = relu(x - 1) ⊙ relu(y - 1) ⊙ (x ⊙ y > 0.9)\n"),
              "wrong, right");
}

}  // namespace
}  // namespace gradproof::proof
