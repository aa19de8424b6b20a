// What a text leaves open is not settled in favour of its claims: the loss, the axes of a bias, the members of a set, what a
// gradient is taken of.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

std::string shown(const std::string& formula) { return "\\[ " + formula + " \\]\n"; }
bool is_told(const std::string& text) { return !check_file("a.tex", text).proofs.at(0).passed_over.empty(); }

TEST(LatexAmbiguous, ALossThatNoneStatesDependsOnAllThatLinesUse) {
    const std::string projections = shown("Q = X W_Q, \\quad K = X W_K, \\quad V = X W_V") +
                                    shown("\\frac{\\partial L}{\\partial W_V} = X^\\top \\frac{\\partial L}{\\partial V}");
    const std::string two =
        "\\frac{\\partial L}{\\partial X} = \\frac{\\partial L}{\\partial Q} W_Q^\\top + \\frac{\\partial L}{\\partial K} "
        "W_K^\\top";
    EXPECT_EQ(of_tex(projections + shown(two + " + \\frac{\\partial L}{\\partial V} W_V^\\top")), "2 right, 3 right");
    EXPECT_EQ(of_tex(projections + shown(two)), "2 right, 3 cannot tell");
    EXPECT_EQ(of_tex(shown("u = W x, \\quad v = \\sigma(u), \\quad y = u \\odot v") +
                     shown("\\frac{\\partial L}{\\partial u} = v \\odot (1 - v) \\odot \\frac{\\partial L}{\\partial v}")),
              "2 cannot tell");
    EXPECT_EQ(of_tex(shown("F = W x, \\quad z = x + F") +
                     shown("\\frac{\\partial L}{\\partial x} = W^\\top \\frac{\\partial L}{\\partial F}")),
              "2 cannot tell");
}

TEST(LatexAmbiguous, ANameForWhatStandsInAnotherValueIsNoPathOfItsOwn) {
    EXPECT_EQ(of_tex(shown("y = \\phi(W x + b), \\quad z = W x + b") +
                     shown("\\frac{\\partial L}{\\partial W} = \\left(\\frac{\\partial L}{\\partial y} \\odot \\phi'(z)\\right) "
                           "x^\\top")),
              "2 right");
}

TEST(LatexAmbiguous, WhatIsAddedToAMatrixTimesAVectorIsNoNumber) {
    const std::string layer =
        shown("p = \\operatorname{softmax}(W x + b), \\qquad L = -\\sum_k y_k \\log p_k") + "with a one-hot $y$.\n";
    EXPECT_EQ(of_tex(layer + shown("\\frac{\\partial L}{\\partial b} = p - y")), "3 right");
    EXPECT_EQ(of_tex(layer + shown("\\frac{\\partial L}{\\partial b} = \\sum_k (p_k - y_k)")), "3 wrong");
    const std::string scaled = shown("y = \\gamma \\odot x + \\beta");
    EXPECT_EQ(of_tex(scaled + shown("\\frac{\\partial L}{\\partial \\gamma} = x \\odot \\frac{\\partial L}{\\partial y}")),
              "2 right");
    EXPECT_EQ(of_tex(scaled + shown("\\frac{\\partial L}{\\partial \\gamma} = x^\\top \\frac{\\partial L}{\\partial y}")),
              "2 wrong");
    // the b of a regression is a number, and so is a factor
    EXPECT_EQ(
        of_tex(shown("e = X w + b - y, \\quad L = \\frac12 \\|e\\|^2") + shown("\\frac{\\partial L}{\\partial b} = \\sum_i e_i")),
        "2 right");
    EXPECT_EQ(of_tex(shown("F(a) = \\|y - K a\\|^2 + \\lambda a^\\top a") +
                     shown("\\frac{\\partial F}{\\partial \\lambda} = a^\\top a")),
              "2 right");
}

TEST(LatexAmbiguous, WeightsOfLogarithmsSumToOneWhereTheyAreLabels) {
    const auto weighted = [](const std::string& w) {
        return of_tex("Let $\\theta \\in \\mathbb{R}^K$.\n" +
                      shown("\\pi = \\operatorname{softmax}(\\theta), \\quad J = \\sum_a " + w + "_a \\log \\pi_a") +
                      shown("\\nabla_\\theta J = " + w + " - \\pi"));
    };
    EXPECT_EQ(weighted("y"), "3 right");
    for (const char* w : {"A", "r", "Q", "n"}) EXPECT_NE(weighted(w), "3 right") << w;
}

TEST(LatexAmbiguous, ASumOverASetOfWhichNothingIsSaidIsTold) {
    const std::string given = "Let $X \\in \\mathbb{R}^{n \\times d}$, $w \\in \\mathbb{R}^d$, $y \\in \\mathbb{R}^n$.\n";
    const std::string claim = shown("\\nabla_w L = X^\\top (X w - y)");
    EXPECT_TRUE(is_told(given + shown("L = \\frac12 \\sum_{i \\in B} (w^\\top x_i - y_i)^2") + claim));
    EXPECT_FALSE(is_told(given + shown("L = \\frac12 \\sum_i (w^\\top x_i - y_i)^2") + claim));
    EXPECT_TRUE(is_told(given + shown("L = \\frac12 \\|X w - y\\|^2") + "For a minibatch $B$ we have\n" +
                        shown("\\nabla_w L = \\sum_{i \\in B} (w^\\top x_i - y_i) x_i")));
    EXPECT_FALSE(is_told(given + shown("L = \\frac12 \\sum_{i \\in B} (w^\\top x_i - y_i)^2") +
                         shown("\\nabla_w L = \\sum_{i \\in B} (w^\\top x_i - y_i) x_i")));
}

TEST(LatexAmbiguous, APlainOneAmongVectorsIsNoFactor) {
    const std::string layer =
        "Let $X \\in \\mathbb{R}^{n \\times d}$, $b \\in \\mathbb{R}^d$.\n" + shown("L = \\frac12 \\|X\\|_F^2");
    EXPECT_EQ(of_tex(layer + shown("\\nabla_X L = 1 \\cdot X")), "3 right");
    EXPECT_EQ(of_tex(layer + shown("\\nabla_X L = 1^\\top X")), "3 not read");
    EXPECT_EQ(of_tex(layer + shown("\\nabla_X L = X 1")), "3 not read");
    EXPECT_EQ(of_tex(layer + shown("Z = X + 1 b^\\top") + shown("\\nabla_X L = X")), "3 not read, 4 right");
}

TEST(LatexAmbiguous, AVectorHasNoTrace) {
    const std::string given = "Let $x, t \\in \\mathbb{R}^n$.\n" + shown("L = \\frac12 \\|x - t\\|^2");
    EXPECT_EQ(of_tex(given + shown("\\nabla_x L = \\mathrm{tr}(x - t)")), "3 wrong");
    EXPECT_EQ(of_tex(given + shown("\\nabla_x L = \\mathrm{tr}(x^\\top x) (x - t) / (x^\\top x)")), "3 right");
}

TEST(LatexAmbiguous, AGradientAtAnotherPointIsNotRead) {
    const std::string given = "Let $x, u \\in \\mathbb{R}^n$, $A \\in \\mathbb{R}^{n \\times n}$ and $L = x^\\top A x$. Then\n";
    EXPECT_EQ(of_tex(given + shown("\\nabla_x L(x) = (A + A^\\top) x")), "2 right");
    EXPECT_EQ(of_tex(given + shown("\\nabla_x L(u) = (A + A^\\top) x")), "2 not read");
    EXPECT_EQ(of_tex(given + shown("\\nabla_x L(u) = (A + A^\\top) u")), "2 not read");
}

TEST(LatexAmbiguous, AGradientBeforeTwoFactorsThatFollow) {
    const std::string given = "Let $a, b, x \\in \\mathbb{R}^n$.\n" + shown("f(x) = a^\\top x, \\quad g(x) = b^\\top x");
    EXPECT_EQ(of_tex(given + shown("\\nabla_x f(x) g(x) = a\\, g(x)")), "3 not read");
    EXPECT_EQ(of_tex(given + shown("\\nabla_x (a^\\top x)(b^\\top x) = a (b^\\top x)")), "3 not read");
    EXPECT_EQ(of_tex(given + shown("\\nabla_x (f(x) g(x)) = a\\, g(x) + f(x)\\, b")), "3 right");
    EXPECT_EQ(of_tex(given + shown("\\nabla_x f(x) = a")), "3 right");
}

TEST(LatexAmbiguous, ANumberToThePowerOfTheLastStepIsToldWhereItIsReadAsATranspose) {
    EXPECT_TRUE(is_told(shown("G = \\sum_{t=1}^{T} r_t + \\gamma^{T} v, \\quad \\frac{\\partial G}{\\partial \\gamma} = v")));
    EXPECT_FALSE(is_told(shown("G = \\sum_{t=1}^{T} r_t + w^{T} v, \\quad \\frac{\\partial G}{\\partial w} = v")));
}

TEST(LatexAmbiguous, ABareNablaOfANumberThatFollowsFromTheInputIsItsGradient) {
    const std::string given = "Let $x \\in \\mathbb{R}^n$.\n";
    const std::string chain = given + shown("u = \\|x\\|^2, \\quad L = \\sin u");
    EXPECT_EQ(of_tex(chain + shown("\\nabla u = 2 x") + shown("\\nabla L = \\cos(u) \\nabla u")), "3 right, 4 right");
    EXPECT_EQ(of_tex(chain + shown("\\nabla u = \\cos u")), "3 wrong");
    EXPECT_EQ(of_tex(chain + shown("\\nabla_x L = 2 x \\nabla u")), "3 wrong");
    const std::string square = given + shown("L = \\frac12 \\|x\\|^2");
    EXPECT_EQ(
        of_tex(square + shown("\\|\\nabla L\\|^2 = \\|x\\|^2") + shown("-\\nabla L = -x") + shown("x^\\top \\nabla L = 2 L")),
        "3 right, 4 right, 5 right");
    EXPECT_EQ(of_tex(square + shown("\\|\\nabla L\\|^2 = 1") + shown("-\\nabla L = -1")), "3 wrong, 4 wrong");
}

TEST(LatexAmbiguous, RowsAndColumnsAreMindedWithFactorsAndSignsToo) {
    const std::string form = "Let $A \\in \\mathbb{R}^{n \\times n}$, $x, y \\in \\mathbb{R}^n$.\n" + shown("f = x^\\top A y");
    EXPECT_EQ(of_tex(form + shown("\\nabla_x f = A y") + shown("-\\nabla_y f = -A^\\top x") +
                     shown("(\\nabla_x f)^\\top = y^\\top A^\\top")),
              "3 right, 4 right, 5 right");
    EXPECT_EQ(of_tex(form + shown("\\nabla_x f = A y") + shown("-\\nabla_y f = -x^\\top A") + shown("(\\nabla_x f)^\\top = A y")),
              "3 right, 4 wrong, 5 wrong");
}

TEST(LatexAmbiguous, RowsAndColumnsAreMindedInSumsAndOfEntriesOfLists) {
    const std::string regression =
        "Let $x_1, \\dots, x_n \\in \\mathbb{R}^d$, $w \\in \\mathbb{R}^d$ and $y \\in \\mathbb{R}^n$.\n" +
        shown("L = \\sum_{i=1}^n (y_i - w^\\top x_i)^2 + \\|w\\|^2");
    const auto of_w = [&](const std::string& sum) {
        return of_tex(regression + shown("\\nabla_w L = -2 \\sum_{i=1}^n (y_i - w^\\top x_i) " + sum));
    };
    EXPECT_EQ(of_w("x_i + 2 w"), "3 right");
    EXPECT_EQ(of_w("x_i^\\top + 2 w"), "3 wrong");
    EXPECT_EQ(of_w("x_i + 2 w^\\top"), "3 wrong");
    const std::string factors =
        "Let $R \\in \\mathbb{R}^{n \\times m}$, $U \\in \\mathbb{R}^{n \\times d}$, $V \\in \\mathbb{R}^{m \\times d}$ with "
        "rows $u_i$ and $v_j$.\n" +
        shown("L = \\sum_{i,j} (R_{ij} - u_i^\\top v_j)^2 + \\sum_i \\|u_i\\|^2");
    const auto of_u = [&](const std::string& sum) {
        return of_tex(factors + shown("\\frac{\\partial L}{\\partial u_i} = -2 \\sum_j (R_{ij} - u_i^\\top v_j) " + sum));
    };
    EXPECT_EQ(of_u("v_j + 2 u_i"), "3 right");
    EXPECT_EQ(of_u("v_j^\\top + 2 u_i^\\top"), "3 right");  // all of it as a row
    EXPECT_EQ(of_u("v_j^\\top + 2 u_i"), "3 wrong");
}

TEST(LatexAmbiguous, RowsAndColumnsAreMindedOfTheStepsOfASequence) {
    const std::string network =
        "Let $x_1, \\dots, x_T \\in \\mathbb{R}^d$, $U \\in \\mathbb{R}^{m \\times d}$, $W \\in \\mathbb{R}^{m \\times m}$, "
        "$h_0 \\in \\mathbb{R}^m$ and\n" +
        shown("h_t = \\tanh(U x_t + W h_{t-1})") + "for $t = 1, \\dots, T$, and let $L = \\sum_t \\|h_t\\|^2$. ";
    const std::string delta = "Write $\\delta_t = \\partial L / \\partial h_t$. Then\n";
    const auto of_x = [&](const std::string& claim) {
        return of_tex(network + delta + shown("\\frac{\\partial L}{\\partial x_t} = " + claim));
    };
    EXPECT_EQ(of_x("U^\\top (\\delta_t \\odot (1 - h_t^2))"), "4 right");
    EXPECT_EQ(of_x("(\\delta_t \\odot (1 - h_t^2)) U"), "4 wrong");
    const auto of_delta = [&](const std::string& claim) { return of_tex(network + delta + shown("\\delta_t = " + claim)); };
    const std::string behind = " + W^\\top (\\delta_{t+1} \\odot (1 - h_{t+1}^2))";
    EXPECT_EQ(of_delta("2 h_t" + behind), "4 right");
    EXPECT_EQ(of_delta("2 h_t^\\top" + behind), "4 wrong");
}

TEST(LatexAmbiguous, ALineAmongDifferentialsThatIsRightAsAGradientOnlyIsTold) {
    const std::string form = "Let $x \\in \\mathbb{R}^n$.\n" + shown("u = \\|x\\|^2") + shown("L = \\sin u");
    EXPECT_EQ(of_tex(form + shown("\\mathrm{d}u = \\cos u")), "4 right");
    EXPECT_EQ(of_tex(form + shown("\\mathrm{d}L = \\cos(u)\\,\\mathrm{d}u") + shown("\\mathrm{d}u = 2 x^\\top \\mathrm{d}x")),
              "4 right, 5 right");
    EXPECT_EQ(of_tex(form + shown("\\mathrm{d}L = \\cos(u)\\,\\mathrm{d}u") + shown("\\mathrm{d}u = \\cos u")),
              "4 right, 5 cannot tell");
}

TEST(LatexAmbiguous, SumsMayRunDownwards) {
    const std::string sum =
        "Let $X \\in \\mathbb{R}^{T \\times d}$, $w \\in \\mathbb{R}^d$.\n" + shown("L = \\sum_{t=1}^{T} w^\\top x_t");
    EXPECT_EQ(of_tex(sum + shown("\\frac{\\partial L}{\\partial w} = \\sum_{t=T}^{1} x_t")), "3 right");
    EXPECT_EQ(of_tex(sum + shown("\\frac{\\partial L}{\\partial w} = 2 \\sum_{t=T}^{1} x_t")), "3 wrong");
}

TEST(LatexAmbiguous, WhatAProductMultipliesHasToEnd) {
    const std::string product = "Let $a \\in \\mathbb{R}$, $x \\in \\mathbb{R}^n$.\n" + shown("f = \\frac12 a^2 \\prod_i x_i");
    const auto claimed = [&](const std::string& claim) {
        return of_tex(product + shown("\\frac{\\partial f}{\\partial a} = " + claim));
    };
    EXPECT_EQ(claimed("a \\prod_i x_i"), "3 right");
    EXPECT_EQ(claimed("(\\prod_i x_i) a"), "3 right");
    EXPECT_EQ(claimed("\\prod_i (x_i a)"), "3 wrong");
    EXPECT_EQ(claimed("\\prod_i \\frac{x_i}{2} a"), "3 not read");
    EXPECT_EQ(claimed("\\prod_i x_i \\cdot a"), "3 not read");
    const auto moved = [](const std::string& h) {
        return of_tex(
            "Let $W \\in \\mathbb{R}^{n \\times n}$, $D_1, \\dots, D_T \\in \\mathbb{R}^{n \\times n}$, $x \\in "
            "\\mathbb{R}^n$.\n" +
            shown("h = " + h) + shown("\\frac{\\partial h}{\\partial x} = \\prod_{t=1}^{T} D_t W"));
    };
    EXPECT_EQ(moved("(\\prod_{t=1}^{T} D_t W) x"), "3 right");
    EXPECT_EQ(moved("\\prod_{t=1}^{T} D_t W x"), "2 not read, 3 not read");
}

TEST(LatexAmbiguous, AListThatSaysTwiceWhatALossIs) {
    const std::string two = "Let $x \\in \\mathbb{R}^n$.\n\n(a) $L = \\frac12\\|x\\|^2$.\n\n(b) $L = \\|x\\|^4$.\n\n";
    for (const char* gradient : {"2 x", "4\\|x\\|^2 x", "3 x"}) {
        EXPECT_EQ(of_tex(two + "For (a), $\\nabla L = " + gradient + "$.\n"), "7 cannot tell") << gradient;
        EXPECT_EQ(
            of_tex("Let $x \\in \\mathbb{R}^n$.\n\\begin{enumerate}\n\\item $L = \\frac12\\|x\\|^2$\n\\item $L = \\|x\\|^4$\n"
                   "\\end{enumerate}\nAnswers:\n\\begin{enumerate}\n\\item $\\nabla L = " +
                   std::string(gradient) + "$\n\\end{enumerate}\n"),
            "8 cannot tell")
            << gradient;
    }
    EXPECT_EQ(of_tex(two + "The gradient is $\\nabla L = 4\\|x\\|^2 x$.\n"), "7 right");
    EXPECT_EQ(of_tex("Let $x \\in \\mathbb{R}^n$.\n\n(a) $L = \\frac12\\|x\\|^2$, so $\\nabla L = x$.\n\n(b) $L = \\|x\\|^4$, so "
                     "$\\nabla L = 4\\|x\\|^2 x$.\n"),
              "3 right, 5 right");
}

TEST(LatexAmbiguous, ADerivativeBeforeASumOfWhatFollows) {
    const std::string given =
        "Let $A \\in \\mathbb{R}^{n \\times n}$ be symmetric, $x, b \\in \\mathbb{R}^n$ and $t \\in \\mathbb{R}$.\n\\[ ";
    for (const char* line : {"\\nabla_x x^\\top A x + b^\\top x = 2 A x + b^\\top x",
                             "\\nabla_x x^\\top A x + b^\\top x = 2 A x + b", "\\frac{d}{dt} t^2 + \\sin t = 2 t + \\sin t",
                             "\\frac{d}{dt} t^2 + 3 t = 2 t + 3", "\\frac{d^2}{dt^2} t^3 + t^2 = 6 t + t^2"})
        EXPECT_EQ(of_tex(given + line + " \\]\n"), "2 not read") << line;
    for (const char* line : {"\\nabla_x (x^\\top A x + b^\\top x) = 2 A x + b", "\\frac{d}{dt} (t^2 + 3 t) = 2 t + 3",
                             "\\frac{d}{dt} t^2 + \\frac{d}{dt} t^3 = 2 t + 3 t^2", "2 t + 3 t^2 = \\frac{d}{dt} t^2 + 3 t^2"})
        EXPECT_EQ(of_tex(given + line + " \\]\n").substr(0, 7), line[0] == '2' ? "2 not r" : "2 right") << line;
}

TEST(LatexAmbiguous, ALoneClaimThatIsRightOnlyFromLeftToRight) {
    const std::string given =
        "Let $c \\in \\mathbb{R}$, $x \\in \\mathbb{R}^n$ and $L = \\frac14 c \\|x\\|^2$.\n\\[ \\nabla_x L = ";
    EXPECT_EQ(of_tex(given + "x/2c \\]\n"), "2 cannot tell");
    for (const char* clear : {"cx/2", "\\frac{c}{2} x", "(x/2) c", "\\frac12 c x"})
        EXPECT_EQ(of_tex(given + clear + " \\]\n"), "2 right") << clear;
}

}  // namespace
}  // namespace gradproof::proof
