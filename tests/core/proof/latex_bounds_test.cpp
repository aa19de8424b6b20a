// What a text says of shapes, bounds, ranges, sums and signs beside its formulas, and steps of training.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

using Told = std::vector<std::string>;

Told beside(const std::string& text) { return passed_because("a.tex", text); }
std::string layer_of(const std::string& display, const std::string& behind = "") {
    return "Let $x \\in \\mathbb{R}^n$ and $W \\in \\mathbb{R}^{m \\times n}$. Let\n\\[ " + display + " \\]" + behind +
           "\nThen\n\\[ \\frac{\\partial y}{\\partial x} = W. \\]\n";
}

TEST(LatexBounds, AShapeThatAValueDoesNotHaveIsTold) {
    const Told shape{"a shape that a value does not have"};
    EXPECT_EQ(beside(layer_of("y = W x \\in \\mathbb{R}^m.")), Told{});
    EXPECT_EQ(beside(layer_of("y = W x \\in \\mathbb{R}^{m \\times 1}.")), Told{});
    EXPECT_EQ(beside(layer_of("y = W x \\in \\mathbb{R}^n.")), shape);
    EXPECT_EQ(beside(layer_of("y = W x,", "where $y \\in \\mathbb{R}^n$.")), shape);
    EXPECT_EQ(beside(layer_of("y = W x,", "where $y \\in \\mathbb{R}^m$.")), Told{});
}

TEST(LatexBounds, WhereAValueLiesMayStandBehindAComma) {
    EXPECT_EQ(of_tex(layer_of("y = W x, \\quad y \\in \\mathbb{R}^m.")), "4 right");
    EXPECT_EQ(of_tex(layer_of("y = W x, \\quad x \\in \\mathbb{R}^n.")), "4 right");
    EXPECT_EQ(beside(layer_of("y = W x, \\quad y \\in \\mathbb{R}^n.")), Told{"a shape that a value does not have"});
}

std::string softmax_of(const std::string& claim, const std::string& behind = "") {
    return "Let $z \\in \\mathbb{R}^n$ and $p = \\mathrm{softmax}(z)$. Then\n\\[ " + claim + ". \\]\n" + behind;
}

TEST(LatexBounds, BoundsBehindAClaimAndOfWhatIsComputedAreTold) {
    const std::string slope = "\\frac{\\partial p_i}{\\partial z_i} = p_i (1 - p_i)";
    EXPECT_EQ(beside(softmax_of(slope)), Told{});
    for (const char* bound : {" \\in [0, 1/8]", " > 1", " \\le 1/4"})
        EXPECT_EQ(beside(softmax_of(slope + bound)), Told{"a bound behind the formula, which is not judged"}) << bound;
    EXPECT_EQ(beside(softmax_of(slope, "Thus $0 < p_i < \\frac12$.\n")), Told{"a bound of a value, which is not judged"});
    EXPECT_EQ(beside(softmax_of(slope, "Thus $0 < p_i < 1$.\n")), Told{});
}

TEST(LatexBounds, SumsOfDerivativesAreTold) {
    const std::string slope = "\\frac{\\partial p_i}{\\partial z_i} = p_i (1 - p_i)";
    EXPECT_EQ(beside(softmax_of(slope, "Note that $\\sum_i p_i = 1$.\n")), Told{});
    EXPECT_EQ(beside(softmax_of(slope, "Hence $\\sum_j \\frac{\\partial p_i}{\\partial z_j} = 1$.\n")).size(), 1u);
    EXPECT_EQ(beside(softmax_of(slope, "Hence $\\sum_i z_i p_i = 1$.\n")).size(), 1u);
}

TEST(LatexBounds, ARangeWithIndicesBeyondTheEndsIsTold) {
    const auto differences = [](const std::string& range) {
        return beside(
            "Let $x \\in \\mathbb{R}^n$. Let\n\\[ f = \\sum_{i=1}^{n-1} (x_{i+1} - x_i)^2. \\]\nThen\n"
            "\\[ \\frac{\\partial f}{\\partial x_i} = 2 (x_i - x_{i-1}) - 2 (x_{i+1} - x_i)" +
            range + ". \\]\n");
    };
    EXPECT_EQ(differences(""), Told{});
    EXPECT_EQ(differences(", \\quad i = 1, \\dots, n"), Told{"a range with indices beyond the ends"});
    EXPECT_EQ(differences(", \\quad i = 2, \\dots, n - 1"), Told{});
}

TEST(LatexBounds, SignsThatANameSpeaksOf) {
    const auto named = [](const std::string& name, const std::string& formula) {
        return beside("Let $x, y \\in \\mathbb{R}^n$ be positive vectors. The " + name + " is\n\\[ L = " + formula +
                      ". \\]\nThen\n\\[ \\nabla_x L = x. \\]\n");
    };
    const auto says = [&](const std::string& name, const std::string& formula) {
        const Told all = named(name, formula);
        return std::ranges::any_of(all, [](const std::string& why) { return why.ends_with(" a minus sign"); });
    };
    EXPECT_TRUE(says("cross-entropy", "\\sum_i y_i \\log x_i"));
    EXPECT_FALSE(says("cross-entropy", "-\\sum_i y_i \\log x_i"));
    EXPECT_FALSE(says("cross-entropy", "\\sum_i y_i \\log \\frac{1}{x_i}"));
    EXPECT_TRUE(says("negative log-likelihood", "\\sum_i \\log x_i"));
    EXPECT_TRUE(says("log-likelihood", "-\\sum_i \\log x_i"));
    EXPECT_FALSE(says("negative log-likelihood", "-\\sum_i \\log x_i"));
    EXPECT_TRUE(says("squared error", "\\frac12 \\|x + y\\|^2"));
    EXPECT_FALSE(says("squared error", "\\frac12 \\|x - y\\|^2"));
    EXPECT_TRUE(says("Gaussian kernel", "\\exp(\\|x - y\\|^2)"));
    EXPECT_FALSE(says("Gaussian kernel", "\\exp(-\\|x - y\\|^2)"));
}

TEST(LatexBounds, AGradientWrittenAtAnotherPointIsSaid) {
    const auto domain = [](const std::string& point) {
        return check_file("a.tex",
                          "Let $w, v \\in \\mathbb{R}^d$. Let\n\\[ L = \\frac12 \\|w - v\\|^2. \\]\nThen\n\\[ \\nabla_w L" +
                              point + " = w - v. \\]\n")
            .proofs.at(0)
            .domain;
    };
    EXPECT_EQ(domain(""), Told{});
    EXPECT_EQ(domain("(w)"), Told{});
    EXPECT_EQ(domain("(v)"), Told{"\\nabla_w L(v) as the one at w"});
}

TEST(LatexBounds, AStepOfTrainingIsNotJudged) {
    const auto stepped = [](const std::string& step) {
        return of_tex(
            "Let $w \\in \\mathbb{R}^d$ and $\\eta > 0$. Let\n\\[ L = \\frac12 \\|w\\|^2. \\]\nThen\n\\[ \\nabla_w L = w \\]\n"
            "and\n\\[ " +
            step + " \\]\n");
    };
    EXPECT_EQ(stepped("w_{t+1} = w_t - \\eta \\nabla_w L"), "4 right, 6 skipped");
    EXPECT_EQ(stepped("w^{(t+1)} = w^{(t)} - \\eta \\nabla_w L"), "4 right, 6 skipped");
}

/// Behind a remark on a case the value is what it was before.
TEST(LatexBounds, ARemarkOnACaseDefinesNothing) {
    const auto ridge = [](const std::string& remark, const std::string& claim) {
        return of_tex(
            "Let $X \\in \\mathbb{R}^{n \\times d}$, $y \\in \\mathbb{R}^n$, $w \\in \\mathbb{R}^d$ and $\\lambda > 0$. Let\n"
            "\\[ L = \\frac12 \\|X w - y\\|^2 + \\frac\\lambda2 \\|w\\|^2. \\]\n" +
            remark + "\n\nThe gradient is\n\\[ \\nabla_w L = " + claim + ". \\]\n");
    };
    const std::string least = "X^\\top (X w - y)", formula = "$L = \\frac12 \\|X w - y\\|^2$";
    for (const std::string& remark :
         {"If $\\lambda = 0$, then " + formula + ".", "Setting $\\lambda = 0$ gives " + formula + ".",
          "Ordinary least squares has " + formula + " instead.", "In the limit $\\lambda \\to 0$ we have " + formula + "."}) {
        EXPECT_EQ(ridge(remark, least), "6 wrong") << remark;
        EXPECT_EQ(ridge(remark, least + " + \\lambda w"), "6 right") << remark;
    }
}

TEST(LatexBounds, ProductsOfGradients) {
    const auto norm = [](const std::string& claim) {
        return of_tex(
            "Let $x \\in \\mathbb{R}^n$. Let\n\\[ f = \\frac12 \\|x\\|^2, \\quad g = \\frac14 \\|x\\|^4. \\]\nThen\n\\[ " +
            claim + " \\]\n");
    };
    EXPECT_EQ(norm("\\nabla_x f \\nabla_x g^\\top = \\|x\\|^2 x x^\\top."), "4 right");
    EXPECT_EQ(norm("\\nabla_x f \\nabla_x g^\\top = x x^\\top."), "4 wrong");
    EXPECT_EQ(norm("\\nabla_x f^\\top \\nabla_x g = \\|x\\|^4."), "4 right");
    EXPECT_EQ(norm("\\nabla_x^2 g = \\|x\\|^2 I + 2 \\nabla_x f \\nabla_x f^\\top."), "4 right");
    EXPECT_EQ(norm("\\nabla_x^2 g = \\|x\\|^2 I + \\nabla_x f \\nabla_x f^\\top."), "4 wrong");
}

TEST(LatexBounds, DistributionsMayBeSeveral) {
    EXPECT_EQ(of_tex("Let $p, q \\in \\mathbb{R}^n$ be probability distributions and $q = \\mathrm{softmax}(z)$ with "
                     "$z \\in \\mathbb{R}^n$. Let\n\\[ L = -\\sum_i p_i \\log q_i. \\]\nThen\n"
                     "\\[ \\frac{\\partial L}{\\partial z_i} = q_i - p_i. \\]\n"),
              "4 right");
}

}  // namespace
}  // namespace gradproof::proof
