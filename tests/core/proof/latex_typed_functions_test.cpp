// Functions and parts of formulas as people type them: thresholds below a function, cases, derivatives by an expression.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

TEST(LatexTypedFunctions, AFunctionMayHaveParametersBelowAndAnArgumentThatIsAValueToo) {
    const std::string text =
        "Let $u = A v - c$ and $F(v) = \\sum_i \\phi_\\kappa(u_i)$ with\n"
        "\\[ \\phi_\\kappa(u) = \\kappa^2 \\log(1 + u^2 / \\kappa^2) . \\]\n";
    EXPECT_EQ(of_tex(text + "\\[ \\nabla F(v) = A^\\top \\phi_\\kappa'(A v - c), \\quad \\phi_\\kappa'(u) = \\frac{2 u}{1 + u^2 "
                            "/ \\kappa^2} \\]"),
              "3 right, 3 right");
    EXPECT_EQ(
        of_tex(text +
               "\\[ \\nabla F(v) = A \\phi_\\kappa'(A v - c), \\quad \\phi_\\kappa'(u) = \\frac{u}{1 + u^2 / \\kappa^2} \\]"),
        "3 wrong, 3 wrong");
    const std::string two =
        "Write $\\rho_\\tau(t) = \\tau t^2$ and $\\rho_{\\tau,s}(t) = \\tau t^3 + s t$.\n\\[ G(w) = \\sum_i "
        "\\rho_\\tau(x_i^\\top w) \\]\n";
    EXPECT_EQ(
        of_tex(two + "\\[ \\nabla_w G = 2 \\tau \\sum_i (x_i^\\top w) x_i, \\quad \\rho_{\\tau,s}'(t) = 3 \\tau t^2 + s \\]"),
        "3 right, 3 right");
    EXPECT_EQ(of_tex(two + "\\[ \\nabla_w G = \\tau \\sum_i (x_i^\\top w) x_i, \\quad \\rho_{\\tau,s}'(t) = 3 \\tau t^2 \\]"),
              "3 wrong, 3 wrong");
}

TEST(LatexTypedFunctions, CasesHaveASlopeCaseByCase) {
    const std::string text =
        "\\[ h_\\delta(t) = \\begin{cases} \\frac12 t^2 & |t| \\le \\delta \\\\ \\delta |t| - \\frac12 \\delta^2 & |t| > \\delta "
        "\\end{cases} \\]\n"
        "Let $r = y - X w$ and $L = \\sum_i h_\\delta(r_i)$. Then\n";
    EXPECT_EQ(
        of_tex(text + "\\[ \\nabla_w L = -X^\\top h_\\delta'(r), \\quad h_\\delta'(r) = \\max(-\\delta, \\min(r, \\delta)) \\]"),
        "3 right, 3 right");
    EXPECT_EQ(of_tex(text + "\\[ \\nabla_w L = X^\\top h_\\delta'(r), \\quad h_\\delta'(r) = \\min(r, \\delta) \\]"),
              "3 wrong, 3 wrong");
}

TEST(LatexTypedFunctions, WhatFollowsADefinitionInAChainIsClaimedOfTheFunction) {
    const std::string chain =
        "\\[ g_\\delta(t) = \\max(t, \\delta)^2, \\qquad k_\\delta(t) = g_\\delta'(t) = 2 t \\, \\mathbf{1}[t > \\delta] \\]\n"
        "With $t = B q$ and $M = \\sum_i g_\\delta(t_i)$,\n";
    EXPECT_EQ(of_tex(chain + "\\[ \\nabla_q M = B^\\top k_\\delta(B q) \\]"), "1 right, 3 right");
    EXPECT_EQ(of_tex(chain + "\\[ \\nabla_q M = B^\\top g_\\delta(B q) \\]"), "1 right, 3 wrong");
}

TEST(LatexTypedFunctions, DerivativesByAnExpressionAreByThatPartOfTheOtherFormulas) {
    const std::string text = "\\[ u = \\tanh(P x + c), \\qquad f = q^\\top u + \\|x\\|^2 \\]\n";
    EXPECT_EQ(of_tex(text + "\\[ \\frac{\\partial f}{\\partial (P x + c)} = q \\odot (1 - u^2) \\]"), "2 right");
    EXPECT_EQ(of_tex(text + "\\[ \\frac{\\partial f}{\\partial (P x + c)} = q \\odot u \\]"), "2 wrong");
    const std::string named = "\\[ s = \\sigma(A a + B b), \\quad y = s \\odot a \\]\nWrite $g = \\partial L / \\partial y$.\n";
    EXPECT_EQ(of_tex(named + "\\[ e := \\frac{\\partial L}{\\partial (A a + B b)} = g \\odot a \\odot s \\odot (1 - s), \\quad "
                             "\\frac{\\partial L}{\\partial a} = g \\odot s + A^\\top e \\]"),
              "3 right, 3 right");
    EXPECT_EQ(of_tex(named + "\\[ e := \\frac{\\partial L}{\\partial (A a + B b)} = g \\odot s \\odot (1 - s), \\quad "
                             "\\frac{\\partial L}{\\partial a} = g \\odot s + A e \\]"),
              "3 wrong, 3 wrong");
    EXPECT_EQ(of_tex(text + "\\[ \\frac{\\partial f}{\\partial (P x)} = q \\odot (1 - u^2) \\]"), "2 not read");
}

TEST(LatexTypedFunctions, AHingeIsPositiveWhereWordsSayThatItIsActive) {
    const std::string text = "\\[ \\ell = \\max(0, m + u^\\top x - v^\\top x) \\]\n";
    EXPECT_EQ(of_tex(text + "When the margin is violated,\n\\[ \\nabla_u \\ell = x, \\quad \\nabla_x \\ell = u - v \\]"),
              "3 right, 3 right");
    EXPECT_EQ(of_tex(text + "When active:\n\\[ \\nabla_u \\ell = -x, \\quad \\nabla_x \\ell = u + v \\]"), "3 wrong, 3 wrong");
    EXPECT_EQ(of_tex(text + "When the margin is not violated,\n\\[ \\nabla_u \\ell = 0 \\]"), "3 not read");
    EXPECT_EQ(of_tex("\\[ \\ell = m + u^\\top x \\]\nWhen the loss is positive,\n\\[ \\nabla_u \\ell = x \\]"), "3 not read")
        << "no hinge";
}

TEST(LatexTypedFunctions, ADiagonalOfAllEntriesIsThatOfTheVector) {
    const std::string text = "Put $D = \\mathrm{diag}(d_1, \\dots, d_m)$ and\n\\[ f = x^\\top D x + c^\\top x \\]\n";
    EXPECT_EQ(of_tex(text + "\\[ \\nabla_x f = 2 D x + c, \\quad \\frac{\\partial f}{\\partial d_i} = x_i^2 \\]"),
              "3 right, 3 right");
    EXPECT_EQ(of_tex(text + "\\[ \\nabla_x f = D x + c, \\quad \\frac{\\partial f}{\\partial d_i} = 2 x_i \\]"),
              "3 wrong, 3 wrong");
}

TEST(LatexTypedFunctions, WhatStandsAboveDerivativesAloneIsTheLoss) {
    const std::string text = "For the task loss $\\mathcal{T}(y)$ with $y = M u$ and $u = v \\odot v$ we get\n";
    EXPECT_EQ(of_tex(text + "\\[ \\frac{\\partial \\mathcal{T}}{\\partial v} = 2 v \\odot (M^\\top \\frac{\\partial "
                            "\\mathcal{T}}{\\partial y}) \\]"),
              "2 right");
    EXPECT_EQ(of_tex(text + "\\[ \\frac{\\partial \\mathcal{T}}{\\partial v} = v \\odot (M^\\top \\frac{\\partial "
                            "\\mathcal{T}}{\\partial y}) \\]"),
              "2 wrong");
    const std::string applied =
        "Let $\\nu = a^\\top W b$ and $\\hat W = W / \\nu(W)$. If $H = \\partial Q / \\partial \\hat W$ is the gradient of $Q$, "
        "then\n";
    EXPECT_EQ(of_tex(applied + "\\[ \\frac{\\partial Q}{\\partial W} = \\frac{1}{\\nu} \\bigl(H - \\langle H, \\hat W \\rangle a "
                               "b^\\top\\bigr) \\]"),
              "2 right");
    EXPECT_EQ(of_tex(applied + "\\[ \\frac{\\partial Q}{\\partial W} = \\frac{1}{\\nu} \\bigl(H + \\langle H, \\hat W \\rangle a "
                               "b^\\top\\bigr) \\]"),
              "2 wrong");
    EXPECT_EQ(of_tex("\\[ y = M u, \\qquad L = \\|y\\|^2 \\]\n\\[ \\frac{\\partial Q}{\\partial u} = 2 M^\\top y \\]"),
              "2 not read")
        << "of another";
}

TEST(LatexTypedFunctions, AMatrixMayDependOnAParameterInAnyWay) {
    const std::string text =
        "Let $C$ be a covariance matrix with hyperparameters $\\psi$, and $a = C^{-1} t$.\n"
        "\\[ \\mathcal{G}(\\psi) = t^\\top C^{-1} t + \\log |C| \\]\n";
    EXPECT_EQ(of_tex(text + "\\[ \\frac{\\partial \\mathcal G}{\\partial \\psi_k} = \\mathrm{tr}\\Bigl((C^{-1} - a a^\\top) "
                            "\\frac{\\partial C}{\\partial \\psi_k}\\Bigr) \\]"),
              "3 right");
    EXPECT_EQ(of_tex(text + "\\[ \\frac{\\partial \\mathcal G}{\\partial \\psi_k} = \\mathrm{tr}\\Bigl((C^{-1} + a a^\\top) "
                            "\\frac{\\partial C}{\\partial \\psi_k}\\Bigr) \\]"),
              "3 wrong");
    const std::string any = "\\[ \\mathcal{H} = x^\\top M y \\]\n";
    EXPECT_EQ(
        of_tex(any +
               "\\[ \\frac{\\partial \\mathcal H}{\\partial \\theta} = x^\\top \\frac{\\partial M}{\\partial \\theta} y \\]"),
        "2 right");
    EXPECT_EQ(
        of_tex(any +
               "\\[ \\frac{\\partial \\mathcal H}{\\partial \\theta} = y^\\top \\frac{\\partial M}{\\partial \\theta} x \\]"),
        "2 wrong");
}

TEST(LatexTypedFunctions, ProbabilitiesMayDependOnTheirParametersInAnyWay) {
    const std::string ratio =
        "With the ratio $r = \\pi_\\theta(a \\mid s) / \\pi_{\\mathrm{old}}(a \\mid s)$ the surrogate is\n\\[ J(\\theta) = r A "
        "\\]\n";
    EXPECT_EQ(of_tex(ratio + "\\[ \\nabla_\\theta J = r A \\, \\nabla_\\theta \\log \\pi_\\theta(a \\mid s) \\]"), "3 right");
    EXPECT_EQ(of_tex(ratio + "\\[ \\nabla_\\theta J = A \\, \\nabla_\\theta \\log \\pi_\\theta(a \\mid s) \\]"), "3 wrong");
    const std::string pair =
        "Let $h_\\phi(y) = \\log \\pi_\\phi(y \\mid x)$ and $g = h_\\phi(y_1) - h_\\phi(y_2)$.\n\\[ \\ell = \\log(1 + e^{-g}) "
        "\\]\n";
    EXPECT_EQ(of_tex(pair + "\\[ \\nabla_\\phi \\ell = -\\sigma(-g) \\bigl(\\nabla_\\phi \\log \\pi_\\phi(y_1 \\mid x) - "
                            "\\nabla_\\phi \\log \\pi_\\phi(y_2 \\mid x)\\bigr) \\]"),
              "3 right");
    EXPECT_EQ(of_tex(pair + "\\[ \\nabla_\\phi \\ell = -\\sigma(g) \\bigl(\\nabla_\\phi \\log \\pi_\\phi(y_1 \\mid x) - "
                            "\\nabla_\\phi \\log \\pi_\\phi(y_2 \\mid x)\\bigr) \\]"),
              "3 wrong");
    // Where the text says what they are, they are not just any.
    EXPECT_EQ(of_tex("For $\\pi_\\theta(a \\mid s) \\propto e^{\\theta_a}$ and $M \\in \\mathbb{R}^{n \\times m}$, $v \\in "
                     "\\mathbb{R}^m$ let\n\\[ J = A \\log \\pi_\\theta(a \\mid s) + \\|M v\\|^2 \\]\n"
                     "\\[ \\nabla_\\theta J = A \\nabla_\\theta \\log \\pi_\\theta(a \\mid s) \\]"),
              "2 not read, 3 not read");
}

TEST(LatexTypedFunctions, TheSlopeOfAFunctionThatASentenceDefines) {
    const std::string gated =
        "Let $A, B \\in \\mathbb{R}^{n \\times m}$ and $s(a) = a\\,\\sigma(a)$, elementwise.\n\\[ H = s(A) \\odot B \\]\n";
    const std::string left = "\\[ \\frac{\\partial L}{\\partial A} = \\frac{\\partial L}{\\partial H} ";
    EXPECT_EQ(
        of_tex(gated + left + "\\odot B \\odot s'(A) \\]\n" + left + "\\odot s'(A) \\]\n" +
               "\\[ s'(a) = \\sigma(a) + a\\,\\sigma(a)\\,(1-\\sigma(a)) \\]\n\\[ s'(a) = \\sigma(a)\\,(1-\\sigma(a)) \\]\n"),
        "3 right, 4 wrong, 5 right, 6 wrong");
}

}  // namespace
}  // namespace gradproof::proof
