// Functions and signs as a text in LaTeX says what they are, and words that make a formula another one.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

const std::string kVectors = "Let $x, w\\in\\mathbb{R}^{n}$. ";
const std::string kLayer = "$$ y = \\sigma(w \\odot x) $$\n";
const std::string kSlopeOfEntry = "$$ \\frac{\\partial y_i}{\\partial x_i} = ";

TEST(LatexFunctions, AFormulaOfATextReplacesTheFunctionOfThatName) {
    for (const char* said : {"where $\\sigma(z) = \\tanh(z)$, is", "With $\\sigma=\\tanh$ the layer is",
                             "where $\\sigma$ denotes the hyperbolic tangent, is", "Let $\\sigma(z) = \\tanh z$."})
        EXPECT_EQ(of_tex(kVectors + said + "\n" + kLayer + kSlopeOfEntry + "w_i y_i (1-y_i) $$\n" + kSlopeOfEntry +
                         "w_i (1-y_i^2) $$\n"),
                  "3 wrong, 4 right")
            << said;
    EXPECT_EQ(of_tex(kVectors + "and\n$$\\sigma(z) = \\frac{1}{1 + e^{-2z}}.$$\n" + kLayer + kSlopeOfEntry +
                     "w_i y_i (1-y_i) $$\n" + kSlopeOfEntry + "2 w_i y_i (1-y_i) $$\n"),
              "4 wrong, 5 right");
    EXPECT_EQ(of_tex("Let $x\\in\\mathbb{R}^{n}$, and let $\\sigma(x) = \\max(0, x)$ be the ReLU.\n\\[ y = \\sigma(x) \\]\n" +
                     kSlopeOfEntry + "y_i (1-y_i) $$\n" + kSlopeOfEntry + "\\mathbf{1}[x_i > 0] $$\n"),
              "3 wrong, 4 right");
    EXPECT_EQ(of_tex(kVectors + "We approximate $\\mathrm{GELU}(z) = z\\, \\sigma(1.702 z)$.\n\\[ y = \\mathrm{GELU}(x) \\]\n" +
                     kSlopeOfEntry + "\\sigma(1.702 x_i) + 1.702 x_i \\sigma'(1.702 x_i) $$\n" + kSlopeOfEntry +
                     "\\frac12 (1 + \\mathrm{erf}(x_i / \\sqrt2)) + \\frac{x_i}{\\sqrt{2\\pi}} e^{-x_i^2 / 2} $$\n"),
              "3 right, 4 wrong");
    EXPECT_EQ(of_tex("Let $x\\in\\mathbb{R}^{n}$. Throughout, $\\|x\\| = \\sum_i |x_i|$ is the 1-norm.\n$$ f = \\|x\\| $$\n"
                     "$$ \\nabla_x f = \\frac{x}{\\sqrt{x^\\top x}} $$\n$$ \\frac{\\partial f}{\\partial x_i} = "
                     "\\mathrm{sign}(x_i) $$\n"),
              "3 wrong, 4 right");
}

TEST(LatexFunctions, SlopesAreThoseOfTheFormula) {
    EXPECT_EQ(of_tex(kVectors + "Let $\\sigma(z) = \\tanh(z)$.\n" + kLayer + kSlopeOfEntry + "w_i \\sigma'(w_i x_i) $$\n" +
                     kSlopeOfEntry + "w_i (1 - \\tanh^2(w_i x_i)) $$\n" + kSlopeOfEntry +
                     "\\sigma(w_i x_i) (1 - \\sigma(w_i x_i)) w_i $$\n"),
              "3 right, 4 right, 5 wrong");
}

TEST(LatexFunctions, NewNamesMayBeFunctionsToo) {
    EXPECT_EQ(of_tex(kVectors + "The layer is\n$$ y = \\phi(w \\odot x), \\quad \\phi(z) = z^3 + z $$\n" + kSlopeOfEntry +
                     "w_i (3 (w_i x_i)^2 + 1) $$\n" + kSlopeOfEntry + "3 w_i (w_i x_i)^2 $$\n"),
              "3 right, 4 wrong");
    // Of a value that is written with its argument nothing changes.
    EXPECT_EQ(of_tex("Let $x\\in\\mathbb{R}^{n}$.\n$$ f(x) = \\sum_i x_i^3 $$\n$$ \\nabla f(x) = 3 x^2 $$\n"), "3 right");
}

TEST(LatexFunctions, EntriesMaySayWhatAFunctionIs) {
    const std::string given = "Let $z\\in\\mathbb{R}^{n}$ and $\\tau > 0$, and\n", p = "$$ p = \\mathrm{softmax}(z) $$\n",
                      left = "$$ \\frac{\\partial p_i}{\\partial z_j} = ";
    EXPECT_EQ(of_tex(given + "$$ \\mathrm{softmax}(z)_i = \\frac{e^{z_i/\\tau}}{\\sum_j e^{z_j/\\tau}}. $$\n" + p + left +
                     "p_i(\\delta_{ij} - p_j) $$\n" + left + "\\frac1\\tau p_i(\\delta_{ij} - p_j) $$\n"),
              "4 wrong, 5 right");
    EXPECT_EQ(of_tex(given + "$$ \\mathrm{softmax}(z)_i = \\frac{e^{z_i}}{\\sum_j e^{z_j}}. $$\n" + p + left +
                     "p_i(\\delta_{ij} - p_j) $$\n"),
              "2 right, 4 right");
    EXPECT_EQ(of_tex("Let $S\\in\\mathbb{R}^{n\\times m}$. The softmax is taken over each column.\n\\[ P = \\mathrm{softmax}(S) "
                     "\\]\n\\[ \\frac{\\partial P_{ij}}{\\partial S_{ik}} = P_{ij}(\\delta_{jk} - P_{ik}) \\]\n"
                     "\\[ \\frac{\\partial P_{ij}}{\\partial S_{kj}} = P_{ij}(\\delta_{ik} - P_{kj}) \\]\n"),
              "3 wrong, 4 right");
}

TEST(LatexFunctions, DeterminantsStandBetweenBarsToo) {
    const std::string given = "Let $S \\in \\mathbb{R}^{n\\times n}$, $X \\in \\mathbb{R}^{n\\times m}$.\n\\[ Y = S X \\]\n",
                      left = "\\[ \\frac{\\partial \\ln |\\det S|}{\\partial S} = ";
    EXPECT_EQ(of_tex(given + left + "(S^{-1})^\\top \\]\n" + left + "S^{-1} \\]\n"), "3 right, 4 wrong");
}

TEST(LatexFunctions, ATraceIsDifferentiatedAsAnyNumber) {
    const std::string given = "Let $A \\in \\mathbb{R}^{n\\times n}$, $X \\in \\mathbb{R}^{n\\times m}$.\n\\[ Y = A X \\]\n",
                      left = "\\[ \\frac{\\partial \\operatorname{tr}(A X X^\\top)}{\\partial X} = ";
    EXPECT_EQ(of_tex(given + left + "(A + A^\\top) X \\]\n" + left + "2 A X \\]\n"), "3 right, 4 wrong");
    const std::string line = "\\[ r = X w \\]\n\\[ f = r^\\top r \\]\n\\[ \\mathrm{d}f = \\operatorname{tr}(";
    EXPECT_EQ(tex("dims n m; input w [m]; const X [n, m]", line + "2 r^\\top X \\mathrm{d}w) \\]\n"), "4 right");
    EXPECT_EQ(tex("dims n m; input w [m]; const X [n, m]", line + "r^\\top X \\mathrm{d}w) \\]\n"), "4 wrong");
}

TEST(LatexFunctions, AnIdentityDefinesNothing) {
    const std::string given = "Let $S \\in \\mathbb{R}^{n\\times n}$, $x \\in \\mathbb{R}^{n}$.\n\\[ z = S x \\]\n";
    EXPECT_EQ(of_tex(given + "\\[ S S^{-1} = I \\]\n\\[ S S^\\top = I \\]\n"), "3 right, 4 wrong");
}

TEST(LatexFunctions, TheUsualMeaningChangesNothing) {
    const FileReport report = check_file("a.tex", kVectors + "Here $\\sigma(z) = 1/(1+e^{-z})$ is the sigmoid.\n" + kLayer +
                                                      kSlopeOfEntry + "w_i y_i (1-y_i) $$\n");
    EXPECT_EQ(report.proofs.at(0).lines.at(0).verdict, Verdict::right);
    EXPECT_TRUE(report.proofs.at(0).domain.empty());
    EXPECT_EQ(
        of_tex(kVectors + "\n" + kLayer + "$$ \\sigma(x) = \\frac{e^{x}}{1 + e^{x}} $$\n$$ \\sigma(-x) = 1 - \\sigma(x) $$\n"),
        "3 right, 4 right");
    const FileReport other =
        check_file("a.tex", kVectors + "With $\\sigma=\\tanh$,\n" + kLayer + kSlopeOfEntry + "w_i (1-y_i^2) $$\n");
    EXPECT_EQ(other.proofs.at(0).domain, (std::vector<std::string>{"\\sigma=\\tanh"}));
}

TEST(LatexFunctions, WhatIsNotReadIsNotJudged) {
    EXPECT_EQ(
        of_tex(kVectors + "Here log denotes the logarithm to base 2.\n$$ y = \\log(x) $$\n" + kSlopeOfEntry + "1 / x_i $$\n"),
        "2 not read, 3 not read");
    EXPECT_EQ(of_tex(kVectors + "Here $\\sigma(z) = \\tanh(z)$, later $\\sigma(z) = \\max(0, z)$.\n" + kLayer + kSlopeOfEntry +
                     "w_i (1-y_i^2) $$\n"),
              "2 not read, 3 not read");
    EXPECT_EQ(of_tex(kVectors + "The layer convolves $x$ with the filter $w$:\n\\[ y = w * x \\]\n"
                                "\\[ \\nabla_x L = w \\odot \\nabla_y L \\]\n"),
              "2 not read, 3 not read");
    EXPECT_EQ(of_tex(kVectors + "\n\\[ y = w * x \\]\n\\[ \\nabla_x L = w \\odot \\nabla_y L \\]\n"), "2 not read, 3 not read");
    EXPECT_EQ(of_tex("Let $w, x\\in\\mathbb{R}^{3}$.\n\\[ y = w \\times x \\]\n\\[ \\nabla_x L = w \\odot \\nabla_y L \\]\n"),
              "2 not read, 3 not read");
}

TEST(LatexWords, BeforeAnEquationMayChangeIt) {
    const std::string given = "Let $x\\in\\mathbb{R}^n$.\n\\[ y = x^3 \\]\n",
                      line = "\\frac{\\partial y_i}{\\partial x_i} = 3x_i^2";
    for (const char* words : {"twice ", "minus ", "half of ", "not ", "the sum of ", "negative ", "It is wrong that "})
        EXPECT_EQ(of_tex(given + "\\[ \\text{" + words + "} " + line + " \\]\n"), "3 not read") << words;
    for (const char* words : {"Therefore, ", "Gradient: ", "Twice the rule: ", "by the chain rule, ", "and ", "negative slope: "})
        EXPECT_EQ(of_tex(given + "\\[ \\text{" + words + "} " + line + " \\]\n"), "3 right") << words;
}

TEST(LatexWords, BehindAnEquationMayChangeIt) {
    const std::string given = "Let $x\\in\\mathbb{R}^n$.\n\\[ y = x^3 \\]\n",
                      line = "\\frac{\\partial y_i}{\\partial x_i} = 3x_i^2";
    for (const char* words : {"\\text{ by the chain rule, doubled}", "\\text{ with a factor of } 2",
                              "\\text{ (up to a constant)}", "\\text{ up to sign}"})
        EXPECT_EQ(of_tex(given + "\\[ " + line + words + " \\]\n"), "3 not read") << words;
    for (const char* words : {"\\text{ by the chain rule, applied twice}", "\\text{ since the factor of 2 cancels}"})
        EXPECT_EQ(of_tex(given + "\\[ " + line + words + " \\]\n"), "3 right") << words;
}

}  // namespace
}  // namespace gradproof::proof
