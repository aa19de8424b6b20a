// Sentences that change what the formulas around them mean: what is not read of them is not judged.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

const std::string kGiven = "Let $X \\in \\mathbb{R}^{n \\times d}$, $w \\in \\mathbb{R}^d$, $y \\in \\mathbb{R}^n$.\n";
const std::string kLoss = "\\[ L = \\|Xw - y\\|^2 \\]\n", kGradient = "\\[ \\nabla_w L = 2 X^\\top (Xw - y) \\]\n";

TEST(LatexChanges, WhatWordsDoToTheLossIsNotRead) {
    EXPECT_EQ(of_tex(kGiven + kLoss + kGradient), "3 right");
    for (const char* words : {"We now add a ridge penalty $\\lambda \\|w\\|^2$ to the loss.",
                              "From now on the loss is averaged over the $n$ samples.", "Henceforth, $L$ is divided by $2n$.",
                              "In this paper, the gradient is always divided by $n$."})
        EXPECT_EQ(of_tex(kGiven + kLoss + words + "\n" + kGradient), "4 not read") << words;
    EXPECT_EQ(of_tex(kGiven + kLoss +
                     "We now add a term $\\|w\\|^2$ to the loss.\n\\[ J = \\|Xw - y\\|^2 + \\|w\\|^2 \\]\n"
                     "\\[ \\nabla_w J = 2 X^\\top (Xw - y) + 2 w \\]\n"),
              "5 right");
}

TEST(LatexChanges, ADeniedFormulaIsNotTheAuthors) {
    for (const char* words :
         {"The gradient is not the following:", "The blog mistakenly writes", "A common mistake is", "The gradient is not"})
        EXPECT_EQ(of_tex(kGiven + kLoss + words + "\n" + kGradient), "4 not read") << words;
    EXPECT_EQ(of_tex(kGiven + kLoss + "Replacing $X$ by $2 X$, the gradient is\n" + kGradient + "\n" + kGradient),
              "4 not read, 6 right");
}

TEST(LatexChanges, WhatTiesNamesOrSumsIsNotRead) {
    const std::string product = "Let $V, W \\in \\mathbb{R}^{n \\times n}$, $x \\in \\mathbb{R}^n$.\n\\[ L = x^\\top V W x \\]\n";
    const std::string claim = "\\[ \\nabla_W L = V^\\top x x^\\top \\]\n";
    EXPECT_EQ(of_tex(product + claim), "3 right");
    EXPECT_EQ(of_tex(product + "The weights are shared, so $V$ and $W$ are the same matrix.\n" + claim), "4 not read");
    const std::string square = "Let $x \\in \\mathbb{R}^n$.\n\\[ L = \\sum_i x_i^2 \\]\n";
    const std::string entry = "\\[ \\frac{\\partial L}{\\partial x_i} = 2 x_i \\]\n";
    EXPECT_EQ(of_tex(square + "All sums are over even $i$.\n" + entry), "4 not read");
    EXPECT_EQ(of_tex(square + "Sums run from $2$ to $n$.\n" + entry), "4 not read");
    EXPECT_EQ(of_tex(square + "Sums run from $1$ to $n$.\n" + entry), "4 right");
    const std::string dot = "Let $x, c \\in \\mathbb{R}^n$, where $c$ depends linearly on $x$.\n\\[ L = c^\\top x \\]\n";
    EXPECT_EQ(of_tex(dot + "\\[ \\nabla_x L = c \\]\n"), "3 not read");
    EXPECT_EQ(of_tex("Let $x \\in \\mathbb{R}^n$. Here $L$ depends on $x$.\n\\[ L = x^\\top x \\]\n\\[ \\nabla_x L = 2 x \\]\n"),
              "3 right");
}

TEST(LatexChanges, WhatSentencesDefineIsRead) {
    EXPECT_EQ(of_tex(kGiven + "We write $\\|v\\|^2$ for $\\frac12 v^\\top v$.\n" + kLoss + kGradient), "4 not read");
    EXPECT_EQ(of_tex(kGiven + "We write $\\|v\\|^2$ for $v^\\top v$.\n" + kLoss + kGradient), "4 right");
    const std::string entropy = "\\[ L = \\sum_i x_i \\log x_i \\]\n\\[ \\frac{\\partial L}{\\partial x_i} = 1 + \\log x_i \\]\n";
    EXPECT_EQ(of_tex("Let $x \\in \\mathbb{R}_{>0}^n$.\n" + entropy), "3 right");
    EXPECT_EQ(of_tex("Let $x \\in \\mathbb{R}_{>0}^n$. Here $\\log = \\log_{10}$.\n" + entropy), "2 not read, 3 not read");
    const std::string fixed = "Throughout, $w$ is fixed to $w = X^\\top u$ where $u \\in \\mathbb{R}^n$.\n";
    EXPECT_EQ(of_tex(kGiven + fixed + kLoss + "\\[ \\nabla_X L = 2 (Xw - y) w^\\top \\]\n"), "4 wrong");
}

TEST(LatexChanges, LabelsThatAreNoDistributionDoNotSumToOne) {
    const std::string entropy =
        "\\[ L = -\\sum_i y_i \\log p_i, \\quad p = \\mathrm{softmax}(z) \\]\n"
        "\\[ \\frac{\\partial L}{\\partial z_i} = p_i - y_i \\]\n";
    EXPECT_EQ(of_tex(entropy), "2 right");
    for (const char* words :
         {"Here $y$ is a vector of counts.", "Here $y$ are unnormalised scores.", "The labels $y$ have $\\sum_i y_i = 2$."})
        EXPECT_EQ(of_tex(std::string(words) + "\n" + entropy), "3 wrong") << words;
}

TEST(LatexChanges, ASymmetryThatIsTakenBackIsInDoubt) {
    const std::string given = "Let $A \\in \\mathbb{R}^{n \\times n}$ and $x \\in \\mathbb{R}^n$. ";
    const std::string form = "\n\\[ f = x^\\top A x \\]\n\\[ \\nabla_x f = 2 A x \\]\n";
    EXPECT_EQ(of_tex(given + "$A$ is symmetric." + form), "3 right");
    for (const char* words :
         {"Since we do not know whether $A$ is symmetric, we write", "With probability zero, $A$ is symmetric.",
          "$A$ is assumed symmetric by nobody.", "The previous paper had $A$ symmetric; here this is not so.",
          "$A$ is symmetric. This assumption is dropped below.", "$A$ is symmetric. Now $A$ is an arbitrary square matrix."})
        EXPECT_EQ(of_tex(given + words + form).find("right"), std::string::npos) << words;
}

TEST(LatexChanges, DefinitionsByCasesInSentencesAreRead) {
    const auto claimed = [](const std::string& sentence, const std::string& right) {
        return of_tex("Let $z \\in \\mathbb{R}^n$ and let " + sentence +
                      ". With $L = \\sum_i a_i^2$,\n\\[ \\frac{\\partial L}{\\partial z_i} = " + right + " \\]\n");
    };
    const std::string cases = "\\begin{cases} 2 z_i & z_i > 0 \\\\ 0 & z_i < 0 \\end{cases}";
    for (const char* sentence :
         {"$a_i = z_i$ if $z_i > 0$ and $a_i = 0$ otherwise", "$a_i = z_i$ when $z_i > 0$, and zero otherwise",
          "$a_i = z_i$ for $z_i > 0$ and $a_i = 0$ for $z_i \\le 0$", "$a_i = z_i$ if $z_i > 0$, else $a_i = 0$",
          "$a_i = z_i$, unless $z_i < 0$, in which case $a_i = 0$"}) {
        EXPECT_EQ(claimed(sentence, cases), "2 right") << sentence;
        EXPECT_EQ(claimed(sentence, "2 z_i"), "2 wrong") << sentence;
    }
    for (const char* sentence : {"$a_i = z_i$ if $z_i > 0$", "$a_i = z_i$, but $a_1 = 0$", "$a_i = z_i$ unless $z_i < 0$"})
        EXPECT_EQ(claimed(sentence, "2 z_i"), "2 not read") << sentence;
}

TEST(LatexChanges, ADisplayThatExpandsADefinitionIsAClaim) {
    const std::string defined = "Let $a, b \\in \\mathbb{R}^n$ and let $D = \\|a - b\\|^2$. By the law of cosines,\n";
    EXPECT_EQ(of_tex(defined + "\\[ D = \\|a\\|^2 + \\|b\\|^2 - a^\\top b \\]\n\\[ \\nabla_a D = 2 a - b \\]\n"),
              "2 wrong, 3 wrong");
    EXPECT_EQ(of_tex(defined + "\\[ D = \\|a\\|^2 + \\|b\\|^2 - 2 a^\\top b \\]\n\\[ \\nabla_a D = 2 (a - b) \\]\n"),
              "2 right, 3 right");
}

TEST(LatexChanges, WhatIsHeldConstantHasNoGradient) {
    const auto half = [](const std::string& said) {
        return of_tex("Let $x\\in\\mathbb{R}^n$ and let $t = x^2$ " + said +
                      ".\n\\[ L = \\sum_i t_i x_i \\]\n\\[ \\nabla_x L = t \\]\n");
    };
    for (const char* said :
         {"held fixed", "(constant)", "(detached)", "(treated as constant)", "with $t$ frozen", "which is considered fixed",
          "where $t$ comes from a frozen target network", "and we ignore the dependence of $t$ on $x$"})
        EXPECT_EQ(half(said), "3 right") << said;
    for (const char* said : {"which is constant in time", "with $t$ of constant length", "so $x$ is not fixed"})
        EXPECT_EQ(half(said), "3 wrong") << said;
}

TEST(LatexChanges, ASuppositionMayGoOnFromAnInput) {
    const std::string text =
        "Let $z \\in \\mathbb{R}^K$, $y \\in \\mathbb{R}^K$ and $L = \\|z - y\\|^2$. Then\n\\[ \\nabla_z L = 2 (z - y) \\]\n"
        "If $z = Wx + b$ with $W \\in \\mathbb{R}^{K \\times D}$, then\n";
    EXPECT_EQ(of_tex(text + "\\[ \\nabla_W L = 2 (z - y) x^\\top \\]\n\\[ \\nabla_x L = 2 W (z - y) \\]\n"),
              "2 right, 4 right, 5 wrong");
}

const std::string kSquares = "\\[ L = \\sum_i a_i^2 \\]\n\\[ \\frac{\\partial L}{\\partial z_i} = 2 a_i \\]\n";

TEST(LatexChanges, WhatWordsDoToADefinitionIsNotRead) {
    const std::string given = "Let $z \\in \\mathbb{R}^n$ and let $a = z$";
    EXPECT_EQ(of_tex(given + ".\n" + kSquares), "3 right");
    EXPECT_EQ(of_tex(given + ", the activation of the layer.\n" + kSquares), "3 right");
    for (const char* words : {", clipped to $[-1, 1]$", ", rounded to the nearest integer", " modulo $1$",
                              ", normalised to unit length", " followed by a ReLU", ", with the last entry of $a$ set to zero",
                              " up to a factor of two", " with probability $p$", " except for the first entry"})
        EXPECT_EQ(of_tex(given + words + ".\n" + kSquares), "2 not read, 3 not read") << words;
    EXPECT_EQ(of_tex("Let $z \\in \\mathbb{R}^n$, $y = z$ followed by $a = y$.\n" + kSquares), "3 right");
    EXPECT_EQ(of_tex("Let $z \\in \\mathbb{R}^n$, $a = \\frac{z}{\\|z\\|}$, normalised to unit length.\n\\[ L = \\sum_i a_i \\]\n"
                     "\\[ \\frac{\\partial L}{\\partial a_i} = 1 \\]\n"),
              "3 right");
    for (const char* words : {"divided by $n$", "averaged over the batch", "plus an $\\ell_2$ penalty"})
        EXPECT_EQ(of_tex("Let $z \\in \\mathbb{R}^n$. The loss is $L = \\sum_i z_i^2$ " + std::string(words) +
                         ".\n\\[ \\frac{\\partial L}{\\partial z_i} = 2 z_i \\]\n"),
                  "2 not read")
            << words;
    EXPECT_EQ(of_tex("Let $z \\in \\mathbb{R}^n$. The loss is the negative of $L = \\sum_i z_i^2$.\n"
                     "\\[ \\frac{\\partial L}{\\partial z_i} = 2 z_i \\]\n"),
              "2 not read");
}

TEST(LatexChanges, WhatWordsDoToADisplayIsNotRead) {
    const std::string display =
        "Let $z \\in \\mathbb{R}^n$.\n\\[ L = \\sum_i z_i^2, \\quad \\frac{\\partial L}{\\partial z_i} = 2 z_i \\]\n";
    EXPECT_EQ(of_tex(display + "which is what we wanted.\n"), "2 right");
    for (const char* words : {"except that $z_1 = 0$ in $L$.", "divided by $n$.", "for $z_i > 0$, and $0$ otherwise."})
        EXPECT_EQ(of_tex(display + words + "\n"), "2 not read") << words;
}

TEST(LatexChanges, WhatIsSaidAgainIsAClaim) {
    EXPECT_EQ(of_tex("Let $x \\in \\mathbb{R}^n$ and let $L = \\frac12 \\sum_i x_i^2$, that is, $L = \\sum_i x_i^2$.\n"
                     "\\[ \\frac{\\partial L}{\\partial x} = x \\]\n"),
              "1 wrong, 2 right");
    EXPECT_EQ(of_tex("Let $x \\in \\mathbb{R}^n$ and let $L = \\sum_i x_i^2$, that is, $L = \\|x\\|^2$.\n"
                     "\\[ \\frac{\\partial L}{\\partial x} = 2 x \\]\n"),
              "1 right, 2 right");
    EXPECT_EQ(of_tex("Let $x \\in \\mathbb{R}^n$.\n\\[ z = 2x, \\quad L = \\sum_i z_i^2 \\]\n"
                     "We now use $L = \\sum_i z_i^3$ as the loss.\n\\[ \\frac{\\partial L}{\\partial z} = 2 z \\]\n"),
              "4 wrong");
}

TEST(LatexChanges, ASolutionOfAGradientIsNotJudgedAndSaid) {
    EXPECT_EQ(of_tex(kGiven + kLoss + kGradient + "Setting this to zero gives\n\\[ w^* = 2 (X^\\top X)^{-1} X^\\top y \\]\n"),
              "3 right, 5 skipped");
}

/// Without headings, too: "Tanh:" begins another case of y.
TEST(LatexChanges, WordsThatLeadToAnotherCaseBeginAnew) {
    EXPECT_EQ(of_tex("Let $x \\in \\mathbb{R}^n$. Sigmoid:\n"
                     "\\[ y_i = \\sigma(x_i), \\quad \\frac{\\partial y_i}{\\partial x_i} = y_i (1 - y_i). \\]\nTanh:\n"
                     "\\[ y_i = \\tanh(x_i), \\quad \\frac{\\partial y_i}{\\partial x_i} = 1 - y_i^2. \\]\nReLU:\n"
                     "\\[ y_i = \\max(0, x_i), \\quad \\frac{\\partial y_i}{\\partial x_i} = y_i. \\]\n"),
              "2 right, 4 right, 6 wrong");
    const auto losses = [](const std::string& lead, const std::string& gradient = "\\mathrm{sign}(x_i - t_i)") {
        return of_tex(
            "Let $x, t \\in \\mathbb{R}^n$ and\n\\[ L = \\frac12 \\|x - t\\|^2 . \\]\nThen\n\\[ \\nabla_x L = x - t. \\]\n" +
            lead + "\n\\[ L = \\sum_i |x_i - t_i|, \\]\nthen\n\\[ \\frac{\\partial L}{\\partial x_i} = " + gradient + ". \\]");
    };
    for (const char* lead :
         {"If we use", "Consider next", "For the MAE,", "The absolute error is", "For the median we set", "MAE:"}) {
        EXPECT_EQ(losses(lead), "4 right, 8 right") << lead;
        EXPECT_EQ(losses(lead, "x_i - t_i"), "4 right, 8 wrong") << lead;
    }
    for (const char* lead : {"Expanding,", "We have", "This is", "The loss is", "For the loss,", "Note that", "Then:", ""})
        EXPECT_EQ(losses(lead).substr(0, 16), "4 right, 6 wrong") << lead;
}

TEST(LatexChanges, RowsOfFunctionsAndTheirGradientsAreOneCaseEach) {
    const auto rows = [](const std::string& second) {
        return of_tex(
            "Let $A \\in \\mathbb{R}^{n \\times n}$, $x, b \\in \\mathbb{R}^n$. Some gradients:\n\\begin{align*}\n"
            "f(x) &= x^\\top A x, & \\nabla f(x) &= (A + A^\\top) x \\\\\n" +
            second + "\n\\end{align*}");
    };
    EXPECT_EQ(rows("f(x) &= b^\\top x, & \\nabla f(x) &= b"), "3 right, 4 right");
    EXPECT_EQ(rows("f(x) &= b^\\top x, & \\nabla f(x) &= x"), "3 right, 4 wrong");
    EXPECT_EQ(rows("f(x) &= b^\\top x, & \\nabla f(x) &= b \\\\\nf(x) &= \\|x\\|^2, & \\nabla f(x) &= x"),
              "3 right, 4 right, 5 wrong");
    EXPECT_EQ(rows("f(x) &= \\tfrac12 x^\\top A x"), "3 right, 4 wrong");  // no gradient follows: an equality
    EXPECT_EQ(rows("f(x) &= b^\\top x, & \\nabla f(x) &= b \\\\\nf(x) &= 2 b^\\top x"),
              "3 right, 4 right, 5 wrong");  // of the second
    const std::string stated = "Let $x, b \\in \\mathbb{R}^n$.\n";
    const std::string first = "\\[ L = \\|x\\|^2, \\quad \\nabla_x L = 2 x \\]\n",
                      second = "\\[ L = b^\\top x, \\quad \\nabla_x L = b \\]";
    EXPECT_EQ(of_tex(stated + first + second), "2 right, 3 right");
    EXPECT_EQ(of_tex(stated + first + "Expanding,\n" + second), "2 right, 4 wrong, 4 wrong");
}

}  // namespace
}  // namespace gradproof::proof
