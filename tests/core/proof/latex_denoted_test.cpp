// Sentences all of whose words are known, which give a name, a sign or a function another meaning even so: they are told.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

/// The sentences that are passed over of a text with a right claim; -1 where it is not called right.
std::ptrdiff_t told_of(const std::string& sentence, const std::string& claim = "\\nabla_x L = A^\\top (A x - b)") {
    const FileReport r = check_file("a.tex",
                                    "Let $A \\in \\mathbb{R}^{n \\times n}$ and $x, b \\in \\mathbb{R}^n$.\nConsider\n"
                                    "\\[ z = A x, \\quad L = \\frac12 \\|z - b\\|^2. \\]\n" +
                                        sentence + "\nThen\n\\[ " + claim + ". \\]\n");
    return r.verdict() == check::Verdict::right ? std::ssize(r.proofs.at(0).passed_over) : -1;
}

TEST(LatexDenoted, AnotherMeaningOfANameOrSignIsTold) {
    for (const char* sentence : {"Now let $L$ denote the first term.", "Here $\\|\\cdot\\|$ denotes $\\|\\cdot\\|_\\infty$.",
                                 "We write $^\\top$ for $^{-1}$.", "Here $A_{ij}$ denotes the entry $j, i$ of $A$.",
                                 "Here $x_i$ denotes the first $i$ entries of $x$.", "Here the $2$ in $x^2$ denotes an index.",
                                 "Here $\\nabla_x L$ denotes the derivative of $L^2$.", "We use $\\frac12$ for $2$.",
                                 "Here $b$ denotes a function of $x$.", "We denote the derivative of $L^2$ by $\\nabla_x L$."})
        EXPECT_EQ(told_of(sentence), 1) << sentence;
    for (const char* sentence : {"Here $x_i$ denotes the $i$-th entry of $x$.", "We write $\\nabla_x L$ for the gradient."})
        EXPECT_EQ(told_of(sentence), 0) << sentence;
}

TEST(LatexDenoted, WhatWordsDoToAValueIsTold) {
    for (const char* sentence :
         {"We then apply $\\sigma$ to each entry of $z$.", "For $b$ we use $A x$.", "Take for $b$ the value $z$.",
          "We turn $z$ into $b$.", "We see $b$ as a function of $x$.", "We use the first term.", "We take the last term out.",
          "We use one matrix for both $A$ and $b$.", "We write $\\partial L / \\partial x$ as a row vector.",
          "The derivative of a scalar with respect to a vector gives a row.", "Here gradients form rows.",
          "We take all of this elementwise.", "In the backward pass we use the identity."})
        EXPECT_EQ(told_of(sentence), 1) << sentence;
    for (const char* sentence : {"We use the chain rule.", "We differentiate $L$ with respect to $x$.",
                                 "We now compute the gradient with respect to $x$.", "In matrix notation, the gradient follows."})
        EXPECT_EQ(told_of(sentence), 0) << sentence;
}

TEST(LatexDenoted, WordsThatCallADefinitionAGradientAreTold) {
    const auto passed = [](const std::string& words) {
        return told_of(words + "\n\\[ g = 3 (z - b) \\]\n", "\\nabla_x L = A^\\top g / 3");
    };
    EXPECT_EQ(passed("Differentiating with respect to $z$ gives"), 1);
    EXPECT_EQ(passed("The gradient with respect to $z$ is"), -1) << "which is not read";
    EXPECT_EQ(passed("For $\\nabla_z L$ we obtain"), 1);
    EXPECT_EQ(passed("Let"), 0);
}

TEST(LatexDenoted, WhatIsNotSeenOnPaperOrIsNoNumberOfALineIsTold) {
    const auto passed = [](const std::string& claim) { return told_of("", claim); };
    EXPECT_EQ(passed("\\nabla_x L = A^\\top (A x - b)"), 0);
    EXPECT_EQ(passed("\\nabla_x L = A^\\top (A x - {\\color{white} b})"), 1);
    EXPECT_EQ(passed("\\text{1.5 } \\nabla_x L = A^\\top (A x - b)"), 1);
}

}  // namespace
}  // namespace gradproof::proof
