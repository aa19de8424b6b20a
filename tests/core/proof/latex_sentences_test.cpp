// What sentences of LaTeX say of inputs, of gradients and of differentials; forms that papers write.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

TEST(LatexDifferentials, OfALossHoldTheOtherInputsFixed) {
    const std::string trace =
        "Let $A \\in \\mathbb{R}^{n\\times m}$ and $X \\in \\mathbb{R}^{m\\times n}$.\n\\[ f = \\mathrm{tr}(A X) \\]\n";
    EXPECT_EQ(
        of_tex(trace + "\\[ \\mathrm{d} f = \\mathrm{tr}(A\\, \\mathrm{d} X) \\]\n\\[ df = \\langle A^\\top, dX \\rangle \\]\n"
                       "\\[ df = \\operatorname{tr}(A^\\top A\\, dX) \\]\n\\[ df = \\langle 2 A^\\top, dX \\rangle \\]\n"),
        "3 right, 4 right, 5 wrong, 6 wrong");
    EXPECT_EQ(of_tex(trace + "\\[ df = \\mathrm{tr}(A\\, dX) \\]\n\\[ df = \\mathrm{tr}(A\\, dX) + \\mathrm{tr}(dA\\, X) \\]\n"),
              "3 wrong, 4 right");
    const std::string square =
        "Let $W \\in \\mathbb{R}^{n\\times m}$, $x\\in\\mathbb{R}^m$, $t \\in \\mathbb{R}^n$.\n\\[ y = W x \\]\n"
        "\\[ L = \\frac12 \\|y - t\\|^2 \\]\n";
    EXPECT_EQ(of_tex(square + "\\[ dL = (y-t)^\\top dy = (y-t)^\\top W\\, dx \\]\n"), "4 right, 4 right");
    EXPECT_EQ(of_tex(square + "\\[ dL = 2 (y-t)^\\top dy \\]\n"), "4 wrong");
    const LineReport line = check_file("a.tex", trace + "\\[ df = \\mathrm{tr}(A\\, dX) \\]\n").proofs.at(0).lines.at(0);
    EXPECT_EQ(line.read_as, "read as differentials, with A fixed");
    EXPECT_EQ(
        of_tex(
            "Let $X\\in\\mathbb{R}^{n\\times m}$, $W \\in \\mathbb{R}^{m\\times k}$.\n\\[ Y = X W \\]\n\\[ dX = dY W^\\top \\]\n"
            "\\[ dX = W^\\top dY \\]\n"),
        "3 right, 4 wrong");
}

TEST(LatexSentences, MatricesMayBeSymmetric) {
    const std::string claim = "$$ \\nabla f(x) = A x - b $$\n";
    EXPECT_EQ(
        of_tex("Let $f(x) = \\frac12 x^\\top A x - b^\\top x$ with $A \\in \\mathbb{R}^{n\\times n}$ symmetric and $b, x \\in "
               "\\mathbb{R}^n$. Then\n" +
               claim),
        "2 right");
    EXPECT_EQ(
        of_tex("Let $f(x) = \\frac12 x^\\top A x - b^\\top x$ with $A \\in \\mathbb{R}^{n\\times n}$, not symmetric, and $b, x "
               "\\in \\mathbb{R}^n$. Then\n" +
               claim),
        "2 wrong");
    EXPECT_EQ(
        of_tex(
            "Let $x, \\mu \\in \\mathbb{R}^{d}$ and let $\\Sigma \\in \\mathbb{R}^{d\\times d}$ be symmetric positive definite.\n"
            "\\[ \\ell = -\\frac12 \\log|\\Sigma| - \\frac12 (x-\\mu)^\\top \\Sigma^{-1} (x - \\mu) \\]\n"
            "\\[ \\nabla_\\mu \\ell = \\Sigma^{-1} (x - \\mu) \\]\n\\[ \\nabla_\\mu \\ell = \\Sigma (x - \\mu) \\]\n"
            "\\[ \\nabla_\\mu^2 \\ell = -\\Sigma^{-1} \\]\n"),
        "3 right, 4 wrong, 5 right");
    EXPECT_EQ(
        verdicts("dims n\ninput A [n, n] ~ symmetric, x [n]\nforward\n  loss f = x^T A x\nclaim\n  dx = 2 A x\n  dx = A x\n"),
        "right, wrong");
    EXPECT_EQ(verdicts("dims n\ninput A [n, n] ~ definite, x [n]\nforward\n  loss f = x^T A x\nclaim\n  sqrt(f) sqrt(f) = f\n  "
                       "dx = 2 A x\n"),
              "right, right");
    EXPECT_NE(refused_as("dims n m\ninput A [n, m] ~ symmetric\nforward\n  y = A\nclaim\n  dA = dy\n").find("no square matrix"),
              std::string::npos);
}

TEST(LatexSentences, LabelsNumbersAndScalarsAreStated) {
    EXPECT_EQ(of_tex("With labels $y\\in\\{0,1\\}^n$, scores $z\\in\\mathbb{R}^n$, $0 < \\tau < 1$ and a scalar $g$:\n"
                     "\\[ L = \\sum_{i=1}^n (g y_i z_i + \\log(1 - \\tau) z_i) \\]\n"
                     "\\[ \\frac{\\partial L}{\\partial z_i} = g y_i^2 + \\log(1 - \\tau) \\]\n"
                     "\\[ \\frac{\\partial L}{\\partial z_i} = g + \\log(1 - \\tau) \\]\n"),
              "3 right, 4 wrong");
    EXPECT_EQ(of_tex("Labels $y\\in\\{-1,1\\}^n$, scores $z\\in\\mathbb{R}^n$:\n\\[ L = \\sum_{i=1}^n y_i^3 z_i \\]\n"
                     "\\[ \\frac{\\partial L}{\\partial z_i} = y_i \\]\n\\[ \\frac{\\partial L}{\\partial z_i} = 1 \\]\n"),
              "3 right, 4 wrong");
}

TEST(LatexSentences, BarsMayMarkGradients) {
    const std::string layer = "Let $W \\in \\mathbb{R}^{n\\times m}$, $x\\in\\mathbb{R}^m$.\n\\[ z = W x \\]\n";
    EXPECT_EQ(of_tex("Adjoints are written $\\bar x = \\partial L / \\partial x$. " + layer +
                     "\\[ \\bar W = \\bar z x^\\top, \\quad \\bar x = W^\\top \\bar z \\]\n\\[ \\bar x = W \\bar z \\]\n"
                     "\\[ \\bar x_j = \\sum_i W_{ij} \\bar z_i \\]\n"),
              "3 right, 3 right, 4 wrong, 5 right");
}

TEST(LatexSentences, GradientsThatASentenceConcludesAreJudged) {
    const std::string text =
        "Let $x\\in\\mathbb{R}^{n}$, and $L = \\sum_i x_i^3$, so $\\nabla_x L = 3x^2$,\nand hence $\\frac{\\partial "
        "L}{\\partial x_i} = 2x_i^2$.\nAt a minimum $\\nabla_x L = 0$. If $\\nabla_x L = x$, stop.\n";
    EXPECT_EQ(of_tex(text + "\\[ \\frac{\\partial L}{\\partial x_i} = 3 x_i^2 \\]\n"), "1 right, 2 wrong, 4 right");
}

TEST(LatexSentences, APartThatIsNamedIsOnTheWay) {
    const std::string given =
        "Let $X \\in \\mathbb{R}^{n\\times m}$, $w\\in\\mathbb{R}^m$, $t\\in\\mathbb{R}^n$.\n"
        "\\[ L = \\frac12 \\|Xw - t\\|^2 \\]\nLet $r = Xw - t$. Then\n";
    EXPECT_EQ(
        of_tex(given +
               "\\[ \\nabla_w L = \\left(\\frac{\\partial r}{\\partial w}\\right)^\\top \\frac{\\partial L}{\\partial r} \\]\n"
               "\\[ \\frac{\\partial L}{\\partial r} = 2 r \\]\n"),
        "4 right, 5 wrong");
    EXPECT_EQ(of_tex(given +
                     "\\[ \\nabla_w L^2 = 2 L X^\\top (Xw - t) \\]\n\\[ \\nabla_w L^2 = \\left(X^\\top (Xw - t)\\right)^2 \\]\n"),
              "4 right, 5 wrong");
}

TEST(LatexForms, PositivePartsConditionsAndRows) {
    EXPECT_EQ(
        of_tex("Let $s \\in\\mathbb{R}^{n}$, $y \\in \\mathbb{R}^n$.\n\\[ L = \\sum_{i=1}^n \\left[1 - y_i s_i\\right]_+ \\]\n"
               "\\[ \\frac{\\partial L}{\\partial s_i} = -y_i \\mathbf{1}[y_i s_i < 1] \\]\n"
               "\\[ \\frac{\\partial L}{\\partial s_i} = -y_i \\]\n"),
        "3 right, 4 wrong");
    const std::string given = "dims n d; input X [n, d], w [d], y [n]";
    EXPECT_EQ(tex(given,
                  "\\[ L = \\frac1n \\sum_{i=1}^n \\max(0, 1 - y_i x_i^\\top w) \\]\n"
                  "\\[ \\nabla_w L = - \\frac1n \\sum_{i : y_i x_i^\\top w < 1} y_i x_i \\]\n"
                  "\\[ \\nabla_w L = - \\frac1n \\sum_{i : y_i x_i^\\top w > 1} y_i x_i \\]\n"),
              "3 right, 4 wrong");
    EXPECT_EQ(tex(given,
                  "\\[ L = \\frac12 \\sum_{i=1}^n (w^\\top x^{(i)} - y_i)^2 \\]\n"
                  "\\[ \\nabla_w L = \\sum_{i=1}^n (w^\\top x^{(i)} - y_i) x^{(i)} \\]\n"
                  "\\[ \\nabla_w L = \\sum_{i=1}^n (w^\\top x^{(i)} + y_i) x^{(i)} \\]\n"),
              "3 right, 4 wrong");
    EXPECT_EQ(tex("dims n; input x [n]",
                  "\\[ f = \\sum_i \\prod_{j \\ne i} x_j \\]\n\\[ f = \\sum_{i} \\prod_{j \\ne i} x_j \\]\n"
                  "\\[ f = (\\prod_j x_j) \\sum_i \\frac{1}{x_i} \\]\n\\[ f = \\prod_j x_j \\]\n"),
              "3 right, 4 right, 5 wrong");
}

TEST(LatexForms, OfPapersAndPackages) {
    EXPECT_EQ(
        of_tex(
            "Let $x\\in\\mathbb{R}^{n}$.\n\\[ L = \\sum_i x_i^3 \\]\n\\[ \\pdv{L}{x_i} = 3 x_i^2 \\]\n\\[ \\pdv[2]{L}{x_i} = 6 "
            "x_i \\]\n\\[ \\dv{L}{x_1} = 2 x_1^2 \\]\n\\[ \\dd L = (3 x^2)^\\top \\dd{x} \\]\n"),
        "3 right, 4 right, 5 wrong, 6 right");
    EXPECT_EQ(of_tex("Let $x\\in\\mathbb{R}^n$.\n\\[ f = \\|x\\|_\\infty \\]\n"
                     "\\[ \\frac{\\partial f}{\\partial x_i} = \\operatorname{sign}(x_i) \\mathbf{1}[|x_i| \\ge f] \\]\n"
                     "\\[ \\frac{\\partial f}{\\partial x_i} = \\mathbf{1}[|x_i| \\ge f] \\]\n"),
              "3 right, 4 wrong");
    EXPECT_EQ(of_tex("Let $A \\in \\mathbb{R}^{m\\times n}$, $b\\in\\mathbb{R}^m$, $x \\in \\mathbb{R}^n$.\n$$ f(x) = \\|Ax - "
                     "b\\|_2^2 $$\n"
                     "$$ \\nabla^2 f(x) = 2A^T A $$\n$$ \\nabla^2 f(x) = A^T A $$\n"),
              "3 right, 4 wrong");
    EXPECT_EQ(
        of_tex(
            "Let $X\\in\\mathbb{R}^{n\\times f}$, $W\\in\\mathbb{R}^{f\\times h}$, $A\\in\\mathbb{R}^{n\\times n}$ and "
            "$d\\in\\mathbb{R}^n_{>0}$.\n\\begin{align}\nD &= \\mathrm{diag}(d) \\\\\nZ &= D^{-1/2} A D^{-1/2} X "
            "W\n\\end{align}\n"
            "\\[ \\nabla_W L = X^\\top (D^{-1/2} A D^{-1/2})^\\top \\nabla_Z L \\]\n\\[ \\nabla_W L = X^\\top (D^{-1} A)^\\top "
            "\\nabla_Z L \\]\n"),
        "6 right, 7 wrong");
    EXPECT_EQ(of_tex("Let $S\\in\\mathbb{R}^{n\\times m}$.\n\\[ P_{ij} = \\mathrm{softmax}_j(S_{ij}) \\]\n"
                     "\\[ \\frac{\\partial P_{ij}}{\\partial S_{ik}} = P_{ij}(\\delta_{jk} - P_{ik}) \\]\n"
                     "\\[ \\frac{\\partial P_{ij}}{\\partial S_{kj}} = P_{ij}(\\delta_{ik} - P_{kj}) \\]\n"),
              "3 right, 4 wrong");
}

TEST(LatexForms, OnesHaveTheSizeOfWhatTheyMeet) {
    const std::string given = "dims n d; input X [n, d], v [n], s []";
    EXPECT_EQ(tex(given,
                  "\\[ y = X^\\top \\mathbf{1} \\]\n\\[ \\nabla_X L = \\mathbf{1} (\\nabla_y L)^\\top \\]\n"
                  "\\[ \\nabla_X L = \\nabla_y L \\mathbf{1}^\\top \\]\n"),
              "3 right, 4 wrong");
    EXPECT_EQ(tex(given,
                  "\\[ L = s \\mathbf{1}^\\top v + v^\\top (\\mathbf 1 - v) \\]\n\\[ \\nabla_v L = s \\mathbf{1} + "
                  "\\mathbf 1 - 2 v \\]\n\\[ \\nabla_v L = s \\mathbf{1} - 2 v \\]\n"),
              "3 right, 4 wrong");
    EXPECT_EQ(tex(given,
                  "\\[ L = \\mathbf{1}^\\top v \\]\n\\[ \\nabla_v L = \\mathbf{1} \\]\n\\[ \\nabla_v L = 2 \\mathbf{1} "
                  "\\]\n"),
              "3 right, 4 wrong");
}

TEST(LatexForms, AnIndexMayBeCalledE) {
    const LineReport line = check_file("a.tex",
                                       "Let $q\\in\\mathbb{R}^{n\\times E}$ and $f \\in\\mathbb{R}^E$.\n"
                                       "\\[ L = \\frac1n \\sum_{t=1}^n \\sum_{e=1}^E f_e q_{te} \\]\n"
                                       "\\[ \\frac{\\partial L}{\\partial q_{te}} = f_e \\]\n")
                                .proofs.at(0)
                                .lines.at(0);
    ASSERT_TRUE(line.diagnosis);
    EXPECT_EQ(line.diagnosis->repair, "\\frac{f_{e}}{n}");
}

/// The commonest gradient of all holds for labels that sum to 1, which papers say in words.
TEST(LatexSentences, LabelsAreOneHotWhereTheTextSaysSo) {
    const auto judged = [](const std::string& said) {
        return of_tex("Let $W \\in \\mathbb{R}^{k \\times d}$, $x \\in \\mathbb{R}^d$, " + said +
                      "\n\\[ z = W x, \\qquad p = \\mathrm{softmax}(z), \\qquad L = -\\sum_i y_i \\log p_i \\]\n"
                      "\\[ \\nabla_z L = p - y, \\quad \\nabla_W L = (y - p) x^\\top \\]\n");
    };
    const std::string space = "\\in\\mathbb{R}^k", right_and_wrong = "3 right, 3 wrong";
    for (const std::string& said : std::vector<std::string>{
             "and $y" + space + "$ is one-hot.", "and a one-hot label $y" + space + "$.",
             "and let $y" + space + "$ be a one-hot vector.", "and $y \\in \\{0,1\\}^k$ the one-hot encoding of the label.",
             "and the targets $y" + space + "$ are one-hot encoded.", "and $y" + space + "$ denotes the one-hot label.",
             "and $y \\in \\{0,1\\}^k$ with $\\sum_i y_i = 1$.", "and let $y" + space + "$ be a probability distribution.",
             "and a probability vector $y" + space + "$."})
        EXPECT_EQ(judged(said), right_and_wrong) << said;
    for (const std::string& said :
         std::vector<std::string>{"and $y" + space + "$.", "and $y" + space + "$, which is not one-hot.",
                                  "and $y" + space + "$. No other label is one-hot."})
        EXPECT_EQ(judged(said), "3 wrong, 3 wrong") << said;
    for (const std::string& said : std::vector<std::string>{"and $y" + space + "$. If $y$ is one-hot, then",
                                                            "and $y" + space + "$. For one-hot $y$ we have"})
        EXPECT_EQ(judged(said), right_and_wrong) << said;  // all that is claimed stands in that sentence
}

TEST(LatexSentences, AGradientThatIsCalledByANameIsHeldToWhatIsSaidOfIt) {
    const std::string net =
        "Let $x \\in \\mathbb{R}^d$, $W \\in \\mathbb{R}^{k\\times d}$, let $y \\in \\mathbb{R}^k$ be one-hot, $z = W x$ and "
        "$p = \\mathrm{softmax}(z)$.\n$$ L = -\\sum_j y_j \\log p_j $$\n";
    const std::string named = "With the error $\\delta = \\partial L/\\partial z$,\n";
    const auto lines = [](const std::string& error) {
        return "\\begin{align*} \\delta &= " + error +
               " \\\\\n\\frac{\\partial L}{\\partial W} &= \\delta x^\\top \\end{align*}\n";
    };
    EXPECT_EQ(of_tex(net + named + lines("p - y")), "4 right, 5 right");
    EXPECT_EQ(of_tex(net + named + lines("y - p")), "4 wrong, 5 right");
    // Said behind it, or of nothing, the name is what the formula says.
    EXPECT_EQ(of_tex(net + lines("y - p") + named), "4 wrong");
    EXPECT_EQ(of_tex(net + "With the error $\\delta$,\n" + lines("y - p")), "5 wrong");
}

TEST(LatexSentences, ABarDenotesAGradientAndASmallLetterARow) {
    const std::string square = "Let $x \\in \\mathbb{R}^d$.\n\\[ y = x \\odot x \\]\n\\[ \\bar{x} = 2 x \\odot \\bar{y} \\]\n";
    EXPECT_EQ(of_tex(square + "Here $\\bar{v}$ denotes $\\partial L/\\partial v$.\n"), "3 right");
    EXPECT_EQ(of_tex(square + "Here $\\bar{v}$ denotes $\\partial L/\\partial w$.\n"), "3 not read");
    const std::string logistic =
        "Let $w \\in \\mathbb{R}^d$, $X \\in \\mathbb{R}^{n \\times d}$ and $y \\in \\{-1,+1\\}^n$.\n"
        "\\[ L(w) = \\frac1n \\sum_{i=1}^n \\log\\left(1 + \\exp(-y_i w^\\top x_i)\\right) \\]\n\\[ \\nabla L(w) = ";
    EXPECT_EQ(of_tex(logistic + "-\\frac1n \\sum_{i=1}^n \\frac{y_i x_i}{1 + \\exp(y_i w^\\top x_i)} \\]\n"), "3 right");
    EXPECT_EQ(of_tex(logistic + "-\\frac1n \\sum_{i=1}^n \\frac{y_i x_i}{1 + \\exp(-y_i w^\\top x_i)} \\]\n"), "3 wrong");
    EXPECT_EQ(of_tex(logistic + "-\\frac1n \\sum_i y_i x_i (1 - p_i) \\]\nwith $p_i = \\sigma(y_i w^\\top x_i)$.\n"), "3 right");
}

TEST(LatexSentences, TheLayoutIsTheOneThatTheTextSaysItUses) {
    const auto judged = [](const std::string& said, const std::string& claim) {
        return of_tex("Let $A \\in \\mathbb{R}^{m \\times n}$ and $x \\in \\mathbb{R}^n$. " + said + "\n\\[ y = A x \\]\n\\[ " +
                      "\\frac{\\partial y}{\\partial x} = " + claim + " \\]\n");
    };
    for (const char* said : {"We use denominator layout.", "All derivatives are in denominator layout.",
                             "We follow the denominator-layout convention."}) {
        EXPECT_EQ(judged(said, "A^\\top"), "3 right") << said;
        EXPECT_EQ(judged(said, "A"), "3 wrong") << said;
    }
    EXPECT_EQ(judged("We follow the numerator layout convention.", "A"), "3 right");
    EXPECT_EQ(judged("We follow the numerator layout convention.", "A^\\top"), "3 wrong");
    for (const char* said : {"Some authors use denominator layout.", "In denominator layout this would be turned.",
                             "We do not use the denominator layout.", "Unlike others who use numerator layout, we are free."}) {
        EXPECT_EQ(judged(said, "A^\\top"), "3 right") << said;
        EXPECT_EQ(judged(said, "A"), "3 right") << said;
    }
}

TEST(LatexSentences, GradientsAreRowsWhereTheTextSaysSo) {
    const auto judged = [](const std::string& said, const std::string& claim) {
        return of_tex("Let $A \\in \\mathbb{R}^{m \\times n}$ and $x \\in \\mathbb{R}^n$. " + said +
                      "\n\\[ f = \\|A x\\|^2 \\]\n\\[ " + claim + " \\]\n");
    };
    const std::string rows = "Gradients are row vectors.", row = "2 (A x)^\\top A", column = "2 A^\\top A x";
    EXPECT_EQ(judged(rows, "\\nabla_x f = " + row), "3 right");
    EXPECT_EQ(judged(rows, "\\frac{\\partial f}{\\partial x} = " + row), "3 right");
    EXPECT_EQ(judged(rows, "\\nabla_x f = " + column), "3 wrong");
    for (const char* said :
         {"", "Gradients are column vectors.", "Gradients are not row vectors.", "The gradients are rows of $G$."}) {
        EXPECT_EQ(judged(said, "\\nabla_x f = " + row), "3 wrong") << said;
        EXPECT_EQ(judged(said, "\\nabla_x f = " + column), "3 right") << said;
    }
}

TEST(LatexSentences, NoGradientRunsThroughWhatTheTextSaysIsHeld) {
    const auto judged = [](const std::string& said) {
        const std::string text = "Let $W \\in \\mathbb{R}^{m \\times n}$ and $x \\in \\mathbb{R}^n$. " + said +
                                 "\n\\[ t = W x, \\quad L = \\|t - 2 W x\\|^2 \\]\n";
        return of_tex(text + "\\[ \\nabla_W L = -4 (t - 2 W x) x^\\top, \\qquad \\nabla_W L = -2 (t - 2 W x) x^\\top \\]\n");
    };
    for (const char* said : {"We do not backpropagate through $t$.", "The target $t$ is treated as a constant.",
                             "We treat $t$ as a constant.", "Here $t$ is detached.", "No gradient flows through $t$.",
                             "We stop the gradient through the target $t$.", "Holding $t$ fixed, we differentiate."})
        EXPECT_EQ(judged(said), "3 right, 3 wrong") << said;
    for (const char* said :
         {"We backpropagate through $t$.", "If we treat $t$ as a constant, it is simpler.", "We cannot treat $t$ as a constant.",
          "We do not treat $t$ as a constant.", "A common mistake is to treat $t$ as a constant."})
        EXPECT_EQ(judged(said), "3 wrong, 3 right") << said;
    const std::string given = "Let $x, y \\in \\mathbb{R}^n$, where $S(\\cdot)$ denotes stop-gradient.\n";
    EXPECT_EQ(
        of_tex(given + "\\[ L = \\|S(x) - y\\|^2 + x^\\top y \\]\n\\[ \\nabla_x L = y, \\quad \\nabla_x L = 2 (x - y) + y \\]\n"),
        "3 right, 3 wrong");
}

}  // namespace
}  // namespace gradproof::proof
