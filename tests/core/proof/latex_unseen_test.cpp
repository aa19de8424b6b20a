// What texts of authors who had not seen the program showed: displays behind macros, gradients in words, and letters with two
// meanings.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

const std::string kSquaredLayer =
    "Let $x \\in \\mathbb{R}^n$, $W \\in \\mathbb{R}^{m \\times n}$.\n\\[ L = \\frac12 \\|W x\\|^2 \\]\n";

TEST(LatexUnseen, DisplaysThatMacrosOpenAreRead) {
    const std::string macros =
        "\\newcommand{\\beq}{\\begin{equation}}\\newcommand{\\eeq}{\\end{equation}}"
        "\\newcommand{\\be}[1]{\\begin{equation}\\label{#1}}\\def\\ee{\\end{equation}}"
        "\\newcommand{\\eq}[1]{\\begin{equation}#1\\end{equation}}\n";
    for (const char* shown : {"\\beq \\nabla_x L = 2 W^\\top W x \\eeq", "\\be{eq:g} \\nabla_x L = 2 W^\\top W x \\ee",
                              "\\eq{\\nabla_x L = 2 W^\\top W x}"})
        EXPECT_EQ(of_tex(macros + kSquaredLayer + shown + "\n"), "4 wrong") << shown;
}

TEST(LatexUnseen, AGradientThatWordsAloneNameIsNotPassedOver) {
    for (const char* words :
         {"Its gradient is", "The gradient with respect to the input is", "The derivative of the loss is therefore"})
        EXPECT_EQ(of_tex(kSquaredLayer + words + "\n\\[ g = 2 W^\\top W x \\]\nand \\[ \\nabla_W L = W x x^\\top \\]\n"),
                  "4 not read, 5 right")
            << words;
}

TEST(LatexUnseen, SentencesBetweenALossAndItsGradientMayChangeIt) {
    const std::string claim = "\n\\[ \\nabla_W L = W x x^\\top \\]\n";
    for (const char* words : {"The norm is that of Euclid.", "We differentiate the loss.", "The rows of $W$ are the weights."})
        EXPECT_EQ(of_tex(kSquaredLayer + words + claim), "4 right") << words;
    for (const char* words :
         {"We add a weight decay of $\\lambda \\|W\\|^2$.", "The loss is then divided by the number of samples.",
          "For robustness we use the absolute loss instead.", "Gradients are clipped to norm 1.", "All products are elementwise.",
          "Here $\\|v\\|^2 = v^\\top \\Sigma^{-1} v$.", "Only the first $k$ examples are used.", "We apply dropout to $x$."})
        EXPECT_EQ(of_tex(kSquaredLayer + words + claim), "4 not read") << words;
    EXPECT_EQ(of_tex(kSquaredLayer + "Averaging over examples," + claim), "4 not read");
}

TEST(LatexUnseen, EquationsOfAnOptimumAreNoClaims) {
    const std::string ridge =
        "Let $X \\in \\mathbb{R}^{n \\times d}$, $w \\in \\mathbb{R}^d$, $y \\in \\mathbb{R}^n$.\n"
        "\\[ L = \\|X w - y\\|^2, \\quad \\nabla_w L = 2 X^\\top (X w - y) \\]\n";
    EXPECT_EQ(of_tex(ridge + "Setting the gradient to zero gives the normal equations\n\\[ X^\\top X w = X^\\top y \\]\n"),
              "2 right, 4 skipped");
    EXPECT_EQ(of_tex(ridge + "At the optimum,\n\\[ 0 = \\nabla_w L = 2 X^\\top (X w - y) \\]\n"), "2 right, 4 right, 4 skipped");
}

TEST(LatexUnseen, LettersAndIndicesOfTheirOwn) {
    EXPECT_EQ(of_tex("Let $z \\in \\mathbb{R}^K$, $c$ the label.\n\\[ L = -\\log \\frac{e^{z_c}}{\\sum_j e^{z_j}}, \\quad "
                     "\\frac{\\partial L}{\\partial z_j} = \\frac{e^{z_j}}{\\sum_j e^{z_j}} - \\mathbf 1[j = c] \\]\n"),
              "2 right");
    EXPECT_EQ(
        of_tex("Let $X \\in \\mathbb{R}^{n \\times d}$, $W \\in \\mathbb{R}^{d \\times K}$, $Y \\in \\{0,1\\}^{n \\times K}$ "
               "with one-hot "
               "rows, $P = \\mathrm{softmax}(XW)$.\n\\[ L = -\\frac1n \\sum_{i,k} Y_{ik} \\log P_{ik}, \\quad \\nabla_W L = "
               "\\frac1n X^\\top (P - Y) \\]\n"),
        "2 right");
    EXPECT_EQ(of_tex("Let $x \\in \\mathbb{R}^d$, $W \\in \\mathbb{R}^{k \\times d}$, $t \\in \\mathbb{R}^k$.\n\\[ z = Wx, "
                     "\\quad L = \\frac12 "
                     "\\|z - t\\|^2, \\quad \\nabla_W L = (z - t) \\otimes x \\]\n"),
              "2 right");
    EXPECT_EQ(of_tex("Let $x, b \\in \\mathbb{R}^n$.\n\\[ f = x^\\top x - b^\\top x, \\quad \\nabla_x f = 2 x - y \\]\n"),
              "2 not read");
    EXPECT_EQ(
        of_tex(
            "Let $A \\in \\mathbb{R}^{n \\times n}$.\n\\[ L = \\mathrm{tr}(\\exp(A)), \\quad \\nabla_A L = \\exp(A)^\\top \\]\n")
            .find("right"),
        std::string::npos);
}

TEST(LatexUnseen, RowsUnderAnyLetterAndEntriesThatAreZero) {
    const std::string attention =
        "Let $q_i, k_i, v_i \\in \\mathbb{R}^d$, $i = 1, \\dots, T$.\n\\[ s_{ij} = \\begin{cases} q_i^\\top k_j & j \\le i, \\\\ "
        "-\\infty & "
        "j > i, \\end{cases} \\qquad p_{ij} = \\frac{\\exp(s_{ij})}{\\sum_{l \\le i} \\exp(s_{il})} \\quad (j \\le i), \\]\nwith "
        "$p_{ij} = 0$ "
        "for $j > i$, and $o_i = \\sum_{j \\le i} p_{ij} v_j$. Let $g_i = \\partial L / \\partial o_i$.\n";
    EXPECT_EQ(of_tex(attention + "\\[ \\frac{\\partial L}{\\partial v_j} = \\sum_{i \\ge j} p_{ij} g_i \\]\n"), "4 right");
    EXPECT_EQ(of_tex(attention + "\\[ \\frac{\\partial L}{\\partial v_j} = \\sum_{i \\le j} p_{ij} g_i \\]\n"), "4 wrong");
}

TEST(LatexUnseen, MeansInWordsAndSquaresOfNumbers) {
    const std::string gauss =
        "For a sample $x_1, \\dots, x_n$ with mean $\\bar x$ let\n\\[ \\ell(\\mu, \\sigma^2) = -\\frac n2 \\log(2 \\pi "
        "\\sigma^2) - \\frac{1}{2 \\sigma^2} \\sum_{i=1}^n (x_i - \\mu)^2 . \\]\n";
    EXPECT_EQ(of_tex(gauss + "\\[ \\frac{\\partial \\ell}{\\partial \\mu} = \\frac{n}{\\sigma^2} (\\bar x - \\mu) \\]\n"),
              "3 right");
    EXPECT_EQ(
        of_tex(
            gauss +
            "\\[ \\frac{\\partial \\ell}{\\partial \\sigma^2} = -\\frac{n}{2 \\sigma^2} + \\frac{1}{2 \\sigma^4} \\sum_{i=1}^n "
            "(x_i - \\mu)^2 \\]\n"),
        "3 right");
    EXPECT_EQ(
        of_tex(gauss +
               "\\[ \\frac{\\partial \\ell}{\\partial \\sigma^2} = -\\frac{n}{2 \\sigma^2} + \\frac{1}{\\sigma^4} \\sum_{i=1}^n "
               "(x_i - \\mu)^2 \\]\n"),
        "3 wrong");
}

TEST(LatexUnseen, DivergencesAndChainsWhoseFirstLinkIsNotRead) {
    const std::string given = "Let $z, v \\in \\mathbb{R}^K$, $p = \\mathrm{softmax}(z)$, $q = \\mathrm{softmax}(v)$.\n";
    EXPECT_EQ(of_tex(given + "\\[ L = \\mathrm{KL}(q \\,\\|\\, p), \\quad \\frac{\\partial L}{\\partial z} = p - q \\]\n"),
              "2 right");
    EXPECT_EQ(of_tex(given + "\\[ L = D_{\\mathrm{KL}}(q \\| p), \\quad \\frac{\\partial L}{\\partial z} = q - p \\]\n"),
              "2 wrong");
    const std::string chain = "Let $x \\in \\mathbb{R}^n$.\n\\[ R(x) = \\mathcal{D}(x \\mid 0) = \\frac12 \\sum_i x_i^2 \\]\n";
    EXPECT_EQ(of_tex(chain + "\\[ \\nabla_x R = x \\]\n"), "2 not read, 3 right");
    EXPECT_EQ(of_tex(chain + "\\[ \\nabla_x R = 2 x \\]\n"), "2 not read, 3 wrong");
}

TEST(LatexUnseen, HeadsThatCountAboveAreNotOneName) {
    const std::string heads =
        "Let $X \\in \\mathbb{R}^{n \\times d}$, $W^h \\in \\mathbb{R}^{d \\times k}$.\n\\[ Y = \\sum_{h=1}^H X W^h \\]\n"
        "With $G = \\partial L / \\partial Y$,\n\\[ \\frac{\\partial L}{\\partial W^h} = X^\\top G \\]\n";
    EXPECT_EQ(of_tex(heads).find("wrong"), std::string::npos);
    EXPECT_EQ(of_tex("A network computes\n\\[ z^l = W^l a^{l-1} + b^l, \\quad a^l = f(z^l), \\quad a^0 = x \\]\nfor $l = 1, "
                     "\\dots, L$, with "
                     "$C = \\frac12 \\|a^L - y\\|^2$ and $\\delta^l := \\partial C / \\partial z^l$.\n\\[ \\frac{\\partial "
                     "C}{\\partial b^l_j} = "
                     "\\delta^l_j, \\quad \\frac{\\partial C}{\\partial x} = (W^1)^\\top \\delta^1 \\]\n"),
              "4 right, 4 right");
}

TEST(LatexUnseen, ALossThatNoneStatesMayRunThroughWhatIsNotRead) {
    const std::string text =
        "Let $X \\in \\mathbb{R}^{n \\times d}$.\n\\[ Q = X W_Q, \\quad K = X W_K, \\quad V = X W_V \\]\n"
        "\\[ S = \\mathrm{mystery}(Q, K), \\quad O = S V \\]\n";
    EXPECT_EQ(of_tex(text + "\\[ dW_Q = X^\\top dQ, \\quad dX = dQ W_Q^\\top + dK W_K^\\top \\]\n").find("right, 4 right"),
              std::string::npos);
}

/// \|x\|^2_2 is \|x\|_2^2, and |x|_2 of a vector a norm.
TEST(LatexUnseen, MarksOfNormsStandBeforeOrBehindTheirPowers) {
    for (const char* norm :
         {"\\|A x\\|^2_2", "\\|A x\\|_2^2", "\\lVert A x \\rVert^{2}_{2}", "|A x|_2^2", "|A x|^2_2", "\\|A x\\|^2"})
        EXPECT_EQ(of_tex("Let $x \\in \\mathbb{R}^n$ and $A \\in \\mathbb{R}^{m \\times n}$. The loss is $L = " +
                         std::string(norm) + "$. Then\n" + displayed("\\nabla_x L = 2 A^\\top A x")),
                  "2 right")
            << norm;
}

}  // namespace
}  // namespace gradproof::proof
