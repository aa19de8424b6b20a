// Numbers of formulas: a full stop behind one ends a sentence, and thousands may be set apart.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

TEST(LatexNumbers, AFullStopBehindADigitIsNoFactor) {
    const std::string given =
        "Let $X \\in \\mathbb{R}^{n \\times d}$, $w \\in \\mathbb{R}^d$, $y\\in\\mathbb{R}^n$, $\\lambda > 0$.\n";
    EXPECT_EQ(of_tex(given + "\\[ L = \\|Xw-y\\|^2 + \\lambda \\|w\\|^2. \\]\n\\[ \\nabla_w L = 2X^\\top (Xw-y). \\]\n"
                             "\\[ \\nabla_w L = 2X^\\top (Xw-y) + 2 \\lambda w. \\]\n"),
              "3 wrong, 4 right");
    EXPECT_EQ(of_tex(given + "\\[ L = \\frac12 \\|Xw-y\\|^2 \\]\n\\[ \\nabla_w L = X^\\top (Xw-y) + \\lambda w^2. \\]\n"),
              "3 wrong");
    const std::string cubes = "Let $w \\in \\mathbb{R}^d$ and $f = \\sum_i w_i^3$.\n";
    for (const std::string end : {".", " .", ",", "\\,.", ". \\tag{3}"})
        EXPECT_EQ(of_tex(cubes + "\\[ \\frac{\\partial f}{\\partial w_i} = 3 w_i^2" + end + " \\]\n"), "2 right") << end;
    EXPECT_EQ(of_tex(cubes + "\\begin{align} \\frac{\\partial f}{\\partial w_1} &= 3 w_1^2.\\\\\n"
                             "\\frac{\\partial f}{\\partial w_1} &= 3 w_1^2 + 2. \\end{align}\n"),
              "2 right, 3 wrong");
    EXPECT_EQ(of_tex(cubes + "\\[ \\frac{\\partial f}{\\partial w_i} = 1.5 w_i^2 + 1.5 w_i^2 \\]\n"), "2 right");
}

TEST(LatexNumbers, ThousandsMayBeSetApart) {
    const auto text = [](const std::string& factor, const std::string& claimed) {
        return "Let $x \\in \\mathbb{R}^n$.\n\\[ f = " + factor + " \\, x^\\top x \\]\n\\[ \\nabla_x f = " + claimed + " x \\]\n";
    };
    for (const std::string factor : {"2500", "2\\,500", "2{,}500", "2,500"}) {
        EXPECT_EQ(of_tex(text(factor, "5000")), "3 right") << factor;
        EXPECT_EQ(of_tex(text(factor, "5\\,000")), "3 right") << factor;
        EXPECT_EQ(of_tex(text(factor, "2000")), "3 wrong") << factor;
    }
    EXPECT_EQ(of_tex(text("10\\,000", "0")), "3 wrong");
    EXPECT_EQ(of_tex(text("1\\,234{,}567.5", "2469135")), "3 right");
    for (const std::string factor : {"2\\,50", "1 500", "1~500", "1\\;500", "1'500", "1{2}", "2 0"})
        EXPECT_EQ(of_tex(text(factor, "1000")), "2 not read, 3 not read") << "numbers side by side: " << factor;
}

TEST(LatexNumbers, OfSeveralDigitsTeXTakesOne) {
    const auto judged = [](const std::string& f, const std::string& slope) {
        return of_tex("Let $x \\in \\mathbb{R}$.\n\\[ f = " + f + " \\]\n\\[ \\frac{\\partial f}{\\partial x} = " + slope +
                      " \\]\n");
    };
    EXPECT_EQ(judged("\\frac12 x^2", "x"), "3 right");
    EXPECT_EQ(judged("\\sqrt4 x", "2"), "3 right");
    EXPECT_EQ(judged("\\sqrt25 x", "5"), "2 not read, 3 not read");
    EXPECT_EQ(judged("\\frac{1}23 x", "\\frac{1}{23}"), "2 not read, 3 not read");
}

/// {a + b} c is printed as a + b c.
TEST(LatexNumbers, BracesAreNoBrackets) {
    const std::string given =
        "Let $A \\in \\mathbb{R}^{n\\times n}$, $x, y \\in \\mathbb{R}^n$ and $L = \\frac12 \\|A x - y\\|^2$.\n";
    const auto judged = [&](const std::string& slope) { return of_tex(given + displayed("\\nabla_x L = " + slope)); };
    EXPECT_EQ(judged("A^\\top (A x - y)"), "2 right");
    EXPECT_EQ(judged("{A}^\\top {\\left(A x - y\\right)}"), "2 right");
    EXPECT_EQ(judged("{A^\\top A x - A^\\top y}"), "2 right");
    EXPECT_EQ(judged("A^\\top {A x - y}"), "2 not read");
    EXPECT_EQ(judged("{x^\\top A}^\\top"), "2 not read");
    EXPECT_EQ(judged("-{A^\\top y - A^\\top A x}"), "2 not read");
}

}  // namespace
}  // namespace gradproof::proof
