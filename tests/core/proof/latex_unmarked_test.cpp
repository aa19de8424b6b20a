// Words and headings that say what a formula would have to show, where none does: these are told.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

std::vector<std::string> told(const std::string& text) { return passed_because("a.tex", text); }
using Reasons = std::vector<std::string>;

std::string under(const std::string& heading) {
    return R"(Let $x, z, w \in \mathbb{R}^d$, $r \in \mathbb{R}$, $\gamma \in [0, 1]$. \section{)" + heading + R"(}
\[ \delta = r + \gamma w^\top z - w^\top x, \qquad L = \frac12 \delta^2, \] \[ \nabla_w L = \delta (\gamma z - x). \]
)";
}

TEST(LatexUnmarked, WordsOfHeadingsThatAreNotKnownToSayNothing) {
    for (const char* heading :
         {"No gradient through the target", "Semi-gradient TD(0)", "TD(0) with the target held constant", "Detached targets",
          "Stop-gradient on the target", "A frozen teacher", "Averaging", "Normalising by the number of samples",
          "The loss without one half", "Ascent direction", "Bootstrapped targets", "Straight-through estimator",
          "The log is binary", "Dropout", "With a bias", "From the inputs", "Layer with 3 outputs"}) {
        const Reasons why = told(under(heading));
        EXPECT_EQ(why.size(), 1u) << heading;
    }
    EXPECT_EQ(told(under("A frozen teacher")), Reasons{"the word \"frozen\" in a heading"});
    EXPECT_EQ(told(under("Everything is averaged")), Reasons{"a heading that says something"});
    for (const char* heading :
         {"Temporal differences", "The gradient", "Background", "Notation and loss", "Problem 2", "A.1 The loss",
          "2.3 Linear function approximation", "Exercise sheet 4, solutions", "Low-rank adapters",
          "Linear regression by least squares", "Backpropagation through time", "Two-layer network"})
        EXPECT_TRUE(told(under(heading)).empty()) << heading << ": " << told(under(heading))[0];
}

std::string product(const std::string& sentence, const std::string& gradient = "\\nabla_Y L \\, B^\\top") {
    return "Let $A, B \\in \\mathbb{R}^{n \\times n}$. " + sentence + " Then \\[ \\nabla_A L = " + gradient + ". \\]\n";
}

TEST(LatexUnmarked, ProductsThatNoFormulaMarks) {
    EXPECT_TRUE(told(product("Consider $Y = A B$.")).empty());
    EXPECT_EQ(told(product("Consider the Hadamard product $Y = A B$.")), Reasons{"a product that no formula marks"});
    EXPECT_EQ(told(product("Consider $Y = A B$ (Hadamard product).")), Reasons{"a product that no formula marks"});
    EXPECT_EQ(told(product("Consider $Y = A B$. We use the Hadamard product.")), Reasons{"a product that no formula marks"});
    EXPECT_EQ(told(product("Consider the Kronecker product $Y = A B$.")), Reasons{"a product that no formula marks"});
    EXPECT_EQ(told(product("Consider $Y = A B$, elementwise.")), Reasons{"elementwise, of which no formula shows what"});
    EXPECT_EQ(told(product("Consider \\[ Y \\overset{\\text{elementwise}}{=} A B. \\]")), Reasons{"a label within a formula"});
    EXPECT_TRUE(told(product("Consider the Hadamard product $Y = A \\odot B$.", "\\nabla_Y L \\odot B")).empty());
    EXPECT_TRUE(told(product("Consider $Y = \\tanh(A)$, elementwise.", "\\nabla_Y L \\odot (1 - Y \\odot Y)")).empty());
}

TEST(LatexUnmarked, ATemperatureThatNoFormulaHas) {
    const auto softmax = [](const std::string& said, const std::string& formula, const std::string& slope) {
        return told("Let $z \\in \\mathbb{R}^n$, $\\tau > 0$. Consider the softmax" + said + ", " + formula +
                    ". Then \\[ \\frac{\\partial p_i}{\\partial z_j} = " + slope + "p_i (\\delta_{ij} - p_j). \\]\n");
    };
    const std::string plain = "$p = \\mathrm{softmax}(z)$", divided = "$p = \\mathrm{softmax}(z / \\tau)$";
    EXPECT_EQ(softmax(" with temperature $\\tau$", plain, ""), Reasons{"a temperature that no formula has"});
    EXPECT_TRUE(softmax(" with temperature $\\tau$", divided, "\\frac{1}{\\tau} ").empty());
    EXPECT_TRUE(softmax("", plain, "").empty());
}

TEST(LatexUnmarked, APartialBesideATotalDerivativeIsNotRead) {
    const auto judged = [](const std::string& left) {
        return verdicts_by_line("a.tex",
                                "Let $x \\in \\mathbb{R}^n$, $A \\in \\mathbb{R}^{n \\times n}$, $y = A x$, "
                                "$L = \\tfrac12 \\|y\\|^2 + \\tfrac12 \\|x\\|^2$.\n\\[ " +
                                    left +
                                    " = \\frac{\\partial L}{\\partial x} + A^\\top \\frac{\\partial L}{\\partial y}. \\]\n");
    };
    EXPECT_EQ(judged("\\frac{dL}{dx}"), "2 not read");
    EXPECT_EQ(judged("\\frac{\\partial L}{\\partial x}"), "2 wrong");
}

TEST(LatexUnmarked, APartOfADerivative) {
    const auto claimed = [](const std::string& words) {
        return told(
            "Let $x \\in \\mathbb{R}^n$, $q = A x$, $k = B x$ with $A, B \\in \\mathbb{R}^{m \\times n}$ and $L = q^\\top k$. " +
            words + " \\[ \\nabla_x L = A^\\top k + B^\\top q. \\]\n");
    };
    EXPECT_TRUE(claimed("This gives").empty());
    EXPECT_EQ(claimed("The path through $q$ gives"), Reasons{"which part of a derivative it is"});
    EXPECT_EQ(claimed("The explicit partial derivative is"), Reasons{"which part of a derivative it is"});
    EXPECT_EQ(claimed("The contribution of the path through $q$ is"), Reasons{"which part of a derivative it is"});
}

TEST(LatexUnmarked, AFunctionThatNoFormulaHas) {
    const auto layer = [](const std::string& sentence) {
        return told("Let $x \\in \\mathbb{R}^n$, $W \\in \\mathbb{R}^{m \\times n}$. " + sentence +
                    " Then \\[ \\nabla_x L = W^\\top \\nabla_y L. \\]\n");
    };
    EXPECT_TRUE(layer("The layer computes $y = W x$.").empty());
    EXPECT_EQ(layer("The layer computes $y = W x$ and then the nonlinearity."), Reasons{"a function that no formula has"});
}

}  // namespace
}  // namespace gradproof::proof
