// Numbers that LaTeX names in words, and what is said of names that are not known.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

std::string decayed(const std::string& said) {
    std::string out;
    const std::string text =
        "Let $x, y \\in \\mathbb{R}^n$" + said +
        "\n\\[ L = \\tfrac12 \\|x - y\\|^2 + \\tfrac\\lambda2 \\|x\\|^2, \\qquad \\nabla_x L = x - y + \\lambda x, "
        "\\quad \\nabla_x L = x - y + 2 \\lambda x . \\]\n";
    for (const ProofReport& p : check_file("a.tex", text).proofs)
        for (const std::string& d : p.domain) out += d + ": ";
    return out + of_tex(text);
}

TEST(LatexScalars, WordsSayThatANameIsANumber) {
    for (const char* said :
         {", where $\\lambda$ is a constant.", ". Here $\\lambda$ is a hyperparameter.", " and constants $\\lambda$, $\\mu$.",
          " and a scalar $\\lambda$.", ", where $\\mu$ and $\\lambda$ are hyperparameters.", " with margin $\\lambda$."})
        EXPECT_EQ(decayed(said), "2 right, 2 wrong") << said;
    for (const char* said : {" with regularization strength $\\lambda$.", " and a positive constant $\\lambda$.",
                             " and a small constant $\\lambda$.", " and let $\\lambda$ denote a positive scalar.",
                             ", where $\\lambda$ is the weight decay coefficient.", " and temperature $\\lambda$.",
                             " with learning rate $\\lambda$.", " with weight decay $\\lambda$.",
                             " with regularization parameter $\\lambda$.", ", where $\\lambda$ controls the regularization.",
                             " and $\\lambda \\in \\mathbb{R}_{\\ge 0}$.", ". The step size is the positive number $\\lambda$."})
        EXPECT_EQ(decayed(said), "λ > 0: 2 right, 2 wrong") << said;
    EXPECT_EQ(decayed(" and $\\lambda = 0.1$."), "2 right, 2 wrong");
    EXPECT_EQ(decayed(" with $\\lambda = 0.1$."), "2 right, 2 wrong");
}

TEST(LatexScalars, OtherWordsSayNothingOfTheKind) {
    for (const char* said :
         {".", ", where $\\lambda$ is constant.", " and a weight $\\lambda$.", " and the parameter $\\lambda$.",
          ". For $\\lambda = 0.5$ this is short.", ", where $\\lambda$ is not a constant.", ". If $\\lambda = 2$, it is short.",
          ", where $\\lambda_i$ are constants."})
        EXPECT_EQ(decayed(said), "λ: shapes as the formulas need them: 2 right, 2 wrong") << said;
    // It cannot be what the text calls it.
    for (const char* said : {", where $\\lambda$ is a constant vector.", ", where $\\lambda$ is the weight vector."})
        EXPECT_EQ(decayed(said), "2 not read, 2 not read, 2 not read") << said;
    // What has a shape keeps it.
    EXPECT_EQ(
        of_tex("Let $x, w \\in \\mathbb{R}^n$, where $w$ is a constant. Then\n\\[ L = w^\\top x, \\quad \\nabla_x L = w, \\quad "
               "\\nabla_x L = 2 w . \\]\n"),
        "2 right, 2 wrong");
}

TEST(LatexScalars, NamesWithDigitsAndRowsMayBePositive) {
    EXPECT_EQ(
        of_tex("Let $y \\in \\mathbb{R}^n$, $\\theta_1, \\theta_2 > 0$.\n\\[ L = \\theta_1 y^\\top y + \\theta_2 \\sum_i y_i, "
               "\\quad \\frac{\\partial L}{\\partial \\theta_1} = y^\\top y, \\quad \\frac{\\partial L}{\\partial \\theta_2} = "
               "y^\\top y . \\]\n"),
        "2 right, 2 wrong");
    const std::string mixture =
        "\n\\[ \\ell = \\log \\sum_{k=1}^K \\pi_k e^{x_k} \\]\n\\[ \\frac{\\partial \\ell}{\\partial x_k} = "
        "\\frac{\\pi_k e^{x_k}}{\\sum_j \\pi_j e^{x_j}}, \\quad \\frac{\\partial \\ell}{\\partial \\pi_k} = "
        "\\frac{\\pi_k e^{x_k}}{\\sum_j \\pi_j e^{x_j}} \\]\n";
    EXPECT_EQ(of_tex("Let $x \\in \\mathbb{R}^K$ and $\\pi_k > 0$." + mixture), "3 right, 3 wrong");
    EXPECT_EQ(of_tex("Let $x \\in \\mathbb{R}^K$. If $\\pi_k > 0$, it grows." + mixture), "3 right, 3 wrong");
}

TEST(LatexScalars, WhatIsNotKnownIsToldByItsName) {
    const auto reason = [](const std::string& text) { return lines_of(text, {}, "a.tex").at(0).reason; };
    const auto holds = [&](const std::string& text, const std::string& part) {
        const std::string all = reason(text);
        EXPECT_NE(all.find(part), std::string::npos) << all;
        EXPECT_EQ(all.find("defined below"), std::string::npos) << all;
    };
    const std::string given = "Let $X \\in \\mathbb{R}^{n \\times d}$ and $y \\in \\mathbb{R}^n$.\n";
    // With a comment, a text says all that it uses.
    const std::string noted = "% gradproof: dims n d; input X [n, d], y [n]\n";
    holds(noted + "\\[ J(w) = (y - Xw)^\\top (y - Xw) . \\]\n\\[ \\nabla_y J = 2 (y - X w) \\]\n", "w is not known here: say");
    holds(noted + "\\[ J = \\lambda y^\\top y \\]\n\\[ \\nabla_y J = 2 \\lambda y \\]\n",
          "\\lambda is not known here: say what it is, as  $\\lambda > 0$  or  $\\lambda \\in \\mathbb{R}$  in the text");
    holds(noted + "With $K = \\lambda X^\\top X$,\n\\[ J = y^\\top y + \\operatorname{tr}(K) \\]\n\\[ \\nabla_y J = 2 y \\]\n",
          "what the text says K is, is not read: \\lambda is not known here");
    holds(given + "\\[ Z = \\operatorname{diag}(Q) \\]\n\\[ Q = Q^\\top \\]\n\\[ \\nabla_y Z = Q \\]\n", "Q");
    EXPECT_NE(reason(given + "\\[ \\alpha = \\beta + y \\]\n\\[ \\beta = \\alpha + y \\]\n\\[ \\nabla_y L = \\alpha \\]\n")
                  .find("\\beta is defined below, and follows from this line: one of the two has to come first"),
              std::string::npos);
}

/// d\sigma is the product with a size d, unless the text gives gradients such names; in a denominator it is that always.
TEST(LatexScalars, BesideASizeDNoGradientIsNamedByD) {
    const std::string norm = "Let $x \\in \\mathbb{R}^d$, $\\sigma > 0$ and $L = \\frac{\\|x\\|^2}{2 d\\sigma}$. Then\n";
    EXPECT_EQ(of_tex(norm + "\\[ \\frac{\\partial L}{\\partial x} = \\frac{x}{d\\sigma} \\]"), "2 right");
    EXPECT_EQ(of_tex(norm + "\\[ \\frac{\\partial L}{\\partial x} = x / (d\\sigma) \\]"), "2 right");
    EXPECT_EQ(of_tex(norm + "\\[ \\frac{\\partial L}{\\partial x} = \\frac{x}{d\\sigma^2} \\]"), "2 wrong");
    EXPECT_EQ(of_tex(norm + "\\[ \\frac{\\partial L}{\\partial \\sigma} = -\\frac{\\|x\\|^2}{2 d\\sigma^2} \\]"), "2 right");
    const std::string mean = "Let $x \\in \\mathbb{R}^d$, $r = \\sqrt{\\frac{1}{d}\\sum_i x_i^2}$ and $y_i = x_i / r$. Then\n";
    EXPECT_EQ(of_tex(mean + "\\[ \\frac{\\partial r}{\\partial x_i} = \\frac{x_i}{dr} \\]"), "2 right");
    EXPECT_EQ(of_tex(mean + "\\[ \\frac{dr}{dx_i} = \\frac{x_i}{dr} \\]"), "2 right");
    EXPECT_EQ(of_tex(mean + "\\[ \\frac{dr}{dx_i} = \\frac{2x_i}{dr} \\]"), "2 wrong");
    const std::string square = "Let $x, w \\in \\mathbb{R}^d$, $s = w^\\top x$ and $L = \\frac12 s^2$. Then\n";
    EXPECT_EQ(of_tex(square + "\\[ \\nabla_x L = ds\\, w. \\]"), "2 wrong") << "d times s";
    EXPECT_EQ(of_tex(square + "\\[ ds = s, \\qquad \\nabla_x L = ds\\, w. \\]"), "2 right, 2 right");
}

}  // namespace
}  // namespace gradproof::proof
