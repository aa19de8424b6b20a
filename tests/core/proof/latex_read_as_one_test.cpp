// Names that are printed differently and read as one, and readings that a text leaves open: right lines are right if these are
// meant.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

std::vector<std::string> reasons(const std::string& text) { return passed_because("a.tex", text); }
/// "L is computed from the one name. Its derivative by that is the other."
std::vector<std::string> of_names(const std::string& one, const std::string& other) {
    return reasons("Let $" + one + ", " + other + " \\in \\mathbb{R}^n$. The loss is $L = \\|" + one + "\\|^2$. Then\n" +
                   displayed("\\frac{\\partial L}{\\partial " + one + "} = 2 " + other));
}
using Reasons = std::vector<std::string>;

TEST(LatexReadAsOne, LettersInOtherFormsAreTold) {
    for (const auto& [one, other] : std::vector<std::pair<std::string, std::string>>{{"\\epsilon", "\\varepsilon"},
                                                                                     {"\\phi", "\\varphi"},
                                                                                     {"\\theta", "\\vartheta"},
                                                                                     {"\\rho", "\\varrho"},
                                                                                     {"\\vec{x}", "x"},
                                                                                     {"\\mathrm{x}", "x"},
                                                                                     {"\\bar{x}", "\\overline{x}"},
                                                                                     {"\\mathsf{x}", "\\mathfrak{x}"}})
        EXPECT_EQ(of_names(one, other), Reasons{one + " and " + other + " are read as one"});
    EXPECT_EQ(of_names("x^*", "x^\\star").size(), 1);
    EXPECT_EQ(of_names("x_{\\text{in}}", "x_{in}").size(), 1);
    EXPECT_EQ(reasons("The loss is $L = \\|A x - \\mathbf{v}\\|^2$ with $A \\in \\mathbb{R}^{m \\times n}$, $x \\in "
                      "\\mathbb{R}^n$. Then\n" +
                      displayed("\\frac{\\partial L}{\\partial x} = 2 A^\\top (A x - v)")),
              Reasons{"\\mathbf{v} and v are read as one"});
}

TEST(LatexReadAsOne, WhatIsOneNameIsNotTold) {
    EXPECT_EQ(reasons("Let $\\mathbf{x}, \\mathbf{a} \\in \\mathbb{R}^n$. The loss is $L = \\sum_i a_i x_i^2$. Then\n" +
                      displayed("\\frac{\\partial L}{\\partial x_i} = 2 a_i x_i")),
              Reasons{});
    EXPECT_EQ(
        reasons(
            "Let $R \\in \\mathbb{R}^{n \\times n}$ and $\\hat{x} \\in \\mathbb{R}^n$. The loss is $L = \\|R \\widehat{x}\\|^2$. "
            "Then\n" +
            displayed("\\frac{\\partial L}{\\partial \\hat{x}} = 2 R^\\top R \\hat{x}")),
        Reasons{});
}

TEST(LatexReadAsOne, ASignAboveIsNotOneBelow) {
    const auto verdict = [](const std::string& one, const std::string& other) {
        return of_tex("Let $" + one + ", " + other + " \\in \\mathbb{R}^n$. The loss is $L = \\|" + one + "\\|^2$. Then\n" +
                      displayed("\\frac{\\partial L}{\\partial " + one + "} = 2 " + other));
    };
    for (const char* sign : {"+", "-", "*"}) {
        const std::string above = std::string("x^") + sign, below = std::string("x_") + sign;
        EXPECT_EQ(verdict(above, above), "2 right") << sign;
        EXPECT_EQ(verdict(above, below), "2 wrong") << sign;
        EXPECT_EQ(verdict(below, above), "2 wrong") << sign;
    }
}

TEST(LatexReadAsOne, LossesThatNothingTellsApartAreTold) {
    const auto of_losses = [](const std::string& one, const std::string& other) {
        return reasons("Let $y = W x$ with $W \\in \\mathbb{R}^{m \\times n}$, $x \\in \\mathbb{R}^n$. Then\n" +
                       displayed("\\frac{\\partial " + one + "}{\\partial x} = W^\\top \\nabla_y " + other));
    };
    EXPECT_EQ(of_losses("L", "L"), Reasons{});
    for (const auto& [one, other] : std::vector<std::pair<std::string, std::string>>{
             {"L_1", "L_2"}, {"E", "C"}, {"L", "J"}, {"\\mathcal{L}", "L"}, {"L'", "L"}, {"L_{\\text{task}}", "L_{\\text{reg}}"}})
        EXPECT_EQ(of_losses(one, other), Reasons{one + " and " + other + " are read as one"});
    EXPECT_EQ(reasons("Let $y = W x$ with $W \\in \\mathbb{R}^{m \\times n}$, $x \\in \\mathbb{R}^n$. Then\n" +
                      displayed("\\frac{\\partial}{\\partial x} E = W^\\top \\nabla_y L")),
              Reasons{"E and L are read as one"});
}

TEST(LatexReadAsOne, APrimeMarksANameThatStandsAloneElsewhere) {
    const std::string given =
        "Let $x, x' \\in \\mathbb{R}^n$ and $W \\in \\mathbb{R}^{n \\times n}$. The loss is $L = x' W x$. Then\n";
    EXPECT_EQ(of_tex(given + displayed("\\frac{\\partial L}{\\partial x} = W' x + W x")), "2 wrong");
    const std::string squares =
        "The loss is $L = \\frac12 \\|A x - b\\|^2$ with $A \\in \\mathbb{R}^{m \\times n}$, $x \\in "
        "\\mathbb{R}^n$, $b\\in\\mathbb{R}^m$";
    const std::string claim = displayed("\\frac{\\partial L}{\\partial x} = A' (A x - b)");
    EXPECT_EQ(reasons(squares + ". Then\n" + claim), Reasons{"primes are read as transposes"});
    EXPECT_EQ(reasons(squares + "; $A'$ is the transpose. Then\n" + claim), Reasons{"the words \"the transpose\""});
}

TEST(LatexReadAsOne, ATransposeThatMayBeAPowerIsTold) {
    const auto of_steps = [](const std::string& steps) {
        return reasons("Let $A \\in \\mathbb{R}^{n \\times n}$, $x, y \\in \\mathbb{R}^n$" + steps +
                       ". The loss is $L = y^\\top A^T x$. Then\n" + displayed("\\frac{\\partial L}{\\partial x} = A y"));
    };
    EXPECT_EQ(of_steps(""), Reasons{});
    EXPECT_EQ(of_steps(", $T \\in \\mathbb{N}$"), Reasons{"^T and ^\\top are read as one"});
}

TEST(LatexReadAsOne, ThatNamesAreColumnsIsReadOrTold) {
    const auto of = [](const std::string& words) {
        return "Let $W \\in \\mathbb{R}^{n \\times n}$ and $c \\in \\mathbb{R}^n$" + words +
               ". The loss is $L = \\sum_k c_k \\|w_k\\|^2$. Then\n" +
               displayed("\\frac{\\partial L}{\\partial W} = 2 \\operatorname{diag}(c) W");
    };
    EXPECT_EQ(of_tex(of("")), "2 cannot tell");
    EXPECT_EQ(of_tex(of(", and $w_k$ the $k$-th row of $W$")), "2 right");
    EXPECT_EQ(check_file("a.tex", of("")).proofs[0].domain, Reasons{"rows w_i of W"});
    for (const char* words : {", and $w_k$ the $k$-th column of $W$", "; we write $w_k$ for its $k$-th column",
                              ". Let $w_k$ be column $k$ of $W$", ". The columns of $W$ are $w_k$"})
        EXPECT_EQ(of_tex(of(words)), "2 wrong") << words;
    EXPECT_EQ(reasons(of(". We write $w_k$ for the $k$th column")), Reasons{"columns, where rows are read"});
}

TEST(LatexReadAsOne, AMatrixMayBeListedByItsColumnsOrRows) {
    const auto of = [](const std::string& matrix, const std::string& gradient) {
        const std::string text = "Let $X = " + matrix +
                                 "$, $w \\in \\mathbb{R}^d$, $y \\in \\mathbb{R}^n$ and $L = \\frac12 \\sum_i (w^\\top x_i - "
                                 "y_i)^2$. Then\n" +
                                 displayed("\\nabla_w L = " + gradient);
        EXPECT_EQ(reasons(text), Reasons{});
        return of_tex(text);
    };
    EXPECT_EQ(of("[x_1, \\dots, x_n] \\in \\mathbb{R}^{d \\times n}", "X (X^\\top w - y)"), "2 right");
    EXPECT_EQ(of("(x_1, \\ldots, x_n) \\in \\mathbb{R}^{d \\times n}", "X (X^\\top w - y)"), "2 right");
    EXPECT_EQ(of("(x_1, \\dots, x_n)^\\top \\in \\mathbb{R}^{n \\times d}", "X^\\top (X w - y)"), "2 right");
    EXPECT_EQ(of("[x_1, \\dots, x_n] \\in \\mathbb{R}^{d \\times n}", "X (X^\\top w + y)"), "2 wrong");
}

TEST(LatexReadAsOne, ThatASoftmaxIsOfEachRowIsSaid) {
    const auto of = [](const std::string& words) {
        return check_file("a.tex", "Let $S \\in \\mathbb{R}^{n \\times m}$ and $A = \\operatorname{softmax}(S)$" + words +
                                       ". Then\n" +
                                       displayed("\\frac{\\partial A_{ij}}{\\partial S_{ik}} = A_{ij} (\\delta_{jk} - A_{ik})"))
            .proofs[0]
            .domain;
    };
    EXPECT_EQ(of(""), Reasons{"the softmax of each row"});
    EXPECT_EQ(of(" row-wise"), Reasons{});
    EXPECT_EQ(of(" of each column"), Reasons{"the softmax of each column"});
}

TEST(LatexReadAsOne, AnArgumentMayBeHeldFixedOrFollowFromAnother) {
    const auto claimed = [](const std::string& left, const std::string& right) {
        return of_tex(
            "Let $x \\in \\mathbb{R}^n$, $y = A x$ with $A \\in \\mathbb{R}^{n \\times n}$ and $f(x, y) = x^\\top y$. Then\n" +
            displayed(left + " = " + right));
    };
    EXPECT_EQ(claimed("\\frac{\\partial f}{\\partial x}", "y + A^\\top x"), "2 cannot tell");
    EXPECT_EQ(claimed("\\frac{\\partial f}{\\partial x}", "y"), "2 cannot tell");
    EXPECT_EQ(claimed("\\frac{d f}{d x}", "y + A^\\top x"), "2 right");
    EXPECT_EQ(claimed("\\frac{d f}{d x}", "y"), "2 wrong");
    EXPECT_EQ(claimed("\\frac{\\partial f}{\\partial y}", "x"), "2 right");
    const std::string partial =
        "Let $x \\in \\mathbb{R}$, $y = x^2$ and $f = x y$. The partial derivatives are\n\\[ \\frac{\\partial f}{\\partial x} = "
        "y + "
        "2 x^2, \\qquad \\frac{\\partial f}{\\partial y} = x. \\]\n";
    EXPECT_EQ(check_file("a.tex", partial).proofs.at(0).domain, Reasons{"total derivatives: y of f follows from x"});
}

TEST(LatexReadAsOne, EntriesInOrderAndSecondDeclarationsAreTold) {
    EXPECT_EQ(
        reasons("Let $x \\in \\mathbb{R}^n$ and $x_{(1)} \\le x_{(2)} \\le \\dots \\le x_{(n)}$. The loss is $L = x_{(1)}^2$. "
                "Then\n" +
                displayed("\\frac{\\partial L}{\\partial x_1} = 2 x_1")),
        Reasons{"x_{(1)} is read as x_1"});
    EXPECT_FALSE(
        reasons("Let $A \\in \\mathbb{R}^{n \\times n}$ be symmetric. Let $A \\in \\mathbb{R}^{n \\times n}$ and $x \\in "
                "\\mathbb{R}^n$. The loss is $L = x^\\top A x$. Then\n" +
                displayed("\\frac{\\partial L}{\\partial x} = 2 A x"))
            .empty());
}

TEST(LatexReadAsOne, HermitianAndKernelMatricesAreSymmetric) {
    for (const char* words : {"be Hermitian", "be a kernel matrix", "be self-adjoint"})
        EXPECT_EQ(of_tex(std::string("Let $A \\in \\mathbb{R}^{n \\times n}$ ") + words +
                         " and $x \\in \\mathbb{R}^n$. The loss is $L = x^\\top A x$. Then\n" +
                         displayed("\\frac{\\partial L}{\\partial x} = 2 A x")),
                  "2 right")
            << words;
}

}  // namespace
}  // namespace gradproof::proof
