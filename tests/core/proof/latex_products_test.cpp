// Products of matrices along a sequence, gradients that a delta marks, labels in indicators, rows and sets that a text names.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

TEST(LatexProducts, OfMatricesStandInOneOrder) {
    const std::string text = displayed("h_t = \\tanh(W h_{t-1} + x_t), \\quad L = \\sum_{t=1}^T c^\\top h_t"),
                      left = "\\frac{\\partial h_T}{\\partial h_t} = ", factor = " \\mathrm{diag}(1 - h_k^2) W";
    EXPECT_EQ(of_tex(text + displayed(left + "\\prod_{k=T}^{t+1}" + factor)), "2 right");
    EXPECT_EQ(of_tex(text + displayed(left + "\\prod_{k=T}^{t+1} W \\mathrm{diag}(1 - h_k^2)")), "2 wrong");
    EXPECT_EQ(of_tex(text + displayed(left + "\\prod_{k=t+1}^{T}" + factor)), "2 cannot tell");
    EXPECT_EQ(of_tex(text + displayed("\\frac{\\partial h_T}{\\partial h_1} = \\prod_{k=T}^{2}" + factor)), "2 right");
    EXPECT_EQ(of_tex(text + displayed("\\frac{\\partial h_T}{\\partial h_1} = \\prod_{k=T}^{1}" + factor)), "2 wrong");
    const std::string scalars = displayed("L = \\prod_{k=1}^n a_k");
    EXPECT_EQ(of_tex(scalars + displayed("\\frac{\\partial L}{\\partial a_i} = \\prod_{k \\ne i} a_k")), "2 right");
}

TEST(LatexProducts, ADeltaMarksGradientsWhereTheTextSaysSo) {
    const std::string cell = displayed("y = W x, \\quad z = \\tanh(y)");
    const std::string said = "We write $\\delta v = \\partial E / \\partial v$ for the gradient by $v$.\n";
    EXPECT_EQ(of_tex(cell + said + displayed("\\delta y = \\delta z \\odot (1 - z^2)")), "3 right");
    EXPECT_EQ(of_tex(cell + said + displayed("\\delta y = \\delta z \\odot (1 - z)")), "3 wrong");
    EXPECT_EQ(of_tex(cell + said + displayed("\\delta x = W^\\top \\delta y")), "3 right");
    const std::string let = "Let $\\delta z$ be the gradient of the loss by $z$, and so on.\n";
    EXPECT_EQ(of_tex(cell + let + displayed("\\delta y = \\delta z \\odot (1 - z^2)")), "3 right");
    EXPECT_EQ(of_tex(cell + let + displayed("\\delta y = \\delta z \\odot z^2")), "3 wrong");
    const std::string error = "Let $\\delta = \\partial L / \\partial y$.\n";  // a name
    EXPECT_EQ(of_tex(cell + error + displayed("L = \\mathbf 1^\\top z") +
                     displayed("\\frac{\\partial L}{\\partial W} = \\delta x^\\top")),
              "4 right");
}

TEST(LatexProducts, BarsMayStandOverNamesWithTheirScripts) {
    const std::string cell = "\\newcommand{\\adj}[1]{\\overline{#1}}\n" +
                             displayed("h_t = \\tanh(W h_{t-1} + x_t), \\quad L = \\sum_t c^\\top h_t") +
                             "For a scalar objective put $\\adj{v} = (\\partial L/\\partial v)^\\top$, a column.\n";
    EXPECT_EQ(of_tex(cell + displayed("\\adj{x_t} = \\adj{h_t} \\odot (1 - h_t^2)")), "4 right");
    EXPECT_EQ(of_tex(cell + displayed("\\adj{x_t} = \\adj{h_t} \\odot (1 - h_t)")), "4 wrong");
}

TEST(LatexProducts, AMatrixInBracketsIsThatOfItsEntries) {
    const std::string text =
        displayed("q_{ij} = e^{s_{ij}} / \\sum_k e^{s_{ik}}, \\qquad L = -\\frac1B \\sum_{i=1}^B \\log q_{ii}") +
        "With $Q = (q_{ij})$\n";
    EXPECT_EQ(of_tex(text + displayed("\\frac{\\partial L}{\\partial s} = \\frac1B (Q - I)")), "3 right");
    EXPECT_EQ(of_tex(text + displayed("\\frac{\\partial L}{\\partial s} = \\frac1B (I - Q)")), "3 wrong");
}

TEST(LatexProducts, AMarkedNameIsAnother) {
    const std::string text = "Let $W \\in \\mathbb{R}^{n \\times m}$, $x \\in \\mathbb{R}^m$.\n" + displayed("h = W x") +
                             displayed("\\nabla_W L = \\nabla_h L \\, x^\\top") + "After a step of size $\\eta$ it becomes\n" +
                             displayed("W^{+} = W - \\eta \\, \\nabla_h L \\, x^\\top");
    EXPECT_EQ(of_tex(text).substr(0, 7), "3 right");
}

TEST(LatexProducts, LabelsInIndicatorsArePlaces) {
    const std::string text =
        "For logits $z \\in \\mathbb{R}^K$ let $p_k = e^{z_k} / \\sum_j e^{z_j}$, and for a sample of class $c$\n" +
        displayed("q_k = (1 - \\varepsilon) \\mathbf{1}[k = c] + \\varepsilon / K, \\qquad L = -\\sum_k q_k \\log p_k .");
    EXPECT_EQ(of_tex(text + displayed("\\frac{\\partial L}{\\partial z_k} = p_k - q_k")), "3 right");
    EXPECT_EQ(of_tex(text + displayed("\\frac{\\partial L}{\\partial z_k} = p_k - \\mathbf{1}[k = c]")), "3 wrong");
    EXPECT_EQ(
        of_tex(text +
               displayed("\\frac{\\partial L}{\\partial z_k} = \\begin{cases} p_k - 1 + \\varepsilon - \\varepsilon / K & k = c, "
                         "\\\\[2pt] p_k - \\varepsilon / K & k \\ne c . \\end{cases}")),
        "3 right");
    EXPECT_EQ(of_tex(text + displayed("\\frac{\\partial L}{\\partial \\varepsilon} = \\log p_c - \\frac1K \\sum_k \\log p_k")),
              "3 right");
}

TEST(LatexProducts, RowsOfRespectiveMatricesAreNoInputs) {
    const std::string text = "Given $Q, K, V \\in \\mathbb{R}^{N \\times d}$ let\n" +
                             displayed("S = Q K^\\top, \\quad P = \\mathrm{softmax}(S), \\quad O = P V .") +
                             "We write $q_i, k_i, v_i, o_i \\in \\mathbb{R}^d$ for the $i$-th rows of the respective matrices, "
                             "and $dX$ for the gradient "
                             "by $X$.\n";
    EXPECT_EQ(of_tex(text + displayed("dv_j = \\sum_i P_{ij} do_i")), "4 right");
    EXPECT_EQ(of_tex(text + displayed("dv_j = \\sum_i P_{ji} do_i")), "4 wrong");
    EXPECT_EQ(of_tex(text + displayed("dS_{ij} = P_{ij} (do_i^\\top v_j - do_i^\\top o_i)")), "4 right");
    EXPECT_EQ(of_tex(text + displayed("dS_{ij} = P_{ij} (do_i^\\top v_j - do_i^\\top v_i)")), "4 wrong");
}

TEST(LatexProducts, RowsOfASetOfPairs) {
    const std::string text = "Let $\\Omega$ be the set of observed pairs $(u,i)$ and $e_{ui} = r_{ui} - p_u^\\top q_i$.\n" +
                             displayed("L = \\frac12 \\sum_{(u,i) \\in \\Omega} e_{ui}^2") +
                             "Let $\\Omega_u$ denote the items rated by $u$ and $\\Omega^i$ the users who rated $i$.\n";
    EXPECT_EQ(of_tex(text + displayed("\\frac{\\partial L}{\\partial p_u} = -\\sum_{i \\in \\Omega_u} e_{ui} q_i")), "4 right");
    EXPECT_EQ(of_tex(text + displayed("\\frac{\\partial L}{\\partial q_i} = -\\sum_{u \\in \\Omega^i} e_{ui} p_u")), "4 right");
    EXPECT_EQ(of_tex(text + displayed("\\frac{\\partial L}{\\partial p_u} = -\\sum_i e_{ui} q_i")), "4 wrong");
}

TEST(LatexProducts, ATermMayStandInBraces) {
    const std::string text = "Let $x \\in \\mathbb{R}^n$.\n" + displayed("L = \\sum_i x_i^2");
    for (const std::string extra : {"{+ 1}", "\\color{red}{+1}", "\\textcolor{red}{+ 1}", "\\boxed{+1}", "{-1}"})
        EXPECT_EQ(of_tex(text + displayed("\\frac{\\partial L}{\\partial x_i} = 2 x_i " + extra)), "3 wrong") << extra;
    EXPECT_EQ(of_tex(text + displayed("\\frac{\\partial L}{\\partial x_i} = \\frac{x_i}{+1} {+ x_i}")), "3 right");
}

TEST(LatexProducts, BracesNestedTooDeepAreToldAtOnce) {
    const std::string deep = times(3000, "{") + "x" + times(3000, "}");
    EXPECT_EQ(of_tex("Let $x \\in \\mathbb{R}^n$.\n" + displayed("L = " + deep) + displayed("\\nabla_x L = 1")),
              "2 not read, 3 not read");
}

TEST(LatexProducts, ANumberToThePowerOfAnotherCalledT) {
    const std::string text = "Let $x > 0$ and $T \\in \\mathbb{R}$.\n" + displayed("f = x^T");
    EXPECT_EQ(of_tex(text + displayed("\\frac{\\partial f}{\\partial x} = T x^{T-1}")), "3 right");
    EXPECT_EQ(of_tex(text + displayed("\\frac{\\partial f}{\\partial x} = 1")), "3 wrong");
}

TEST(LatexProducts, WithoutALossNothingIsTold) {
    const std::string text = "For a triple with $x = p^\\top (q - r)$ and loss $-\\log\\sigma(x)$ we obtain\n";
    EXPECT_EQ(of_tex(text + displayed("\\frac{\\partial \\ell}{\\partial p} = -\\sigma(-x) (q - r)")), "2 cannot tell");
}

}  // namespace
}  // namespace gradproof::proof
