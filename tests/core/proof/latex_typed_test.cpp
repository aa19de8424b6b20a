// Derivations as people type them without a word for the checker: which names are values, and what leads to them.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

TEST(LatexTyped, AResidualBehindTheLossIsNoLossWhateverItsLetter) {
    const std::string text =
        "Let $A \\in \\mathbb{R}^{n \\times d}$.\n"
        "\\[ L = \\tfrac12 \\|A V - B\\|_F^2 + \\mu \\|V\\|_F^2 . \\]\n"
        "With $E = A V - B$ one finds\n";
    EXPECT_EQ(of_tex(text + "\\[ \\nabla_V L = A^\\top E + 2 \\mu V \\]"), "4 right");
    EXPECT_EQ(of_tex(text + "\\[ \\nabla_V L = A^\\top E + \\mu V \\]"), "4 wrong");
    const std::string cosine = "\\[ J = \\|x - U z\\|^2 \\]\nWrite $C = U z z^\\top$. Then\n";
    EXPECT_EQ(of_tex(cosine + "\\[ \\frac{\\partial J}{\\partial U} = 2 C - 2 x z^\\top \\]"), "3 right");
    EXPECT_EQ(of_tex(cosine + "\\[ \\frac{\\partial J}{\\partial U} = C - 2 x z^\\top \\]"), "3 wrong");
}

TEST(LatexTyped, LIsAMatrixWhereDerivativesAreTakenByItAlone) {
    const std::string text = "\\[ K = L L^\\top, \\qquad q = x^\\top K x . \\]\n";
    EXPECT_EQ(of_tex(text + "\\[ \\frac{\\partial q}{\\partial L} = 2 x x^\\top L \\]"), "2 right");
    EXPECT_EQ(of_tex(text + "\\[ \\frac{\\partial q}{\\partial L} = 2 L x x^\\top \\]"), "2 wrong");
    const std::string transposed = "Put $h(u) = \\|L u - v\\|^2$. We get\n";
    EXPECT_EQ(of_tex(transposed + "\\[ \\nabla_L h = 2 (L u - v) u^\\top, \\quad \\nabla_u h = 2 L^\\top (L u - v) \\]"),
              "2 right, 2 right");
    EXPECT_EQ(of_tex(transposed + "\\[ \\nabla_L h = 2 u (L u - v)^\\top, \\quad \\nabla_u h = 2 L (L u - v) \\]"),
              "2 wrong, 2 wrong");
}

TEST(LatexTyped, ADerivativeGoesAlongTheFormulaOfItsValueThatHasWhatItIsTakenBy) {
    const std::string text = "\\[ G = B^\\top B, \\qquad s = \\|B v\\|^2 = v^\\top G v . \\]\n";
    EXPECT_EQ(
        of_tex(text +
               "\\[ \\frac{\\partial s}{\\partial G} = v v^\\top \\]\n\\[ \\frac{\\partial s}{\\partial B} = 2 B v v^\\top \\]"),
        "1 right, 2 right, 3 right");
    EXPECT_EQ(
        of_tex(text +
               "\\[ \\frac{\\partial s}{\\partial G} = 2 v v^\\top \\]\n\\[ \\frac{\\partial s}{\\partial B} = B v v^\\top \\]"),
        "1 right, 2 wrong, 3 wrong");
    const std::string entries = "\\[ m = \\frac1n \\sum_i x_i, \\quad w_i = x_i^2, \\quad r = \\sum_i x_i^2 = \\sum_i w_i \\]\n";
    EXPECT_EQ(of_tex(entries + "\\[ \\frac{\\partial r}{\\partial w_i} = 1 \\]"), "1 right, 2 right");
    EXPECT_EQ(of_tex(entries + "\\[ \\frac{\\partial r}{\\partial w_i} = 2 \\]"), "1 right, 2 wrong");
}

TEST(LatexTyped, WhatNothingLeadsToIsNotReadUnlessItIsClaimedToBeZero) {
    const std::string text = "\\[ f = \\|x\\|^2, \\qquad y = W x . \\]\n";
    EXPECT_EQ(of_tex(text + "\\[ \\frac{\\partial f}{\\partial W} = y x^\\top \\]"), "2 not read");
    EXPECT_EQ(of_tex(text + "\\[ \\frac{\\partial f}{\\partial W} = 0 \\]"), "2 right");
    EXPECT_EQ(of_tex(text + "\\[ \\frac{\\partial f}{\\partial x} = x \\]"), "2 wrong");
}

TEST(LatexTyped, PrimesAreTransposesWhereATextWritesNoOthers) {
    const std::string quadratic = "Put $q = x'Px + b'x$ with symmetric $P$.\n";
    EXPECT_EQ(of_tex(quadratic + "\\[ \\frac{\\partial q}{\\partial x} = 2Px + b \\]"), "2 right");
    EXPECT_EQ(of_tex(quadratic + "\\[ \\frac{\\partial q}{\\partial x} = Px + b' \\]"), "2 wrong");
    const std::string squares = "\\[ S(\\beta) = (y - X\\beta)'(y - X\\beta) \\]\n";
    EXPECT_EQ(of_tex(squares + "\\[ \\nabla_\\beta S = -2X'(y - X\\beta), \\quad "
                               "\\frac{\\partial^2 S}{\\partial\\beta\\,\\partial\\beta'} = 2X'X \\]"),
              "2 right, 2 right");
    EXPECT_EQ(of_tex(squares + "\\[ \\nabla_\\beta S = 2X'(y - X\\beta), \\quad "
                               "\\frac{\\partial^2 S}{\\partial\\beta\\,\\partial\\beta'} = X'X \\]"),
              "2 wrong, 2 wrong");
    // Where another sign of a transpose stands, a prime is part of a name.
    EXPECT_EQ(of_tex("\\[ y = W^\\top x + W' x' \\]\n\\[ \\frac{\\partial L}{\\partial x'} = (W')^\\top \\frac{\\partial "
                     "L}{\\partial y} \\]"),
              "2 right");
}

TEST(LatexTyped, AFactorOfAMatrixThatIsInvertedIsSquare) {
    const std::string text = "\\[ f = \\log\\det A, \\qquad A = R R^\\top . \\]\n";
    EXPECT_EQ(of_tex(text + "\\[ \\frac{\\partial f}{\\partial R} = 2 R^{-\\top} \\]"), "2 right");
    EXPECT_EQ(of_tex(text + "\\[ \\frac{\\partial f}{\\partial R} = 2 R^{-1} \\]"), "2 wrong");
}

TEST(LatexTyped, ADefinitionIsTurnedRoundWhereDerivativesAreTakenByWhatItDefines) {
    const std::string variance =
        "The encoder gives $m$ and $s = \\log\\sigma^2$; we put $z = m + \\sigma\\odot\\eta$.\n\\[ L = \\|z\\|^2 + \\sum_j s_j "
        "\\]\n";
    EXPECT_EQ(of_tex(variance + "\\[ \\frac{\\partial L}{\\partial s} = z\\odot\\eta\\odot\\sigma + 1 \\]"), "3 right");
    EXPECT_EQ(of_tex(variance + "\\[ \\frac{\\partial L}{\\partial s} = 2 z\\odot\\eta\\odot\\sigma + 1 \\]"), "3 wrong");
    const std::string precision =
        "\\[ g = x^\\top \\Sigma^{-1} x + \\log\\det\\Sigma \\]\nWith the precision $\\Lambda = \\Sigma^{-1}$,\n";
    EXPECT_EQ(of_tex(precision + "\\[ \\frac{\\partial g}{\\partial\\Lambda} = x x^\\top - \\Sigma \\]"), "3 right");
    EXPECT_EQ(of_tex(precision + "\\[ \\frac{\\partial g}{\\partial\\Lambda} = x x^\\top + \\Sigma \\]"), "3 wrong");
    const std::string number = "\\[ h = \\frac{(x - m)^2}{v^2} + \\log v^2, \\qquad \\lambda = \\frac{1}{v^2} \\]\n";
    EXPECT_EQ(of_tex(number + "\\[ \\frac{\\partial h}{\\partial\\lambda} = (x - m)^2 - \\frac{1}{\\lambda} \\]"), "2 right");
    EXPECT_EQ(of_tex(number + "\\[ \\frac{\\partial h}{\\partial\\lambda} = (x - m)^2 + \\frac{1}{\\lambda} \\]"), "2 wrong");
}

TEST(LatexTyped, OfASquareThatIsDefinedTheNameIsTheRoot) {
    const std::string text = "\\[ v_j^2 = \\frac1N\\sum_n X_{nj}^2 + \\epsilon, \\qquad Y_{nj} = \\frac{X_{nj}}{v_j} \\]\n";
    EXPECT_EQ(of_tex(text + "\\[ \\frac{\\partial L}{\\partial v_j^2} = -\\frac12\\sum_n \\frac{\\partial L}{\\partial Y_{nj}} "
                            "X_{nj} v_j^{-3} \\]"),
              "2 right");
    EXPECT_EQ(
        of_tex(text +
               "\\[ \\frac{\\partial L}{\\partial v_j^2} = -\\sum_n \\frac{\\partial L}{\\partial Y_{nj}} X_{nj} v_j^{-2} \\]"),
        "2 wrong");
    const std::string in_words =
        "Here $\\sigma_j^2 = e^{\\ell_j}$ and $z = \\mu + \\sigma \\odot \\varepsilon$.\n\\[ L = \\sum_j z_j^3 \\]\n";
    EXPECT_EQ(of_tex(in_words + "\\[ \\frac{\\partial L}{\\partial\\ell_j} = \\frac32 z_j^2 \\sigma_j \\varepsilon_j \\]"),
              "3 right");
    EXPECT_EQ(of_tex(in_words + "\\[ \\frac{\\partial L}{\\partial\\ell_j} = 3 z_j^2 \\sigma_j \\varepsilon_j \\]"), "3 wrong");
}

TEST(LatexTyped, EToTheNamesIsTheExponentialBesideAResidualE) {
    const std::string text = "With $e = y - A u$ let\n\\[ L = \\tfrac12\\|e\\|^2 + \\sum_k e^{u_k} \\]\n";
    EXPECT_EQ(of_tex(text + "\\[ \\nabla_u L = -A^\\top e + e^{u} \\]"), "3 right");
    EXPECT_EQ(of_tex(text + "\\[ \\nabla_u L = A^\\top e + e^{u} \\]"), "3 wrong");
}

TEST(LatexTyped, WhatHoldsAtTestTimeIsNotReadOfTraining) {
    const std::string text = "\\[ m = \\frac1N \\sum_n x_n, \\qquad y_n = x_n - m \\]\n";
    EXPECT_EQ(of_tex(text + "At test time $m$ is a constant, so\n\\[ \\frac{\\partial L}{\\partial x_n} = \\frac{\\partial "
                            "L}{\\partial y_n} \\]"),
              "3 not read");
    EXPECT_EQ(of_tex(text + "Hence\n\\[ \\frac{\\partial L}{\\partial x_n} = \\frac{\\partial L}{\\partial y_n} \\]"), "3 wrong");
}

TEST(LatexTyped, WhatWordsCallASolutionIsNoDefinitionOfWhatDerivativesAreTakenBy) {
    const std::string text =
        "\\[ F(a) = \\|y - K a\\|^2 + \\lambda a^\\top K a \\]\nwith symmetric $K$. The minimiser is $a = (K + \\lambda I)^{-1} "
        "y$, and\n";
    EXPECT_EQ(of_tex(text + "\\[ \\nabla F(a) = 2 K ((K + \\lambda I) a - y) \\]"), "3 right");
    EXPECT_EQ(of_tex(text + "\\[ \\nabla F(a) = 2 ((K + \\lambda I) a - y) \\]"), "3 wrong");
    const std::string behind =
        "\\[ q = \\tfrac12 w^\\top A w - b^\\top w \\]\nwith symmetric $A$, so that $w = A^{-1} b$ is optimal.\n";
    EXPECT_EQ(of_tex(behind + "\\[ \\frac{\\partial q}{\\partial w} = A w - b \\]"), "3 right");
    EXPECT_EQ(of_tex(behind + "\\[ \\frac{\\partial q}{\\partial w} = A w + b \\]"), "3 wrong");
    // A value goes by it where nothing is differentiated by it.
    EXPECT_EQ(of_tex("Let the solution be $w = A b$ with a matrix $A$.\n\\[ r = \\|w\\|^2, \\quad \\frac{\\partial r}{\\partial "
                     "b} = 2 A^\\top w \\]"),
              "2 right");
}

TEST(LatexTyped, SumsOverASetThatAConditionSaysGoOverWhatFulfilsIt) {
    const std::string text =
        "\\[ J = \\sum_{i=1}^n \\max(0, c - s_i)^2, \\qquad s_i = u^\\top x_i \\]\n"
        "Let $A = \\{k : s_k < c\\}$ be the active ones. Then\n";
    EXPECT_EQ(of_tex(text + "\\[ \\nabla_u J = -2\\sum_{i \\in A} (c - s_i) x_i, \\quad \\frac{\\partial J}{\\partial c} = "
                            "2\\sum_{j\\in A}(c - s_j) \\]"),
              "3 right, 3 right");
    EXPECT_EQ(of_tex(text + "\\[ \\nabla_u J = -2\\sum_{i} (c - s_i) x_i, \\quad \\frac{\\partial J}{\\partial c} = \\sum_{j\\in "
                            "A}(c - s_j) \\]"),
              "3 wrong, 3 wrong");
}

TEST(LatexTyped, SumsOverASetOfPairsHaveAMask) {
    const std::string text =
        "\\[ \\ell = \\sum_{(m,n) \\in \\mathcal{O}} (T_{mn} - p_m^\\top q_n)^2 \\]\nStack the $p_m$ and $q_n$ as rows of $P$ "
        "and $Q$; "
        "let $B$ be the mask of $\\mathcal{O}$ and $R = B \\odot (T - P Q^\\top)$.\n";
    EXPECT_EQ(of_tex(text + "\\[ \\nabla_P \\ell = -2 R Q, \\quad \\nabla_{p_m} \\ell = -2 \\sum_{n : (m,n) \\in \\mathcal{O}} "
                            "(T_{mn} - p_m^\\top q_n) q_n \\]"),
              "3 right, 3 right");
    EXPECT_EQ(
        of_tex(text + "\\[ \\nabla_Q \\ell = -2 R P, \\quad \\nabla_{q_n} \\ell = -2 \\sum_m (T_{mn} - p_m^\\top q_n) p_m \\]"),
        "3 wrong, 3 wrong");
    const std::string batch = "\\[ L = \\sum_{b \\in \\mathcal{B}} (w^\\top z_b)^2 \\]\n";
    EXPECT_EQ(of_tex(batch + "\\[ \\nabla_w L = 2 \\sum_{b \\in \\mathcal{B}} (w^\\top z_b) z_b \\]"), "2 right");
    EXPECT_EQ(of_tex(batch + "\\[ \\nabla_w L = \\sum_{b \\in \\mathcal{B}} (w^\\top z_b) z_b \\]"), "2 wrong");
}

TEST(LatexTyped, RowsAndColumnsAreThoseThatTheTextNames) {
    const std::string columns =
        "The columns of $C$ are $c_1, \\dots, c_K$.\n\\[ g = \\sum_k \\exp(c_k^\\top v), \\qquad \\alpha = \\exp(C^\\top v) "
        "\\]\n";
    EXPECT_EQ(of_tex(columns + "\\[ \\nabla_v g = C \\alpha, \\quad \\nabla_{c_k} g = \\alpha_k v \\]"), "3 right, 3 right");
    EXPECT_EQ(of_tex(columns + "\\[ \\nabla_v g = C^\\top \\alpha, \\quad \\nabla_{c_k} g = v \\]"), "3 wrong, 3 wrong");
}

TEST(LatexTyped, DerivativesBehindATermThatIsAddedAreOfBoth) {
    const std::string text = "\\[ L = \\|X w - y\\|^2 \\]\nAdding a penalty $\\rho \\|w\\|^2$ to $L$, we get\n";
    EXPECT_EQ(of_tex(text + "\\[ \\nabla_w L = 2 X^\\top (X w - y) + 2 \\rho w \\]"), "3 right");
    EXPECT_EQ(of_tex(text + "\\[ \\nabla_w L = 2 X^\\top (X w - y) \\]"), "3 wrong");
    const std::string behind = "\\[ f(x) = \\log\\sum_i e^{x_i} \\]\nWith $\\frac{\\kappa}{2} \\|x\\|^2$ added to it\n";
    EXPECT_EQ(of_tex(behind + "\\[ \\nabla f(x) = \\mathrm{softmax}(x) + \\kappa x \\]"), "3 right");
    EXPECT_EQ(of_tex(behind + "\\[ \\nabla f(x) = \\mathrm{softmax}(x) + x \\]"), "3 wrong");
    EXPECT_EQ(of_tex("\\[ L = \\sum_i \\max(0, w^\\top x_i) \\]\nWith $\\sum_i \\max(0, w^\\top x_i)^2$ in place of the sum\n"
                     "\\[ \\nabla_w L = 2\\sum_i \\max(0, w^\\top x_i) x_i \\]"),
              "3 not read");
}

}  // namespace
}  // namespace gradproof::proof
