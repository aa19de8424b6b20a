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
          "For $-1 < x_i$ the output is $y_i = x_i$, so that\n"}) {
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
    const std::string logs = "Let $x \\in \\mathbb{R}^n$ with $x_i \\in (0, 1)$ and $L = \\sum_i \\log x_i$.\n";
    EXPECT_EQ(of_tex(logs + slope_in_display("1 / |x_i|")), "2 right");
}

}  // namespace
}  // namespace gradproof::proof
