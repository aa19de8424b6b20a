// Sequences that use each other, a[t] = ... h[t-1] ..., h[t] = tanh(a[t]): recurrent networks, LSTM and GRU as they are written.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

const std::string kNetwork =
    "dims T n m v\ninput X [T, n], W [m, n], U [m, m], b, s [m], V [v, m]\nforward\n"
    "  a[t] = W X[t] + U where(t > 0, h[t-1], s) + b\n  h[t] = tanh(a[t])\n  O[t] = V h[t]\nclaim\n";

TEST(Blocks, BothSequencesHaveGradients) {
    EXPECT_EQ(verdicts(kNetwork + "  da[t] = (1 - h[t]^2) ⊙ dh[t]\n  da[t] = (1 - h[t]) ⊙ dh[t]\n"
                                  "  dh[t] = V^T dO[t] + where(t < T - 1, U^T da[t+1], 0)\n"
                                  "  dh[t] = V^T dO[t] + where(t < T - 1, U da[t+1], 0)\n  dh[t] = V^T dO[t]\n"),
              "right, wrong, right, wrong, wrong");
    EXPECT_EQ(verdicts(kNetwork + "  dW = Σ_t outer(da[t], X[t])\n  dW = Σ_t outer(dh[t], X[t])\n  ds = U^T da[0]\n"
                                  "  ds = U^T dh[0]\n  dU = Σ_t outer(da[t], where(t > 0, h[t-1], s))\n  db = Σ_t da[t]\n"
                                  "  db = Σ_t dh[t]\n  dX[t] = W^T da[t]\n"),
              "right, wrong, right, wrong, right, right, wrong, right");
}

TEST(Blocks, OneStepHasAJacobian) {
    EXPECT_EQ(verdicts(kNetwork + "  ∂h[t]/∂a[t] = diag(1 - h[t]^2)\n  ∂h[t]/∂h[t-1] = diag(1 - h[t]^2) U\n  ∂a[t]/∂h[t-1] = U\n"
                                  "  ∂a[t]/∂h[t-1] = U^T\n  ∂h[t]/∂h[t-1] = U\n"),
              "right, right, right, cannot tell, wrong")
        << "U^T is right with the denominator first, and the lines above are not";
    EXPECT_EQ(verdicts("layout numerator\n" + kNetwork + "  ∂a[t]/∂h[t-1] = U\n  ∂a[t]/∂h[t-1] = U^T\n"), "right, wrong");
}

TEST(Blocks, AMissingPathIsNamed) {
    const std::string text = to_text(check_file("a.proof", kNetwork + "  dh[t] = V^T dO[t]\n", {}));
    EXPECT_NE(text.find("the path through a is missing"), std::string::npos) << text;
}

TEST(Blocks, ZeroBeforeTheFirstStepTakesItsShape) {
    EXPECT_EQ(verdicts("dims T n\ninput x [T, n], A [n, n]\nforward\n  c[t] = x[t] ⊙ where(t > 0, h[t-1], 0) + x[t]\n"
                       "  h[t] = A c[t]\n  y = h\nclaim\n  dc[t] = A^T dh[t]\n  dc[t] = A dh[t]\n"
                       "  dh[t] = dy[t] + where(t < T - 1, x[t+1] ⊙ dc[t+1], 0)\n"),
              "right, wrong, right");
    EXPECT_EQ(verdicts("dims T\ninput x [T], w []\nforward\n  a[t] = w where(t > 0, h[t-1], 0) + x[t]\n  h[t] = a[t]^2\n"
                       "  L = Σ_t h[t]\nclaim\n  da[t] = 2 a[t] dh[t]\n  da[t] = a[t] dh[t]\n"),
              "right, wrong");
}

TEST(Blocks, WhatCannotBeComputedIsSaid) {
    const std::string head = "dims T n\ninput x [T, n], X [n, n]\nforward\n";
    EXPECT_EQ(refused_as(head + "  a[t] = h[t+1] + x[t]\n  h[t] = a[t]\n"),
              "h[t+1] is not computed yet: steps go from the first to the last, and at each from line to line");
    EXPECT_EQ(refused_as(head + "  a[t] = h[t-1] + x[t]\n  h[s] = a[s]\n"),
              "h[s] is one of several sequences that use each other: these go by one and the same index, as h[t] and "
              "s[t,i]");
    EXPECT_EQ(refused_as(head + "  a[t] = where(t > 0, h[t-1], 0) + x[t]\n  y = X X\n  h[t] = a[t]\n"),
              "y stands between the steps of a[t], which go on below: put it before or behind them");
    EXPECT_EQ(refused_as(head + "  a[t] = h + x[t]\n  h[t] = a[t]\n"),
              "h stands in what defines it: a recurrence uses earlier entries, h[t-1]");
    EXPECT_EQ(refused_as(head + "  a[t] = x[t] + gg[t]\n"), "unknown name gg");
}

TEST(Blocks, AtAStepLinesFollowEachOther) {
    EXPECT_EQ(refused_as("dims T n\ninput x [T, n], c [n]\nforward\n  a[t] = tanh(s[t])\n  s[t] = c ⊙ x[t]\n  loss L = sum(a)\n"),
              "s[t] is not computed yet: steps go from the first to the last, and at each from line to line");
    EXPECT_EQ(
        verdicts("dims T n\ninput x [T, n], c [n]\nforward\n  a[t] = tanh(s[t])\n  s[t] = c ⊙ x[t]\n  loss L = sum(a)\nclaim\n"
                 "  ∂L/∂a[t] = 1\n"),
        "not read, cannot tell");
}

TEST(Blocks, GoByFurtherIndicesToo) {
    const std::string head = "dims T n\ninput W [T, n, n], b [T, n], s [n], y [n]\nforward\n";
    const std::string behind =
        "  L = 1/2 sum((a[T-1] - y)^2)\nclaim\n  ∂L/∂b[t,j] = ∂L/∂a[t,j] (1 - a[t,j]^2)\n"
        "  ∂L/∂z[t,k] = ∂L/∂a[t,k]\n"
        "  ∂L/∂a[t,k] = Σ_j ∂L/∂a[t+1,j] (1 - a[t+1,j]^2) W[t+1,j,k]  for t < T-1\n";
    const std::string entries = "  z[t,j] = Σ_k W[t,j,k] where(t > 0, a[t-1,k], s[k]) + b[t,j]\n";
    EXPECT_EQ(verdicts(head + entries + "  a[t,j] = tanh(z[t,j])\n" + behind), "right, wrong, right");
    EXPECT_EQ(verdicts(head + entries + "  a[t] = tanh(z[t])\n" + behind), "right, wrong, right");
    EXPECT_EQ(verdicts(head + "  z[t] = W[t] where(t > 0, a[t-1], s) + b[t]\n  a[t,j] = tanh(z[t,j])\n" + behind),
              "right, wrong, right");
    EXPECT_EQ(refused_as(head + "  z[t,j] = Σ_k W[t,j,k] a[t-1,k] + b[t,j]\n  a[t,j] = tanh(z[t,j])\n" + behind)
                  .find("index t-1 = -1 is out of range 0 to"),
              0U);
}

TEST(Blocks, NoStepsAreNoError) {
    EXPECT_EQ(
        verdicts(
            "dims T=0 n\ninput x [T, n], s [n]\nforward\n  a[t] = x[t] + where(t > 0, h[t-1], s)\n  h[t] = tanh(a[t])\n  y = h\n"
            "claim\n  da[t] = (1 - h[t]^2) ⊙ dh[t]\n"),
        "cannot tell");
}

TEST(Blocks, ALostLineTakesItsBlockWithIt) {
    const FileReport r = check_file("a.proof",
                                    "dims T n\ninput x [T, n]\nforward\n  a[t] = where(t > 0, h[t-1], 0) + x[t]\n"
                                    "  h[t] = foo(a[t])\n  L = Σ_{t,i} x[t,i]^2\nclaim\n  dx = 2 x\n",
                                    {});
    EXPECT_NE(to_text(r).find("h stands in a[t], and no line that is read says what it is"), std::string::npos) << to_text(r);
    EXPECT_EQ(r.proofs[0].lines.back().verdict, Verdict::right) << to_text(r);
}

const std::string kLstm =
    "% gradproof: dims T n m; input x [T, n], W_i, W_f, W_o, W_g [m, n], U_i, U_f, U_o, U_g [m, m], b_i, b_f, b_o, b_g, h_0, c_0 "
    "[m]\n"
    "\\begin{align}\n  i_t &= \\sigma(W_i x_t + U_i h_{t-1} + b_i) \\\\\n  f_t &= \\sigma(W_f x_t + U_f h_{t-1} + b_f) \\\\\n"
    "  o_t &= \\sigma(W_o x_t + U_o h_{t-1} + b_o) \\\\\n  g_t &= \\tanh(W_g x_t + U_g h_{t-1} + b_g) \\\\\n"
    "  c_t &= f_t \\odot c_{t-1} + i_t \\odot g_t \\\\\n  h_t &= o_t \\odot \\tanh(c_t)\n\\end{align}\n"
    "\\[ L = \\frac12 \\sum_{t=1}^T \\|h_t\\|^2 \\]\n";

TEST(Blocks, AnLstmIsReadAsItIsTypeset) {
    const std::string head =
        R"(\frac{\partial L}{\partial c_t} = \frac{\partial L}{\partial h_t} \odot o_t \odot (1 - \tanh^2(c_t)))";
    const std::string next = R"( + \frac{\partial L}{\partial c_{t+1}} \odot )";
    EXPECT_EQ(
        verdicts_by_line(
            "a.tex", kLstm + "\\[ " + head + next + "f_{t+1}, \\quad t < T \\]\n\\[ " + head + next +
                         "i_{t+1}, \\quad t < T \\]\n"
                         "\\[ \\frac{\\partial L}{\\partial f_t} = \\frac{\\partial L}{\\partial c_t} \\odot c_{t-1} \\]\n"
                         "\\[ \\frac{\\partial L}{\\partial f_t} = \\frac{\\partial L}{\\partial c_t} \\odot c_t \\]\n"
                         "\\[ \\frac{\\partial L}{\\partial b_g} = \\sum_t \\frac{\\partial L}{\\partial g_t} \\odot (1 - g_t^2) "
                         "\\]\n\\[ \\frac{\\partial L}{\\partial h_T} = h_T \\]\n"),
        "11 right, 12 wrong, 13 right, 14 wrong, 15 right, 16 right");
}

TEST(Blocks, AGruIsReadAsItIsTypeset) {
    const std::string forward =
        "% gradproof: dims T n m; input x [T, n], W_z, W_r, W_h [m, n], U_z, U_r, U_h [m, m]\n\\begin{align*}\n  h_0 &= 0, \\\\\n"
        "  z_t &= \\sigma(W_z x_t + U_z h_{t-1}), \\\\\n  r_t &= \\sigma(W_r x_t + U_r h_{t-1}), \\\\\n"
        "  \\tilde{h}_t &= \\tanh(W_h x_t + U_h (r_t \\odot h_{t-1})), \\\\\n"
        "  h_t &= (1 - z_t) \\odot h_{t-1} + z_t \\odot \\tilde{h}_t .\n\\end{align*}\n";
    const std::string dh = "\\frac{\\partial L}{\\partial h_t}";
    EXPECT_EQ(verdicts_by_line("a.tex", forward + "\\[ \\frac{\\partial L}{\\partial \\tilde{h}_t} = " + dh +
                                            " \\odot z_t \\]\n" + "\\[ \\frac{\\partial L}{\\partial z_t} = " + dh +
                                            " \\odot (\\tilde{h}_t - h_{t-1}) \\]\n" +
                                            "\\[ \\frac{\\partial L}{\\partial z_t} = " + dh +
                                            " \\odot \\tilde{h}_t \\]\n\\[ L = \\sum_t \\|h_t\\|^2 \\]\n"),
              "9 right, 10 right, 11 wrong");
}

TEST(Blocks, StepsMayStandAboveInBrackets) {
    EXPECT_EQ(
        verdicts_by_line(
            "a.tex",
            "% gradproof: dims \\tau n m; input x [\\tau, n], U [m, n], W [m, m], h^{(0)}, b [m]\n"
            "\\begin{align}\n  a^{(t)} &= b + W h^{(t-1)} + U x^{(t)} \\\\\n  h^{(t)} &= \\tanh(a^{(t)})\n\\end{align}\n"
            "\\[ L = \\sum_t \\|h^{(t)}\\|^2 \\]\n"
            "\\[ \\nabla_{h^{(t)}} L = 2 h^{(t)} + W^\\top \\mathrm{diag}(1 - (h^{(t+1)})^2) \\nabla_{h^{(t+1)}} L \\quad (t < "
            "\\tau) \\]\n"
            "\\[ \\nabla_{h^{(t)}} L = 2 h^{(t)} + W^\\top \\nabla_{h^{(t+1)}} L \\quad (t < \\tau) \\]\n"
            "\\[ \\nabla_{h^{(\\tau)}} L = 2 h^{(\\tau)} \\]\n"
            "\\[ \\frac{\\partial L}{\\partial a^{(t)}_i} = (1 - (h^{(t)}_i)^2) \\frac{\\partial L}{\\partial h^{(t)}_i} \\]\n"),
        "7 right, 8 wrong, 9 right, 10 right");
}

TEST(Blocks, LatexUsesWhatLaterFormulasDefine) {
    EXPECT_EQ(verdicts_by_line(
                  "a.tex",
                  "% gradproof: dims n d k; input X [n, d], W [d, k]; const Y [n, k] ~ onehot\n"
                  "\\[ L = -\\frac{1}{n} \\sum_{i,j} Y_{ij} \\log P_{ij} \\]\nwhere\n\\[ P = \\mathrm{softmax}(Z) \\]\nand\n"
                  "\\[ Z = X W . \\]\n\\[ \\frac{\\partial L}{\\partial Z} = \\frac{1}{n} (P - Y) \\]\n"
                  "\\[ \\frac{\\partial L}{\\partial Z} = P - Y \\]\n"),
              "7 right, 8 wrong");
    // A note between them says where one part ends.
    EXPECT_NE(
        refused_as("% gradproof: dims n; input x [n]\n\\[ L = \\sum_i y_i \\]\n% gradproof: forward\n\\[ y = 2 x \\]\n", "a.tex")
            .find("y_i is not known here"),
        std::string::npos);
}

TEST(Blocks, ALoopOfNumpyAssignsSeveralRows) {
    const std::string forward =
        "# gradproof: dims T n m\n# gradproof: input X [T, n], W [m, n], U [m, m]\na = np.zeros((T, m)); h = np.zeros((T, m))\n"
        "for t in range(T):\n    a[t] = W @ X[t] + U @ h[t-1]\n    h[t] = np.tanh(a[t])\nL = (h ** 2).sum()\n";
    EXPECT_EQ(verdicts_by_line("a.py", forward + "da = (1 - h ** 2) * dh\ndW = da.T @ X\ndW = dh.T @ X\n"),
              "8 right, 9 right, 10 wrong");
}

TEST(Blocks, SeveralNamesShareAShape) {
    EXPECT_EQ(verdicts("dims n d\ninput Q, K [n, d]\nconst m, y [n] ~ positive\nforward\n  S = Q K^T\nclaim\n  dQ = dS K\n"),
              "right");
    EXPECT_EQ(refused_as("dims n\ninput x, y = 2\n"),
              "expected the shape of x, or = and its value: input x [n, d], or [] of a number");
    EXPECT_EQ(refused_as("dims n\ninput x [n], y\n"),
              "expected the shape of y, or = and its value: input y [n, d], or [] of a number");
}

}  // namespace
}  // namespace gradproof::proof
