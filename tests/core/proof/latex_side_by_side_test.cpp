// Vectors beside matrices, numbers beside matrices and vectors beside vectors: what has two meanings is not read.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

std::string verdicts_in(const std::string& given, const std::string& formulas) {
    return verdicts_by_line("a.tex", "Let " + given + ".\n\\[ " + formulas + " \\]\n");
}

TEST(LatexSideBySide, AVectorBesideAMatrixWithAsManyRowsIsNotRead) {
    const std::string given = "$W \\in \\mathbb{R}^{n \\times n}$, $x \\in \\mathbb{R}^n$, $h = \\tanh(x)$ and $y = W h$",
                      left = "\\frac{\\partial y}{\\partial x} = ";
    EXPECT_EQ(verdicts_in(given, left + "W \\, \\mathrm{diag}(1 - h \\odot h)"), "2 right");
    EXPECT_EQ(verdicts_in(given, left + "(1 - h \\odot h) \\odot W"), "2 not read");
    const std::string hessian = "$X \\in \\mathbb{R}^{n \\times d}$, $w \\in \\mathbb{R}^d$ and $L = \\sum_i \\exp(x_i^\\top w)$";
    EXPECT_EQ(verdicts_in(hessian, "\\nabla_w^2 L = X^\\top \\mathrm{diag}(\\exp(X w)) X"), "2 right");
    EXPECT_EQ(verdicts_in(hessian, "\\nabla_w^2 L = X^\\top (\\exp(X w) \\odot X)"), "2 not read");
}

TEST(LatexSideBySide, AVectorThatOnlyFitsColumnsGoesWithThem) {
    EXPECT_EQ(
        verdicts_in(
            "$X \\in \\mathbb{R}^{n \\times d}$, $W \\in \\mathbb{R}^{d \\times m}$, $b \\in \\mathbb{R}^m$ and $Y = X W + b$",
            "\\frac{\\partial L}{\\partial W} = X^\\top \\frac{\\partial L}{\\partial Y}"),
        "2 right");
}

TEST(LatexSideBySide, AColumnAndARowAreNotRead) {
    EXPECT_EQ(verdicts_in("$u, v \\in \\mathbb{R}^n$, $S = u + v^\\top$ and $L = \\tfrac12 \\|S\\|^2$", "\\nabla_u L = u + v")
                  .find("right"),
              std::string::npos);
    EXPECT_EQ(verdicts_in("$u, v \\in \\mathbb{R}^n$, $s = u + v$ and $L = \\tfrac12 \\|s\\|^2$", "\\nabla_u L = u + v"),
              "2 right");
}

TEST(LatexSideBySide, TwoVectorsSideBySideWithAVectorAreNotRead) {
    const std::string noise = "$\\mu, \\epsilon, \\sigma \\in \\mathbb{R}^d$, ";
    const std::string loss = " and $L = \\tfrac12 \\|z\\|^2$";
    EXPECT_EQ(verdicts_in(noise + "$z = \\mu + \\sigma \\epsilon$" + loss, "\\nabla_\\mu L = z").find("right"),
              std::string::npos);
    EXPECT_EQ(verdicts_in(noise + "$z = \\mu + \\sigma \\odot \\epsilon$" + loss, "\\nabla_\\mu L = z"), "2 right");
}

TEST(LatexSideBySide, TwoVectorsThatAreAnInnerProductAreSaid) {
    const FileReport report = check_file(
        "a.tex",
        "Let $w, x \\in \\mathbb{R}^d$, $b \\in \\mathbb{R}$ and $z = w x + b$.\n\\[ \\frac{\\partial z}{\\partial w} = x \\]\n");
    EXPECT_EQ(report.proofs[0].domain, std::vector<std::string>{"w x as an inner product"});
}

TEST(LatexSideBySide, ANumberAndASquareMatrixThatIsAFactorAreNotRead) {
    const auto energy = [](const std::string& added) {
        return verdicts_in(
            "$A \\in \\mathbb{R}^{n \\times n}$, $x \\in \\mathbb{R}^n$, $\\lambda > 0$ and $L = \\tfrac12 x^\\top (A + " +
                added + ") x$",
            "\\frac{\\partial L}{\\partial \\lambda} = \\tfrac12 x^\\top x");
    };
    EXPECT_EQ(energy("\\lambda I"), "2 right");
    EXPECT_EQ(energy("\\lambda").find("right"), std::string::npos);
}

TEST(LatexSideBySide, AMatrixAndTwoVectorsAreNoNumber) {
    const std::string given =
        "Let $X \\in \\mathbb{R}^{n \\times d}$, $w \\in \\mathbb{R}^d$, $y \\in \\mathbb{R}^n$ and "
        "$L = \\frac12 \\|Xw - y\\|^2$. Then\n";
    EXPECT_EQ(of_tex(given + displayed("dL = X^\\top (Xw - y)\\,dw")), "2 not read");
    EXPECT_EQ(of_tex(given + displayed("dL = (Xw - y)^\\top X\\,dw")), "2 right");
}

}  // namespace
}  // namespace gradproof::proof
