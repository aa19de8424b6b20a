// What equations in LaTeX mean, told by verdicts: of right lines, and of wrong ones that another reading would call right.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

TEST(LatexMeaning, IndicesThatCountFromOneAreMovedAsAWhole) {
    const std::string sum = "\\[ y_i = \\sum_{j=1}^{n-i+1} A_{ij} \\]\n";
    EXPECT_EQ(
        tex("dims n; input A [n, n]", sum + "\\[ \\frac{\\partial y_i}{\\partial A_{ij}} = \\mathbf{1}[i + j \\le n + 1] \\]\n"
                                            "\\[ \\frac{\\partial y_i}{\\partial A_{ij}} = \\mathbf{1}[i + j \\le n + 3] \\]\n"),
        "3 right, 4 wrong");
    EXPECT_EQ(tex("dims n m; input A [n, m], B [n, m]", "\\[ s = \\sum_{i,j=1}^{n} A_{ij} B_{ij} \\]\n\\[ s = 0 \\]\n"),
              "2 wrong, 3 cannot tell")
        << "j runs to m";
    EXPECT_EQ(
        tex("dims n; input x [n], A [n, n]",
            "\\[ y_i = A_{i1} x_i \\]\n\\[ \\frac{\\partial L}{\\partial A_{i1}} = x_i \\frac{\\partial L}{\\partial y_i} \\]\n"
            "\\[ \\frac{\\partial L}{\\partial A_{i2}} = x_i \\frac{\\partial L}{\\partial y_i} \\]\n"),
        "3 right, 4 wrong");
}

TEST(LatexMeaning, InversesAndNormsOfMatricesAreThese) {
    EXPECT_EQ(tex("dims n; input x [n], \\Lambda [n, n]",
                  "\\[ q = x^\\top \\Lambda^{-1} x \\]\n"
                  "\\[ \\nabla_x L = \\frac{\\partial L}{\\partial q} (\\Lambda^{-1} + \\Lambda^{-\\top}) x \\]\n"),
              "3 right");
    for (const char* line : {"Y = (1 + \\exp(-X))^{-1}", "s = \\|X\\|_2", "s = \\|X\\|_1"})
        EXPECT_EQ(tex("dims n m; input X [n, m]", "\\[ " + std::string(line) + " \\]\n"), "2 not read") << line;
}

TEST(LatexMeaning, NothingOfAnEquationIsLostInSilence) {
    const std::string given = "dims n m; input X [n, m]", forward = "\\[ Y = 2 X \\]\n";
    const std::string gradient = "\\frac{\\partial L}{\\partial X}", other = "3 \\frac{\\partial L}{\\partial Y}";
    for (const std::string& line :
         {"\\boxed{" + gradient + " = " + other + "}", "\\textcolor{red}{" + gradient + " = " + other + "}",
          "(" + gradient + " = " + other + ")", gradient + " \\overset{(a)}{=} " + other})
        EXPECT_EQ(tex(given, forward + "\\[ " + line + " \\]\n"), "3 wrong") << line;
    EXPECT_EQ(tex(given, forward + "\\begin{align}\n" + gradient + " &= 2 \\\\\n & \\frac{\\partial L}{\\partial Y} \\\\\n" +
                             gradient + " &= " + other + "\n\\end{align}\n"),
              "4 right, 6 wrong");
    EXPECT_EQ(tex(given, forward + "\\[ " + gradient + " \\propto " + other + " \\]\n"), "3 not read");
    EXPECT_EQ(tex(given, forward + "\\[ " + gradient + " = \\hphantom{2} \\frac{\\partial L}{\\partial Y} \\]\n"), "3 wrong");
    EXPECT_EQ(tex("dims n; input x [n], y [n]", "\\[ f(x) = x^2 \\]\n\\[ h = f(y) \\]\n"), "3 not read");
    EXPECT_EQ(tex(given, "\\[ Y = \\begin{cases} X & \\text{unless } X > 0 \\\\ 0 & \\text{otherwise} \\end{cases} \\]\n"),
              "2 not read");
}

TEST(LatexMeaning, AForwardWithUVTHasColumns) {
    const std::string given = "dims n; input x [n], v [n]";
    const std::string lines =
        "\\[ y = x - 2 v v^\\top x \\]\n"
        "\\[ \\nabla_v L = -4 (x^\\top \\frac{\\partial L}{\\partial y}) v \\]\n"
        "\\[ \\nabla_v L = -2 (v^\\top \\frac{\\partial L}{\\partial y}) x - 2 (v^\\top x) \\frac{\\partial L}{\\partial y} "
        "\\]\n";
    EXPECT_EQ(tex(given, lines), "3 wrong, 4 right");
    EXPECT_EQ(tex("convention columns; " + given, lines), "3 wrong, 4 right");
}

TEST(LatexMeaning, PowersOfSquareMatricesMayBeProducts) {
    const std::string entries = "\\[ \\nabla_A L = 2 A \\odot \\frac{\\partial L}{\\partial Y} \\]\n";
    const std::string product =
        "\\[ \\nabla_A L = \\frac{\\partial L}{\\partial Y} A^\\top + A^\\top \\frac{\\partial L}{\\partial Y} \\]\n";
    EXPECT_EQ(tex("dims n; input A [n, n]", "\\[ Y = A^2 \\]\n" + entries + product), "3 cannot tell, 4 cannot tell");
    EXPECT_EQ(tex("dims n; input A [n, n]", "\\[ Y = A A \\]\n" + entries + product), "3 wrong, 4 right");
    EXPECT_EQ(tex("dims n; input A [n, n]", "\\[ Y = A \\odot A \\]\n" + entries + product), "3 right, 4 wrong");
    EXPECT_EQ(tex("dims n d; input A [n, d]", "\\[ Y = A^2 \\]\n" + entries), "3 right");
    // A right side may be read so, too, and says it.
    const LineReport l = judged("dims n\ninput A [n, n], x [n]\nforward\n  y = A A x\nclaim\n  dx = (A^2)^T dy\n").lines.at(0);
    EXPECT_EQ(l.verdict, Verdict::right);
    EXPECT_NE(l.read_as.find("powers of square matrices as products"), std::string::npos) << l.read_as;
}

TEST(LatexMeaning, LayersThatAreNotDeclaredAreNoPowers) {
    const std::string lines = "\\[ Y = X W^{(1)} \\]\n\\[ \\nabla_X L = \\frac{\\partial L}{\\partial Y} (W^{(1)})^\\top \\]\n";
    EXPECT_EQ(tex("dims n d; input X [n, d], W [d, d]", lines), "2 not read, 3 not read");
    EXPECT_EQ(tex("dims n d; input X [n, d], W^{(1)} [d, d]", lines), "3 right");
}

TEST(LatexMeaning, WhatIsDefinedWithinAGroupEndsWithIt) {
    const std::string lines = "\\[ y = \\f(x) \\]\n\\[ \\nabla_x L = (1 - y^2) \\odot \\frac{\\partial L}{\\partial y} \\]\n";
    const auto first = [&](const std::string& before) { return tex("dims n; input x [n]", before + "\n" + lines); };
    for (const char* before :
         {"\\newcommand{\\f}{\\tanh}{\\renewcommand{\\f}{\\exp}}", "\\def\\f{\\tanh}\\begingroup\\def\\f{\\exp}\\endgroup",
          "\\let\\f\\tanh\\begin{remark}\\let\\f\\exp\\end{remark}", "{\\gdef\\f{\\tanh}}",
          "{{\\def\\f{\\exp}\\global\\def\\f{\\tanh}}}", "\\AtBeginDocument{\\newcommand{\\f}{\\tanh}}",
          "}\\def\\f{\\tanh}}{\\def\\f{\\exp}}"})
        EXPECT_EQ(first(before), "4 right") << before;
    EXPECT_EQ(first("\\def\\f{\\exp}{\\def\\f{\\tanh}}"), "4 wrong");
    EXPECT_EQ(first("{\\def\\f{\\tanh}}"), "3 not read, 4 not read");
}

TEST(LatexMeaning, WhatAConditionHidesIsPassedOver) {
    const std::string head = "\\[ y = 2 x \\]\n", right = "\\[ \\nabla_x L = 2 \\frac{\\partial L}{\\partial y} \\]\n",
                      wrong = "\\[ \\nabla_x L = 3 \\frac{\\partial L}{\\partial y} \\]\n";
    const auto judge = [&](const std::string& lines) { return verdicts(lines, {}, "a.tex"); };
    const std::string given = "% gradproof: dims n; input x [n]\n";
    for (const std::string& lines :
         {"\\iffalse" + wrong + "\\fi " + right, "\\if0" + wrong + "\\fi " + right, "\\if 0 " + wrong + "\\fi " + right,
          "\\iffalse\\iftrue" + wrong + "\\else\\fi" + wrong + "\\else" + right + "\\fi",
          "\\iftrue" + right + "\\else" + wrong + "\\fi", "\\if11" + right + "\\else" + wrong + "\\fi",
          "\\iffalse \\iff " + wrong + "\\fi" + right, right + "\\iffalse" + wrong})
        EXPECT_EQ(judge(given + head + lines), "right") << lines;
    EXPECT_EQ(judge(given + head + "\\[ \\nabla_x L = 2 \\iffalse + 1 \\fi \\frac{\\partial L}{\\partial y} \\]"), "right");
    EXPECT_EQ(judge(given + head + "\\if00" + wrong + "\\fi"), "wrong");
}

TEST(LatexMeaning, APercentSignInAnAddressBeginsNoComment) {
    const std::string behind =
        " let $x \\in \\mathbb{R}^d$, $L = \\sum_i x_i^2$, \\[ \\frac{\\partial L}{\\partial x} = 2 x. \\]";
    for (const char* address : {"\\url{https://a.b/c%20d}", "\\href{https://a.b/%7Ec}{notes}", "\\path{a%b}", "\\nolinkurl{%}"})
        EXPECT_EQ(of_tex(std::string(address) + behind), "1 right") << address;
    EXPECT_EQ(of_tex("\\url{https://a.b/}%" + behind + "\n" + behind), "2 right");
}

TEST(LatexMeaning, AnIndexOfASumWithinASumOfTheSameLetterIsAnotherOne) {
    const std::string given = "Let $z, a \\in \\mathbb{R}^K$, $p = \\mathrm{softmax}(z)$.\n";
    const std::string mean = "\\[ L = \\sum_k a_k \\frac{e^{z_k}}{\\sum_k e^{z_k}}, \\quad \\frac{\\partial L}{\\partial z_k} = ";
    EXPECT_EQ(of_tex(given + mean + "p_k (a_k - L) \\]"), "2 right");
    EXPECT_EQ(of_tex(given + mean + "p_k a_k - L \\]"), "2 wrong");
    const std::string sums = "\\[ L = \\sum_k z_k \\sum_k a_k, \\quad \\frac{\\partial L}{\\partial z_k} = ";
    EXPECT_EQ(of_tex(given + sums + "\\sum_k a_k \\]"), "2 right");
    EXPECT_EQ(of_tex(given + sums + "a_k \\]"), "2 wrong");
}

TEST(LatexMeaning, TheLossMayStandBeforeOtherValues) {
    const std::string squares = "\\[ L = \\sum_i x_i^2 \\]\n", exponentials = "\\[ p_i = e^{x_i} \\]\n";
    const std::string right = "\\[ \\frac{\\partial L}{\\partial x_i} = 2 x_i \\]\n",
                      through_p = "\\[ \\frac{\\partial L}{\\partial x_i} = \\frac{\\partial L}{\\partial p_i} p_i \\]\n";
    EXPECT_EQ(tex("dims N; input x [N]", squares + exponentials + right + through_p), "4 right, 5 wrong");
    EXPECT_EQ(tex("dims N; input x [N]; loss L", squares + right + exponentials + through_p), "3 right, 5 wrong");
    const std::string given = "dims n\ninput x [n]\nforward\n";
    EXPECT_EQ(verdicts(given + "loss L = sum(x ⊙ x)\n  p = exp(x)\nclaim\n  dL/dx = 2 x\n  dL/dx = dL/dp ⊙ p\n"), "right, wrong");
    // What is computed from it is another value with derivatives of its own.
    EXPECT_EQ(verdicts(given + "loss L = sum(x ⊙ x)\n  u = 2 L\nclaim\n  ∂L/∂x = 2 x\n  ∂u/∂x = 4 x\n  ∂u/∂x = 2 x\n"),
              "right, right, wrong");
}

TEST(LatexMeaning, WhatAFormulaDefinesBehindItsUseGoesFirst) {
    const std::string where =
        "\\begin{align} L &= -\\sum_i t_i \\log p_i, \\quad \\text{where} \\quad p_i = \\frac{e^{z_i}}{\\sum_j e^{z_j}} \\\\\n";
    const std::string given = "dims N; input z [N]; const t [N] ~ onehot";
    EXPECT_EQ(tex(given, where + "\\frac{\\partial L}{\\partial z_i} &= p_i - t_i \\end{align}\n"), "3 right");
    EXPECT_EQ(tex(given, where + "\\frac{\\partial L}{\\partial z_i} &= t_i - p_i \\end{align}\n"), "3 wrong");
    // a needs b and b needs a
    EXPECT_EQ(tex("dims N; input z [N]", "\\[ a = z + b \\qquad b = z + a \\]\n"), "2 not read, 2 not read");
}

TEST(LatexMeaning, ScriptsNeedNoBraces) {
    for (const std::string name : {"x_\\mathrm{ref}", "x_\\mathbf r", "\\mu_\\mathcal{B}", "x_\\hat{a}", "\\theta^\\mathrm{old}"})
        EXPECT_EQ(tex("dims n; input y [n]",
                      "\\[ " + name + " = 2 y \\] \\[ z = 3 " + name + " \\]\n\\[ \\nabla_y L = 6 \\nabla_z L \\]\n"),
                  "3 right")
            << name;
}

TEST(LatexMeaning, RepairsCountAsTheFileDoes) {
    const std::string given = "% gradproof: dims n; input x [n]\n";
    const auto line = [&](const std::string& forward, const std::string& claim) {
        return check_file("a.tex",
                          given + "\\[ L = " + forward + " \\]\n\\[ \\frac{\\partial L}{\\partial x_i} = " + claim + " \\]\n")
            .proofs.at(0)
            .lines.at(0);
    };
    EXPECT_EQ(line("\\sum_i i x_i", "2 i").diagnosis->repair, "i");
    EXPECT_EQ(line("\\sum_i i x_i", "i").verdict, Verdict::right);
    EXPECT_EQ(line("\\sum_i (-1)^i x_i", "-2 (-1)^i").diagnosis->repair, "(-1)^{i}");
    EXPECT_EQ(line("\\sum_i (-1)^i x_i", "\\sin(x_i) + 0.3").derived, "");
}

TEST(LatexMeaning, GradientsOfExpressionsAreNoProducts) {
    const std::string given = "dims n; input x [n]", loss = "\\[ L = \\sum_i x_i^2 \\]\n";
    const auto claim = [&](const std::string& text) { return tex(given, loss + "\\[ " + text + " \\]\n"); };
    for (const char* wrong : {"\\nabla_x \\log L = 2 x \\log L", "\\nabla_x L^2 = 4 x^2", "\\nabla_x \\|x\\|^2 = 2 x \\|x\\|^2",
                              "\\nabla_x x^\\top x = 2 x x^\\top x", "\\nabla_x \\sum_i x_i^3 = 2x\\sum_i x_i^3",
                              "\\nabla_x \\sqrt L = 2x\\sqrt L", "\\partial_x \\log L = 2x \\log L", "\\nabla_x 3 L = 6 x L"})
        EXPECT_NE(claim(wrong), "3 right") << wrong;
    EXPECT_EQ(claim("\\nabla_x \\|x\\|^2 = 2 x"), "3 right");
    EXPECT_EQ(claim("\\nabla_x x^\\top x = 2 x"), "3 right");
    EXPECT_EQ(claim("\\nabla_x \\sum_i x_i^3 = 3 x^2"), "3 right");
    EXPECT_EQ(claim("\\nabla_x L = 2 x"), "3 right");
    for (const char* point : {"\\frac{\\partial L}{\\partial x}(x) = 2 x", "\\frac{\\partial L}{\\partial x}(2) = 4 x"})
        EXPECT_EQ(claim(point), "3 not read") << point;
}

TEST(LatexMeaning, PowersOfMatricesHaveEntriesOfTheWhole) {
    const auto square = [](const std::string& forward, const std::string& claim) {
        return tex("dims n; input A [n,n], x [n]", "\\[ " + forward + " \\]\n\\[ " + claim + " \\]\n");
    };
    EXPECT_EQ(square("L = x^\\top A^{-2} x", "\\frac{\\partial L}{\\partial A_{ij}} = -2 x_i x_j A_{ij}^{-3}"), "3 cannot tell");
    EXPECT_EQ(square("L = x^\\top A^{0} x", "\\frac{\\partial L}{\\partial x_i} = 2 \\sum_j x_j"), "3 cannot tell");
    EXPECT_NE(square("L = \\sum_{i,j} A^{-1}_{ij}", "\\frac{\\partial L}{\\partial A_{ij}} = -\\frac{1}{A_{ij}^2}"), "3 right");
    EXPECT_EQ(
        square("y_i = \\sum_j A^2_{ij}", "\\frac{\\partial L}{\\partial A_{ij}} = 2 A_{ij} \\frac{\\partial L}{\\partial y_i}"),
        "3 cannot tell");
    EXPECT_EQ(square("L = \\det(A) \\begin{vmatrix} 1 & 2 \\\\ 3 & 4 \\end{vmatrix}", "\\nabla_x L = 0"),
              "2 not read, 3 not read");
}

TEST(LatexMeaning, WhatStandsBehindWordsIsNotLost) {
    const std::string given = "dims n; input x [n]", up = " \\odot \\frac{\\partial L}{\\partial y}";
    const auto with = [&](const std::string& forward, const std::string& claim) {
        return tex(given, "\\[ y = " + forward + " \\]\n\\[ \\frac{\\partial L}{\\partial x} = " + claim + " \\]\n");
    };
    EXPECT_EQ(with("x^2", "2 x" + up + " \\text{ (chain rule) }"), "3 right");
    EXPECT_EQ(with("x^2", "2 x" + up + " \\text{ (chain rule) } + x"), "3 not read");
    EXPECT_EQ(with("3 x \\text{ (elementwise) } + x^2", "3" + up), "2 not read, 3 not read");
    EXPECT_EQ(with("x^2", "2 x" + up + " \\ne x"), "3 not read");
}

TEST(LatexMeaning, AnArrowStatesWhatIsNew) {
    const std::string given = "dims m; input x [m]";
    const std::string batch =
        "\\newcommand{\\B}{\\mathcal{B}}\\[ \\mu_\\B \\gets \\frac{1}{m} \\sum_{i=1}^m x_i \\]\n\\[ y_i \\leftarrow x_i \\mu_\\B "
        "\\]\n";
    EXPECT_EQ(
        tex(given, batch + "\\[ \\frac{\\partial L}{\\partial \\mu_\\B} = \\sum_i \\frac{\\partial L}{\\partial y_i} x_i \\]\n"),
        "4 right");
    EXPECT_EQ(tex(given, batch + "\\[ \\frac{\\partial L}{\\partial \\mu_\\B} = \\frac{1}{m} \\sum_i \\frac{\\partial "
                                 "L}{\\partial y_i} x_i \\]\n"),
              "4 wrong");
    // A value that is changed is another one from there on.
    EXPECT_EQ(tex(given, "\\[ y = 2 x \\]\n\\[ x \\gets x - y \\]\n\\[ \\nabla_x L = 2 \\nabla_y L \\]\n"),
              "3 not read, 4 not read");
}

TEST(LatexMeaning, AccentsAndNamedLossesAreNames) {
    EXPECT_EQ(tex("dims n; input x_t [n], c_{t-1} [n]",
                  "\\[ \\tilde{g}_t = \\tanh(x_t) \\]\n\\[ c_t = \\tilde{g}_t \\odot c_{t-1} \\]\n"
                  "\\[ \\frac{\\partial L}{\\partial c_{t-1}} = \\frac{\\partial L}{\\partial c_t} \\odot \\tilde{g}_t \\]\n"),
              "4 right");
    EXPECT_EQ(tex("dims d; input \\theta [d]; const w [d], l [d]",
                  "\\[ \\mathcal{L}_\\text{DPO} = -\\log \\sigma(w^\\top \\theta - l^\\top \\theta) \\]\n"
                  "\\[ \\nabla_\\theta \\mathcal{L}_\\text{DPO} = -\\sigma(l^\\top \\theta - w^\\top\\theta) (w - l) \\]\n"),
              "3 right");
    EXPECT_NE(
        refusal_of("a.tex", "% gradproof: dims n d; input X [n, d]\n\\[ y = x_i \\]\n").find("if it is a row of X, write X_{i:}"),
        std::string::npos);
}

/// Each of these took minutes when what stands ahead was looked for at each token again.
TEST(LatexMeaning, FormulasOfManySeparatorsEnd) {
    const int kMany = testing::kSanitized ? 20000 : 200000;
    const std::string claim = "\\[ \\nabla_x L = 2 \\nabla_y L \\]\n";
    for (const std::string& rest :
         {times(kMany, ","), ", " + times(kMany / 2, "a,"), times(kMany / 2, ",") + times(kMany / 4, "x "),
          ", \\forall t " + times(kMany / 8, ",(") + times(kMany / 8, ")")})
        EXPECT_EQ(tex("dims n; input x [n]", "\\[ y = 2 x " + rest + " \\]\n" + claim), "3 right") << rest.substr(0, 20);
    const std::string row = "y " + times(kMany / 4, "& a ");
    EXPECT_EQ(tex("dims n; input x [n]", "\\[ y = 2 x \\]\n\\begin{align} " + row + "\\end{align}\n" + claim), "4 right");
}

TEST(LatexMeaning, NormsAreOfVectorsByWhatStandsLast) {
    const std::string loss = "\\[ L = \\|X w - y\\|_2 \\]\n";
    EXPECT_EQ(tex("dims n d; input X [n, d], w [d]; const y [n]",
                  loss + "\\[ \\nabla_w L = \\frac{X^\\top (X w - y)}{\\|X w - y\\|_2} \\]\n"
                         "\\[ \\nabla_w L = \\frac{X^\\top (X w - y)}{\\|X w - y\\|_2^2} \\]\n"),
              "3 right, 4 wrong");
    EXPECT_NE(refused_as("% gradproof: dims n d; input X [n, d]\n\\[ L = \\|X\\|_2 \\]\n", "a.tex").find("this norm of a matrix"),
              std::string::npos);
    EXPECT_EQ(
        tex("dims n d; input X [n, d], w [d]", "\\[ L = \\|X w\\|_1 \\]\n\\[ \\nabla_w L = X^\\top \\mathrm{sign}(X w) \\]\n"),
        "3 right");
}

TEST(LatexMeaning, ALogarithmOfBarsIsOfTheDeterminant) {
    EXPECT_EQ(tex("dims n; input y [n], A [n, n]",
                  "\\[ K = A A^\\top + I_n \\]\n\\[ L = \\frac12 y^\\top K^{-1} y + \\frac12 \\log |K| \\]\n"
                  "\\[ \\frac{\\partial L}{\\partial K} = \\frac12 K^{-1} - \\frac12 K^{-1} y y^\\top K^{-1} \\]\n"
                  "\\[ \\frac{\\partial L}{\\partial K} = K^{-1} - \\frac12 K^{-1} y y^\\top K^{-1} \\]\n"),
              "4 right, 5 wrong");
    EXPECT_EQ(
        tex("dims n; input x [n]", "\\[ L = \\sum_i \\log |x_i| \\]\n\\[ \\frac{\\partial L}{\\partial x_i} = 1 / x_i \\]\n"),
        "3 right");
}

TEST(LatexMeaning, TwoDigitsAreTwoIndicesOfAMatrix) {
    EXPECT_EQ(tex("dims n m; input A [n, m], x [m]",
                  "\\[ y = A x , \\quad L = \\|y\\|^2 \\]\n\\[ \\frac{\\partial L}{\\partial A_{12}} = 2 y_1 x_2 \\]\n"
                  "\\[ \\frac{\\partial L}{\\partial A_{12}} = 2 y_2 x_1 \\]\n"),
              "3 right, 4 wrong");
    EXPECT_EQ(tex("dims n=12; input x [n]",
                  "\\[ L = \\|x\\|^2 \\]\n\\[ \\frac{\\partial L}{\\partial x_{12}} = 2 x_{12} \\]\n"
                  "\\[ \\frac{\\partial L}{\\partial x_{12}} = 2 x_1 \\]\n"),
              "3 right, 4 wrong");
}

TEST(LatexMeaning, EqualIndicesBehindACommaSayWhere) {
    EXPECT_EQ(tex("dims n; input s [n]",
                  "\\[ p = \\mathrm{softmax}(s) \\]\n\\[ \\frac{\\partial p_i}{\\partial s_j} = p_i (1 - p_i), \\quad i = j \\]\n"
                  "\\[ \\frac{\\partial p_i}{\\partial s_j} = p_i (1 - p_i) \\]\n"
                  "\\[ \\frac{\\partial p_i}{\\partial s_j} = p_i, \\quad i = j. \\]\n"),
              "3 right, 4 wrong, 5 wrong");
    // Of values it is an equation.
    EXPECT_EQ(tex("dims n; input a [n]", "\\[ y = 2 a, \\quad b = y \\]\n\\[ L = \\sum_i b_i \\]\n\\[ \\nabla_a L = 2 \\]\n"),
              "4 right");
}

TEST(LatexMeaning, FurtherNamesAndSigns) {
    EXPECT_EQ(tex("dims n; input v^+, v^-, u [n]",
                  "\\[ \\ell = -\\log \\sigma(u^\\top v^+) - \\log \\sigma(-u^\\top v^-) \\]\n"
                  "\\[ \\nabla_{v^+} \\ell = -(1 - \\sigma(u^\\top v^+)) u \\]\n\\[ \\nabla_{v^-} \\ell = -\\sigma(u^\\top v^-) "
                  "u \\]\n"),
              "3 right, 4 wrong");
    EXPECT_EQ(
        tex("dims n; input x [n]", "\\[ L(x) := \\sum_i x_i^2 =: f \\]\n\\[ \\nabla_x L = 2 x \\]\n\\[ \\nabla_x L = x \\]\n"),
        "3 right, 4 wrong");
}

/// u v^T of the notation is a number: a wrong line is explained as the matrix that its author means.
TEST(LatexMeaning, AWrongLineIsExplainedInTheReadingThatFits) {
    const LineReport l = lines_of(
                             "dims n d\ninput W [n, d], x [d], b [n]\nforward\n  z = W x + b\n  y = tanh(z)\nclaim\n"
                             "  ∂L/∂W = ∂L/∂y x^T\n")
                             .at(0);
    EXPECT_EQ(l.verdict, Verdict::wrong);
    EXPECT_EQ(l.read_as, "read with vectors as columns: outer(∂L/∂y,x)");
    ASSERT_TRUE(l.diagnosis.has_value());
    EXPECT_EQ(l.diagnosis->mistake, Mistake::missing_chain_factor) << l.diagnosis->text;
    EXPECT_TRUE(l.worst.has_value());
}

}  // namespace
}  // namespace gradproof::proof
