// Derivations as people type them without a word for the checker: which names are values, and what leads to them.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

TEST(LatexTyped, AResidualBehindTheLossIsNoLossWhateverItsLetter) {
    const std::string text =
        "Let $A \\in \\mathbb{R}^{n \\times d}$.\n"
        "\\[ L = \\tfrac12 \\|A V - B\\|_F^2 + \\mu \\|V\\|_F^2 . \\]\n"
        "With $E = A V - B$ one finds\n";
    EXPECT_EQ(of_tex(text + "\\[ \\nabla_V L = A^\\top E + 2 \\mu V \\]"), "4 right");
    EXPECT_EQ(of_tex(text + "\\[ \\nabla_V L = A^\\top E + \\mu V \\]"), "4 wrong");
    const std::string cosine = "\\[ J = \\|x - U z\\|^2 \\]\nWrite $C = U z z^\\top$. Then\n";
    EXPECT_EQ(of_tex(cosine + "\\[ \\frac{\\partial J}{\\partial U} = 2 C - 2 x z^\\top \\]"), "3 right");
    EXPECT_EQ(of_tex(cosine + "\\[ \\frac{\\partial J}{\\partial U} = C - 2 x z^\\top \\]"), "3 wrong");
}

TEST(LatexTyped, LIsAMatrixWhereDerivativesAreTakenByItAlone) {
    const std::string text = "\\[ K = L L^\\top, \\qquad q = x^\\top K x . \\]\n";
    EXPECT_EQ(of_tex(text + "\\[ \\frac{\\partial q}{\\partial L} = 2 x x^\\top L \\]"), "2 right");
    EXPECT_EQ(of_tex(text + "\\[ \\frac{\\partial q}{\\partial L} = 2 L x x^\\top \\]"), "2 wrong");
    const std::string transposed = "Put $h(u) = \\|L u - v\\|^2$. We get\n";
    EXPECT_EQ(of_tex(transposed + "\\[ \\nabla_L h = 2 (L u - v) u^\\top, \\quad \\nabla_u h = 2 L^\\top (L u - v) \\]"),
              "2 right, 2 right");
    EXPECT_EQ(of_tex(transposed + "\\[ \\nabla_L h = 2 u (L u - v)^\\top, \\quad \\nabla_u h = 2 L (L u - v) \\]"),
              "2 wrong, 2 wrong");
}

TEST(LatexTyped, ADerivativeGoesAlongTheFormulaOfItsValueThatHasWhatItIsTakenBy) {
    const std::string text = "\\[ G = B^\\top B, \\qquad s = \\|B v\\|^2 = v^\\top G v . \\]\n";
    EXPECT_EQ(
        of_tex(text +
               "\\[ \\frac{\\partial s}{\\partial G} = v v^\\top \\]\n\\[ \\frac{\\partial s}{\\partial B} = 2 B v v^\\top \\]"),
        "1 right, 2 right, 3 right");
    EXPECT_EQ(
        of_tex(text +
               "\\[ \\frac{\\partial s}{\\partial G} = 2 v v^\\top \\]\n\\[ \\frac{\\partial s}{\\partial B} = B v v^\\top \\]"),
        "1 right, 2 wrong, 3 wrong");
    const std::string entries = "\\[ m = \\frac1n \\sum_i x_i, \\quad w_i = x_i^2, \\quad r = \\sum_i x_i^2 = \\sum_i w_i \\]\n";
    EXPECT_EQ(of_tex(entries + "\\[ \\frac{\\partial r}{\\partial w_i} = 1 \\]"), "1 right, 2 right");
    EXPECT_EQ(of_tex(entries + "\\[ \\frac{\\partial r}{\\partial w_i} = 2 \\]"), "1 right, 2 wrong");
}

TEST(LatexTyped, WhatNothingLeadsToIsNotReadUnlessItIsClaimedToBeZero) {
    const std::string text = "\\[ f = \\|x\\|^2, \\qquad y = W x . \\]\n";
    EXPECT_EQ(of_tex(text + "\\[ \\frac{\\partial f}{\\partial W} = y x^\\top \\]"), "2 not read");
    EXPECT_EQ(of_tex(text + "\\[ \\frac{\\partial f}{\\partial W} = 0 \\]"), "2 right");
    EXPECT_EQ(of_tex(text + "\\[ \\frac{\\partial f}{\\partial x} = x \\]"), "2 wrong");
}

}  // namespace
}  // namespace gradproof::proof
