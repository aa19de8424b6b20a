// What a text says of values by relations, commands and fonts that are not read: it is told, or the line is not read.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

/// Why what is passed over may change a right line.
std::vector<std::string> told(const std::string& text) { return passed_because("a.tex", text); }
const std::string kLine = "Let $x \\in \\mathbb{R}^n$ and $L = \\|x\\|^2$.\n";

TEST(LatexRelations, ALaterAssumptionIsTold) {
    const std::string text = "Let $L = |x|$. Let first $x > 0$. Then\n\\[ \\frac{dL}{dx} = 1. \\]\n";
    EXPECT_EQ(told(text).size(), 0u);
    for (const char* later : {"Now let $x < 0$.", "Assume $x \\le 0$ here.", "Suppose $x \\ne 0$.", "Let $0 > x$."})
        EXPECT_EQ(told(text + later + " Then\n\\[ \\frac{dL}{dx} = 1. \\]\n").size(), 1u) << later;
}

TEST(LatexRelations, SetsAndDistributionsOfFunctionsAndValuesAreTold) {
    const std::string claim = "\\[ \\frac{\\partial h}{\\partial w} = h (1 - h) x. \\]\n";
    const std::string given = "Let $x, w \\in \\mathbb{R}^n$ and $h = \\sigma(w^\\top x)$. ";
    EXPECT_EQ(told(given + claim).size(), 0u);
    for (const char* said :
         {"$\\sigma\\in\\{\\tanh, \\mathrm{ReLU}\\}$.", "Here $x \\sim w w^\\top$.", "$\\sigma(z) \\in (-1, 1)$."})
        EXPECT_EQ(told(given + said + "\n" + claim).size(), 1u) << said;
    EXPECT_EQ(told("Let $\\epsilon \\sim \\mathcal{N}(0, 1)$ and $f = \\epsilon^2 + |\\epsilon|$.\n"
                   "\\[ \\frac{df}{d\\epsilon} = 2 \\epsilon + 1 \\]\n")
                  .size(),
              1u);
}

TEST(LatexRelations, RowsThatGoOnWithARelationAreTold) {
    for (const char* row : {"\\le 3x", "\\neq 3x", "< 3x"})
        EXPECT_EQ(told(kLine + "\\begin{align} \\nabla_x L &= 2x \\\\ &" + row + " \\end{align}\n").size(), 1u) << row;
}

TEST(LatexRelations, CommandsThatNobodyKnowsAreTold) {
    const std::string claim = "\\[ \\nabla_x L = 2x \\]\n";
    for (const char* said :
         {"\\be \\frac{\\partial L}{\\partial y} = x \\ee", "\\begin{darray} \\nabla_y L = x \\end{darray}",
          "\\RenewDocumentCommand{\\rate}{}{\\beta}", "\\newunicodechar{x}{y}", "\\newcommand{\\foo}{\\let\\exp\\log} \\foo"})
        EXPECT_FALSE(told(kLine + said + "\n" + claim).empty()) << said;
    for (const char* said : {"\\emph{Then} we get", "\\newcommand{\\R}{\\mathbb{R}}", "\\let\\eps\\epsilon",
                             "\\def\\x{\\mathbf{x}}", "\\vspace{1em}\\noindent", "\\begin{lemma} \\end{lemma}"})
        EXPECT_EQ(told(kLine + said + "\n" + claim), std::vector<std::string>{}) << said;
    EXPECT_EQ(told(kLine + "So y = x.\n" + claim), std::vector<std::string>{"the words \"y = x\""});
}

TEST(LatexRelations, AccentsAndFontsThatMayMakeAnotherNameAreNotRead) {
    const std::string given = "Let $x \\in \\mathbb{R}^n$.\n";
    for (const char* loss : {"\\sum_i x_i \\overset{\\sim}{x}_i", "\\sum_i x_i \\underset{*}{x}_i", "x^\\top {\\bf x}"})
        EXPECT_NE(of_tex(given + displayed(std::string("L = ") + loss) + displayed("\\nabla_x L = 2x")).find("3 not read"),
                  std::string::npos)
            << loss;
    EXPECT_EQ(of_tex(given + displayed("L \\overset{\\text{def}}{=} x^\\top x") + displayed("\\nabla_x L = 2x")), "3 right");
}

TEST(LatexRelations, OneFunctionAfterAnotherIsNoProduct) {
    EXPECT_EQ(of_tex("Let $f(u) = u^3$ and $g(u) = u^2$ for $u \\in \\mathbb{R}$. \\[ L = f \\circ g \\]\n"
                     "\\[ \\frac{dL}{du} = 5 u^4 \\]\n"),
              "1 not read, 2 cannot tell");
}

TEST(LatexRelations, WhatMayBeAFunctionIsNoFactor) {
    EXPECT_EQ(of_tex("Let $a > 0$, $x > 0$.\n" + displayed("L = \\frac{x^{a-1} e^{-x}}{\\Gamma(a)}") +
                     displayed("\\frac{\\partial L}{\\partial a} = L (\\log x - \\frac{1}{a})")),
              "2 not read, 3 not read");
    EXPECT_EQ(of_tex("Let $x \\in \\mathbb{R}^n$.\n" + displayed("L = \\sum_i \\alpha (x_i - 1)") +
                     displayed("\\frac{\\partial L}{\\partial x_i} = \\alpha")),
              "3 right");
}

TEST(LatexRelations, TheEndsOfASumStandOutsideOfIt) {
    EXPECT_EQ(of_tex("Let $x\\in\\mathbb{R}^n$.\n" + displayed("L = \\frac12 (\\sum_i x_i)^2") +
                     displayed("\\frac{\\partial L}{\\partial x_j} = \\sum_{j=1}^{j} x_j")),
              "3 not read");
}

TEST(LatexRelations, PowersOfSquareMatricesInClaims) {
    const std::string given = "Let $A \\in \\mathbb{R}^{n\\times n}$.\n";
    EXPECT_EQ(of_tex(given + displayed("M = \\sum_{ij} A_{ij}^3") + displayed("\\nabla_A M = 3 A^2")), "3 cannot tell");
    EXPECT_EQ(of_tex(given + displayed("M = \\sum_{ij} e^{A_{ij}}") + displayed("\\nabla_A M = e^A")), "3 cannot tell");
    EXPECT_EQ(of_tex(given + displayed("M = \\sum_{ij} A_{ij}^3") + displayed("\\nabla_A M = 3 A \\odot A")), "3 right");
    EXPECT_EQ(of_tex("Let $A, B \\in \\mathbb{R}^{n\\times n}$.\n" + displayed("L = \\sum A B") + displayed("\\nabla_A L = B")),
              "2 not read, 3 not read");
}

TEST(LatexRelations, DifferentialsAndGradientsAreNotMixed) {
    EXPECT_EQ(
        of_tex("Let $x \\in \\mathbb{R}^n$ and $y = \\tanh(x)$.\n\\begin{align} \\mathrm{d} y &= (1 - y^2) \\odot \\mathrm{d} x, "
               "\\\\\n\\mathrm{d} x &= (1 - y^2) \\odot \\mathrm{d} y. \\end{align}\n"),
        "2 right, 3 cannot tell");
}

TEST(LatexRelations, ColumnVectorsAreNoRows) {
    EXPECT_EQ(told("Let $X \\in \\mathbb{R}^{n \\times n}$, whose column vectors are $x_i$, and $w \\in \\mathbb{R}^n$.\n" +
                   displayed("L = \\sum_i w^\\top x_i") + displayed("\\frac{\\partial L}{\\partial w} = \\sum_i x_i"))
                  .size(),
              1u);
}

}  // namespace
}  // namespace gradproof::proof
