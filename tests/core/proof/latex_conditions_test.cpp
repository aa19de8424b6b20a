// When a line holds, as sentences say it: before and behind a formula, of entries and of values.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

using Told = std::vector<std::string>;

/// y is x above -1 and -1 below, in line 1.
const std::string kClipped = "Let $x \\in \\mathbb{R}^n$, $y_i = \\max(-1, x_i)$ and $L = \\sum_i y_i^2$.\n";
const std::string kSlope = "\\frac{\\partial L}{\\partial x_i}";
std::string slope_in_display(const std::string& value) { return "\\[ " + kSlope + " = " + value + ". \\]\n"; }
std::string slope_in_line(const std::string& value) { return "$" + kSlope + " = " + value + "$"; }

TEST(LatexConditions, BeforeAFormulaTheySayWhereItHolds) {
    for (const char* lead :
         {"For $x_i > -1$ we have\n", "If $-1 < x_i < 1$, then\n", "When $x_i > -1$ and $x_i < 5$,\n", "For $|x_i| < 1$,\n",
          "If $x_i \\in (-1, 3)$, then\n", "If $x_i \\notin (-\\infty, -1]$, then\n", "In the case $x_i > -1$ we find\n",
          "For every $i$ such that $x_i > -1$,\n", "For $i$ with $x_i > -1$,\n", "Unless $x_i \\le -1$,\n",
          "If $x_i > 1$ or $|x_i| < 1$, then\n", "For $x_i > 1$ and for $|x_i| < 1$,\n", "For $i < n$, if $x_i > -1$, then\n",
          "In the case of $x_i > -1$,\n", "For $-1 < x_i$ the output is $y_i = x_i$, so that\n"}) {
        EXPECT_EQ(of_tex(kClipped + lead + slope_in_display("2 x_i")), "3 right") << lead;
        EXPECT_EQ(of_tex(kClipped + lead + slope_in_display("3 x_i")), "3 wrong") << lead;
        EXPECT_EQ(of_tex(kClipped + lead + slope_in_line("2 x_i") + ".\n"), "3 right") << lead;
        EXPECT_EQ(of_tex(kClipped + lead + slope_in_line("-2 x_i") + ".\n"), "3 wrong") << lead;
    }
}

TEST(LatexConditions, OthersLeaveItToHoldEverywhere) {
    for (const char* lead :
         {"Even for $x_i > -1$ we have\n", "Not only for $x_i > -1$ do we have\n", "For $x_i > -1$ this is known. Now\n",
          "For $x_i > -1$ it is smooth, and in general\n", "For $x_i > -2$ we have\n", "If $x_i > -1$ or $x_i < 0$, then\n",
          "For $x_i > 0$ as well as for $x_i < 0$,\n"})
        EXPECT_EQ(of_tex(kClipped + lead + slope_in_display("2 x_i")), "3 wrong") << lead;
}

TEST(LatexConditions, BehindAFormulaTheyAreSaidOfIt) {
    for (const char* behind :
         {" for $x_i > -1$", ", if $-1 < x_i < 2$", " whenever $x_i > 1$ or $|x_i| < 1$", " unless $x_i \\le -1$"}) {
        EXPECT_EQ(of_tex(kClipped + "Then " + slope_in_line("2 x_i") + behind + ".\n"), "2 right") << behind;
        EXPECT_EQ(of_tex(kClipped + "Then " + slope_in_line("x_i") + behind + ".\n"), "2 wrong") << behind;
        EXPECT_EQ(of_tex(kClipped + "Then\n" + "\\[ " + kSlope + " = 2 x_i \\]\n" + behind + ".\n"), "3 right") << behind;
        EXPECT_EQ(of_tex(kClipped + "Then\n" + "\\[ " + kSlope + " = x_i \\]\n" + behind + ".\n"), "3 wrong") << behind;
    }
    EXPECT_EQ(of_tex(kClipped + "Then " + slope_in_line("2 x_i") + " also for $x_i > -1$.\n"), "2 wrong");
}

TEST(LatexConditions, EachIsSaidOfTheClaimBesideIt) {
    EXPECT_EQ(of_tex(kClipped + slope_in_line("2 x_i") + " for $x_i > -1$, and " + slope_in_line("0") + " for $x_i < -1$.\n"),
              "2 right, 2 right");
    EXPECT_EQ(of_tex(kClipped + "If $x_i > -1$, then " + slope_in_line("2 x_i") + "; if $x_i < -1$, then " + slope_in_line("0") +
                     ".\n"),
              "2 right, 2 right");
    EXPECT_EQ(of_tex(kClipped + "We have " + slope_in_line("2 x_i") + ", for $x_i < -1$ we have " + slope_in_line("0") + ".\n"),
              "2 wrong, 2 right");
    EXPECT_EQ(of_tex(kClipped + slope_in_display("2 x_i") + "For $x_i < -1$ we find\n" + slope_in_display("0")),
              "2 wrong, 4 right");
    EXPECT_EQ(of_tex(kClipped + "\\[ " + kSlope + " = 2 x_i \\]\nfor $x_i > -1$. Hence\n" + slope_in_display("2 x_i")),
              "2 right, 4 wrong");
}

TEST(LatexConditions, OtherwiseIsWhereNoneOfThemHolds) {
    const std::string two =
        "If $x_i > 0$, then " + slope_in_line("2 x_i") + ". If $-1 < x_i < 0$, then " + slope_in_line("2 x_i") + ". Otherwise ";
    EXPECT_EQ(of_tex(kClipped + two + slope_in_line("0") + ".\n"), "2 right, 2 right, 2 right");
    EXPECT_EQ(of_tex(kClipped + two + slope_in_line("2 x_i") + ".\n"), "2 right, 2 right, 2 wrong");
    EXPECT_EQ(of_tex(kClipped + "For $x_i > 0$ we have\n" + slope_in_display("2 x_i") + "Otherwise, the gradient vanishes:\n" +
                     slope_in_display("0")),
              "3 right, 5 wrong");
    EXPECT_EQ(of_tex(kClipped + "Otherwise\n" + slope_in_display("0")), "3 not read") << "than what?";
    for (const auto& [other, verdict] : {std::pair("$0$", "2 right"), {"$2$", "2 wrong"}, {"zero", "2 right"}})
        EXPECT_EQ(of_tex(kClipped + "We have " + slope_in_line("2 x_i") + " if $x_i > -1$ and " + other + " otherwise.\n"),
                  verdict)
            << other;
}

TEST(LatexConditions, TheReportSaysWhere) {
    const std::string text = kClipped + "For $x_i > 1$ or $|x_i| < 1$,\n" + slope_in_display("2 x_i");
    EXPECT_EQ(lines_of(text, {}, "a.tex").at(0).read_as, "where x_i > 1 or |x_i| < 1");
}

TEST(LatexConditions, WhatIsReadIsNotPassedOver) {
    EXPECT_EQ(passed_because("a.tex", kClipped + "For $-1 < x_i < 1$ we have\n" + slope_in_display("2 x_i")), Told{});
    EXPECT_EQ(passed_because("a.tex", kClipped + "Then " + slope_in_line("2 x_i") + " if $x_i > -1$ and $0$ otherwise.\n"),
              Told{});
}

TEST(LatexConditions, InFormulasTheyHaveTheSameGrammar) {
    const std::string sum = "Let $x \\in \\mathbb{R}^n$ and $L = \\sum_{i=1}^{n-1} (x_{i+1} - x_i)^2$.\n";
    const std::string inner = "2(x_i - x_{i-1}) - 2(x_{i+1} - x_i)";
    for (const char* where : {"1 < i < n", "i \\ne 1 \\text{ and } i \\ne n", "i \\notin \\{1, n\\}", "i \\ne 1 \\land i < n"})
        EXPECT_EQ(of_tex(sum + slope_in_display(inner + ", \\quad " + where)), "2 right") << where;
    const auto cases = [&](const std::string& last) {
        return sum + slope_in_display("\\begin{cases} -2 (x_2 - x_1) & i \\in \\{1\\} \\\\ 2 (x_n - x_{n-1}) & i = n \\\\ " +
                                      inner + " & " + last + " \\end{cases}");
    };
    EXPECT_EQ(of_tex(cases("i \\in \\{2, \\dots, n - 1\\}")), "2 right");
    EXPECT_EQ(of_tex(cases("i \\in \\{3, \\dots, n - 1\\}")), "2 wrong");
    EXPECT_EQ(of_tex(kClipped + slope_in_display("2 |x_i| \\quad \\text{if } x_i > -1 \\text{ and } x_i < 1")), "2 wrong");
    EXPECT_EQ(of_tex(kClipped + slope_in_display("2 x_i \\quad \\text{for } -1 < x_i < 1")), "2 right");
    EXPECT_EQ(of_tex(kClipped + slope_in_display("0 \\quad \\text{if } x_i \\in \\{1, 2\\} \\text{ or } x_i < -1")), "2 right");
    EXPECT_EQ(of_tex(kClipped + slope_in_display("0 \\quad \\text{if } x_i \\in \\mathcal{A}")), "2 not read");
}

TEST(LatexConditions, ValuesByCasesWithinASentence) {
    const std::string by_cases =
        "Let $S \\in \\mathbb{R}^{n \\times n}$ and $P_{ij} = S_{ij}$ for $j \\le i$ and $0$ for $j > i$. "
        "Let $L = \\sum_{i,j} P_{ij}^2$.\n\\[ \\frac{\\partial L}{\\partial S_{ij}} = ";
    EXPECT_EQ(of_tex(by_cases + "2 P_{ij}. \\]\n"), "2 right");
    EXPECT_EQ(of_tex(by_cases + "2 S_{ij}. \\]\n"), "2 wrong");
    const auto value = [](const std::string& where) {
        return "Let $x \\in \\mathbb{R}^n$. Let $y_i = x_i$ if " + where + " and $y_i = 0$ otherwise. Let $L = \\sum_i y_i^2$.\n";
    };
    for (const char* where : {"$-1 < x_i < 1$", "$|x_i| < 1$", "$x_i \\in (-1, 1)$"}) {
        EXPECT_EQ(of_tex(value(where) + slope_in_display("2 y_i")), "2 right") << where;
        EXPECT_EQ(of_tex(value(where) + slope_in_display("2 x_i")), "2 wrong") << where;
    }
}

TEST(LatexConditions, WhereEntriesLieIsSaidOfAllOfThem) {
    const std::string loss = " and $L = \\sum_i y_i x_i^2$.\n";
    for (const char* labels : {"$y_i \\in \\{0, 1\\}$", "$y \\in \\mathbb{R}^n$ with $y_i \\in \\{0, 1\\}$"}) {
        const std::string text = "Let $x \\in \\mathbb{R}^n$, " + std::string(labels) + loss;
        EXPECT_EQ(of_tex(text + slope_in_display("2 y_i x_i")), "2 right") << labels;
        EXPECT_EQ(of_tex(text + "If $y_i = 1$,\n" + slope_in_display("2 x_i")), "3 right") << labels;
        EXPECT_EQ(of_tex(text + "If $y_i = 0$,\n" + slope_in_display("2 x_i")), "3 wrong") << labels;
    }
    const std::string behind =
        "Let $z \\in \\mathbb{R}^n$. Let\n\\[ L = \\sum_i y_i z_i^2, \\]\nwhere $y_i \\in \\{0, 1\\}$ is a label. Then\n";
    EXPECT_EQ(of_tex(behind + "\\[ \\frac{\\partial L}{\\partial z_i} = 2 y_i^2 z_i. \\]\n"), "4 right");
    const std::string logs = "Let $x \\in \\mathbb{R}^n$ with $x_i \\in (0, 1)$ and $L = \\sum_i \\log x_i$.\n";
    EXPECT_EQ(of_tex(logs + slope_in_display("1 / |x_i|")), "2 right");
}

const std::string kRelu = "Let $x, a \\in \\mathbb{R}^n$ and $L = \\sum_i a_i \\max(0, x_i)$.\n";
std::string relu_by_x(const std::string& value, const std::string& stop = "") {
    return "\\[ \\frac{\\partial L}{\\partial x_i} = " + value + stop + " \\]\n";
}
std::string relu_by_a(const std::string& value, const std::string& stop = "") {
    return "\\[ \\frac{\\partial L}{\\partial a_i} = " + value + stop + " \\]\n";
}

TEST(LatexConditions, AreNoStatementsOnWhatTheyName) {
    for (const char* lead :
         {"For every $i$ with $x_i > 0$ we have\n", "For any $i$ such that $x_i > 0$,\n", "For every unit with $x_i > 0$,\n",
          "For all $i$ where $x_i > 0$,\n", "For every $i$ with $x_i \\in (0, 1)$,\n", "For active units ($x_i > 0$),\n"}) {
        EXPECT_EQ(of_tex(kRelu + lead + relu_by_x("a_i") + "Moreover,\n" + relu_by_a("x_i")), "3 right, 5 wrong") << lead;
        EXPECT_EQ(of_tex(kRelu + lead + relu_by_x("a_i") + "Moreover,\n" + relu_by_a("\\max(0, x_i)")), "3 right, 5 right")
            << lead;
    }
    const std::string behind = "\\[ \\frac{\\partial L}{\\partial x_i} = a_i \\]\nfor every $i$ with $x_i > 0$. Moreover,\n";
    EXPECT_EQ(of_tex(kRelu + behind + relu_by_a("x_i")), "2 right, 4 wrong");
    const std::string first = "Let $x \\in \\mathbb{R}^n$ with $x_1 > 0$, and let $L = \\sum_i |x_i|$.\n";
    EXPECT_EQ(of_tex(first + "\\[ \\frac{\\partial L}{\\partial x_2} = 1 \\]\n"), "2 cannot tell") << "of another entry";
    const std::string usual = "Let $z \\in \\mathbb{R}^n$. Usually, $y_i \\in \\{0, 1\\}$. Let $L = \\sum_i y_i z_i^2$.\n";
    EXPECT_EQ(of_tex(usual + "\\[ \\frac{\\partial L}{\\partial z_i} = 2 y_i^2 z_i \\]\n"), "2 wrong");
}

TEST(LatexConditions, OneThatOpensTheNextClaimIsOfThat) {
    EXPECT_EQ(of_tex(kRelu + "If $a_i > 0$,\n" + relu_by_x("a_i", ",") + "if $x_i > 0$,\n" + relu_by_a("x_i", ".")),
              "3 wrong, 5 right");
    EXPECT_EQ(of_tex(kRelu + "If $x_i > 0$,\n" + relu_by_x("a_i", ",") + "if $x_i < 0$,\n" + relu_by_x("0", ".")),
              "3 right, 5 right");
    EXPECT_EQ(of_tex(kRelu + relu_by_x("a_i", ",") + "if $x_i > 0$, and\n" + relu_by_x("0", ",") + "if $x_i < 0$.\n"),
              "2 right, 4 right");
    EXPECT_EQ(of_tex(kRelu + relu_by_x("a_i", ",") + "for $x_i > 0$ also\n" + relu_by_a("x_i", ".")), "2 wrong, 4 right");
    EXPECT_EQ(of_tex(kRelu + "We have\n" + relu_by_x("a_i", ";") + "if $x_i > 0$,\n" + relu_by_a("x_i", ".")),
              "3 not read, 5 not read")
        << "it may be of either";
    EXPECT_EQ(of_tex(kRelu + "If $x_i > 1$,\n" + relu_by_x("a_i", ",") + "if $x_i < 0$,\n" + relu_by_x("0", ",") +
                     "and otherwise\n" + relu_by_x("a_i", ".")),
              "3 right, 5 right, 7 right");
}

TEST(LatexConditions, OneWithinAnotherHoldsBesideIt) {
    const std::string loss = "Let $d > 0$, $m > 0$ and $y \\in \\{0, 1\\}$, and let $L = y d^2 + (1 - y) \\max(0, m - d)^2$.\n";
    const auto slope = [](const std::string& value) { return "\\[ \\frac{\\partial L}{\\partial d} = " + value + " \\]\n"; };
    EXPECT_EQ(of_tex(loss + "If $y = 0$, there are two cases: if $d < m$,\n" + slope("-2 (m - d),")), "3 right");
    EXPECT_EQ(of_tex(loss + "If $y = 0$, there are two cases: if $d < m$,\n" + slope("-2 (m - d),") + "and if $d > m$,\n" +
                     slope("0.")),
              "3 right, 5 not read");
    EXPECT_EQ(of_tex(loss + "For $d < m$ we have\n" + slope("-2 (m - d).")), "3 wrong") << "not for y = 1, however it is drawn";
    EXPECT_EQ(of_tex(loss + "For $d < m$ and $y = 0$ we have\n" + slope("-2 (m - d).")), "3 right");
    const std::string hinge = "Let $s \\in \\mathbb{R}$ and $y \\in \\{-1, 1\\}$, and let $L = \\max(0, 1 - y s)$.\n";
    EXPECT_EQ(of_tex(hinge + "If $s > -1$, then\n\\[ \\frac{\\partial L}{\\partial s} = -y. \\]\n"), "3 wrong");
}

TEST(LatexConditions, CasesInManyWords) {
    for (const char* lead : {"Case 1: $x_i > 0$. Here\n", "Consider the case $x_i > 0$. Then\n",
                             "For active units, i.e.\\ $x_i > 0$,\n", "Provided that $x_i > 0$,\n", "As long as $x_i > 0$,\n",
                             "In case $x_i > 0$,\n", "Wherever $x_i > 0$ we have\n", "\\begin{itemize}\n\\item $x_i > 0$:\n"}) {
        const std::size_t line = 2 + static_cast<std::size_t>(std::ranges::count(std::string(lead), '\n'));
        EXPECT_EQ(of_tex(kRelu + lead + relu_by_x("a_i.")), std::to_string(line) + " right") << lead;
        EXPECT_EQ(of_tex(kRelu + lead + relu_by_x("2 a_i.")), std::to_string(line) + " wrong") << lead;
    }
    for (const char* lead :
         {"For positive $x_i$,\n", "If $x_i$ is positive, then\n", "On the diagonal we have\n", "If $i$ is the true class,\n"})
        EXPECT_EQ(of_tex(kRelu + lead + relu_by_x("a_i.")), "3 not read") << lead;
    for (const char* behind : {"provided $x_i > 0$", "provided that $x_i > 0$", "as long as $x_i > 0$", "in the case $x_i > 0$"})
        EXPECT_EQ(of_tex(kRelu + relu_by_x("a_i") + behind + ".\n"), "2 right") << behind;
}

/// What W x_i is, where nothing says what x_i is.
TEST(LatexConditions, NameTheItemsOfADescription) {
    const auto items = [](const std::string& first, const std::string& second) {
        return kClipped + "\\begin{description}\n\\item[$x_i > -1$]\n" + slope_in_display(first) + "\\item[$x_i \\le -1$]\n" +
               slope_in_display(second) + "\\end{description}\n";
    };
    EXPECT_EQ(of_tex(items("2 x_i", "0")), "4 right, 6 right");
    EXPECT_EQ(of_tex(items("2 x_i", "2 x_i")), "4 right, 6 wrong");
    EXPECT_EQ(of_tex(items("0", "0")), "4 wrong, 6 right");
}

TEST(LatexConditions, BehindAMatrixStandsAVector) {
    const std::string loss = "Let $W \\in \\mathbb{R}^{m \\times d}$ and $L = \\frac12 \\sum_{i=1}^n \\|W x_i - y_i\\|^2$.\n";
    EXPECT_EQ(of_tex(loss + "\\[ \\frac{\\partial L}{\\partial W} = \\sum_i (W x_i - y_i) x_i^\\top \\]\n"), "2 right");
    EXPECT_EQ(of_tex(loss + "\\[ \\frac{\\partial L}{\\partial W} = \\sum_i (W x_i - y_i) x_i \\]\n"), "2 wrong");
}

TEST(LatexConditions, BehindOtherwiseADefinitionGoesOn) {
    EXPECT_EQ(
        of_tex("Let $x \\in \\mathbb{R}^n$, $y_i = x_i$ if $-1 < x_i < 1$ and $y_i = 0$ otherwise, and $L = \\sum_i y_i^2$.\n" +
               slope_in_display("2 y_i")),
        "2 right");
}

TEST(LatexConditions, WhatIsSaidOfEntriesIsSaidOfAnArrayThatStandsWithoutAnIndex) {
    const std::string dropout =
        "Let $x \\in \\mathbb{R}^n$, $m_i \\in \\{0, 1\\}$, $h = m \\odot x / q$ and $L = \\frac12 \\|h\\|^2$.\n";
    EXPECT_EQ(of_tex(dropout + "\\[ \\nabla_x L = m \\odot x / q^2 \\]\n"), "2 right");
    EXPECT_EQ(of_tex(dropout + "\\[ \\nabla_x L = m \\odot x / q \\]\n"), "2 wrong");
}

TEST(LatexConditions, ASequenceStartsFromItsFirst) {
    const std::string network =
        "The network\n\\[ h_t = \\tanh(W x_t + U h_{t-1}), \\qquad t = 1, \\dots, T, \\]\nstarts from $h_0 = 0$. "
        "With $\\delta_t = (1 - h_t^2) \\odot \\frac{\\partial L}{\\partial h_t}$ we have\n";
    EXPECT_EQ(of_tex(network + "\\[ \\frac{\\partial L}{\\partial U} = \\sum_{t=2}^T \\delta_t h_{t-1}^\\top. \\]\n"), "4 right");
}

TEST(LatexConditions, AllIndicesAreMoreThanThoseThatHaveNeighbours) {
    const std::string sum = "Let $x \\in \\mathbb{R}^n$ and $L = \\frac12 \\sum_{i=1}^{n-1} (x_{i+1} - x_i)^2$.\n";
    const std::string claim = "\\[ \\frac{\\partial L}{\\partial x_i} = 2 x_i - x_{i-1} - x_{i+1}. \\]\n";
    EXPECT_EQ(passed_because("a.tex", sum + "For all $i$,\n" + claim), Told{"a range with indices beyond the ends"});
    EXPECT_EQ(passed_because("a.tex", sum + "For $1 < i < n$,\n" + claim), Told{});
}

/// What is assumed above does not reach a claim that is said of any.
TEST(LatexConditions, WhatIsSaidInGeneralIsNotJudgedUnderAnAssumption) {
    const std::string quadratic =
        "Let $A \\in \\mathbb{R}^{n \\times n}$ be symmetric, $x \\in \\mathbb{R}^n$ and $f = x^\\top A x$. Then\n"
        "\\[ \\nabla_x f = 2 A x. \\]\n";
    for (const char* lead : {"For general $A$,\n", "In general,\n", "For every $A$ we have\n", "For any matrix $A$,\n"})
        EXPECT_EQ(of_tex(quadratic + lead + "\\[ \\nabla_x f = 2 A x. \\]\n"), "2 right, 4 not read") << lead;
    const std::string cosine = "Let $w, g \\in \\mathbb{R}^n$ and $L = g^\\top w / \\|w\\|$. For every $w$ with $\\|w\\| = 1$,\n";
    EXPECT_EQ(of_tex(cosine + "\\[ \\nabla_w L = g - w w^\\top g. \\]\n"), "2 right");
    EXPECT_EQ(of_tex(quadratic + "For every $x$,\n\\[ \\nabla_x f = 2 A x. \\]\n"), "2 right, 4 right");
    const std::string absolute =
        "Let $x \\in \\mathbb{R}^n$ with $x_i > 0$, and $f = \\sum_i |x_i|$. Then\n\\[ \\nabla_x f = \\mathbf{1}. \\]\n";
    EXPECT_EQ(of_tex(absolute + "For general $x$,\n\\[ \\nabla_x f = \\mathbf{1}. \\]\n"), "2 right, 4 not read");
    for (const char* lead : {"For $x_i > 0$, and thus for every $i$,\n", "For every $i$, in particular for $x_i > 0$,\n"})
        EXPECT_NE(of_tex(kRelu + lead + relu_by_x("a_i.")), "3 right") << lead;
    EXPECT_EQ(of_tex(kRelu + "We have\n" + relu_by_x("a_i,") + "in particular for $x_i > 0$.\n"), "3 wrong");
}

TEST(LatexConditions, TheConditionOfADefinitionSaysNothingOfItsInput) {
    EXPECT_EQ(of_tex("The ReLU is $f(x) = x$ if $x > 0$ and $f(x) = 0$ otherwise. Its derivative is\n\\[ f'(x) = 1. \\]\n"),
              "2 wrong");
}

TEST(LatexConditions, EntriesCountAsTheRowsBesideThem) {
    EXPECT_EQ(of_tex("Let $x_1, \\dots, x_n \\in \\mathbb{R}^d$, $w \\in \\mathbb{R}^d$, $y_i \\in \\{-1, 1\\}$ and $L = \\sum_i "
                     "\\log(1 + "
                     "e^{-y_i w^\\top x_i})$. Then\n\\[ \\nabla_w L = -\\sum_i y_i \\sigma(-y_i w^\\top x_i) x_i. \\]\n"),
              "2 right");
}

TEST(LatexConditions, WordsOfCasesAreReadWithTheirConditions) {
    const std::string given = "Let $x \\in \\mathbb{R}^n$ and $L = \\sum_i \\max(x_i, 0)$.\n";
    const std::string then = "$\\partial L/\\partial x_i = ";
    for (const char* lead : {"In the case of $x_i > 0$, ", "Case 1: $x_i > 0$. Then ", "Consider the case $x_i > 0$. Then ",
                             "In the region of $x_i > 0$, ", "In the regime $x_i > 0$, "}) {
        EXPECT_EQ(of_tex(given + lead + then + "1$."), "2 right") << lead;
        EXPECT_EQ(passed_because("a.tex", given + lead + then + "1$."), std::vector<std::string>{}) << lead;
        EXPECT_EQ(of_tex(given + lead + then + "0$."), "2 wrong") << lead;
    }
    EXPECT_EQ(passed_because("a.tex", given + "In our case, decay is used. For $x_i > 0$, " + then + "1$.").size(), 1U);
}

TEST(LatexConditions, ADefinitionUnderAConditionIsNotRead) {
    const std::string payoff = "Let $S, K > 0$. \\[ C = S - K",
                      claim = "\\] Then \\[ \\frac{\\partial C}{\\partial S} = 1 . \\]\n";
    EXPECT_EQ(of_tex(payoff + claim), "1 right");
    for (const char* condition : {"\\quad \\text{if } S > K . ", ", \\quad S > K, "})
        EXPECT_EQ(of_tex(payoff + condition + claim), "1 not read, 1 not read") << condition;
    // What is drawn so is no condition.
    EXPECT_EQ(of_tex("\\[ f(x) = \\log x, \\quad x > 0, \\] \\[ f'(x) = 1/x. \\]\n"), "1 right");
}

}  // namespace
}  // namespace gradproof::proof
