// What is said of a formula around it in LaTeX: in the words before it, behind it, and by the names of a text.
#include <array>

#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

std::string softmax(const std::string& lines) {
    return of_tex("Let $z\\in\\mathbb{R}^{n}$.\n\\[ p = \\mathrm{softmax}(z) \\]\n" + lines);
}
std::string entry(const std::string& right) { return "\\[ \\frac{\\partial p_i}{\\partial z_j} = " + right + " \\]\n"; }

TEST(LatexLead, AConditionBeforeAFormulaIsItsOwn) {
    EXPECT_EQ(softmax("For $i \\ne j$,\n" + entry("-p_i p_j") + "and for $i = j$ we get\n" + entry("p_i (1 - p_i)")),
              "4 right, 6 right");
    EXPECT_EQ(softmax("For $i \\ne j$,\n" + entry("p_i p_j") + "If $i = j$:\n" + entry("p_i p_j")), "4 wrong, 6 wrong");
    EXPECT_EQ(softmax("This is not the case for $i = j$. We have\n" + entry("p_i (\\delta_{ij} - p_j)")), "4 right");
    EXPECT_EQ(softmax("For $i = j$ this is trivial, but otherwise not:\n" + entry("p_i (1 - p_i)")), "4 wrong");
    const std::string relu = "Let $x\\in\\mathbb{R}^{n}$.\n\\[ y_i = \\max(0, x_i) \\]\n";
    const std::string left = "\\[ \\frac{\\partial L}{\\partial x_i} = ";
    EXPECT_EQ(of_tex(relu + "When $x_i > 0$,\n" + left + "\\frac{\\partial L}{\\partial y_i} \\]\n"), "4 right");
    EXPECT_EQ(of_tex(relu + "When $x_i < 0$,\n" + left + "\\frac{\\partial L}{\\partial y_i} \\]\n"), "4 wrong");
}

TEST(LatexLead, AClaimAtAPointIsNotRead) {
    const std::string affine =
        "Let $W\\in\\mathbb{R}^{n\\times m}$, $x\\in\\mathbb{R}^m$ and $b\\in\\mathbb{R}^n$.\n"
        "\\[ y = W x + b \\]\n\\[ L = \\frac12 y^\\top y \\]\n";
    EXPECT_EQ(of_tex(affine + "At $b = 0$,\n\\[ \\nabla_W L = W x x^\\top \\]\n"), "5 not read");
    EXPECT_EQ(of_tex(affine + "Here\n\\[ \\nabla_W L = W x x^\\top \\]\n"), "5 wrong");
    EXPECT_EQ(of_tex(affine + "\\[ \\nabla_b L = y \\to 0 \\]\n\\[ \\nabla_b L = y \\mid x = 0 \\]\n"), "4 not read, 5 not read");
    EXPECT_EQ(of_tex(affine + "\\[ \\nabla_b L = y \\]\n\\[ \\nabla_b L = -y \\]\n"), "4 right, 5 wrong");
}

TEST(LatexLead, WhatIsSetToZeroIsNoClaim) {
    const std::string ridge =
        "Let $X\\in\\mathbb{R}^{n\\times d}$, $y\\in\\mathbb{R}^n$, $w\\in\\mathbb{R}^d$, $\\lambda > 0$.\n"
        "\\[ J = \\frac12\\|Xw - y\\|^2 + \\frac\\lambda2 \\|w\\|^2 \\]\n";
    const std::string formula = "\\[ X^\\top(Xw - y) + \\lambda w = 0 \\]\n";
    EXPECT_EQ(of_tex(ridge + "Setting the gradient to zero,\n" + formula), "4 skipped");
    EXPECT_EQ(of_tex(ridge + "Then\n" + formula), "4 wrong");
}

TEST(LatexLead, ANameThatGetsANewValueIsNotRead) {
    const std::string square = "Let $x\\in\\mathbb{R}^{n}$.\n\\[ y = x^2 \\]\n", cube = "\\[ y = x^3 \\]\n";
    EXPECT_EQ(of_tex(square + "We now set instead\n" + cube).find("wrong"), std::string::npos);
    EXPECT_EQ(of_tex(square + "That is\n" + cube), "4 wrong");
}

TEST(LatexLead, AConditionInARowOfItsOwnGoesForTheEquation) {
    const std::string relu = "Let $x\\in\\mathbb{R}^{n}$.\n\\[ y_i = \\max(0, x_i) \\]\n";
    const auto rows = [&](const std::string& where) {
        return of_tex(relu +
                      "\\begin{align} \\frac{\\partial L}{\\partial x_i} &= \\frac{\\partial L}{\\partial y_i} \\\\ &\\quad "
                      "\\cdot 1, \\quad \\text{if } x_i " +
                      where + " 0 \\end{align}\n");
    };
    EXPECT_EQ(rows(">"), "3 right");
    EXPECT_EQ(rows("<"), "3 wrong");
}

TEST(LatexLead, WordsBetweenAGradientAndAnEquationAreNotPassedOver) {
    const std::string cube = "Let $x\\in\\mathbb{R}^n$.\n\\[ y = x^3 \\]\n";
    EXPECT_EQ(of_tex(cube + "\\[ \\frac{\\partial y_i}{\\partial x_i} \\text{ is half of } 3x_i^2 = 3x_i^2 \\]\n"), "3 not read");
}

TEST(LatexLead, AGradientMayStandBehindTheColon) {
    const std::string square = "Let $x\\in\\mathbb{R}^n$.\n\\[ L = x^\\top x \\]\n";
    EXPECT_EQ(of_tex(square + "\\[ 2 x =: \\nabla_x L \\]\n\\[ -2 x =: \\nabla_x L \\]\n"), "3 right, 4 wrong");
}

TEST(LatexNames, EntriesOfCalls) {
    const std::string given =
        "Let $W\\in\\mathbb{R}^{m\\times n}$, $x\\in\\mathbb{R}^n$, where\n"
        "\\[ \\mathrm{softmax}(z)_i = \\frac{e^{z_i}}{\\sum_k e^{z_k}} \\]\n"
        "\\[ p_j = \\mathrm{softmax}(Wx)_j \\]\n\\[ L = -\\log p_1 \\]\n";
    const std::string left = "\\[ \\frac{\\partial L}{\\partial W_{ij}} = ";
    EXPECT_EQ(of_tex(given + left + "(p_i - \\delta_{i1}) x_j \\]\n" + left + "(p_i - 1) x_j \\]\n"), "5 right, 6 wrong");
    const std::string tanh = "Let $W\\in\\mathbb{R}^{m\\times n}$, $x\\in\\mathbb{R}^n$.\n\\[ y_j = \\tanh(Wx)_j \\]\n";
    const std::string by_x = "\\[ \\frac{\\partial y_j}{\\partial x_i} = ";
    EXPECT_EQ(of_tex(tanh + by_x + "(1 - y_j^2) W_{ji} \\]\n" + by_x + "(1 - y_j) W_{ji} \\]\n"), "3 right, 4 wrong");
}

TEST(LatexNames, ABoldLetterIsAnotherNameWhereBothAreDeclared) {
    const std::string both = "Let $\\mathbf{x}\\in\\mathbb{R}^{n}$ and $x\\in\\mathbb{R}$.\n\\[ y = x \\mathbf{x} \\]\n";
    const std::string by = "\\[ \\frac{\\partial L}{\\partial ";
    EXPECT_EQ(of_tex(both + by + "x} = \\mathbf{x}^\\top \\frac{\\partial L}{\\partial y} \\]\n" + by +
                     "\\mathbf{x}} = x \\frac{\\partial L}{\\partial y} \\]\n"),
              "3 right, 4 right");
    EXPECT_EQ(of_tex(both + by + "\\mathbf{x}} = \\mathbf{x} \\odot \\frac{\\partial L}{\\partial y} \\]\n"), "3 wrong");
    EXPECT_EQ(
        of_tex("Let $\\mathbf{x}\\in\\mathbb{R}^{n}$.\n\\[ L = \\mathbf{x}^\\top x \\]\n\\[ \\nabla_x L = 2 \\mathbf{x} \\]\n"),
        "3 right");
}

TEST(LatexNames, AnEntryOnTheRightIsOneOfTheGradient) {
    const std::string given = "dims n m; input E [n, m], b [m]", forward = "\\[ L = -\\sum_{ij} E_{ij} b_j \\]\n";
    EXPECT_EQ(tex(given, forward + "\\[ \\nabla_b L = -\\sum_i E_{ij} \\]\n\\[ \\nabla_b L = \\sum_i E_{ij} \\]\n"),
              "3 right, 4 wrong");
}

TEST(LatexNames, AnIdentityHasTheSizeOfWhatItMultiplies) {
    const std::string text =
        "Let $U, V\\in\\mathbb{R}^{n\\times d}$.\n"
        "\\[ S = U V^\\top \\]\n\\[ Q_{ij} = S_{ij}^2 \\]\n\\[ L = \\frac12 \\sum_{ij} (Q_{ij} - \\delta_{ij}) S_{ij} \\]\n";
    EXPECT_EQ(of_tex(text + "\\[ \\nabla_U L = \\frac12 (3 Q - I) V \\]\n\\[ \\nabla_V L = \\frac12 (3 Q - I)^\\top U \\]\n"
                            "\\[ \\nabla_U L = \\frac12 (3 Q + I) V \\]\n"),
              "5 right, 6 right, 7 wrong");
}

TEST(LatexNames, AFunctionBeforeADerivativeEnds) {
    const std::string rotation = "Let $x\\in\\mathbb{R}^{2}$ and $\\theta\\in\\mathbb{R}$.\n\\[ y = x \\cos\\theta \\]\n";
    const std::string left = "\\[ \\frac{\\partial L}{\\partial x} = ", dy = " \\frac{\\partial L}{\\partial y} \\]\n";
    EXPECT_EQ(of_tex(rotation + left + "\\cos\\theta" + dy + left + "\\sin\\theta" + dy), "3 right, 4 wrong");
}

TEST(LatexNames, ATraceOfANumberIsTheNumber) {
    const std::string layer = "dims n m; input W [n, m], x [m], t [n]",
                      forward = "\\[ y = W x \\]\n\\[ L = \\frac12 \\|y - t\\|^2 \\]\n";
    EXPECT_EQ(tex(layer, forward + "\\[ \\mathrm{d}L = \\operatorname{tr}\\left((y-t)^\\top \\mathrm{d}W\\, x\\right) \\]\n"
                                   "\\[ \\mathrm{d}L = 2 \\operatorname{tr}\\left((y-t)^\\top \\mathrm{d}W\\, x\\right) \\]\n"),
              "4 right, 5 wrong");
}

TEST(LatexDoubt, SignsAndWordsOfTwoMeaningsAreNotRead) {
    const std::string vectors = "Let $w, x\\in\\mathbb{R}^{n}$ and $a\\in\\mathbb{R}$.\n";
    const std::string claim = "\\[ \\frac{\\partial L}{\\partial x} = w \\odot \\frac{\\partial L}{\\partial y} \\]\n";
    EXPECT_EQ(of_tex(vectors + "\\[ y = w * x \\]\n" + claim), "2 not read, 3 not read");
    EXPECT_EQ(of_tex(vectors + "\\[ y = w \\odot x \\]\n" + claim), "3 right");
    EXPECT_EQ(of_tex(vectors + "\\[ y = a * x \\]\n\\[ \\nabla_x L = a \\nabla_y L \\]\n"), "3 right");
    const std::string rows = "Let $X\\in\\mathbb{R}^{n\\times d}$. ", norm = "\n\\[ Y = \\frac{X}{\\|X\\|} \\]\n";
    const std::string slope =
        "\\[ \\frac{\\partial Y_{ij}}{\\partial X_{kl}} = \\frac{\\delta_{ik}\\delta_{jl}}{\\|X\\|} - "
        "\\frac{X_{ij} X_{kl}}{\\|X\\|^3} \\]\n";
    EXPECT_EQ(of_tex(rows + "Normalise every column of $X$ to length one:" + norm + slope), "2 not read, 3 not read");
    EXPECT_EQ(of_tex(rows + "Normalise $X$ as a whole:" + norm + slope), "3 right");
}

TEST(LatexDoubt, ALoneLineThatNeedsRowsCannotBeTold) {
    const std::string given = "dims n m; input z [n]", p = "\\[ p = \\mathrm{softmax}(z) \\]\n";
    const std::string left = "\\[ \\frac{\\partial p}{\\partial z} = \\mathrm{diag}(p) - ";
    EXPECT_EQ(tex(given, p + left + "p p^\\top \\]\n"), "3 right");
    EXPECT_EQ(tex(given, p + left + "p^\\top p \\]\n"), "3 cannot tell");
    EXPECT_EQ(tex("convention rows; " + given, p + left + "p^\\top p \\]\n"), "3 right");
    const std::string layer = "dims n m; input W [n, m], x [m], t [n]",
                      y = "\\[ y = W x \\]\n\\[ L = \\frac12 \\|y - t\\|^2 \\]\n";
    EXPECT_EQ(tex(layer, y + "\\[ \\frac{\\partial L}{\\partial x} = W^\\top (y-t) \\]\n"), "4 right");
    const std::string h =
        "\\[ \\left(\\frac{\\partial L}{\\partial x}\\right)^\\top = W^\\top \\left(\\frac{\\partial L}{\\partial "
        "y}\\right)^\\top \\]\n";
    EXPECT_EQ(tex(layer, y + h), "4 right");
}

/// What is written as a repair is LaTeX, and the line is right with it.
TEST(LatexRepairs, ReadBackAsRight) {
    const std::string layer =
        "Let $W \\in \\mathbb{R}^{n\\times m}$, $x\\in\\mathbb{R}^m$, $t \\in \\mathbb{R}^n$.\n"
        "\\[ y = \\tanh(W x) \\]\n\\[ L = \\frac12 \\|y - t\\|^2 \\]\n";
    const std::string crf =
        "Let $u, v\\in\\mathbb{R}^k$ and $T\\in\\mathbb{R}^{k\\times k}$.\n\\[ s_{ij} = u_i + T_{ij} + v_j \\]\n"
        "\\[ A = \\log \\sum_{i} \\sum_{j} \\exp(s_{ij}) \\]\n";
    const std::string bold = "Let $\\mathbf{x}\\in\\mathbb{R}^{n}$ and $x\\in\\mathbb{R}$.\n\\[ y = x \\mathbf{x} \\]\n";
    const std::vector<std::array<std::string, 3>> all{
        {layer, "\\nabla_x L", "W^\\top (y - t)"},
        {layer, "\\nabla_W L", "((1 - y^2) \\odot (t - y)) x^\\top"},
        {layer, "\\frac{\\partial L}{\\partial W_{ij}}", "(y_i - t_i) (1 - y_i) x_j"},
        {layer, "\\frac{\\partial L}{\\partial W}", "x ((1 - y^2) \\odot (y - t))^\\top"},
        {crf, "\\frac{\\partial^2 A}{\\partial u_i \\partial v_j}",
         "- \\frac{\\partial A}{\\partial u_i} \\frac{\\partial A}{\\partial v_j}"},
        {bold, "\\frac{\\partial L}{\\partial \\mathbf{x}}", "2 x \\frac{\\partial L}{\\partial y}"},
    };
    int repairs = 0;
    for (const std::array<std::string, 3>& one : all) {
        const std::string &forward = one[0], &left = one[1], &right = one[2];
        const auto text = [&](const std::string& of) { return forward + "\\[ " + left + " = " + of + " \\]\n"; };
        const LineReport line = lines_of(text(right), {}, "a.tex").back();
        EXPECT_EQ(verdict_of(line), "wrong") << right;
        const std::string repair = line.diagnosis ? line.diagnosis->repair : "";
        if (repair.empty()) continue;
        ++repairs;
        EXPECT_EQ(verdict_of(lines_of(text(repair), {}, "a.tex").back()), "right") << repair;
    }
    EXPECT_GE(repairs, 4);
}

}  // namespace
}  // namespace gradproof::proof
