// Networks of any number of layers, with the layer above or below, by matrices and by entries.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

/// Its layers go by `l`; `at` is how a name has its layer, as "^{[l]}", `before`, `last` and `first` those of the others.
std::string network(const std::string& l, const std::string& at, const std::string& before, const std::string& last,
                    const std::string& first) {
    return "A network has layers\n\\[ z" + at + " = W" + at + " a" + before + " + b" + at + ", \\quad a" + at + " = \\sigma(z" +
           at + "), \\qquad " + l + " = 1, \\dots, L, \\]\nwhere $a" + first + " = x$. The loss is $J = \\frac12 \\|a" + last +
           " - y\\|^2$. Let $\\delta" + at + " = \\partial J / \\partial z" + at + "$. Then\n";
}

TEST(LatexLayers, AreCountedAboveOrBelow) {
    const struct {
        const char *name, *at, *before, *last, *first, *next;
    } kStyles[] = {{"l", "_l", "_{l-1}", "_L", "_0", "_{l+1}"},
                   {"\\ell", "^{[\\ell]}", "^{[\\ell-1]}", "^{[L]}", "^{[0]}", "^{[\\ell+1]}"},
                   {"l", "^{(l)}", "^{(l-1)}", "^{(L)}", "^{(0)}", "^{(l+1)}"},
                   {"\\ell", "^\\ell", "^{\\ell-1}", "^L", "^0", "^{\\ell + 1}"},
                   {"l", "^l", "^{l-1}", "^L", "^0", "^{l+1}"}};
    for (const auto& s : kStyles) {
        const std::string text = network(s.name, s.at, s.before, s.last, s.first), at = s.at, next = s.next, before = s.before;
        const auto back = [&](const std::string& w, const std::string& slope) {
            return of_tex(text + "\\[ \\delta" + at + " = " + w + " \\delta" + next + " \\odot \\sigma'(z" + slope + ") \\]");
        };
        EXPECT_EQ(back("(W" + next + ")^\\top", at), "4 right") << at;
        const std::string by_weights = "\\[ \\frac{\\partial J}{\\partial W" + at + "} = \\delta" + at + " (a";
        EXPECT_EQ(of_tex(text + by_weights + before + ")^\\top \\]"), "4 right") << at;
        const std::string of_last = "\\[ \\delta" + std::string(s.last) + " = (a" + s.last + " - y) \\odot \\sigma'(z";
        EXPECT_EQ(of_tex(text + of_last + s.last + ") \\]"), "4 right") << at;
        if (&s != kStyles) continue;
        EXPECT_EQ(back("W" + next, at), "4 wrong");
        EXPECT_EQ(back("(W" + at + ")^\\top", at), "4 wrong");
        EXPECT_EQ(back("(W" + next + ")^\\top", next), "4 wrong");
        EXPECT_EQ(of_tex(text + by_weights + at + ")^\\top \\]"), "4 wrong");
        EXPECT_EQ(of_tex(text + of_last + s.last + ")^2 \\]"), "4 wrong");
    }
}

TEST(LatexLayers, AreReadByEntries) {
    const std::string text =
        "Let $w^l_{jk}$ be the weights and $b^l_j$ the biases of layer $l$, and\n"
        "\\[ a^l_j = \\sigma\\Bigl(\\sum_k w^l_{jk} a^{l-1}_k + b^l_j\\Bigr) . \\]\n"
        "The cost is $C = \\frac12 \\sum_j (y_j - a^L_j)^2$. With $z^l_j = \\sum_k w^l_{jk} a^{l-1}_k + b^l_j$ and\n"
        "$\\delta^l_j = \\partial C / \\partial z^l_j$ we have\n";
    const auto claimed = [&](const std::string& line) { return of_tex(text + "\\[ " + line + " \\]"); };
    EXPECT_EQ(claimed("\\delta^L_j = (a_j^L - y_j) \\sigma'(z^L_j)"), "5 right");
    EXPECT_EQ(claimed("\\delta^L_j = (y_j - a_j^L) \\sigma'(z^L_j)"), "5 wrong");
    EXPECT_EQ(claimed("\\delta^l_j = \\sum_k w^{l+1}_{kj} \\delta^{l+1}_k \\sigma'(z^l_j)"), "5 right");
    EXPECT_EQ(claimed("\\delta^l_j = \\sum_k w^{l+1}_{jk} \\delta^{l+1}_k \\sigma'(z^l_j)"), "5 wrong");
    EXPECT_EQ(claimed("\\frac{\\partial C}{\\partial b^l_j} = \\delta^l_j"), "5 right");
    EXPECT_EQ(claimed("\\frac{\\partial C}{\\partial w^l_{jk}} = a^{l-1}_k \\delta^l_j"), "5 right");
    EXPECT_EQ(claimed("\\frac{\\partial C}{\\partial w^l_{jk}} = a^l_k \\delta^l_j"), "5 wrong");
}

TEST(LatexLayers, AMatrixOfALayerIsThatOfItsEntries) {
    const std::string text =
        "\\[ z^{(l)}_j = \\sum_k w^{(l)}_{jk} a^{(l-1)}_k, \\quad a^{(l)}_j = \\tanh(z^{(l)}_j), \\quad l = 1, \\dots, L \\]\n"
        "where $a^{(0)} = x$, and $C = \\sum_j a^{(L)}_j$. Let $\\delta^{(l)} = \\partial C / \\partial z^{(l)}$ and "
        "$W^{(l)} = (w^{(l)}_{jk})$.\n";
    const std::string back = "\\delta^{(l)} = W^{(l+1)\\top} \\delta^{(l+1)} \\odot ";
    EXPECT_EQ(of_tex(text + displayed(back + "(1 - (a^{(l)})^2)")), "3 right");
    EXPECT_EQ(of_tex(text + displayed(back + "(1 - a^{(l)})")), "3 wrong");
}

TEST(LatexLayers, HaveNumbersAndStepsApart) {
    const std::string text =
        "\\[ z^{(l)}_j = \\sum_k w^{(l)}_{jk} a^{(l-1)}_k, \\quad a^{(l)}_j = \\tanh(z^{(l)}_j), \\quad l = 1, \\dots, L \\]\n"
        "where $a^{(0)} = x$, and $C = \\sum_j a^{(L)}_j$. Let $\\delta^{(l)}_j = \\partial C / \\partial z^{(l)}_j$.\n";
    const auto claimed = [&](const std::string& line) { return of_tex(text + "\\[ " + line + " \\]"); };
    EXPECT_EQ(claimed("\\frac{\\partial C}{\\partial x_k} = \\sum_j w^{(1)}_{jk} \\delta^{(1)}_j"), "3 right");
    EXPECT_EQ(claimed("\\frac{\\partial C}{\\partial x_k} = \\sum_j w^{(1)}_{kj} \\delta^{(1)}_j"), "3 wrong");
    EXPECT_EQ(claimed("\\frac{\\partial C}{\\partial x_k} = \\sum_j w^{(1)}_{jk} \\delta^{(2)}_j"), "3 wrong");
    const std::string two =
        "\\frac{\\partial a^{(l+1)}_i}{\\partial a^{(l-1)}_k} = \\sum_j (1 - (a^{(l+1)}_i)^2) w^{(l+1)}_{ij} ";
    EXPECT_EQ(claimed(two + "(1 - (a^{(l)}_j)^2) w^{(l)}_{jk}"), "3 right");
    EXPECT_EQ(claimed(two + "w^{(l)}_{jk}"), "3 wrong");
}

}  // namespace
}  // namespace gradproof::proof
