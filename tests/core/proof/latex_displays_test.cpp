// Formulas of LaTeX in whatever surrounds them: arrays, cases, boxes, and derivatives that are written with d.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

std::string cube(const std::string& lines) { return of_tex("Let $x \\in \\mathbb{R}$.\n\\[ f = x^3 \\]\n" + lines); }
const std::string kLeft = "\\frac{df}{dx}", kWrong = kLeft + " = 2 x^2", kRight = kLeft + " = 3 x^2";

TEST(LatexDisplays, EquationsInArraysAreRead) {
    const std::string second = "\\frac{d^2 f}{dx^2} = 6 x";
    for (const char* environment : {"cases", "matrix", "dcases"})
        EXPECT_EQ(cube("\\[ \\begin{" + std::string(environment) + "}\n" + kWrong + " \\\\\n" + second + "\n\\end{" +
                       environment + "} \\]\n"),
                  "4 wrong, 5 right")
            << environment;
    EXPECT_EQ(cube("\\[ \\begin{array}{rcl}\n" + kLeft + " &=& 2 x^2 \\\\\n &=& 3 x^2\n\\end{array} \\]\n"), "4 wrong, 5 right");
    EXPECT_EQ(cube("\\[ \\left\\{ \\begin{array}{l}\n" + kWrong + " \\\\\n" + second + "\n\\end{array} \\right. \\]\n"),
              "4 wrong, 5 right");
    EXPECT_EQ(cube("\\[ \\left\\{ \\begin{aligned}\n" + kLeft + " &= 2 x^2 \\\\\n" + second + "\n\\end{aligned} \\right. \\]\n"),
              "4 wrong, 5 right");
    EXPECT_EQ(cube("\\begin{empheq}[box=\\fbox]{align}\n" + kWrong + " \\\\\n" + kRight + "\n\\end{empheq}\n"),
              "4 wrong, 5 right");
    EXPECT_EQ(cube("\\begin{numcases}{}\n" + kWrong + " \\\\\n" + kRight + "\n\\end{numcases}\n"), "4 wrong, 5 right");
}

TEST(LatexDisplays, CasesOfAValueStayCases) {
    const std::string rows = "-x & \\text{if } x < 0 \\\\ x & \\text{otherwise}";
    for (const std::string& forward :
         {"\\begin{numcases}{f =} " + rows + " \\end{numcases}\n", "\\[ f = \\begin{cases} " + rows + " \\end{cases} \\]\n",
          "\\[ f = \\left\\{ \\begin{array}{ll} " + rows + " \\end{array} \\right. \\]\n"})
        EXPECT_EQ(of_tex("Let $x \\in \\mathbb{R}$.\n" + forward +
                         "\\[ \\frac{df}{dx} = \\begin{cases} -1 & x < 0 \\\\ 1 & x > 0 \\end{cases} \\]\n"),
                  "3 right")
            << forward;
}

TEST(LatexDisplays, FormulasInBoxesAreRead) {
    for (const char* box : {"\\fbox{", "\\text{", "\\mbox{", "\\colorbox{yellow}{", "\\framebox[3cm]{", "\\parbox{3cm}{"})
        EXPECT_EQ(cube("\\[ " + std::string(box) + "$" + kWrong + "$} \\]\n"), "3 wrong") << box;
    EXPECT_EQ(cube("\\fbox{$\\displaystyle " + kWrong + "$}\n"), "3 wrong");
    EXPECT_EQ(cube("\\[ \\boxed{\\begin{aligned}\n" + kWrong + "\n\\end{aligned}} \\]\n"), "4 wrong");
    EXPECT_EQ(cube("\\[ \\mathbf{" + kWrong + "} \\]\n"), "3 not read");
}

TEST(LatexDisplays, WhatIsSaidWithoutAnEqualsSignIsNotRead) {
    for (const char* line : {"\\nabla_x f \\mid_{x=1} = 4", "\\frac{df}{dx} \\to 2 x^2", "\\frac{df}{dx} \\text{ is } 2 x^2",
                             "\\frac{df}{dx} : 2 x^2"})
        EXPECT_EQ(cube("\\[ " + std::string(line) + " \\]\n"), "3 not read") << line;
}

TEST(LatexDisplays, DerivativesWithDAreThoseWithPartial) {
    EXPECT_EQ(cube("\\[ \\frac{d^2 f}{dx^2} = 6 x \\]\n\\[ \\frac{\\mathrm{d}^2 f}{\\mathrm{d} x^2} = 5 x \\]\n"),
              "3 right, 4 wrong");
    EXPECT_EQ(cube("So $\\frac{df}{dx} = 3 x^2$.\nHence $\\frac{\\mathrm df}{\\mathrm dx} = 2 x^2$.\nSo $df/dx = 2 x^2$.\n"),
              "3 right, 4 wrong, 5 wrong");
    EXPECT_EQ(of_tex("The loss is $L = (w - 2)^2$.\nSince $\\frac{d}{dz}\\log\\sigma(z) = 1 - \\sigma(z)$, we have\n"
                     "\\[ \\frac{d}{dx} \\log\\sigma(x) = \\sigma(x) \\]\n"),
              "2 right, 3 wrong");
    EXPECT_EQ(of_tex("Let $K \\in \\mathbb{R}^{n \\times d}$.\n\\[ L = \\sum_{ij} \\frac{d}{n} K_{ij}^2 \\]\n"
                     "\\[ \\nabla_K L = \\frac{2 d}{n} K \\]\n\\[ \\nabla_K L = \\frac{2}{n} K \\]\n"),
              "3 right, 4 wrong");
}

TEST(LatexDisplays, ANameThatIsCalledAGradientBehindItsFormulaIsAClaim) {
    const std::string norm = "Let $x \\in \\mathbb{R}^n$.\n\\[ L = x^\\top x \\]\n";
    EXPECT_EQ(of_tex(norm + "\\[ H = 3 I_n \\]\nwhere $H = \\nabla^2 L$.\n"), "4 wrong");
    EXPECT_EQ(of_tex(norm + "\\[ \\bar x = 2 x \\]\nwhere $\\bar x = \\partial L / \\partial x$.\n"), "4 right");
}

}  // namespace
}  // namespace gradproof::proof
