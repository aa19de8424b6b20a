// How lectures and papers write: data one by one, sections that begin anew, Jacobians by name.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

std::string lecture(const std::string& text) { return verdicts_by_line("a.tex", text); }
/// The mean of hinge losses: its gradient, without the mean, of one example, and written with the condition below the sum.
const std::string kHinge = displayed("H = \\frac1n\\sum_{i=1}^n \\max(0, 1 - y_i w^\\top x_i)") +
                           displayed("\\nabla_w H = -\\frac1n\\sum_{i=1}^n \\mathbf 1[y_i w^\\top x_i < 1]\\, y_i x_i") +
                           displayed("\\nabla_w H = -\\sum_{i=1}^n \\mathbf 1[y_i w^\\top x_i < 1]\\, y_i x_i") +
                           displayed("\\nabla_w H = -\\mathbf 1[y_i w^\\top x_i < 1]\\, y_i x_i") +
                           displayed("\\nabla_w H = -\\frac1n\\sum_{i: y_i w^\\top x_i < 1} y_i x_i");

TEST(LatexFamilies, AreTheRowsOfOneArray) {
    for (const char* sentence :
         {"Let $w, x_i\\in\\mathbb{R}^d$ and $y_i\\in\\{-1,1\\}$ for $i=1,\\dots,n$.",
          "Let $w\\in\\mathbb{R}^d$, $x_1,\\dots,x_n\\in\\mathbb{R}^d$ and $y_1,\\ldots,y_n\\in\\{-1,1\\}$.",
          "Given $\\{(x_i,y_i)\\}_{i=1}^n$ with $x_i\\in\\mathbb{R}^d$, $y_i\\in\\{-1,1\\}$, and $w\\in\\mathbb{R}^d$.",
          "For each $i \\in [n]$ let $x_i\\in\\mathbb{R}^d$ and $y_i\\in\\{\\pm1\\}$; $w\\in\\mathbb{R}^d$."})
        EXPECT_EQ(lecture(std::string(sentence) + "\n" + kHinge), "3 right, 4 wrong, 5 wrong, 6 right") << sentence;
}

TEST(LatexFamilies, OfSequencesAreTheirSteps) {
    EXPECT_EQ(
        lecture("Inputs $x_t\\in\\mathbb{R}^m$ for $t=1,\\dots,T$, $W\\in\\mathbb{R}^{k\\times k}$, "
                "$U\\in\\mathbb{R}^{k\\times m}$.\n" +
                displayed("a_t = W h_{t-1} + U x_t") + displayed("h_t = \\tanh(a_t)") + "with $h_0 = 0 \\in \\mathbb{R}^k$.\n" +
                displayed("\\nabla_U L = \\sum_{t=1}^T \\nabla_{a_t} L \\, x_t^\\top") +
                displayed("\\nabla_U L = \\sum_{t=1}^T \\nabla_{h_t} L \\, x_t^\\top")),
        "5 right, 6 wrong");
}

TEST(LatexFamilies, AGateIsNoRow) {
    EXPECT_EQ(lecture("For $W_i, W_o\\in\\mathbb{R}^{k\\times m}$, $x\\in\\mathbb{R}^m$, $v\\in\\mathbb{R}^n$.\n" +
                      displayed("g = \\sigma(W_i x) \\odot \\tanh(W_o x)") + displayed("s = \\sum_{i=1}^n v_i") +
                      displayed("\\nabla_x g = \\operatorname{diag}(\\sigma(W_i x)) W_o")),
              "4 wrong");
    // Also where it is the only one: no sum runs over it.
    EXPECT_EQ(lecture("For $W_i\\in\\mathbb{R}^{k\\times m}$, $x\\in\\mathbb{R}^m$, $v\\in\\mathbb{R}^n$.\n" +
                      displayed("g = \\sigma(W_i x)") + displayed("s = \\sum_{i=1}^n v_i") +
                      displayed("\\nabla_x g = \\operatorname{diag}(g \\odot (1 - g)) W_i")),
              "4 right");
}

/// A letter that a section gives another meaning: what stands there is read alone, with the macros and the other names of before.
TEST(LatexSections, BeginAnewWhereALetterChanges) {
    const std::string labels =
        "\\newcommand{\\R}{\\mathbb{R}}\nLet $x\\in\\R^d$, $W\\in\\R^{k\\times d}$, and let $y\\in\\R^k$ be one-hot.\n" +
        displayed("p = \\mathrm{softmax}(W x)") + displayed("\\mathcal{L} = -\\sum_{i=1}^k y_i\\log p_i") +
        displayed("\\frac{\\partial\\mathcal{L}}{\\partial W} = (p - y) x^\\top");
    const std::string hinge = "\\section{Hinge}\nLet $u, x_i\\in\\R^d$ and $y_i\\in\\{-1,1\\}$ for $i=1,\\dots,n$.\n" +
                              displayed("H = \\sum_{i=1}^n \\max(0, 1 - y_i u^\\top x_i)") +
                              displayed("\\nabla_u H = -\\sum_{i=1}^n \\mathbf 1[y_i u^\\top x_i < 1]\\, y_i x_i");
    EXPECT_EQ(lecture(labels + hinge), "5 right, 9 right");
    EXPECT_EQ(
        lecture(labels + "\\section{Ridge}\nFor $v\\in\\R^d$ and $\\lambda > 0$\n" +
                displayed("J(v) = \\|v - x\\|^2 + \\lambda\\|v\\|^2") + displayed("\\nabla J(v) = 2 (v - x) + 2\\lambda v") +
                displayed("\\nabla J(v) = 2 (v - x) + \\lambda v") + hinge),
        "5 right, 9 right, 10 wrong, 14 right");
}

/// A section that needs nothing of what was defined before, and names something else alike.
TEST(LatexSections, BeginAnewWhereTheyStandAlone) {
    const std::string first =
        "\\section{One}\nLet $x, t\\in\\mathbb{R}^n$.\n" + displayed("L = \\|x - t\\|^2") + displayed("\\nabla_x L = 2 (x - t)");
    const std::string again = "\\section{Two}\nLet $x, t\\in\\mathbb{R}^n$.\n" + displayed("L = \\frac12\\|x - t\\|^2") +
                              displayed("\\nabla_x L = x - t");
    EXPECT_EQ(lecture(first + again), "4 right, 8 right");
    const std::string builds = "\\section{One}\nLet $x, t\\in\\mathbb{R}^n$.\n" + displayed("e = x - t") +
                               displayed("L = \\|e\\|^2") + "\\section{Two}\nOr, for $x\\in\\mathbb{R}^n$,\n";
    EXPECT_EQ(lecture(builds + displayed("L = e^\\top e") + displayed("L = \\frac12 e^\\top e")), "7 right, 8 wrong");
    // The loss of another section may be any.
    EXPECT_EQ(lecture(first + "\\section{Two}\nFor $x\\in\\mathbb{R}^m$, $W\\in\\mathbb{R}^{k\\times m}$\n" +
                      displayed("y = W x") + displayed("\\nabla_x L = W^\\top \\nabla_y L")),
              "4 right, 8 right");
}

/// What holds where words say so is not judged everywhere; a condition behind a formula declares.
TEST(LatexSections, HaveLossesAndLettersOfTheirOwn) {
    const std::string layer = "For $x, g\\in\\mathbb{R}^n$\n" + displayed("y = g \\odot x") +
                              displayed("\\frac{\\partial\\ell}{\\partial x} = g \\odot \\frac{\\partial\\ell}{\\partial y}");
    const std::string triplet = "\\section{Triplets}\nLet $a, p, q\\in\\mathbb{R}^d$ and $\\alpha > 0$.\n" +
                                displayed("L = \\max(0, \\|a - p\\|^2 - \\|a - q\\|^2 + \\alpha)");
    EXPECT_EQ(lecture(layer + triplet + "When the loss is positive,\n" + displayed("\\nabla_p L = 2 (p - a)")),
              "3 right, 8 right");
    EXPECT_EQ(lecture(layer + triplet + "When $L > 0$,\n" + displayed("\\nabla_p L = 2 (p - a)")), "3 right, 8 right");
    const std::string net = "\\section{Two layers}\nInputs $u\\in\\mathbb{R}^m$, $W\\in\\mathbb{R}^{k\\times m}$.\n" +
                            displayed("a_1 = \\tanh(W u)") +
                            displayed("L = \\|a_1\\|^2 + \\lambda \\|W\\|_F^2, \\quad \\lambda > 0") +
                            displayed("\\nabla_W L = 2 (a_1 \\odot (1 - a_1^2)) u^\\top + 2 \\lambda W") +
                            displayed("\\nabla_W L = 2 (a_1 \\odot (1 - a_1^2)) u^\\top + \\lambda W");
    EXPECT_EQ(lecture(layer + triplet + net), "3 right, 11 right, 12 wrong");
}

/// What a function is goes for all of the paper, and so does what a matrix is, but for one of another meaning.
TEST(LatexSections, KeepWhatWasSaidBefore) {
    const std::string before =
        "We write $\\phi(z) = z^3$. Let $A\\in\\mathbb{R}^{n\\times n}$ be symmetric, $x\\in\\mathbb{R}^n$.\n" +
        displayed("Q = x^\\top A x") + displayed("\\nabla_x Q = 2 A x") + "\\section{Two}\n";
    EXPECT_EQ(lecture(before + displayed("q = x^\\top A A x") + displayed("\\nabla_x q = 2 A A x") + displayed("v = \\phi(x)") +
                      displayed("\\nabla_x L = 3 x^2 \\odot \\nabla_v L")),
              "3 right, 6 right, 8 right");
    EXPECT_EQ(lecture(before + "Now let $A\\in\\mathbb{R}^{m\\times m}$, $y\\in\\mathbb{R}^m$.\n" + displayed("r = y^\\top A y") +
                      displayed("\\nabla_y r = 2 A y") + displayed("\\nabla_y r = A y + A^\\top y")),
              "3 right, 7 wrong, 8 right");
}

/// A function of an example, with its parameters below.
TEST(LatexHypotheses, AreTakenOfEachExample) {
    const std::string cost =
        "\\[ J(\\theta) = -\\frac1m\\sum_{i=1}^m \\left[ y^{(i)}\\log h_\\theta(x^{(i)}) + "
        "(1-y^{(i)})\\log(1-h_\\theta(x^{(i)}))\\right] \\]\n";
    const std::string slope = "\\frac{\\partial J}{\\partial \\theta_j} = \\frac1m\\sum_{i=1}^m ";
    EXPECT_EQ(lecture("Given $m$ examples $x^{(i)}\\in\\mathbb{R}^n$, $y^{(i)}\\in\\{0,1\\}$ and $\\theta\\in\\mathbb{R}^n$, "
                      "let $h_\\theta(x) = \\sigma(\\theta^\\top x)$.\n" +
                      cost + displayed(slope + "(h_\\theta(x^{(i)}) - y^{(i)}) x^{(i)}_j") +
                      displayed(slope + "(y^{(i)} - h_\\theta(x^{(i)})) x^{(i)}_j") +
                      displayed("\\nabla_\\theta J = \\frac1m\\sum_{i=1}^m (h_\\theta(x^{(i)}) - y^{(i)}) x^{(i)}")),
              "3 right, 4 wrong, 5 right");
}

/// The Jacobian of f by the argument that f is written with; a J of another meaning stays what it is.
TEST(LatexJacobians, BearTheNameOfTheirValue) {
    const std::string given = "Let $x\\in\\mathbb{R}^n$ and $W\\in\\mathbb{R}^{m\\times n}$.\n";
    const std::string f = displayed("f(x) = \\tanh(W x)");
    for (const char* j : {"J_f(x)", "J_{f}(x)", "J_f", "\\mathbf{J}_f(x)"})
        EXPECT_EQ(lecture(given + f + displayed(std::string(j) + " = \\operatorname{diag}(1 - f(x)^2) W") +
                          displayed(std::string(j) + " = \\operatorname{diag}(1 - f(x)) W") +
                          displayed("\\nabla_x L = " + std::string(j) + "^\\top \\nabla_f L") +
                          displayed("\\nabla_x L = " + std::string(j) + " \\nabla_f L")),
                  "3 right, 4 wrong, 5 right, 6 cannot tell")  // with the other layout line 6 is right, and line 3 is not
            << j;
    EXPECT_EQ(lecture(given + f + displayed("J_n = \\sum_i x_i^2") + displayed("\\nabla_x J_n = 2 x")), "4 right");
}

}  // namespace
}  // namespace gradproof::proof
