// Data that papers give one by one: x_i for i = 1, ..., n.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

std::string paper(const std::string& text) { return verdicts_by_line("a.tex", text); }
std::string shown(const std::string& equation) { return "\\[ " + equation + " \\]\n"; }

/// The mean of hinge losses: its gradient, without the mean, of one example, and written with the condition below the sum.
const std::string kHinge = shown("H = \\frac1n\\sum_{i=1}^n \\max(0, 1 - y_i w^\\top x_i)") +
                           shown("\\nabla_w H = -\\frac1n\\sum_{i=1}^n \\mathbf 1[y_i w^\\top x_i < 1]\\, y_i x_i") +
                           shown("\\nabla_w H = -\\sum_{i=1}^n \\mathbf 1[y_i w^\\top x_i < 1]\\, y_i x_i") +
                           shown("\\nabla_w H = -\\mathbf 1[y_i w^\\top x_i < 1]\\, y_i x_i") +
                           shown("\\nabla_w H = -\\frac1n\\sum_{i: y_i w^\\top x_i < 1} y_i x_i");

TEST(LatexFamilies, AreTheRowsOfOneArray) {
    for (const char* sentence :
         {"Let $w, x_i\\in\\mathbb{R}^d$ and $y_i\\in\\{-1,1\\}$ for $i=1,\\dots,n$.",
          "Let $w\\in\\mathbb{R}^d$, $x_1,\\dots,x_n\\in\\mathbb{R}^d$ and $y_1,\\ldots,y_n\\in\\{-1,1\\}$.",
          "Given $\\{(x_i,y_i)\\}_{i=1}^n$ with $x_i\\in\\mathbb{R}^d$, $y_i\\in\\{-1,1\\}$, and $w\\in\\mathbb{R}^d$.",
          "For each $i \\in [n]$ let $x_i\\in\\mathbb{R}^d$ and $y_i\\in\\{\\pm1\\}$; $w\\in\\mathbb{R}^d$."})
        EXPECT_EQ(paper(std::string(sentence) + "\n" + kHinge), "3 right, 4 wrong, 5 wrong, 6 right") << sentence;
}

TEST(LatexFamilies, OfSequencesAreTheirSteps) {
    EXPECT_EQ(paper("Inputs $x_t\\in\\mathbb{R}^m$ for $t=1,\\dots,T$, $W\\in\\mathbb{R}^{k\\times k}$, "
                    "$U\\in\\mathbb{R}^{k\\times m}$.\n" +
                    shown("a_t = W h_{t-1} + U x_t") + shown("h_t = \\tanh(a_t)") + "with $h_0 = 0 \\in \\mathbb{R}^k$.\n" +
                    shown("\\nabla_U L = \\sum_{t=1}^T \\nabla_{a_t} L \\, x_t^\\top") +
                    shown("\\nabla_U L = \\sum_{t=1}^T \\nabla_{h_t} L \\, x_t^\\top")),
              "5 right, 6 wrong");
}

TEST(LatexFamilies, AGateIsNoRow) {
    EXPECT_EQ(paper("For $W_i, W_o\\in\\mathbb{R}^{k\\times m}$, $x\\in\\mathbb{R}^m$, $v\\in\\mathbb{R}^n$.\n" +
                    shown("g = \\sigma(W_i x) \\odot \\tanh(W_o x)") + shown("s = \\sum_{i=1}^n v_i") +
                    shown("\\nabla_x g = \\operatorname{diag}(\\sigma(W_i x)) W_o")),
              "4 wrong");
}

/// A letter that a section gives another meaning: what stands there is read alone, with the macros and the other names of before.
TEST(LatexSections, BeginAnewWhereALetterChanges) {
    const std::string labels =
        "\\newcommand{\\R}{\\mathbb{R}}\nLet $x\\in\\R^d$, $W\\in\\R^{k\\times d}$, and let $y\\in\\R^k$ be one-hot.\n" +
        shown("p = \\mathrm{softmax}(W x)") + shown("\\mathcal{L} = -\\sum_{i=1}^k y_i\\log p_i") +
        shown("\\frac{\\partial\\mathcal{L}}{\\partial W} = (p - y) x^\\top");
    const std::string hinge = "\\section{Hinge}\nLet $u, x_i\\in\\R^d$ and $y_i\\in\\{-1,1\\}$ for $i=1,\\dots,n$.\n" +
                              shown("H = \\sum_{i=1}^n \\max(0, 1 - y_i u^\\top x_i)") +
                              shown("\\nabla_u H = -\\sum_{i=1}^n \\mathbf 1[y_i u^\\top x_i < 1]\\, y_i x_i");
    EXPECT_EQ(paper(labels + hinge), "5 right, 9 right");
    EXPECT_EQ(paper(labels + "\\section{Ridge}\nFor $v\\in\\R^d$ and $\\lambda > 0$\n" +
                    shown("J(v) = \\|v - x\\|^2 + \\lambda\\|v\\|^2") + shown("\\nabla J(v) = 2 (v - x) + 2\\lambda v") +
                    shown("\\nabla J(v) = 2 (v - x) + \\lambda v") + hinge),
              "5 right, 9 right, 10 wrong, 14 right");
}

}  // namespace
}  // namespace gradproof::proof
