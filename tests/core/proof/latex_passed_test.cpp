// Sentences that are passed over: a right line is right if they change nothing, and the report says which they are.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

const std::string kGiven =
    "The loss is $L = \\frac12 \\|A x - b\\|^2$ with $A \\in \\mathbb{R}^{m\\times n}$, $x \\in \\mathbb{R}^n$, "
    "$b\\in\\mathbb{R}^m$.\n";
const std::string kClaim = "\\[ \\frac{\\partial L}{\\partial x} = A^\\top (A x - b). \\]\n";

/// The lines that are passed over.
std::vector<int> passed(const std::string& text) {
    std::vector<int> out;
    for (const ProofReport& p : check_file("a.tex", text).proofs)
        for (const PassedOver& s : p.passed_over) out.push_back(s.line);
    return out;
}
std::vector<int> passed_between(const std::string& sentence) { return passed(kGiven + sentence + "\nThen\n" + kClaim); }

TEST(LatexPassed, WordsThatAreNotKnownAreTold) {
    EXPECT_EQ(passed(kGiven + "Then\n" + kClaim), std::vector<int>{});
    for (const char* sentence :
         {"In addition we use weight decay.", "With momentum, the loss is also to be seen per step.", "We drop the half.",
          "The residual is doubled.", "Bananas are yellow.", "All of this is scaled.", "The softmax has temperature 2.",
          "We use a model with a ReLU.", "For logistic loss, it is the same."})
        EXPECT_EQ(passed_between(sentence), std::vector<int>{2}) << sentence;
}

TEST(LatexPassed, WhatADerivationSaysAnywayIsKnown) {
    for (const char* sentence :
         {"We differentiate by the chain rule.", "Now we compute the gradient with respect to $x$.",
          "For the input $x$ we get this.", "By Section 2, the Jacobian follows.",
          "\\section{Ridge regression without the intercept. Twice.}", "Let $i = 1, \\dots, n$ be an index.",
          "Recall that $\\frac{\\partial L}{\\partial x}$ is the gradient.", "The vector $A x - b$ is the residual.",
          "\\label{eq:momentum}"})
        EXPECT_EQ(passed_between(sentence), std::vector<int>{}) << sentence;
}

TEST(LatexPassed, FormulasThatNoLineStemsFromAreTold) {
    for (const char* sentence :
         {"Then let $L \\gets 2L$.", "We write $\\|v\\|$ for $v^\\top v$.", "We write $x$ for $2z$.", "So $b = 0$.",
          "The loss is $2L$.", "Let $x \\mapsto x^2$.", "Here $\\top$ is the identity.", "Let $A^\\top = A + I$.",
          "The loss then becomes $L + \\|x\\|^2$.", "Since $A \\propto B$ we get the result.", "We write $x$ for $b$.",
          "The gradient is \\[ A^\\top A x \\]", "Let $b \\in \\mathbb{C}^m$."})
        EXPECT_EQ(passed_between(sentence), std::vector<int>{2}) << sentence;
}

TEST(LatexPassed, WhatFollowsFromAGradientOfZeroIsTold) {
    EXPECT_EQ(passed("Let $x\\in\\mathbb{R}^n$, $m\\in\\mathbb{R}^n$.\n\\[ L = \\|x - m\\|^2 \\]\nThen\n"
                     "\\[ \\nabla_m L = 2 (m - x) = 0 \\implies m = 2x \\]\n"),
              std::vector<int>{3});
}

TEST(LatexPassed, ADefinitionThatNothingUsesIsNotChecked) {
    const std::string error = "The error is \\[ \\delta = A^\\top (A x - 2 b). \\] Then\n";
    EXPECT_EQ(passed(kGiven + error + kClaim), std::vector<int>{2});
    EXPECT_EQ(passed(kGiven + "Let \\[ r = A x - b. \\] Then\n" + "\\[ \\frac{\\partial L}{\\partial x} = A^\\top r. \\]\n"),
              std::vector<int>{});
}

TEST(LatexPassed, GradientsThatWordsAloneCallSoAreNotRead) {
    EXPECT_EQ(
        of_tex(
            "Let $x, y\\in\\mathbb{R}^n$, $w\\in\\mathbb{R}$ and\n\\[ L = \\sum_i (w x_i - y_i)^2. \\]\n"
            "We obtain the gradients\n\\[ g = \\sum_i (w x_i - y_i), \\quad h = 2 \\]\n\\[ \\frac{\\partial L}{\\partial w} = 2 "
            "\\sum_i (w x_i - y_i) x_i \\]\n"),
        "4 not read, 4 not read, 5 right");
}

TEST(LatexPassed, ReportsNameThem) {
    const FileReport one = check_file("a.tex", kGiven + "Bananas are yellow.\n" + kClaim);
    EXPECT_NE(to_text(one).find("all right: 1; right if what is passed over in line 2 changes nothing\n"), std::string::npos);
    EXPECT_NE(to_json(one).find(R"("passed_over":[{"line":2,"text":"Bananas are yellow"}])"), std::string::npos);
    std::string many;
    for (int i = 0; i < 6; ++i) many += "Bananas are yellow.\n";
    EXPECT_NE(to_text(check_file("a.tex", kGiven + many + kClaim)).find("passed over in 6 lines"), std::string::npos);
    // no line is right: there is nothing to qualify
    EXPECT_EQ(to_text(check_file("a.tex", kGiven + "Bananas are yellow.\n\\[ \\nabla_x L = x \\]\n")).find("passed"),
              std::string::npos);
}

}  // namespace
}  // namespace gradproof::proof
