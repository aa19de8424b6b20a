// Where claims hold: conditions behind them, what is sought and not claimed, and what lies beyond the ends.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

const std::string kCube = "Let $x\\in\\mathbb{R}^{n}$.\n\\[ y_i = x_i^3 \\]\n";

TEST(Conditions, LargerSizesAreDrawnForOneThatSmallOnesNeverMeet) {
    EXPECT_EQ(verdicts("dims n\ninput x [n]\nforward\n  y = x^3\nclaim\n  ∂y[i]/∂x[i] = 4 x[i]^2 for i > 5\n"
                       "  ∂y[i]/∂x[i] = 3 x[i]^2 for i > 5\n"),
              "wrong, right");
    EXPECT_EQ(verdicts("Let $x\\in\\mathbb{R}^{n}$ and $W \\in\\mathbb{R}^{n\\times n}$.\n\\[ S_{ij} = x_i W_{ij} x_j \\]\n"
                       "\\[ \\frac{\\partial S_{ij}}{\\partial W_{ij}} = 0 \\quad \\text{for } |i - j| > 8 \\]\n"
                       "\\[ S_{ij} = x_i W_{ij} x_j \\quad \\text{for } |i - j| > 8 \\]\n",
                       {}, "a.tex"),
              "wrong, right");
}

TEST(Conditions, OneThatNothingMeetsTellsNothing) {
    for (const char* where : {"for } i > n", "for } i = n+1", "if } x_i^2 < 0"}) {
        const LineReport l =
            lines_of(kCube + "\\[ \\frac{\\partial y_i}{\\partial x_i} = x_i^7 \\quad \\text{" + where + " \\]\n", {}, "a.tex")
                .at(0);
        EXPECT_EQ(l.verdict, Verdict::cannot_tell) << where;
        EXPECT_NE(l.reason.find("holds nowhere in the draws"), std::string::npos) << l.reason;
    }
    EXPECT_EQ(verdicts("dims n=4\ninput x [n]\nforward\n  y = x^3\nclaim\n  ∂y[i]/∂x[i] = 3 x[i]^2 for i > 5\n"), "cannot tell");
}

TEST(Conditions, OnNumbersSayWhereALineWithoutIndicesHolds) {
    const std::string hinge =
        "Let $x\\in\\mathbb{R}^d$ and $c \\in \\mathbb{R}$.\n\\[ L = \\max(0, c - x^\\top x) \\]\n\\[ \\nabla_x L = ";
    const auto said = [&](const char* claim) { return verdicts(hinge + claim + " \\]\n", {}, "a.tex"); };
    EXPECT_EQ(said("-2x \\quad \\text{if } L > 0"), "right");
    EXPECT_EQ(said("-2x \\quad \\text{if } c > x^\\top x"), "right");
    EXPECT_EQ(said("0 \\quad \\text{if } L = 0"), "right");
    EXPECT_EQ(said("-3x \\quad \\text{if } L > 0"), "wrong");
    EXPECT_EQ(said("-2x \\quad \\text{if } L = 0"), "wrong");
    EXPECT_EQ(said("-2x"), "wrong");
    EXPECT_EQ(
        verdicts("dims d\ninput x [d], c []\nforward\n  loss L = max(0, c - x^T x)\nclaim\n  dx = -2 x for L > 0\n  dx = -2 x\n"),
        "right, wrong");
}

TEST(Conditions, MayStandInBrackets) {
    for (const char* where : {"(i = j)", "[i = j]", "(\\text{for } i = j)"})
        EXPECT_EQ(verdicts(kCube + "\\[ \\frac{\\partial y_i}{\\partial x_j} = 3x_i^2 \\quad " + where + " \\]\n", {}, "a.tex"),
                  "right")
            << where;
    EXPECT_EQ(verdicts(kCube + "\\[ \\frac{\\partial y_i}{\\partial x_j} = 2x_i^2 \\quad (i = j) \\]\n", {}, "a.tex"), "wrong");
}

TEST(Conditions, OfTheFirstAndTheLastEntryNeedNotBeMissedOnBothSides) {
    const std::string differences =
        "Let $x\\in\\mathbb{R}^{n}$.\n\\[ f = \\sum_{i=1}^{n-1} (x_{i+1} - x_i)^2 \\]\n"
        "\\[ \\frac{\\partial f}{\\partial x_i} = \\begin{cases} 2(x_1 - x_2) & i = 1 \\\\ 2(x_n - x_{n-1}) & i = n \\\\ ";
    EXPECT_EQ(verdicts(differences + "2(2x_i - x_{i-1} - x_{i+1}) & \\text{otherwise} \\end{cases} \\]\n"
                                     "\\[ \\frac{\\partial^2 f}{\\partial x_i \\partial x_{i+1}} = -2 \\]\n",
                       {}, "a.tex"),
              "right, right");
    EXPECT_EQ(verdicts(differences + "2(3x_i - x_{i-1} - x_{i+1}) & \\text{otherwise} \\end{cases} \\]\n", {}, "a.tex"), "wrong");
}

TEST(Columns, OfAValueFitTogetherAsThoseOfTheLoss) {
    const std::string squares =
        "Let $A \\in \\mathbb{R}^{n\\times m}$, $x\\in\\mathbb{R}^m$, $t\\in\\mathbb{R}^n$.\n"
        "\\[ f = \\frac12 \\|A x - t\\|^2 \\]\n\\[ \\nabla_x f = ";
    const auto said = [&](const char* claim) { return verdicts(squares + claim + " \\]\n", {}, "a.tex"); };
    EXPECT_EQ(said("A^\\top (A x - t)"), "right");
    EXPECT_EQ(said("(A x - t) A"), "wrong");
    EXPECT_EQ(said("(A x - t)^\\top A"), "wrong");
    const std::string bilinear = "Let $A \\in \\mathbb{R}^{n\\times n}$, $x, y\\in\\mathbb{R}^n$.\n\\[ f = x^\\top A y \\]\n";
    const std::vector<LineReport> lines = lines_of(
        bilinear + "\\[ f = x A y \\]\n\\[ \\nabla_y f = A x \\]\n\\[ f = x^\\top A^\\top y \\]\n\\[ f = y^\\top A^\\top x \\]\n",
        {}, "a.tex");
    EXPECT_EQ(lines.at(0).verdict, Verdict::wrong);
    EXPECT_EQ(lines.at(1).diagnosis->repair, "A^\\top x");
    EXPECT_EQ(lines.at(2).diagnosis->repair, "x^\\top A y");
    EXPECT_EQ(lines.at(3).verdict, Verdict::right);
}

TEST(SetToZero, IsNoClaimThatAGradientIsZero) {
    const std::string ridge =
        "Let $X\\in\\mathbb{R}^{n\\times d}$, $y\\in\\mathbb{R}^n$, $w\\in\\mathbb{R}^d$, $\\lambda > 0$.\n"
        "\\[ J = \\frac12\\|Xw - y\\|^2 + \\frac\\lambda2 \\|w\\|^2 \\]\n";
    const auto said = [&](const std::string& text) { return verdicts(ridge + text, {}, "a.tex"); };
    const std::string gradient = "\\nabla_w J = X^\\top(Xw - y) + \\lambda w";
    EXPECT_EQ(said("\\[ " + gradient + " \\overset{!}{=} 0 \\]\n"), "right, skipped");
    EXPECT_EQ(said("Setting the gradient to zero,\n\\[ " + gradient + " = 0 \\]\n"), "right, skipped");
    EXPECT_EQ(said("\\[ \\nabla_w J = 0 \\iff X^\\top X w + \\lambda w = X^\\top y \\]\n"), "skipped, skipped");
    EXPECT_EQ(said("\\[ \\nabla_w J = X^\\top y \\overset{!}{=} 0 \\]\n"), "wrong, skipped");
    const LineReport bare = lines_of(ridge + "\\[ \\nabla_w J = 0 \\]\n", {}, "a.tex").at(0);
    EXPECT_EQ(bare.verdict, Verdict::wrong);
    EXPECT_NE(bare.read_as.find("\\overset{!}{=}"), std::string::npos);
}

TEST(Padding, IsReadWhereTheTextSaysIt) {
    const std::string convolution =
        "\\[ y_i = w_1 x_{i-1} + w_2 x_i + w_3 x_{i+1} \\]\n"
        "\\[ \\frac{\\partial L}{\\partial w_2} = \\sum_i \\frac{\\partial L}{\\partial y_i} x_i \\]\n";
    const std::string declared = "A convolution with kernel $w\\in\\mathbb{R}^3$ on $x \\in\\mathbb{R}^{n}$";
    EXPECT_EQ(verdicts(declared + ", zero padded:\n" + convolution, {}, "a.tex"), "right");
    EXPECT_EQ(verdicts(declared + ":\n" + convolution, {}, "a.tex"), "cannot tell, cannot tell");
}

/// d = 2 h is met where d > 150 and where d = 2, by an h that is small enough and one that is large enough.
TEST(Conditions, SizesThatFollowFromOthersDecideToo) {
    const auto scaled = [](const std::string& d, const std::string& condition) {
        const std::string y = "y = x where(" + condition + ", 2, 1)";
        return verdicts("dims h d=" + d + "\ninput x [d]\nforward\n  " + y + "\nclaim\n  y = x\n  " + y + "\n");
    };
    EXPECT_EQ(scaled("2*h", "d > 150"), "wrong, right");
    EXPECT_EQ(scaled("2*h", "d == 2"), "wrong, right");
    EXPECT_EQ(scaled("(3*h+1)", "d == 4"), "wrong, right");
    EXPECT_EQ(scaled("2*h", "d > 30000"), "cannot tell, cannot tell");
    EXPECT_EQ(scaled("2*h", "d == 3"), "cannot tell, cannot tell");
}

}  // namespace
}  // namespace gradproof::proof
