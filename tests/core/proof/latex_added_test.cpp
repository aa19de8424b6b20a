// What headings and the words that lead to a claim add to the model or the loss, and no formula has.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

using Told = std::vector<std::string>;

/// Of a text with two claims, what is told of the words between them.
Told between(const std::string& definitions, const std::string& words, const std::string& claim) {
    const std::string shown = "\\[ " + claim + ". \\]\n";
    return passed_because("a.tex", definitions + " Then\n" + shown + words + "\n" + shown);
}
Told of_entropy(const std::string& words) {
    return between(
        "Let $z \\in \\mathbb{R}^n$, $y \\in \\{0, 1\\}^n$, $p = \\sigma(z)$ and $L = -\\sum_i (y_i \\log p_i + (1 - y_i) "
        "\\log(1 - p_i))$.",
        words, "\\frac{\\partial L}{\\partial z} = p - y");
}
Told of_squares(const std::string& words) {
    return between("Let $W \\in \\mathbb{R}^{m \\times d}$, $x \\in \\mathbb{R}^d$, $z = W x$ and $L = \\frac12 \\|z - t\\|^2$.",
                   words, "\\nabla_W L = (z - t) x^\\top");
}

TEST(LatexAdded, HeadingsAboveClaimsAloneAreTold) {
    const auto topic = [](const std::string& word) { return Told{"a heading that names \"" + word + "\", above claims alone"}; };
    EXPECT_EQ(of_squares("\\paragraph{Linear regression.} The gradient is"), topic("linear"));
    EXPECT_EQ(of_squares("\\section{Logistic loss}"), Told{"the word \"logistic\" in a heading"});
    EXPECT_EQ(of_squares("\\section{Several examples}"), topic("several examples"));
    EXPECT_EQ(of_squares("\\section{Two layers}"), topic("two layers"));
    EXPECT_EQ(of_entropy("\\paragraph{Mean squared error.} The gradient is"),
              Told{"the words \"mean\", \"squared\" in a heading"});
    for (const char* heading : {"\\section{Backward pass}", "\\paragraph{The weights.}", "\\section{Matrix form}"})
        EXPECT_EQ(of_squares(heading), Told{}) << heading;
}

TEST(LatexAdded, LossesThatNoFormulaSpellsAreTold) {
    for (const char* words : {"Mean squared error:", "With the squared error, we get", "For least squares, the gradient is"})
        EXPECT_EQ(of_entropy(words).size(), 1u) << words;
    EXPECT_EQ(of_squares("With the squared error, we get"), Told{});
    EXPECT_EQ(of_squares("\\paragraph{Squared output.}"), Told{"the word \"squared\" in a heading"});
}

TEST(LatexAdded, NamesOfNoLineInPhrasesAreTold) {
    for (const char* words :
         {"With a bias $b$, we get", "With a weight $c_i$ for each class $i$, we get", "With an activation $f$ of $z$, we get",
          "Given a scalar $s$, the gradient is", "With a margin $q$,"})
        EXPECT_EQ(of_squares(words).size(), 1u) << words;
    for (const char* words :
         {"With the weights $W$, we get", "With respect to $W$, we get", "By the chain rule, with $x$ and $t$,",
          "With the gradient $\\nabla_z L$, we get", "For the weights, we get"})
        EXPECT_EQ(of_squares(words), Told{}) << words;
    EXPECT_EQ(passed_because("a.tex",
                             "A layer with a bias $b$ computes $y = W x$ with $W \\in \\mathbb{R}^{m \\times d}$. Then\n"
                             "\\[ \\nabla_W L = (\\nabla_y L) x^\\top. \\]\n"),
              Told{"a bias that no line has"});
}

TEST(LatexAdded, WhatNothingElseSpeaksOfIsTold) {
    for (const char* words :
         {"For $n$ examples, the gradient is", "Over all examples, the gradient is", "With the residual, we get",
          "With temperature, we get", "With $T$ steps, we get", "For the $i$-th example, we get",
          "The gradient of the $i$-th example is", "With one weight for both layers, we get"})
        EXPECT_EQ(of_squares(words).size(), 1u) << words;
    EXPECT_EQ(of_squares("Let $n$ be the size of the batch. For $n$ examples, the gradient is").size(), 1u);
    EXPECT_EQ(passed_because("a.tex",
                             "Let $x \\in \\mathbb{R}^n$ and $f = \\frac12 \\|x\\|^2$. For the $i$-th example,\n"
                             "\\[ \\frac{\\partial f}{\\partial x_i} = x_i. \\]\n"),
              Told{});
}

TEST(LatexAdded, PartsOfFormulasInALineAreTold) {
    const auto told = [](const std::string& formula) {
        return passed_because("a.tex", "Let $w, x, y \\in \\mathbb{R}$ and $L = (w x - y)^2$. Then $" + formula + "$.\n");
    };
    EXPECT_EQ(told("\\frac{dL}{dw} = 2 x (w x - y) + 0,02 w"), Told{"02w stands beside the formula"});
    EXPECT_EQ(told("\\frac{dL}{dw} = 2 x (w x - y),\\ 2 \\lambda w"), Told{"2\\lambda w stands beside the formula"});
    EXPECT_EQ(told("\\frac{dL}{dw} = 2 x (w x - y), \\frac{dL}{dx} = 2 w (w x - y)"), Told{});
}

TEST(LatexAdded, NormalizationsNeedAMean) {
    const auto told = [](const std::string& mean) {
        return passed_because("a.tex",
                              "\\section{Batch normalization}\nLet $x \\in \\mathbb{R}^n$" + mean +
                                  " and $y_i = \\gamma \\frac{x_i - \\mu}{s} + \\beta$. Then\n\\[ \\frac{\\partial L}{\\partial "
                                  "\\beta} = \\sum_i \\frac{\\partial L}{\\partial y_i}. \\]\n")
            .size();
    };
    EXPECT_EQ(told(", $\\mu = \\frac1n \\sum_i x_i$"), 0u);
    EXPECT_EQ(passed_because("a.tex",
                             "\\section{Batch normalization}\nLet $x \\in \\mathbb{R}^n$ and $y_i = \\gamma \\frac{x_i - "
                             "\\mu}{s} + \\beta$. Then\n\\[ \\frac{\\partial L}{\\partial x_i} = \\frac{\\gamma}{s} "
                             "\\frac{\\partial L}{\\partial y_i}. \\]\n"),
              Told{"a heading that names a normalization, of which no formula has the mean"});
}

TEST(LatexAdded, SignsOfLikelihoods) {
    const auto told = [](const std::string& sign, const std::string& name) {
        return passed_because("a.tex", "Let $z \\in \\mathbb{R}^n$, $y \\in \\{0, 1\\}^n$, $p = \\sigma(z)$ and $L = " + sign +
                                           "\\sum_i (y_i \\log p_i + (1 - y_i) \\log(1 - p_i))$. The gradient of the " + name +
                                           " is\n\\[ \\nabla_z L = " + (sign.empty() ? "y - p" : "p - y") + ". \\]\n");
    };
    EXPECT_EQ(told("", "negative log-likelihood"), Told{"\"likelihood\", which nothing else in the text speaks of"});
    EXPECT_EQ(told("", "cross-entropy"), Told{"cross entropy without a minus sign"});
    EXPECT_EQ(told("-", "cross-entropy"), Told{});
}

TEST(LatexAdded, EntriesOfWhatIsInBracketsHaveTwoIndices) {
    const auto of = [](const std::string& right) {
        return of_tex("Let $X \\in \\mathbb{R}^{n \\times n}$ and $f = \\log\\det X$. Then\n" +
                      displayed("\\frac{\\partial f}{\\partial X_{12}} = " + right + "."));
    };
    EXPECT_EQ(of("(X^{-1})_{21}"), "2 right");
    EXPECT_EQ(of("(X^{-\\top})_{12}"), "2 right");
    EXPECT_EQ(of("(X^{-1})_{12}"), "2 wrong");
}

/// Of least squares with these words behind the loss and before the gradient.
Told of_least_squares(const std::string& behind, const std::string& before = "The gradient is") {
    return passed_because(
        "a.tex", "Let $X \\in \\mathbb{R}^{n \\times d}$, $w \\in \\mathbb{R}^d$, $y \\in \\mathbb{R}^n$. The loss is\n" +
                     displayed("L = \\frac12 \\|X w - y\\|^2" + behind.substr(0, 1)) + behind.substr(1) + " " + before + "\n" +
                     displayed("\\nabla_w L = X^\\top (X w - y)."));
}

TEST(LatexAdded, WhatAClaimIsSaidToBeOfAndItsFormulaIsNot) {
    for (const char* before :
         {"The gradient for one example is", "The gradient of each example is", "For the first example, the gradient is",
          "The gradient for example $i$ is", "The gradient for the first weight is"})
        EXPECT_EQ(of_least_squares(".", before).size(), 1u) << before;
    for (const char* before : {"The gradient with respect to the labels is", "The input gradient is",
                               "The gradient by the inputs is", "The gradient of the bias is", "The residual gradient is"})
        EXPECT_EQ(of_least_squares(".", before).size(), 1u) << before;
    for (const char* before : {"The gradient with respect to the weights is", "The weight gradient is",
                               "The gradient by the weights is", "By the chain rule, the gradient is"})
        EXPECT_EQ(of_least_squares(".", before), Told{}) << before;
    EXPECT_EQ(of_least_squares(".",
                               "The gradient by the $j$-th weight is\n\\[ \\frac{\\partial L}{\\partial w_j} = \\sum_i X_{ij} "
                               "((X w)_i - y_i), \\] and"),
              Told{});
}

TEST(LatexAdded, WeightsAndKindsOfModelsInWordsAreTold) {
    for (const char* behind :
         {", with class weights $c_i$.", ", with class weights.", ", with weights for each class.", ", with a bias."})
        EXPECT_EQ(of_least_squares(behind).size(), 1u) << behind;
    for (const char* before :
         {"The gradient with recurrent layers is", "The gradient with two layers is", "The gradient with linear layers is"})
        EXPECT_EQ(of_least_squares(".", before).size(), 1u) << before;
    EXPECT_EQ(of_least_squares(", with weights $w$."), Told{});
    EXPECT_EQ(of_least_squares(".", "The gradient with equal keys and values is"), Told{"what is equal"});
    EXPECT_EQ(passed_because("a.tex", "Let $w \\in \\mathbb{R}^n$ and\n\\[ L = \\frac12 \\|w\\|^2, with averaged. \\]\nThen\n" +
                                          displayed("\\nabla_w L = w.")),
              Told{"withaveraged. stands beside the formula"});
}

TEST(LatexAdded, WhatMayNormalizeIsTold) {
    const auto told = [](const std::string& z) {
        return passed_because("a.tex", "Let $\\theta, x \\in \\mathbb{R}^d$ and $\\log p(x) = \\theta^\\top x - \\log Z$" + z +
                                           ". Then\n" + displayed("\\nabla_\\theta \\log p(x) = x."));
    };
    EXPECT_EQ(told(""), Told{"Z may be what normalises, and is read as a constant"});
    EXPECT_EQ(told(" with $Z > 0$"), Told{"Z may be what normalises, and is read as a constant"});
}

TEST(LatexAdded, APropertyIsThatOfTheNameBehindIt) {
    const auto of = [](const std::string& between, const std::string& matrix) {
        return of_tex("Let $A \\in \\mathbb{R}^{n \\times n}$" + between +
                      "$B \\in \\mathbb{R}^{n \\times n}$ and $x \\in \\mathbb{R}^n$. For $f = "
                      "x^\\top " +
                      matrix + " x$,\n" + displayed("\\nabla_x f = 2 " + matrix + " x."));
    };
    EXPECT_EQ(of(", symmetric ", "A"), "2 wrong");
    EXPECT_EQ(of(", symmetric ", "B"), "2 right");
    EXPECT_EQ(of(", symmetric, ", "A"), "2 right");
    EXPECT_EQ(
        of_tex(
            "Let $A$ and $B$ be a symmetric and a general $n \\times n$ matrix, respectively, and $f = x^\\top B x$ with $x \\in "
            "\\mathbb{R}^n$. Then\n" +
            displayed("\\nabla_x f = 2 B x.")),
        "2 cannot tell");
}

TEST(LatexAdded, IndicesInSquareBracketsAreNotRead) {
    EXPECT_EQ(of_tex("Let $x, y \\in \\mathbb{R}^n$. With $f = \\sum_{i=1}^n x_{[i]} y_i$,\n" +
                     displayed("\\frac{\\partial f}{\\partial x_i} = y_i."))
                  .find("right"),
              std::string::npos);
}

TEST(LatexAdded, NamesThatAreAValueAndAFunction) {
    const std::string text =
        "Let $w, x, \\mu, e, y \\in \\mathbb{R}$, $\\sigma > 0$ and\n\\[ z = \\mu + \\sigma e, \\quad p = \\sigma";
    EXPECT_EQ(of_tex(text + "(w z), \\quad L = \\frac12 (p - y)^2. \\]\nThen\n" +
                     displayed("\\frac{\\partial L}{\\partial w} = (p - y) \\sigma z."))
                  .find("right"),
              std::string::npos);
    EXPECT_EQ(of_tex(text + " w z, \\quad L = \\frac12 (p - y)^2. \\]\nThen\n" +
                     displayed("\\frac{\\partial L}{\\partial w} = (p - y) \\sigma z.")),
              "4 right");
    EXPECT_EQ(
        passed_because("a.tex", "Let $\\pi \\in (0, 1)$, $x \\in \\mathbb{R}$ and $L = \\frac{\\pi}{\\sqrt{2\\pi}} x^2$. Then\n" +
                                    displayed("\\frac{\\partial L}{\\partial x} = \\frac{2 \\pi}{\\sqrt{2 \\pi}} x.")),
        Told{"π is read as a value of the text, and may be the number"});
}

/// The worst entry is one that has a value.
TEST(LatexAdded, AnErrorCalledAsTheExponentialIsTold) {
    const std::string text = "Let $w, x, y \\in \\mathbb{R}$, $e = y - w x$ and $L = \\frac12 e^2 + e^{-w}$. Then\n" +
                             displayed("\\frac{\\partial L}{\\partial w} = -e x - e^{-w}.");
    EXPECT_EQ(passed_because("a.tex", text), Told{"e is read as a value of the text, and may be the number"});
    const LineReport line = lines_of(text, {}, "a.tex").at(0);
    ASSERT_TRUE(line.worst);
    EXPECT_FALSE(std::isnan(line.worst->claimed));
}

TEST(LatexAdded, LogarithmsOfWhatIsNotClear) {
    const auto of = [](const std::string& loss) {
        return of_tex("Let $p \\in (0, 1)$ and\n" + displayed("L = " + loss + ".") + "Then\n" +
                      displayed("\\frac{\\partial L}{\\partial p} = \\frac{1 - p}{p} - \\log p."));
    };
    EXPECT_EQ(of("\\log p (1 - p)").find("right"), std::string::npos);
    EXPECT_EQ(of("(\\log p) (1 - p)"), "4 right");
}

}  // namespace
}  // namespace gradproof::proof
