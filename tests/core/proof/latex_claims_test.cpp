// Claims within sentences, and the errors of layers that a text defines for all at once.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

TEST(LatexClaims, AGradientThatASentenceConcludesIsJudged) {
    const std::string given =
        "Let $P \\in \\mathbb{R}^{n \\times m}$, $V \\in \\mathbb{R}^{m \\times d}$ and $O = P V$. We have\n"
        "\\[ dV = P^\\top dO . \\]\n";
    for (const std::string lead : {"Similarly,", "Hence", "We obtain", "It follows that", "Then", "Likewise,", "So"}) {
        EXPECT_EQ(of_tex(given + lead + " $dP = dO V^\\top$.\n"), "2 right, 3 right") << lead;
        EXPECT_EQ(of_tex(given + lead + " $dP = V dO^\\top$.\n"), "2 right, 3 wrong") << lead;
    }
    EXPECT_EQ(of_tex(given + "Hence $dP_{ij} = \\sum_c dO_{ic} V_{jc} = 2 \\sum_c dO_{ic} V_{jc}$.\n"),
              "2 right, 3 right, 3 wrong");
    // What is said of a case, and what is given, is no claim.
    EXPECT_EQ(of_tex(given + "If $dP = V dO^\\top$, something else would follow. We are given $dO = 1$.\n"), "2 right");
}

TEST(LatexClaims, ATextWithoutDisplayedFormulas) {
    const std::string given = "Let $w \\in \\mathbb{R}^d$ and $f = \\sum_i w_i^3$.\n";
    EXPECT_EQ(of_tex(given + "Then $\\frac{\\partial f}{\\partial w_i} = 3 w_i^2.$\n"), "2 right");
    EXPECT_EQ(of_tex(given + "Then $\\frac{\\partial f}{\\partial w_i} = 2 w_i^2.$\n"), "2 wrong");
}

/// \delta^{(l)} of all l: what equations say of \delta^{(2)} and \delta^{(1)} are claims.
TEST(LatexClaims, ErrorsOfLayersAreDefinedForAllAtOnce) {
    const auto network = [](const std::string& last, const std::string& first) {
        return "Let $x \\in \\mathbb{R}^{d}$, $W^{(1)} \\in \\mathbb{R}^{m \\times d}$, $W^{(2)} \\in \\mathbb{R}^{k \\times "
               "m}$, "
               "$y \\in \\mathbb{R}^k$ and\n\\begin{align}\nz^{(1)} &= W^{(1)} x, & a^{(1)} &= \\sigma(z^{(1)}), \\\\\n"
               "z^{(2)} &= W^{(2)} a^{(1)}, & C &= \\tfrac12 \\|y - z^{(2)}\\|^2 .\n\\end{align}\n"
               "With the errors $\\delta^{(l)} = \\frac{\\partial C}{\\partial z^{(l)}}$ we have\n\\begin{align}\n"
               "\\delta^{(2)} &= " +
               last + ", \\\\\n\\delta^{(1)} &= " + first +
               ", \\\\\n\\frac{\\partial C}{\\partial W^{(2)}} &= \\delta^{(2)} (a^{(1)})^T .\n\\end{align}\n";
    };
    const std::string right = "(W^{(2)})^T \\delta^{(2)} \\odot a^{(1)} \\odot (1 - a^{(1)})";
    EXPECT_EQ(of_tex(network("z^{(2)} - y", right)), "8 right, 9 right, 10 right");
    EXPECT_EQ(of_tex(network("z^{(2)} - y", "(W^{(2)})^T \\delta^{(2)} \\odot (1 - a^{(1)})")), "8 right, 9 wrong, 10 right");
    EXPECT_EQ(of_tex(network("y - z^{(2)}", right)), "8 wrong, 9 right, 10 right");
}

TEST(LatexClaims, TheOperatorOfADerivative) {
    const std::string given =
        "Let $W \\in \\mathbb{R}^{m \\times d}$, $u \\in \\mathbb{R}^d$, $b = W u$ and $x \\in \\mathbb{R}$.\n";
    EXPECT_EQ(of_tex(given + "\\[ f(x) = \\tanh(x), \\qquad \\frac{d}{dx} \\tanh(x) = 1 - \\tanh^2(x) \\]\n"
                             "\\[ \\frac{\\mathrm{d}}{\\mathrm{d}x} f(x) = 1 - x^2 \\]\n"),
              "2 right, 3 wrong");
    EXPECT_EQ(of_tex(given + "\\[ f(x) = x^2 \\]\n\\[ f'(x) = \\frac{d}{dx} x^2 = 2 x = x \\]\n"), "3 right, 3 right, 3 wrong");
}

/// No loss is stated: it is of the value whose gradient comes in, also where others are defined behind it.
TEST(LatexClaims, TheGradientThatComesInSaysWhatTheLossIsOf) {
    const auto norm = [](const std::string& r) {
        return "Let $W \\in \\mathbb{R}^{n \\times m}$, $x \\in \\mathbb{R}^m$ and $h = W x$, $y = h / \\|h\\|$. The gradient "
               "is\n"
               "\\[ \\frac{\\partial \\mathcal{L}}{\\partial h} = R \\frac{\\partial \\mathcal{L}}{\\partial y}, \\qquad "
               "\\text{where } R = " +
               r + " . \\]\n";
    };
    EXPECT_EQ(of_tex(norm("\\frac{1}{\\|h\\|} \\left( I - \\frac{h h^\\top}{\\|h\\|^2} \\right)")), "2 right");
    EXPECT_EQ(of_tex(norm("\\frac{1}{\\|h\\|} \\left( I + \\frac{h h^\\top}{\\|h\\|^2} \\right)")), "2 wrong");
    // What comes in at a value is not asked for where another is computed of it.
    EXPECT_EQ(verdicts("dims n\ninput x [n]\nforward\n  a = x²\n  b = a ⊙ x\nclaim\n  dx = 2 x ⊙ da\n"), "wrong");
}

/// \sigma is the logistic function only where no sentence says that it is another, and then the report says so.
TEST(LatexClaims, WhatSentencesSayOfSigma) {
    const auto text = [](const std::string& said, const std::string& slope = "h \\odot (1 - h)") {
        return "Let $x \\in \\mathbb{R}^n$. " + said +
               "\n\\[ h = \\sigma(x) \\]\n\\[ \\frac{\\partial L}{\\partial x} = \\frac{\\partial L}{\\partial h} \\odot " +
               slope + " \\]\n";
    };
    for (const std::string said :
         {"We use ReLU activations $\\sigma$.", "Denote by $\\sigma$ the ReLU.", "Here ($\\sigma$: ReLU).",
          "Let $\\sigma(\\cdot)$ be tanh.", "Let $\\sigma$ be any differentiable nonlinearity.",
          "Here $\\sigma : \\mathbb{R} \\to \\mathbb{R}$ is a smooth activation."})
        EXPECT_EQ(of_tex(text(said)), "3 wrong") << said;
    for (const std::string said : {"Let $\\sigma$ be the error function.", "Let $\\sigma$ be the leaky ReLU.",
                                   "Let $\\sigma(\\cdot) = \\max(0, \\cdot)$."})
        EXPECT_EQ(of_tex(text(said)), "2 not read, 3 not read") << said;
    EXPECT_EQ(of_tex(text("Let $\\sigma$ be an elementwise activation function.", "\\sigma'(x)")), "3 right");
    EXPECT_EQ(of_tex(text("Let $\\sigma$ be the logistic function, an activation.")), "3 right");
    const auto held_for = [&](const std::string& said) { return check_file("a.tex", text(said)).proofs.at(0).domain; };
    EXPECT_EQ(held_for("").at(0), "\\sigma(z) = 1 / (1 + e^{-z}), as nothing else is said of it");
    EXPECT_TRUE(held_for("Here $\\sigma$ is the sigmoid.").empty());
}

/// Vectors are columns: W lacks its transpose, and does not stand on the wrong side.
TEST(LatexClaims, AMissingTransposeOfAMatrixBeforeAVectorIsCalledThat) {
    const std::vector<LineReport> lines = lines_of(
        "% gradproof: dims m n; input W [m, n], x [n]\n\\[ h = W x \\]\n\\[ \\frac{\\partial L}{\\partial x} = W "
        "\\frac{\\partial "
        "L}{\\partial h} \\]\n",
        {}, "a.tex");
    EXPECT_EQ(lines.at(0).diagnosis->repair, "W^\\top \\frac{\\partial L}{\\partial h}");
}

TEST(LatexClaims, BracesAroundTheSignOfAGradientSayNothing) {
    const std::string given = "Let $w, x \\in \\mathbb{R}^n$.\n\\[ L = (w^\\top x)^2 \\]\n";
    for (const char* sign : {"{\\nabla_w} L", "{\\nabla}_w L", "{\\nabla_w}\\, L"}) {
        EXPECT_EQ(of_tex(given + "\\[ " + sign + " = 2 (w^\\top x) x \\]\n"), "3 right") << sign;
        EXPECT_EQ(of_tex(given + "\\[ " + sign + " = (w^\\top x) x \\]\n"), "3 wrong") << sign;
    }
}

TEST(LatexClaims, AGradientOfAProductWithAGradientIsAHessianVectorProduct) {
    const std::string given = "Let $x, v \\in \\mathbb{R}^n$.\n\\[ f(x) = \\sum_i x_i^3 \\]\n";
    for (const char* left : {"\\nabla_x (v^\\top \\nabla_x f)", "\\nabla_x \\bigl( (\\nabla_x f)^\\top v \\bigr)",
                             "\\nabla_x (v^\\top \\nabla f(x))", "\\frac{\\partial}{\\partial x} (v^\\top \\nabla_x f)"}) {
        EXPECT_EQ(of_tex(given + "\\[ " + left + " = 6 x \\odot v \\]\n"), "3 right") << left;
        EXPECT_EQ(of_tex(given + "\\[ " + left + " = 3 x \\odot v \\]\n"), "3 wrong") << left;
    }
}

TEST(LatexClaims, AColumnOfRowSumsTimesARowOfOnesIsAMatrix) {
    const std::string given =
        "Let $Q \\in \\mathbb{R}^{n \\times d}$, $K, V \\in \\mathbb{R}^{m \\times d}$.\n"
        "\\[ S = Q K^\\top, \\quad P = \\mathrm{softmax}(S), \\quad O = P V, \\quad D = \\mathrm{rowsum}(dO \\odot O) \\]\n";
    for (const char* ones : {"\\mathbf{1}^\\top", "\\mathbf 1_m^\\top"}) {
        EXPECT_EQ(of_tex(given + "\\[ dS = P \\odot (dP - D " + ones + ") \\]\n"), "3 right") << ones;
        EXPECT_EQ(of_tex(given + "\\[ dS = P \\odot (dP + D " + ones + ") \\]\n"), "3 wrong") << ones;
    }
}

TEST(LatexClaims, ASumWithoutAnIndexIsOverAllEntries) {
    const std::string given =
        "Let $p, z \\in \\mathbb{R}^n$, where $p$ is a probability distribution, and $q = \\mathrm{softmax}(z)$.\n";
    for (const char* loss : {"\\sum p \\log \\frac{p}{q}", "-\\sum p \\log q"}) {
        EXPECT_EQ(of_tex(given + "\\[ L = " + loss + " \\]\n\\[ \\frac{\\partial L}{\\partial z} = q - p \\]\n"), "3 right")
            << loss;
        EXPECT_EQ(of_tex(given + "\\[ L = " + loss + " \\]\n\\[ \\frac{\\partial L}{\\partial z} = p - q \\]\n"), "3 wrong")
            << loss;
    }
    EXPECT_EQ(of_tex("Let $x \\in \\mathbb{R}^n$.\n\\[ L = \\sum x^\\top x \\]\n\\[ \\nabla_x L = 2 x \\]\n"),
              "2 not read, 3 not read");
}

TEST(LatexClaims, AFunctionWithoutBracketsBeforeASlashMayBeOfTheQuotient) {
    const std::string given =
        "Let $p, z \\in \\mathbb{R}^n$, where $p$ is a probability distribution, and $q = \\mathrm{softmax}(z)$.\n"
        "\\[ L = \\sum_i p_i \\log p_i / q_i \\]\n";
    EXPECT_EQ(of_tex(given + "\\[ \\frac{\\partial L}{\\partial z} = q - p \\]\n"), "3 cannot tell");
    EXPECT_EQ(of_tex(given + "\\[ \\frac{\\partial L}{\\partial z} = p - q \\]\n"), "3 wrong");
    EXPECT_EQ(of_tex("Let $p, q \\in \\mathbb{R}_{>0}^n$.\n\\[ L = \\sum_i p_i \\log \\frac{p_i}{q_i} \\]\n"
                     "\\[ \\frac{\\partial L}{\\partial p_i} = \\log p_i / q_i + 1 \\]\n"),
              "3 cannot tell");
    EXPECT_EQ(of_tex("Let $x \\in \\mathbb{R}^n$.\n\\[ p_i = \\exp x_i / \\sum_j \\exp x_j, \\quad L = - \\log p_1 \\]\n"
                     "\\[ \\frac{\\partial L}{\\partial x_i} = p_i - \\delta_{i1} \\]\n"),
              "3 right");
}

TEST(LatexClaims, ALossWithASubscriptBesideALossIsItsOwn) {
    for (const char* name : {"L_2", "L_{\\text{total}}", "L_{\\mathrm{reg}}"}) {
        const std::string given =
            "Let $w, x \\in \\mathbb{R}^n$ and $\\lambda > 0$.\n\\[ L = \\frac{1}{2} (w^\\top x)^2, \\quad " + std::string(name) +
            " = L + \\frac{\\lambda}{2} \\|w\\|^2 \\]\n\\[ \\nabla_w L = (w^\\top x) x, \\quad ";
        EXPECT_EQ(of_tex(given + "\\nabla_w " + name + " = (w^\\top x) x + \\lambda w \\]\n"), "3 right, 3 right") << name;
        EXPECT_EQ(of_tex(given + "\\nabla_w " + name + " = (w^\\top x) x + 2 \\lambda w \\]\n"), "3 right, 3 wrong") << name;
    }
}

}  // namespace
}  // namespace gradproof::proof
