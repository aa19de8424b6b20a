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
    // Two numbers with a space between them are a product.
    EXPECT_EQ(of_tex(text("2\\,50", "200")), "3 right");
}

}  // namespace
}  // namespace gradproof::proof
