// Sentences that only lead from one formula to the next, by their shape.
#include <algorithm>

#include <gtest/gtest.h>

#include "gradproof/core/proof/language/latex/lead_shapes.hpp"
#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

using latex::Standing;

const std::set<std::string, std::less<>> kFunctions{"softmax", "entropy"};

/// What is beyond leading of words around formulas that stand in the line.
std::string beyond(const std::string& words, std::vector<Standing> formulas = {}) {
    if (formulas.empty()) formulas.assign(static_cast<std::size_t>(std::ranges::count(words, '#')), Standing::in_line);
    return latex::beyond_leading(" " + words + " ",
                                 {kFunctions, [](const std::string& thing) { return thing == "weights"; }, std::move(formulas)});
}

TEST(LatexLeadShapes, LeadsSayNothing) {
    for (const char* words : {"then #", "by the chain rule #", "hence by the quotient rule we get #",
                              "the gradient of the loss with respect to # is #", "the gradient with respect to the weights is #",
                              "let # be the logits and # the targets", "the softmax is #", "we minimise the cross entropy loss #",
                              "ii the jacobian is #", "substituting this into # gives #", "where # is the # th row of #",
                              "recall that # and consequently #", "the output of the layer is #", "we work backwards",
                              "by lemma 2 #", "for the # th example #", "in matrix form #", "exercise show that #"})
        EXPECT_EQ(beyond(words), "") << words;
}

TEST(LatexLeadShapes, WhatIsBeyondIsQuotedUpToTheNextFormula) {
    EXPECT_EQ(beyond("in addition we use weight decay"), "we use weight decay");
    EXPECT_EQ(beyond("the recurrent weights collect # over time #"), "the recurrent weights collect");
    EXPECT_EQ(beyond("then # doubled #"), "doubled");
    EXPECT_EQ(beyond("the relu is #"), "the relu is");  // no formula has one
    EXPECT_EQ(beyond("the cross entropy is doubled"), "doubled");
    EXPECT_EQ(beyond("the gradient with respect to the labels is #"), "respect to the labels is");  // which the text has not told
}

TEST(LatexLeadShapes, AValueIsCalledSomethingInTheLine) {
    EXPECT_EQ(beyond("with the hidden layer #", {Standing::in_line}), "");
    EXPECT_EQ(beyond("with the hidden layer #", {Standing::displayed}), "the hidden layer");
    EXPECT_EQ(beyond("let # be a symmetric matrix", {Standing::drawn}), "");
    EXPECT_EQ(beyond("let # be a symmetric matrix", {Standing::in_line}), "a symmetric matrix");
}

TEST(LatexLeadShapes, PropertiesThatAreReadAreNoCaveats) {
    const std::string claim = "\\[ L = x^\\top A x \\]\nThen\n\\[ \\nabla_x L = 2 A x. \\]\n";
    const std::string x = " $x \\in \\mathbb{R}^n$ and", a = "$A \\in \\mathbb{R}^{n \\times n}$";
    EXPECT_EQ(passed_because("a.tex", "Let $" + a.substr(1) + " be symmetric," + x + "\n" + claim), std::vector<std::string>{});
    EXPECT_EQ(
        passed_because("a.tex", "Let" + x + " let " + a + " be symmetric.\nThe loss with a symmetric head is\n" + claim).size(),
        1u);
}

TEST(LatexLeadShapes, AHeadingWithAFormulaEndsWhereItsBracesDo) {
    EXPECT_EQ(passed_because("a.tex",
                             "\\section{The $\\ell_2$-norm}\nLet $x \\in \\mathbb{R}^n$.\n\\[ L = \\|x\\| \\]\n"
                             "\\[ \\nabla_x L = x / \\|x\\| \\]\n"),
              std::vector<std::string>{});
}

}  // namespace
}  // namespace gradproof::proof
