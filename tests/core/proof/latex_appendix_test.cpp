// LaTeX as appendices of papers have it: what was called wrong there, and is right.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

TEST(LatexAppendix, ARowBeforeAMatrixDoesNotMakeTheOtherVectorsRows) {
    const std::string given = "Let $P \\in \\mathbb{R}^{N \\times M}$, $V \\in \\mathbb{R}^{M \\times d}$ and ";
    const std::string rows = ". Let $v_j$ be the $j$-th row of $V$ and $p_i$ the $i$-th row of $P$. Then\n";
    const std::string claims = "\\[ dP_{ij} = do_i^T v_j, \\quad dv_j = \\sum_i P_{ij} do_i, \\quad dP_{ij} = do_j^T v_i \\]\n";
    for (const char* forward : {"$o_i = P_{i:} V$", "$o_i = p_i V$", "$o_i = V^\\top p_i$"})
        EXPECT_EQ(of_tex(given + forward + rows + claims), "2 right, 2 right, 2 wrong") << forward;
    const std::string loss =
        "Let $x_i \\in \\mathbb{R}^{d}$ be the rows of $X \\in \\mathbb{R}^{n \\times d}$, $W \\in \\mathbb{R}^{d \\times m}$ "
        "and "
        "$z_i = x_i W$. The loss is $\\ell = \\sum_i a^\\top z_i$ with $a \\in \\mathbb{R}^m$. Then\n";
    EXPECT_EQ(of_tex(loss + "\\[ \\nabla_W \\ell = \\sum_i x_i a^\\top, \\quad \\nabla_{x_i} \\ell = W a, \\quad "
                            "\\nabla_W \\ell = \\sum_i a x_i^\\top \\]\n"),
              "2 right, 2 right, 2 wrong");
    // rows throughout
    EXPECT_EQ(of_tex(given + "$o_i = p_i V$" + rows + "\\[ dP_{ij} = do_i v_j^T, \\quad dp_i = do_i V^\\top \\]\n"),
              "2 right, 2 right");
}

TEST(LatexAppendix, EntriesInBracketsAreNoProducts) {
    const std::string given =
        "Let $z \\in \\mathbb{R}^K$, and let $q \\in \\mathbb{R}^K$ be the target distribution.\n"
        "\\[ \\ell = -\\sum_{k=1}^K q(k) \\log p_k, \\qquad p_k = \\frac{e^{z_k}}{\\sum_j e^{z_j}}. \\]\n";
    EXPECT_EQ(of_tex(given + "\\[ \\frac{\\partial \\ell}{\\partial z_k} = p_k - q(k), \\quad "
                             "\\frac{\\partial \\ell}{\\partial z_k} = q(k) - p_k \\]\n"),
              "3 right, 3 wrong");
    EXPECT_EQ(
        of_tex("Let $z, q \\in \\mathbb{R}^K$.\n\\[ \\ell = \\sum_{k=1}^K q(k) z_k \\]\n"
               "\\[ \\frac{\\partial \\ell}{\\partial z_k} = q(k), \\quad \\frac{\\partial \\ell}{\\partial z_k} = k q \\]\n"),
        "3 right, 3 wrong");
}

TEST(LatexAppendix, LettersOfAFunctionAreNoNames) {
    const std::string given = "For $t = 1, \\dots, T$ let $q_t, a_t \\in \\mathbb{R}^{n}$. Let\n";
    EXPECT_EQ(of_tex(given + "\\[ o_t = \\mathrm{diag}(a_t) q_t \\]\n"
                             "\\[ da_t = q_t \\odot do_t, \\quad dq_t = \\mathrm{diag}(a_t) do_t, \\quad da_t = do_t \\]\n"),
              "3 right, 3 right, 3 wrong");
}

TEST(LatexAppendix, OnesHaveTheSizeOfTheRecurrenceBeforeThem) {
    const std::string given =
        "For $t = 1, \\dots, T$ let $q_t, k_t, a_t \\in \\mathbb{R}^{c}$ and $v_t \\in \\mathbb{R}^{d}$.\n"
        "\\[ S_0 = 0, \\quad S_t = \\mathrm{diag}(a_t) S_{t-1} + k_t v_t^\\top, \\quad o_t = S_t^\\top q_t \\]\n";
    EXPECT_EQ(of_tex(given + "\\[ da_t = (S_{t-1} \\odot dS_t) \\mathbf{1}, \\quad da_t = (S_t \\odot dS_t) \\mathbf{1} \\]\n"),
              "3 right, 3 wrong");
}

TEST(LatexAppendix, AChainInASentenceDefinesAndClaims) {
    const std::string given = "Let $y \\in \\{\\pm 1\\}$, $x \\in \\mathbb{R}$ and define $p = \\sigma(y x) = ";
    const std::string claim = "$.\n\\[ C = -\\log(p), \\qquad \\frac{\\partial C}{\\partial x} = y (p - 1) \\]\n";
    EXPECT_EQ(of_tex(given + "\\frac{1}{1 + e^{-y x}}" + claim), "1 right, 2 right");
    EXPECT_EQ(of_tex(given + "\\frac{1}{1 + e^{y x}}" + claim), "1 wrong, 2 right");
}

TEST(LatexAppendix, DerivativesWithDOfUprightNames) {
    const std::string given =
        "Let $y \\in \\{\\pm 1\\}$, $x \\in \\mathbb{R}$ and define $p_\\textrm{t} = \\sigma(y x)$.\n"
        "\\[ \\textrm{CE} = -\\log p_\\textrm{t} \\]\n";
    EXPECT_EQ(
        of_tex(given +
               "\\[ \\frac{d\\textrm{CE}}{dx} = y (p_\\textrm{t} - 1), \\quad \\frac{d\\textrm{CE}}{dx} = y p_\\textrm{t} \\]\n"),
        "3 right, 3 wrong");
    EXPECT_EQ(of_tex(given + "\\[ \\frac{d p_\\textrm{t}}{dx} = y p_\\textrm{t} (1 - p_\\textrm{t}) \\]\n"), "3 right");
    EXPECT_EQ(of_tex(given + "\\[ \\frac{d {p_\\textrm{t}}}{dx} = y p_\\textrm{t} (1 - p_\\textrm{t}) \\]\n"), "3 right");
}

TEST(LatexAppendix, AUsualValueOfAParameterQualifiesNothing) {
    EXPECT_EQ(
        of_tex("Let $z, v \\in \\mathbb{R}^n$. The loss is $C = \\sum_i v_i \\frac{z_i}{T}$\n"
               "where $T$ is a temperature that is normally set to $1$.\n"
               "\\[ \\frac{\\partial C}{\\partial z_i} = \\frac{v_i}{T}, \\quad \\frac{\\partial C}{\\partial z_i} = v_i \\]\n"),
        "3 right, 3 wrong");
}

TEST(LatexAppendix, DerivativesOfExpressionsSayWhatTheirNamesAre) {
    const std::string words = "Here $A$ is a matrix and $a$ and $b$ are vectors, of suitable size.\n";
    EXPECT_EQ(
        of_tex(
            words +
            "\\[ \\frac{\\partial a^\\top X b}{\\partial X} = a b^\\top, \\quad \\frac{\\partial a^\\top X b}{\\partial X} = b "
            "a^\\top \\]\n"),
        "2 right, 2 wrong");
    EXPECT_EQ(of_tex(words + "\\[ \\frac{\\partial}{\\partial X} \\mathrm{Tr}(A X B) = A^T B^T, \\quad "
                             "\\frac{\\partial}{\\partial X} \\mathrm{Tr}(A X B) = B^T A^T \\]\n"),
              "2 right, 2 wrong");
    EXPECT_EQ(of_tex(words + "\\[ \\nabla_x (x^\\top A x) = (A + A^\\top) x, \\quad \\nabla_x (x^\\top A x) = 2 A x \\]\n"),
              "2 right, 2 wrong");
}

TEST(LatexAppendix, ASizeAndAMatrixOfOneLetter) {
    const std::string given =
        "Let $Q \\in \\mathbb{R}^{N \\times M}$ and $L = \\sum_{ij} Q_{ij}^2$.\n\\[ \\nabla_Q L = 2 Q \\]\n";
    EXPECT_EQ(of_tex(given + "Let $M \\in \\{0,1\\}^{N \\times N}$.\n\\[ \\nabla_Q L = 2 M Q \\]\n"), "2 right, 4 not read");
    const std::string bold = "Let $\\mathbf{M} \\in \\{0,1\\}^{N \\times N}$ and $K = \\|\\mathbf{M} Q\\|^2$.\n";
    EXPECT_EQ(of_tex(given + bold + "\\[ \\nabla_Q K = 2 \\mathbf{M}^\\top \\mathbf{M} Q \\]\n"), "2 right, 4 right");
}

TEST(LatexAppendix, RowVectorsOfOneRow) {
    const std::string given =
        "For $t = 1, \\dots, T$ let $q_t, k_t, a_t \\in \\mathbb{R}^{1 \\times c}$, $v_t \\in \\mathbb{R}^{1 \\times d}$.\n"
        "\\[ S_t = \\mathrm{diag}(a_t) S_{t-1} + k_t^\\top v_t, \\quad o_t = q_t S_t \\]\n";
    EXPECT_EQ(
        of_tex(given +
               "\\[ dq_t = do_t S_t^\\top, \\quad da_t = ((S_{t-1} \\odot dS_t) \\mathbf{1})^\\top, \\quad dq_t = S_t do_t^\\top "
               "\\]\n"),
        "3 right, 3 right, 3 wrong");
}

TEST(LatexAppendix, RowsOfARecurrenceThatAreMatrices) {
    EXPECT_EQ(
        of_tex("For $t = 1, \\dots, T$ let $k_t \\in \\mathbb{R}^{c}$, $v_t \\in \\mathbb{R}^d$.\n"
               "\\[ S_t = S_{t-1} + k_t v_t^\\top, \\quad L = \\sum_t \\|S_t\\|^2 \\]\n"
               "\\[ \\frac{\\partial L}{\\partial k_T} = 2 S_T v_T, \\quad \\frac{\\partial L}{\\partial k_T} = S_T v_T \\]\n"),
        "3 right, 3 wrong");
}

TEST(LatexAppendix, TwoOutputsOfWhichEachHasAGradient) {
    const std::string given =
        "For $t = 1, \\dots, T$ let $x_t \\in \\mathbb{R}^{n}$ and $o_t = \\tanh(x_t)$. Let $A, B \\in \\mathbb{R}^{n "
        "\\times n}$ and $Y = A B$.\n";
    EXPECT_EQ(of_tex(given + "\\[ dx_t = do_t \\odot (1 - o_t^2), \\quad dA = dY B^\\top, \\quad dB = dY A^\\top \\]\n"),
              "2 right, 2 right, 2 wrong");
    const std::string bold = "Let $n \\in \\mathbb{R}$, $\\mathbf{n} \\in \\mathbb{R}^{n}$, $\\mathbf{O} = 2 \\mathbf{n}$.\n";
    EXPECT_EQ(of_tex(bold + "\\[ \\mathbf{dn} = 2 \\mathbf{dO} \\]\n"), "2 right");
}

TEST(LatexAppendix, ASizeMayNameAnIndexOfAClaim) {
    const std::string given = "Let $Y = XW$, $X \\in \\mathbb{R}^{n\\times d}$, $W \\in \\mathbb{R}^{d\\times k}$.\n";
    EXPECT_EQ(of_tex(given + "\\[ \\frac{\\partial Y_{ij}}{\\partial W_{kl}} = X_{ik} \\delta_{jl}, \\quad "
                             "\\frac{\\partial Y_{ij}}{\\partial W_{kl}} = X_{jk} \\delta_{il} \\]\n"),
              "2 right, 2 wrong");
    // the last entry
    EXPECT_EQ(of_tex("Let $x \\in \\mathbb{R}^k$ and $L = \\sum_i x_i^2$.\n\\[ \\frac{\\partial L}{\\partial x_k} = 2 x_k \\]\n"),
              "2 right");
}

TEST(LatexAppendix, ASquaredNormHasADerivativeAtZero) {
    const std::string given =
        "Let $z = Wx$, $a = \\max(0, z)$ and $L = \\frac12\\|a\\|^2$, $W \\in \\mathbb{R}^{m \\times n}$, $x \\in "
        "\\mathbb{R}^n$.\n";
    EXPECT_EQ(
        of_tex(given +
               "\\[ \\frac{\\partial L}{\\partial W} = a x^\\top, \\quad \\frac{\\partial L}{\\partial W} = z x^\\top \\]\n"),
        "2 right, 2 wrong");
}

TEST(LatexAppendix, SortedEntriesAreNotRead) {
    EXPECT_EQ(of_tex("Let $x, \\lambda \\in \\mathbb{R}^n$.\n\\[ L = \\sum_i \\lambda_i x_{(i)} \\]\n\\[ \\frac{\\partial "
                     "L}{\\partial x_i} = "
                     "\\lambda_i \\]\n"),
              "2 not read, 3 not read");
}

TEST(LatexAppendix, ASymmetricSumHasSymmetricTerms) {
    const std::string claims =
        "\n\\[ L = -\\frac{1}{2} t^\\top C^{-1} t, \\quad \\nabla_t L = -C^{-1} t, \\quad \\nabla_t L = C^{-1} t \\]\n";
    const std::string given = "Let $t \\in \\mathbb{R}^n$ and let $C = B + \\sigma^2 I$ ";
    EXPECT_EQ(of_tex(given + "be the covariance matrix." + claims), "2 right, 2 wrong");
    EXPECT_EQ(of_tex(given + "be a matrix." + claims), "2 wrong, 2 wrong");
}

TEST(LatexAppendix, LikelihoodsWithArgumentsInMacros) {
    EXPECT_EQ(
        of_tex(
            "\\newcommand{\\by}{\\mathbf{y}}\nLet $\\by \\in \\mathbb{R}^n$ and $K \\in \\mathbb{R}^{n \\times n}$ be "
            "symmetric.\n"
            "\\[ \\log p(\\by | X) = -\\frac{1}{2} \\by^\\top K \\by \\]\n\\[ \\nabla_{\\by} \\log p(\\by | X) = -K \\by \\]\n"),
        "4 right");
}

TEST(LatexAppendix, AnIndexThatIsALabelIsComparedAsItStands) {
    const std::string given =
        "Let $z\\in\\mathbb{R}^K$, $p=\\mathrm{softmax}(z)$ and let $y$ be the label. The loss is $L=-\\log p_y$.\n";
    EXPECT_EQ(of_tex(given + "\\[ \\frac{\\partial L}{\\partial z_k}=p_k,\\quad k=y \\]\n"
                             "\\[ \\frac{\\partial L}{\\partial z_k}=p_k - 1,\\quad k=y \\]\n"
                             "\\[ \\frac{\\partial L}{\\partial z_k}=p_k \\quad \\text{for } k \\ne y \\]\n"
                             "\\[ \\frac{\\partial L}{\\partial z_k}=p_k - 1 \\quad \\text{for } k \\ne y \\]\n"),
              "2 wrong, 3 right, 4 right, 5 wrong");
}

TEST(LatexAppendix, AConditionOfIndicesThatAMatrixDoesNotHaveIsNotRead) {
    EXPECT_EQ(of_tex("Let $Q, K \\in \\mathbb{R}^{n \\times d}$, $w \\in \\mathbb{R}^n$.\n"
                     "\\[ S = Q K^\\top, \\quad j \\le i, \\qquad L = \\sum_i \\sum_j w_i S_{ij} \\]\n"
                     "\\[ \\frac{\\partial L}{\\partial Q} = w \\mathbf{1}^\\top K \\]\n"),
              "2 not read, 2 not read, 3 not read");
}

}  // namespace
}  // namespace gradproof::proof
