// Inputs that a text puts on a surface or under an equation: gradients along it, and what is wrong there too.
#include <gtest/gtest.h>

#include "gradproof/core/proof/derive/derive.hpp"
#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

std::string reason_of(const std::string& text) { return lines_of(text, {}, "a.tex").back().reason; }

const std::string kQuadratic = "\\[ f(x) = \\tfrac12 x^\\top A x + b^\\top x \\]\n";
std::string under(const std::string& said, const std::string& claim) {
    return of_tex("Let $x, b \\in \\mathbb{R}^n$ and $A \\in \\mathbb{R}^{n \\times n}$, with $" + said + "$.\n" + kQuadratic +
                  "\\[ " + claim + " \\]\n");
}

TEST(Assumed, ALineThatIsWrongUnderTheEquationTooIsWrong) {
    for (const char* said : {"\\mathbf{1}^\\top x = 0", "\\sum_{i=1}^n x_i = 1", "x^\\top b = 0", "A x = b"}) {
        EXPECT_EQ(under(said, "\\nabla f(x) = 2 A x + b"), "3 wrong") << said;
        EXPECT_EQ(under(said, "\\nabla f(x) = \\tfrac12 (A + A^\\top) x + b"), "3 right") << said;
    }
    EXPECT_EQ(of_tex("Let $p \\in \\mathbb{R}^n$ with $p_i > 0$ and $\\mathbf{1}^\\top p = 1$.\n"
                     "\\[ f = \\sum_i p_i \\log p_i \\]\n\\[ \\frac{\\partial f}{\\partial p_i} = 2 \\log p_i + 1 \\]\n"),
              "3 wrong");
}

TEST(Assumed, ALineThatIsRightAlongTheEquationCannotBeTold) {
    EXPECT_EQ(under("\\mathbf{1}^\\top x = 0", "\\nabla f(x) = \\tfrac12 (A + A^\\top) x + b + \\mathbf{1}_n"), "3 cannot tell");
    EXPECT_EQ(under("x^\\top b = 0", "\\nabla f(x) = \\tfrac12 (A + A^\\top) x"), "3 cannot tell");
    EXPECT_EQ(under("x^\\top b = 0", "\\nabla f(x) = \\tfrac12 (A + A^\\top) x + b + \\mathbf{1}_n"), "3 wrong");
    EXPECT_EQ(under("A x = b", "\\nabla f(x) = \\tfrac12 (A + A^\\top) x + A x"), "3 cannot tell");
    const std::string begin =
        "Let $x, b \\in \\mathbb{R}^n$ with $\\sum_{i=1}^n x_i = 0$.\n"
        "\\[ f(x) = (\\sum_i x_i) (b^\\top x) \\]\n";
    EXPECT_EQ(of_tex(begin + "\\[ \\nabla f(x) = (b^\\top x) \\mathbf{1}_n \\]\n"), "3 cannot tell");
    EXPECT_EQ(of_tex(begin + "\\[ \\nabla f(x) = (b^\\top x) b \\]\n"), "3 wrong");
}

TEST(Assumed, ANumberIsAssumedToBeWhatItIsLetBe) {
    for (const char* said : {"Let $\\lambda = 1$.", "We set $\\lambda = 1$.", "where $\\lambda = 1$."}) {
        const std::string begin = "Let $x \\in \\mathbb{R}^n$ and $\\lambda \\in \\mathbb{R}$. " + std::string(said) +
                                  "\n\\[ f(x) = \\sum_i x_i^3 + \\lambda x^\\top x \\]\n";
        EXPECT_EQ(of_tex(begin + "\\[ \\nabla f(x) = 3 x \\odot x + 2 x \\]\n"), "3 cannot tell") << said;
        EXPECT_EQ(of_tex(begin + "\\[ \\nabla f(x) = 3 x \\odot x \\]\n"), "3 wrong") << said;
        EXPECT_EQ(of_tex(begin + "\\[ \\nabla f(x) = 3 x \\odot x + 2 \\lambda x \\]\n"), "3 right") << said;
    }
}

TEST(Assumed, AGradientAlongAFormMayBeMeant) {
    const auto by_form = [](const std::string& said, const std::string& claim) {
        return of_tex("Let $K, B \\in \\mathbb{R}^{n \\times n}$ where $K$ is " + said +
                      ".\n\\[ f = \\operatorname{tr}(B^\\top K) \\]\n\\[ \\nabla_K f = " + claim + " \\]\n");
    };
    EXPECT_EQ(by_form("skew-symmetric", "B"), "3 right");
    EXPECT_EQ(by_form("skew-symmetric", "B - B^\\top"), "3 cannot tell");
    EXPECT_EQ(by_form("skew-symmetric", "B^\\top"), "3 wrong");
    EXPECT_EQ(by_form("diagonal", "\\operatorname{diag}(\\operatorname{diag}(B))"), "3 cannot tell");
    EXPECT_EQ(by_form("diagonal", "2 B"), "3 wrong");
    EXPECT_EQ(by_form("orthogonal", "\\tfrac12 (B - K B^\\top K)"), "3 cannot tell");
    EXPECT_EQ(by_form("orthogonal", "B^\\top"), "3 wrong");
}

const std::string kSphere =
    "Let $x \\in \\mathbb{R}^n$ with $\\|x\\| = 1$ and $A \\in \\mathbb{R}^{n \\times n}$ symmetric.\n\\[ f(x) = x^\\top A x "
    "\\]\n";

TEST(Surfaces, GradIsTheGradientAlongTheSphere) {
    const auto claimed = [](const std::string& right) {
        return of_tex(kSphere + "\\[ \\operatorname{grad} f(x) = " + right + " \\]\n");
    };
    EXPECT_EQ(claimed("(I - x x^\\top) 2 A x"), "3 right");
    EXPECT_EQ(claimed("2 A x - 2 (x^\\top A x) x"), "3 right");
    EXPECT_EQ(claimed("\\nabla f(x) - (x^\\top \\nabla f(x)) x"), "3 right");
    EXPECT_EQ(claimed("(I + x x^\\top) 2 A x"), "3 wrong");
    EXPECT_EQ(claimed("2 A x"), "3 wrong");
    EXPECT_EQ(of_tex(kSphere + "\\[ \\mathrm{grad}_{\\mathcal{M}} f(x) = 2 A x - 2 x x^\\top A x \\]\n"), "3 right");
    EXPECT_EQ(of_tex(kSphere + "\\[ \\nabla f(x) = 2 A x - 2 x x^\\top A x \\]\n\\[ \\nabla f(x) = 4 A x \\]\n"),
              "3 cannot tell, 4 wrong");
}

TEST(Surfaces, GradIsTheGradientAlongMatricesOfOrthonormalColumns) {
    for (const char* said : {"with $W^\\top W = I_p$", "with orthonormal columns"}) {
        const std::string begin = "Let $W \\in \\mathbb{R}^{n \\times p}$ " + std::string(said) +
                                  " and $B \\in \\mathbb{R}^{n \\times p}$.\n\\[ f(W) = \\|W - B\\|_F^2 \\]\n"
                                  "\\[ G = \\nabla f(W) = 2 (W - B) \\]\n";
        EXPECT_EQ(of_tex(begin + "\\[ \\operatorname{grad} f(W) = G - W \\tfrac12 (W^\\top G + G^\\top W) \\]\n"
                                 "\\[ \\operatorname{grad} f(W) = - 2 B + W (W^\\top B + B^\\top W) \\]\n"
                                 "\\[ \\operatorname{grad} f(W) = - 2 B + W W^\\top B \\]\n"),
                  "3 right, 4 right, 5 right, 6 wrong")
            << said;
    }
    EXPECT_EQ(of_tex("Let $Q, B \\in \\mathbb{R}^{n \\times n}$ where $Q$ is orthogonal.\n"
                     "\\[ f(Q) = \\operatorname{tr}(B^\\top Q) \\]\n"
                     "\\[ \\operatorname{grad} f(Q) = \\tfrac12 (B - Q B^\\top Q) \\]\n"
                     "\\[ \\operatorname{grad} f(Q) = \\tfrac12 (B - Q B Q) \\]\n"),
              "3 right, 4 wrong");
}

TEST(Surfaces, GradIsTheGradientAlongAnEquation) {
    EXPECT_EQ(
        under("\\sum_{i=1}^n x_i = 0", "\\operatorname{grad} f(x) = (I - \\tfrac1n \\mathbf 1 \\mathbf 1^\\top) \\nabla f(x)"),
        "3 right");
    EXPECT_EQ(under("\\mathbf{1}^\\top x = 0", "\\operatorname{grad} f(x) = (I - \\mathbf 1 \\mathbf 1^\\top) \\nabla f(x)"),
              "3 wrong");
    EXPECT_EQ(under("b^\\top x = 0",
                    "\\operatorname{grad} f(x) = \\tfrac12 (A + A^\\top) x - b \\frac{b^\\top (A + A^\\top) x}{2 b^\\top b}"),
              "3 right");
    EXPECT_EQ(under("b^\\top x = 0", "\\operatorname{grad} f(x) = \\tfrac12 (A + A^\\top) x - b b^\\top (A + A^\\top) x / 2"),
              "3 wrong");
}

TEST(Surfaces, WithoutASurfaceGradIsNotRead) {
    const std::string text =
        "Let $x \\in \\mathbb{R}^n$ and $A \\in \\mathbb{R}^{n \\times n}$ symmetric.\n"
        "\\[ f(x) = x^\\top A x \\]\n\\[ \\operatorname{grad} f(x) = 2 A x \\]\n";
    EXPECT_EQ(of_tex(text), "3 not read");
    EXPECT_EQ(reason_of(text).find("grad is read as the gradient along the surface that x lies on"), 0U) << reason_of(text);
    for (const char* other : {"$\\mathbf{1}^\\top x = 0$", "$x^\\top A x = 1$"})  // on two at once
        EXPECT_EQ(of_tex("Let $x \\in \\mathbb{R}^n$ with $\\|x\\| = 1$ and " + std::string(other) +
                         ", and $A \\in \\mathbb{R}^{n \\times n}$ symmetric.\n\\[ f(x) = x^\\top A x \\]\n"
                         "\\[ \\operatorname{grad} f(x) = (I - x x^\\top) 2 A x \\]\n"),
                  "3 not read")
            << other;
}

TEST(Surfaces, DerivingShowsNoGradientOfWhatTheTextDoesNotName) {
    const Derivation d = derive(read_proofs("a.tex", kSphere).front());
    for (const DerivedLine& l : d.lines) EXPECT_NE(l.name, "free_x");
    EXPECT_EQ(to_text(d).find("# x is a unit vector, and is computed from free_x, for which the text has no name\n"), 0U)
        << to_text(d);
    EXPECT_EQ(to_latex(d).find("% x is a unit vector, "), 0U);
    EXPECT_EQ(verdicts(to_text(d)).find("wrong"), std::string::npos);
}

const std::string kLinear =
    "Let $x \\in \\mathbb{R}^n$, $A \\in \\mathbb{R}^{m \\times n}$ and $y = A x$. We use numerator layout.\n"
    "\\[ L = \\tfrac12 \\|y\\|^2 \\]\n";
std::string by_numerator(const std::string& claim) { return of_tex(kLinear + "\\[ " + claim + " \\]\n"); }

TEST(Layouts, OfANumberByAVectorARowIsByTheNumerator) {
    EXPECT_EQ(by_numerator("\\frac{\\partial L}{\\partial x} = y^\\top A"), "3 right");
    EXPECT_EQ(by_numerator("\\frac{\\partial L}{\\partial x} = \\frac{\\partial L}{\\partial y} A"), "3 right");
    EXPECT_EQ(by_numerator("\\left(\\frac{\\partial L}{\\partial x}\\right)^\\top = A^\\top y"), "3 right");
    EXPECT_EQ(by_numerator("\\nabla_x L = A^\\top y"), "3 right");
    EXPECT_EQ(by_numerator("\\frac{\\partial L}{\\partial x} = A^\\top y"), "3 wrong");
    EXPECT_NE(
        reason_of(kLinear + "\\[ \\frac{\\partial L}{\\partial x} = A^\\top y \\]\n").find("in denominator layout it is right"),
        std::string::npos);
    EXPECT_EQ(by_numerator("\\frac{\\partial L}{\\partial x} = A^\\top \\frac{\\partial L}{\\partial y}"), "3 wrong");
}

TEST(Layouts, OfANumberByAMatrixTheTransposeIsByTheNumerator) {
    EXPECT_EQ(by_numerator("\\frac{\\partial L}{\\partial A} = x y^\\top"), "3 right");
    EXPECT_EQ(by_numerator("\\frac{\\partial L}{\\partial A} = y x^\\top"), "3 cannot tell");
    EXPECT_EQ(by_numerator("\\frac{\\partial L}{\\partial A} = 2 x y^\\top"), "3 wrong");
    EXPECT_EQ(by_numerator("\\nabla_A L = y x^\\top"), "3 right");
}

}  // namespace
}  // namespace gradproof::proof
