// What words say of values and indices where no formula does: these are told.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

using Told = std::vector<std::string>;

Told told_of(const std::string& text) { return passed_because("a.tex", text); }
std::string quoted(const std::string& formula) { return "no line has all of " + formula; }

Told energy(const std::string& behind, const std::string& sum = "\\tfrac12 \\sum_i x_i^2") {
    return told_of("Let $x \\in \\mathbb{R}^n$. The energy is\n\\[ E = " + sum + " , \\]\n" + behind +
                   ". Then\n\\[ \\frac{\\partial E}{\\partial x_k} = x_k . \\]\n");
}

TEST(LatexSaid, RangesThatLeaveIndicesOutAreTold) {
    for (const char* range : {"$i = 1, \\dots, n$", "$i = 1, 2, \\dots, n$", "$i = 0, \\dots, n-1$", "$i = n, \\dots, 1$",
                              "$i \\in \\{1, \\dots, n\\}$", "$1 \\le i \\le n$", "$i \\in [n]$"})
        EXPECT_TRUE(energy(std::string("where ") + range).empty()) << range;
    for (const char* range : {"$i = 1, \\dots, n-1$", "$i = 1, \\dots, m$", "$i = 2, \\dots, n$", "$i = 1, 3, 5, \\dots$",
                              "$i = 1, 2, 3$", "$i = 0, \\dots, n-2$", "$i = 1, \\dots, n/2$"})
        EXPECT_EQ(energy(std::string("where ") + range), Told{quoted(range)}) << range;
    for (const char* range : {"$i \\in \\{1, \\dots, m\\}$", "$i \\in \\mathcal{S}$", "$i \\in [m]$"})
        EXPECT_EQ(energy(std::string("where ") + range).size(), 1u) << range;
}

TEST(LatexSaid, RangesOfADisplayAreTold) {
    const auto displayed = [](const std::string& range) {
        return told_of("Let $x \\in \\mathbb{R}^n$. The energy is\n\\[ E = \\tfrac12 \\sum_i x_i^2 , \\qquad " + range +
                       " . \\]\nThen\n\\[ \\frac{\\partial E}{\\partial x_k} = x_k . \\]\n")
            .size();
    };
    EXPECT_EQ(displayed("i = 1, \\dots, n"), 0u);
    EXPECT_EQ(displayed("i = 1, \\dots, n - 1"), 1u);
    EXPECT_EQ(displayed("\\text{with } i = 1, \\dots, m"), 1u);
    EXPECT_EQ(displayed("(i, i) \\in \\mathcal{E}"), 1u);
}

TEST(LatexSaid, PairsOfWhichSomeAreMeantAreTold) {
    for (const char* words : {"The energy over all distinct pairs is", "Over all connected pairs of units, the energy is"})
        EXPECT_EQ(
            told_of(std::string("Let $x \\in \\mathbb{R}^n$. ") + words +
                    "\\[ E = \\sum_{i,j} x_i x_j . \\] Then\n\\[ \\frac{\\partial E}{\\partial x_k} = 2 \\sum_j x_j . \\]\n")
                .size(),
            1u)
            << words;
}

TEST(LatexSaid, WhatValuesAddUpToIsTold) {
    const auto probabilities = [](const std::string& formula, const std::string& said, const std::string& slope) {
        return told_of("Let $x \\in \\mathbb{R}^n$ and $Z > 0$. The class probabilities are\n\\[ p_i = " + formula + ", \\]\n" +
                       said + ". Then\n\\[ \\frac{\\partial p_i}{\\partial x_j} = " + slope + " . \\]\n");
    };
    const std::string free = "\\frac{e^{x_i}}{Z}", whole = "\\frac{e^{x_i}}{\\sum_k e^{x_k}}", slope = "p_i (\\delta_{ij} - p_j)";
    EXPECT_EQ(probabilities(free, "with $\\sum_i p_i = 1$", "\\delta_{ij} p_i"), Told{quoted("$\\sum_i p_i = 1$")});
    EXPECT_EQ(probabilities(free, "where the probabilities sum to one", "\\delta_{ij} p_i"), Told{"what values add up to"});
    EXPECT_TRUE(probabilities(whole, "with $\\sum_i p_i = 1$", slope).empty());
    EXPECT_TRUE(probabilities(whole, "where the probabilities sum to one", slope).empty());
    const auto direction = [](const std::string& norm) {
        return told_of("Let $x \\in \\mathbb{R}^n$ and $s \\in \\mathbb{R}$. The direction is\n\\[ y = x / " + norm +
                       ", \\]\nwith $\\|y\\| = 1$. The loss is $L = s \\sum_i y_i$.\n\\[ \\frac{\\partial L}{\\partial y} = s "
                       "\\mathbf{1} . \\]\n");
    };
    EXPECT_EQ(direction("s"), Told{quoted("$\\|y\\| = 1$")});
    EXPECT_TRUE(direction("\\|x\\|").empty());
}

TEST(LatexSaid, AProductThatIsElementwiseInWordsIsTold) {
    const auto product = [](const std::string& sentence) {
        return told_of("Let $A, B \\in \\mathbb{R}^{n \\times n}$. " + sentence +
                       " Then\n\\[ \\frac{\\partial L}{\\partial A} = \\frac{\\partial L}{\\partial Y} B^\\top . \\]\n");
    };
    for (const char* sentence : {"Let $Y = A B$ (elementwise).", "Entrywise, let $Y = A B$.", "For each entry, \\[ Y = A B . \\]",
                                 "Entry by entry, \\[ Y = A B . \\]"})
        EXPECT_EQ(product(sentence), Told{"elementwise, of which no formula shows what"}) << sentence;
    EXPECT_TRUE(product("Let $Y = A B$.").empty());
    EXPECT_EQ(told_of("Let $A \\in \\mathbb{R}^{n \\times n}$ and let $B = A^{-1}$ (elementwise). Then\n\\[ \\frac{\\partial "
                      "L}{\\partial A} = -B^\\top \\frac{\\partial L}{\\partial B} B^\\top . \\]\n"),
              Told{"elementwise, of which no formula shows what"});
}

TEST(LatexSaid, OptimaAndEqualWeightsInWordsAreTold) {
    const auto below = [](const std::string& sentence) {
        return told_of("Let $V, W \\in \\mathbb{R}^{n \\times n}$ and $x \\in \\mathbb{R}^n$. " + sentence +
                       " \\[ y = V W x . \\] Then\n\\[ \\frac{\\partial L}{\\partial W} = V^\\top \\frac{\\partial L}{\\partial "
                       "y} x^\\top . "
                       "\\]\n");
    };
    EXPECT_TRUE(below("The network is").empty());
    for (const char* sentence : {"The weights of both layers are equal,", "The matrices $V$ and $W$ are equal, and",
                                 "All layers have equal weights,", "The layers use one weight matrix:"})
        EXPECT_EQ(below(sentence), Told{"what is equal"}) << sentence;
    for (const char* sentence : {"For the minimizing $W$ we have", "At the solution $W$ the result is", "The trained $W$ gives"})
        EXPECT_EQ(below(sentence).size(), 1u) << sentence;
}

TEST(LatexSaid, AValueOfAnotherThatIsReadAsAnInputIsTold) {
    const auto norms = [](const std::string& sentence) {
        return told_of(
            sentence +
            " The loss is\n\\[ L = \\tfrac12 \\|x\\|^2 + \\tfrac12 \\|z\\|^2 . \\]\nThen\n\\[ \\nabla_x L = x . \\]\n");
    };
    const std::string x = "$x \\in \\mathbb{R}^n$", z = "$z \\in \\mathbb{R}^k$";
    EXPECT_TRUE(norms("Let " + x + " be an image and " + z + " a vector.").empty());
    for (const std::string& sentence :
         {"Let " + x + " be an image and " + z + " its embedding.", "Let " + x + " be an example with logits " + z + ".",
          "The encoder maps " + x + " to " + z + ".", "A model with state " + x + " has the next state " + z + "."})
        EXPECT_EQ(norms(sentence).size(), 1u) << sentence;
    EXPECT_EQ(
        told_of(
            "Let $W \\in \\mathbb{R}^{n \\times n}$ be a matrix with determinant $D > 0$. Then with $L = \\tfrac12 \\|W\\|_F^2 - "
            "\\log D$\n\\[ \\nabla_W L = W . \\]\n")
            .size(),
        1u);
    EXPECT_EQ(
        told_of(
            "Let $x \\in \\mathbb{R}^n$. The layer computes\n\\[ y_i = \\frac{x_i - \\mu}{s}, \\]\nwhere $\\mu$ and $s$ are the "
            "batch statistics. Then\n\\[ \\frac{\\partial y_i}{\\partial x_j} = \\frac{\\delta_{ij}}{s} . \\]\n"),
        Told{"statistics that no formula shows"});
}

TEST(LatexSaid, RowsOfANormAndTheImaginaryUnitAreTold) {
    const auto norm = [](const std::string& words) {
        return told_of("Let $X \\in \\mathbb{R}^{n \\times m}$. Let $s = \\|X\\|$" + words +
                       ". Then\n\\[ \\frac{\\partial s}{\\partial X} = \\frac{X}{s} . \\]\n");
    };
    EXPECT_TRUE(norm("").empty());
    EXPECT_EQ(norm(" row-wise"), Told{"by rows, which no formula shows"});
    const Told wave = told_of(
        "Let $x \\in \\mathbb{R}^N$ and $\\omega \\in \\mathbb{R}$. Define\n\\[ X = \\sum_{n=1}^N x_n e^{-i \\omega n}, "
        "\\quad P = |X|^2 . \\]\nThen\n\\[ \\frac{\\partial P}{\\partial x_n} = 2 X e^{-i \\omega n} . \\]\n");
    EXPECT_EQ(std::ranges::count(wave, "i may be the imaginary unit"), 1);
}

/// What is said of C_{ij} is said of all entries of C.
TEST(LatexSaidOfValues, EntriesWithTwoIndicesAreNoNumbers) {
    const auto form = [](const std::string& coefficient, const std::string& said, const std::string& gradient) {
        return of_tex("Let $x \\in \\mathbb{R}^n$ and\n\\[ f = \\sum_{i,j} x_i " + coefficient + " x_j, \\]\n" + said +
                      " Then\n\\[ \\frac{\\partial f}{\\partial x_i} = " + gradient + ". \\]\n");
    };
    for (const char* said :
         {"where $c_{ij} > 0$.", "with $c_{ij} \\in \\mathbb{R}$.", "with scalars $c_{ij}$.", "where $c_{ij} \\ge 0$.",
          "where $c_{ij} \\in [0, 1]$.", "where $c_{ij} \\in \\{0, 1\\}$.", "where $0 < c_{ij} < 1$."}) {
        EXPECT_EQ(form("c_{ij}", said, "2 \\sum_j c_{ij} x_j").find("right"), std::string::npos) << said;
        EXPECT_NE(form("c_{ij}", said, "\\sum_j (c_{ij} + c_{ji}) x_j").find("right"), std::string::npos) << said;
    }
    EXPECT_EQ(
        of_tex("Let $C \\in \\mathbb{R}^{n \\times n}$, $p \\in \\mathbb{R}^n$ and\n\\[ f = \\sum_{i,j} p_i C_{ij} p_j, \\]\n"
               "where $C_{ij} > 0$. Then\n\\[ \\frac{\\partial f}{\\partial p_i} = 2 \\sum_j C_{ij} p_j. \\]\n"),
        "4 wrong");
}

}  // namespace
}  // namespace gradproof::proof
