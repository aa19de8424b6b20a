// Entries in small letters beside the matrix that they are of.
#include <string>

#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

TEST(LatexSmallEntries, AreThoseOfTheirMatrix) {
    const auto penalty = [](const std::string& term, const std::string& gradient) {
        return of_tex(
            "Let $W \\in \\mathbb{R}^{m \\times n}$, $x \\in \\mathbb{R}^n$, $y \\in \\mathbb{R}^m$ and $\\lambda > 0$.\n" +
            displayed("L = \\frac12 \\|W x - y\\|^2 + \\frac{\\lambda}{2} \\sum_{i,j} " + term) +
            displayed("\\nabla_W L = " + gradient));
    };
    for (const char* term : {"w_{ij}^2", "w_{i,j}^2", "W_{ij}^2"}) {
        EXPECT_EQ(penalty(term, "(W x - y) x^\\top + \\lambda W"), "3 right") << term;
        EXPECT_EQ(penalty(term, "(W x - y) x^\\top"), "3 wrong") << term;
    }
    const auto cofactor = [](const std::string& gradient) {
        return of_tex(
            "Let $A \\in \\mathbb{R}^{2 \\times 2}$.\n" +
            displayed("f = a_{11} a_{22} - a_{12} a_{21} + \\mathrm{tr}(A), \\quad \\frac{\\partial f}{\\partial a_{11}} = " +
                      gradient));
    };
    EXPECT_EQ(cofactor("a_{22} + 1"), "2 right");
    EXPECT_EQ(cofactor("a_{22}"), "2 wrong");
}

TEST(LatexSmallEntries, AreThoseOfAMatrixThatIsComputed) {
    const auto entropy = [](const std::string& gradient) {
        return of_tex("Let $S \\in \\mathbb{R}^{n \\times n}$, $V \\in \\mathbb{R}^{n \\times d}$.\n" +
                      displayed("A = \\mathrm{softmax}(S), \\quad O = A V, \\quad L = \\frac12 \\|O\\|_F^2 - \\sum_{i,j} a_{ij} "
                                "\\log a_{ij}") +
                      displayed("\\frac{\\partial L}{\\partial a_{ij}} = " + gradient));
    };
    EXPECT_EQ(entropy("\\sum_k O_{ik} V_{jk} - \\log a_{ij} - 1"), "3 right");
    EXPECT_EQ(entropy("\\sum_k O_{ik} V_{jk}"), "3 wrong");
}

TEST(LatexSmallEntries, AListOfThemIsTheMatrix) {
    for (const char* stated : {"A = (a_{ij}) \\in \\mathbb{R}^{n \\times n}", "A = [a_{ij}] \\in \\mathbb{R}^{n \\times n}",
                               "A = \\left( a_{ij} \\right) \\in \\mathbb{R}^{n \\times n}"})
        EXPECT_EQ(of_tex("Let $" + std::string(stated) + "$ and $x \\in \\mathbb{R}^n$.\n" +
                         displayed("f = x^\\top A x + \\sum_{ij} a_{ij}^2, \\quad \\nabla_A f = x x^\\top + 2 A")),
                  "2 right")
            << stated;
}

TEST(LatexSmallEntries, OtherSmallLettersAreTheirOwn) {
    EXPECT_EQ(of_tex("Let $W \\in \\mathbb{R}^{n \\times n}$, $w \\in \\mathbb{R}^n$ and\n" +
                     displayed("L = w^\\top W w, \\quad \\nabla_w L = (W + W^\\top) w")),
              "2 right");
    // beside a size N
    EXPECT_EQ(
        of_tex(displayed("L = \\frac{1}{N} \\sum_{i=1}^N \\sum_{j=1}^d n_{ij}^2, \\quad \\frac{\\partial L}{\\partial n_{ij}} = "
                         "\\frac{2}{N} n_{ij}")),
        "1 right");
    const std::string given = "Let $x \\in \\mathbb{R}^n$, $A \\in \\mathbb{R}^{n \\times n}$ with $A_{ij} > 0$.\n";
    // both are defined
    EXPECT_EQ(of_tex(given + displayed("b_{ij} = A_{ij} x_j, \\quad B = \\mathrm{softmax}(A), \\quad L = \\sum_{ij} b_{ij}^2 + "
                                       "\\sum_{ij} B_{ij}, \\quad \\frac{\\partial L}{\\partial x_j} = 2 \\sum_i A_{ij}^2 x_j")),
              "2 right");
    // one is computed of the other
    EXPECT_EQ(
        of_tex(given + displayed("a_{ij} = \\frac{A_{ij}}{\\sum_k A_{ik}}, \\quad y_i = \\sum_j a_{ij} x_j, \\quad L = \\sum_i "
                                 "y_i, \\quad \\frac{\\partial L}{\\partial x_j} = \\sum_i a_{ij}")),
        "2 right");
}

}  // namespace
}  // namespace gradproof::proof
