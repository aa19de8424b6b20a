// Entries in small letters beside the matrix that they are of.
#include <string>

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
    // n_{ij} beside a size N, a vector w beside W, and both defined
    EXPECT_EQ(of_tex("Let $W \\in \\mathbb{R}^{n \\times n}$, $w \\in \\mathbb{R}^n$ and\n" +
                     displayed("L = w^\\top W w, \\quad \\nabla_w L = (W + W^\\top) w")),
              "2 right");
    EXPECT_EQ(of_tex("Let $x \\in \\mathbb{R}^n$, $S \\in \\mathbb{R}^{n \\times n}$.\n" +
                     displayed("s_{ij} = S_{ij} x_j, \\quad A = \\mathrm{softmax}(S), \\quad L = \\sum_{ij} s_{ij}^2, \\quad "
                               "\\frac{\\partial L}{\\partial x_j} = 2 \\sum_i S_{ij}^2 x_j"))
                  .substr(0, 2),
              "2 ");
}

}  // namespace
}  // namespace gradproof::proof
