// Labels, one for each example or step, and losses that add up, as people type them.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

TEST(LatexTypedSequences, EntriesAtLabelsOfEachExample) {
    const std::string text =
        "Let $S = X W$ and $P = \\mathrm{softmax}(S)$ with labels $y_i$.\n\\[ L = -\\frac1N \\sum_{i=1}^N \\log P_{i, y_i} \\]\n";
    EXPECT_EQ(
        of_tex(text + "\\[ \\frac{\\partial L}{\\partial S_{ik}} = \\frac1N \\bigl(P_{ik} - \\mathbf 1[k = y_i]\\bigr) \\]"),
        "3 right");
    EXPECT_EQ(of_tex(text + "\\[ \\frac{\\partial L}{\\partial S_{ik}} = P_{ik} - \\mathbf 1[k = y_i] \\]"), "3 wrong");
    const std::string rows = "\\[ J = \\sum_{n} w_{c_n}^\\top z_n + \\tfrac12 \\sum_n \\|z_n\\|^2 \\]\n";
    EXPECT_EQ(of_tex(rows + "\\[ \\frac{\\partial J}{\\partial z_n} = w_{c_n} + z_n \\]"), "2 right");
    EXPECT_EQ(of_tex(rows + "\\[ \\frac{\\partial J}{\\partial z_n} = w_{c_n} + 2 z_n \\]"), "2 wrong");
}

TEST(LatexTypedSequences, ALossIsTheSumOfThoseOfItsSteps) {
    const std::string text =
        "\\[ z^{(t)} = C x^{(t)}, \\quad p^{(t)} = \\mathrm{softmax}(z^{(t)}), \\quad "
        "L^{(t)} = -\\log p^{(t)}_{y^{(t)}} \\]\nand $L = \\sum_t L^{(t)}$.\n";
    EXPECT_EQ(of_tex(text + "\\[ (\\nabla_{z^{(t)}} L)_i = p_i^{(t)} - \\mathbf 1_{i = y^{(t)}} \\]"), "3 right");
    EXPECT_EQ(of_tex(text + "\\[ (\\nabla_{z^{(t)}} L)_i = p_i^{(t)} + \\mathbf 1_{i = y^{(t)}} \\]"), "3 wrong");
    const std::string squares =
        "\\[ h_t = \\tanh(A h_{t-1} + B x_t), \\quad L_t = \\|h_t - r_t\\|^2, \\quad L = \\sum_t L_t \\]\nFor $t = 1, \\dots, "
        "T$, and for $t < T$,\n";
    EXPECT_EQ(of_tex(squares + "\\[ \\frac{\\partial L}{\\partial h_t} = 2 (h_t - r_t) + A^\\top \\mathrm{diag}(1 - h_{t+1}^2) "
                               "\\frac{\\partial L}{\\partial h_{t+1}} \\]"),
              "3 right");
    EXPECT_EQ(of_tex(squares + "\\[ \\frac{\\partial L}{\\partial h_t} = 2 (h_t - r_t) + A^\\top \\mathrm{diag}(1 - h_t^2) "
                               "\\frac{\\partial L}{\\partial h_{t+1}} \\]"),
              "3 wrong");
}

TEST(LatexTypedSequences, BeforeTheLastIsWhereTheNextOneStands) {
    const std::string text =
        "For $k = 1, \\dots, \\kappa$ the states are\n\\[ s_k = \\tanh(A s_{k-1} + x_k) . \\]\nFor $k < \\kappa$ the adjoints "
        "obey\n";
    EXPECT_EQ(of_tex(text + "\\[ \\frac{\\partial \\ell}{\\partial s_k} = A^\\top \\Bigl((1 - s_{k+1}^2) \\odot \\frac{\\partial "
                            "\\ell}{\\partial s_{k+1}}\\Bigr) + g_k \\]"),
              "4 not read")
        << "g is not known";
    const std::string sum =
        "For $k = 1, \\dots, \\kappa$ let\n\\[ s_k = \\tanh(A s_{k-1} + x_k), \\qquad \\ell = \\sum_k c^\\top s_k . \\]\nFor $k "
        "< \\kappa$\n";
    EXPECT_EQ(of_tex(sum + "\\[ \\frac{\\partial \\ell}{\\partial s_k} = A^\\top \\Bigl((1 - s_{k+1}^2) \\odot \\frac{\\partial "
                           "\\ell}{\\partial s_{k+1}}\\Bigr) + c \\]"),
              "4 right");
    EXPECT_EQ(of_tex(sum + "\\[ \\frac{\\partial \\ell}{\\partial s_k} = A \\Bigl((1 - s_{k+1}^2) \\odot \\frac{\\partial "
                           "\\ell}{\\partial s_{k+1}}\\Bigr) + c \\]"),
              "4 wrong");
}

/// z of a_z and W_z is a part of their names where the text has a z.
TEST(LatexTypedSequences, LettersOfGatesAreNoIndices) {
    const std::string cell =
        "\\begin{align}\n z &= \\sigma(a_z), & a_z &= W_z x + U_z h, \\\\\n r &= \\sigma(a_r), & a_r &= W_r x + U_r h, \\\\\n"
        " n &= \\tanh(a_n), & a_n &= W_n x + U_n (r \\odot h), \\\\\n h' &= (1 - z) \\odot h + z \\odot n\n\\end{align}\n"
        "Let $g = \\partial\\ell/\\partial h'$ and $\\delta_n = \\partial\\ell/\\partial a_n$.\n";
    const std::string left = "\\[ \\frac{\\partial\\ell}{\\partial z} = ";
    EXPECT_EQ(of_tex("Let $h \\in \\mathbb{R}^m$.\n" + cell + left + "g \\odot (n - h) \\]\n" + left + "g \\odot (h - n) \\]\n" +
                     "\\[ \\delta_n = g \\odot z \\odot (1 - n \\odot n) \\]\n"),
              "9 right, 10 wrong, 11 right");
}

TEST(LatexTypedSequences, ListsHaveAsManyRowsAsTheMatrixThatTheirIndicesRunOver) {
    const std::string given = "Let $R \\in \\mathbb{R}^{m \\times n}$ and $u_i, v_j \\in \\mathbb{R}^k$.\n";
    const std::string loss =
        "\\[ L = \\frac12 \\sum_{i,j} (R_{ij} - u_i^\\top v_j)^2 \\]\n\\[ \\frac{\\partial L}{\\partial u_i} = ";
    EXPECT_EQ(of_tex(given + loss + "-\\sum_j (R_{ij} - u_i^\\top v_j) v_j \\]"), "3 right");
    EXPECT_EQ(of_tex(given + loss + "-\\sum_j (R_{ji} - u_i^\\top v_j) v_j \\]"), "3 wrong");
    const std::string errors =
        "With $e_{ij} = R_{ij} - u_i^\\top v_j$ let $L = \\sum_{i,j} e_{ij}^2$.\n\\[ \\frac{\\partial L}{\\partial v_j} = ";
    EXPECT_EQ(of_tex(given + errors + "-2 \\sum_i e_{ij} u_i \\]"), "3 right");
    EXPECT_EQ(of_tex(given + errors + "-2 \\sum_j e_{ij} u_i \\]"), "3 wrong");
    // the i of two sums are two indices: there may be more x than W has rows
    EXPECT_EQ(of_tex("Let $W \\in \\mathbb{R}^{m \\times d}$ and $x_i \\in \\mathbb{R}^d$, $L = \\sum_i \\|W x_i\\|^2 + "
                     "\\sum_{i,j} W_{ij}^2$.\n\\[ \\frac{\\partial L}{\\partial W} = 2 \\sum_i W x_i x_i^\\top + 2 W \\]"),
              "2 right");
}

TEST(LatexTypedSequences, AnEntryOfARowIsNamedByItsColumn) {
    const std::string bias =
        "Let $X \\in \\mathbb{R}^{N \\times D}$, $W \\in \\mathbb{R}^{D \\times M}$, $b \\in \\mathbb{R}^{1 \\times M}$, $Y = X "
        "W + b$.\n"
        "\\[ \\frac{\\partial L}{\\partial b_j} = ";
    EXPECT_EQ(of_tex(bias + "\\sum_i \\frac{\\partial L}{\\partial Y_{ij}} \\]"), "2 right");
    EXPECT_EQ(of_tex(bias + "\\sum_i \\frac{\\partial L}{\\partial Y_{ji}} \\]"), "2 wrong");
    const std::string row = "Let $x \\in \\mathbb{R}^{1 \\times d}$, $W \\in \\mathbb{R}^{d \\times m}$ and $z = x W$.\n";
    EXPECT_EQ(
        of_tex(row + "\\[ \\frac{\\partial L}{\\partial W_{ij}} = x_i \\frac{\\partial L}{\\partial z_j} \\]\n" +
               "\\[ \\frac{\\partial L}{\\partial x_i} = \\sum_j W_{ij} \\frac{\\partial L}{\\partial z_j} \\]\n" +
               "\\[ \\frac{\\partial L}{\\partial W_{ij}} = x_j \\frac{\\partial L}{\\partial z_i} \\]\n" +
               "\\[ \\frac{\\partial z_j}{\\partial x_i} = W_{ij} \\]\n\\[ \\frac{\\partial z_j}{\\partial x_i} = W_{ji} \\]"),
        "2 right, 3 right, 4 wrong, 5 right, 6 wrong");
}

TEST(LatexTypedSequences, ARowTimesAMatrixTimesAColumnIsANumber) {
    const std::string form =
        "Let $x \\in \\mathbb{R}^{1 \\times n}$, $A \\in \\mathbb{R}^{n \\times n}$.\n\\[ f = x A x^\\top, \\quad \\nabla_x f = ";
    EXPECT_EQ(of_tex(form + "x (A + A^\\top) \\]"), "2 right");
    EXPECT_EQ(of_tex(form + "2 x A \\]"), "2 wrong");
    EXPECT_EQ(of_tex("Let $x \\in \\mathbb{R}$.\n\\[ f = x^2, \\quad \\frac{\\partial f}{\\partial x} = \\left.2x\\right. \\]"),
              "2 right");
    EXPECT_EQ(
        of_tex("Let $x \\in \\mathbb{R}$.\n\\[ f = 0.1 x^2, \\quad \\frac{\\partial f}{\\partial x} = \\left.2x\\right. \\]"),
        "2 wrong");
}

}  // namespace
}  // namespace gradproof::proof
