// Signs and shapes that a text leaves open.
#include <string>

#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

const std::string kSquare = "Let $A, B \\in \\mathbb{R}^{n \\times n}$, $x \\in \\mathbb{R}^n$ and\n";

TEST(LatexSigns, AStarBetweenArraysIsNotRead) {
    const std::string claim = "\\frac{\\partial L}{\\partial X} = W * \\frac{\\partial L}{\\partial Z}";
    EXPECT_EQ(of_tex("Let $W, X \\in \\mathbb{R}^{n \\times m}$ and " + displayed("Z = W * X") + "Then\n" + displayed(claim)),
              "1 not read, 3 not read");
    EXPECT_EQ(of_tex("Let $W, X \\in \\mathbb{R}^{n \\times m}$ and " + displayed("Z = W * X") +
                     "with $*$ the elementwise product. Then\n" + displayed(claim)),
              "3 right");
    EXPECT_EQ(of_tex("Let $x \\in \\mathbb{R}^n$, $a \\in \\mathbb{R}$ and " + displayed("L = a * \\|x\\|^2") + "Then\n" +
                     displayed("\\nabla_x L = 2 * a * x")),
              "3 right");
}

TEST(LatexSigns, ACrossBetweenMatricesIsTheirProductWhereTheirShapesSaySo) {
    const auto of_layer = [](const std::string& gradient) {
        return of_tex("Let $X \\in \\mathbb{R}^{n \\times d}$, $W \\in \\mathbb{R}^{d \\times m}$ and " +
                      displayed("Z = X \\times W") + "Then\n" + displayed("\\frac{\\partial L}{\\partial W} = " + gradient));
    };
    EXPECT_EQ(of_layer("X^\\top \\times \\frac{\\partial L}{\\partial Z}"), "3 right");
    EXPECT_EQ(of_layer("2 X^\\top \\frac{\\partial L}{\\partial Z}"), "3 wrong");
    EXPECT_EQ(of_tex(kSquare + displayed("L = \\mathrm{tr}(A \\times B)") + "Then\n" + displayed("\\nabla_A L = B \\odot I_n")),
              "2 not read, 4 not read");
    EXPECT_EQ(of_tex(displayed("S = Q \\times K^\\top") + "Then\n" +
                     displayed("\\frac{\\partial L}{\\partial Q} = \\frac{\\partial L}{\\partial S} \\times K^\\top"))
                  .find("right"),
              std::string::npos);
}

TEST(LatexSigns, ACrossBetweenVectorsMayBeTheCrossProduct) {
    const std::string claim = "Then\n" + displayed("\\nabla_a L = c \\times b");
    for (const char* stated : {"Let $a, b, c \\in \\mathbb{R}^d$ with $d = 3$ and ", "Let $a, b, c \\in \\mathbb{R}^3$ and ",
                               "Let $a, b, c \\in \\mathbb{R}^n$ and "})
        EXPECT_EQ(of_tex(stated + displayed("L = c^\\top (a \\times b)") + claim), "1 not read, 3 not read") << stated;
}

TEST(LatexSigns, ADivisionByASquareMatrixMayBeAProductWithItsInverse) {
    for (const char* quotient : {"\\frac{A}{B}", "A / B", "A / (I + B)", "A / (A^\\top B)"})
        EXPECT_EQ(of_tex(kSquare + displayed("L = x^\\top (" + std::string(quotient) + ") x") + "Then\n" +
                         displayed("\\nabla_x L = x")),
                  "2 not read, 4 not read")
            << quotient;
    EXPECT_EQ(of_tex(kSquare + displayed("L = \\mathrm{tr}(A \\oslash B)") + "Then\n" +
                     displayed("\\frac{\\partial L}{\\partial A_{ij}} = \\frac{\\delta_{ij}}{B_{ij}}")),
              "4 right");
    EXPECT_EQ(of_tex("Let $G, V \\in \\mathbb{R}^{n \\times n}$ with $V_{ij} > 0$ and " +
                     displayed("L = \\mathbf{1}^\\top \\frac{G}{\\sqrt{V}} \\mathbf{1}") + "Then\n" +
                     displayed("\\frac{\\partial L}{\\partial G} = \\frac{1}{\\sqrt{V}}")),
              "3 right");
}

TEST(LatexSigns, ADivisionByARowIsOneByItsProduct) {
    const auto quotient = [](const std::string& gradient) {
        return of_tex("Let $a \\in \\mathbb{R}^n$ and let $A \\in \\mathbb{R}^{n \\times n}$ be symmetric. Let\n" +
                      displayed("\\rho = a^\\top A a / a^\\top a") + "Then\n" + displayed("\\nabla_a \\rho = " + gradient));
    };
    EXPECT_EQ(quotient("2 (A a - \\rho a) / a^\\top a"), "4 right");
    EXPECT_EQ(quotient("2 A a / a^\\top a"), "4 wrong");
}

TEST(LatexSigns, ThePositivePartOfASquareMatrixMayBeThatOfItsEigenvalues) {
    EXPECT_EQ(of_tex(kSquare + displayed("L = \\mathrm{tr}([A]_+)") + "Then\n" +
                     displayed("\\frac{\\partial L}{\\partial A_{ij}} = \\delta_{ij} \\mathbf{1}[A_{ij} > 0]")),
              "2 not read, 4 not read");
    EXPECT_EQ(of_tex(kSquare + displayed("L = \\sum_i [x_i]_+") + "Then\n" + displayed("\\nabla_x L = \\mathbf{1}[x > 0]")),
              "4 right");
}

TEST(LatexSigns, WhatALogarithmIsTakenOfHasToBeClear) {
    const std::string x = "Let $x \\in \\mathbb{R}$ with $x > 0$ and ";
    EXPECT_EQ(of_tex(x + displayed("L = \\log (x + 1)^2") + displayed("\\frac{dL}{dx} = \\frac{2}{x + 1}")),
              "1 not read, 2 not read");
    EXPECT_EQ(of_tex(x + displayed("L = \\log (x + 1)(x + 2)") + displayed("\\frac{dL}{dx} = \\frac{x + 2}{x + 1}")),
              "1 not read, 2 not read");
    EXPECT_EQ(of_tex(x + displayed("L = (\\log (x + 1))^2") + displayed("\\frac{dL}{dx} = \\frac{2 \\log (x + 1)}{x + 1}")),
              "2 right");
    EXPECT_EQ(of_tex(x + displayed("L = \\log ((x + 1)^2)") + displayed("\\frac{dL}{dx} = \\frac{2}{x + 1}")), "2 right");
}

TEST(LatexSigns, NamesThatAreHardlyNumbersAreToldOrNone) {
    // C is no loss where a gradient is taken by it.
    const auto product = [](const std::string& gradient) {
        return of_tex("Let $A$, $B$ be matrices and $C = A B$. Then\n" +
                      displayed("\\frac{\\partial L}{\\partial A} = " + gradient));
    };
    EXPECT_EQ(product("\\frac{\\partial L}{\\partial C} B^\\top"), "2 right");
    EXPECT_EQ(product("B \\frac{\\partial L}{\\partial C}"), "2 wrong");
    EXPECT_EQ(of_tex("The vector of scores is $z$ and $a = \\sigma(z)$. Then\n" +
                     displayed("\\frac{\\partial a}{\\partial z} = a (1 - a)")),
              "2 cannot tell");
    const std::string layer =
        "z = W x, \\quad \\delta = \\frac{\\partial L}{\\partial z}, \\quad \\frac{\\partial L}{\\partial W} = ";
    const std::vector<std::string> why = {"x is read as a number, since nothing says what it is"};
    EXPECT_EQ(passed_because("a.tex", displayed(layer + "\\delta x")), why);
    EXPECT_EQ(passed_because("a.tex", displayed(layer + "\\delta x^\\top")), std::vector<std::string>{});
}

}  // namespace
}  // namespace gradproof::proof
