// What sentences of LaTeX say of matrices and labels, and which sentences only speak of it.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

const std::string kQuadratic =
    "Let $A \\in \\mathbb{R}^{n \\times n}$ and $x \\in \\mathbb{R}^n$.\n"
    "\\[ f(x) = x^\\top A x, \\qquad \\nabla f(x) = 2 A x . \\]\n";
const std::string kCrossEntropy =
    "Let $z, y \\in \\mathbb{R}^K$, $p = \\mathrm{softmax}(z)$ and $L = -\\sum_k y_k \\log p_k$. Then\n"
    "\\[ \\frac{\\partial L}{\\partial z} = p - y . \\]\n";

/// What the report says the lines hold for, and their verdicts.
std::string domain_and_verdicts(const std::string& text) {
    std::string out;
    for (const ProofReport& p : check_file("a.tex", text).proofs)
        for (const std::string& d : p.domain) out += d + ": ";
    return out + of_tex(text);
}

TEST(LatexProperties, AMatrixIsSymmetricWhereThatIsAsserted) {
    for (const char* said : {"where $A$ is symmetric.", "Here $A$ is a symmetric matrix.", "Recall that $A$ is symmetric.",
                             "We used that $A$ is symmetric.", "Since $A$ is symmetric, this is short.",
                             "As above, $A$ is symmetric, which would be needed for the Hessian too.", "where $A = A^\\top$.",
                             "The matrix $A$ is assumed to be symmetric.", "Here $A$ is both real and symmetric."})
        EXPECT_EQ(domain_and_verdicts(kQuadratic + said), "symmetric A: 2 right") << said;
    for (const char* said :
         {"with $A \\succ 0$.", "where $A$ is a covariance matrix.", "where $A$ is symmetric positive definite."})
        EXPECT_EQ(domain_and_verdicts(kQuadratic + said), "symmetric positive definite A: 2 right") << said;
}

TEST(LatexProperties, ARemarkOnSymmetricMatricesAssertsNothing) {
    for (const char* said :
         {"We do not assume that $A$ is symmetric.",
          "Note that we did not require that the matrix $A$ is symmetric.",
          "Unless $A$ is symmetric, $A \\neq A^\\top$.",
          "where $A$ is a general matrix (for symmetric $A$ see below).",
          "If $A$ is symmetric, the matrix has real eigenvalues.",
          "This holds only when $A$ is symmetric.",
          "When $A$ is symmetric, this is short.",
          "For a symmetric $A$, this would be shorter.",
          "For symmetric $A$ we stop here.",
          "In the special case where $A$ is positive definite, $f$ is convex.",
          "Often $A$ is symmetric.",
          "Some authors take $A$ symmetric.",
          "Suppose now that $A$ is symmetric.",
          "Without assuming that $A$ is symmetric we stop.",
          "If $A = A^\\top$ this is short.",
          "We do not need $A \\succ 0$.",
          "Suppose that $A$ is symmetric. Then we stop.",
          "Here $A$ is no cross-covariance matrix.",
          "Is $A$ symmetric?",
          "% Here $A$ is symmetric.",
          "\\begin{itemize}\n\\item If $n > 1$\n\\end{itemize}\nIf all of $A$ is real and $A$ is symmetric, we stop."})
        EXPECT_EQ(domain_and_verdicts(kQuadratic + said), "2 wrong") << said;
}

TEST(LatexProperties, ALineOfASentenceUnderAConditionIsOfThatCase) {
    const std::string general =
        "Let $A \\in \\mathbb{R}^{n \\times n}$ and $x \\in \\mathbb{R}^n$. Of\n\\[ f(x) = x^\\top A x \\]\n";
    const std::string all = "we get\n\\[ \\nabla f(x) = (A + A^\\top) x . \\]\n";
    for (const char* condition : {"If $A$ is symmetric, then", "For symmetric $A$, this becomes", "When $A = A^\\top$, this is",
                                  "Now suppose that $A$ is symmetric. Then"}) {
        const std::string line = condition + std::string("\n\\[ \\nabla f(x) = 2 A x . \\]\n");
        EXPECT_EQ(of_tex(general + all + line), "4 right, 6 not read") << condition;
        EXPECT_EQ(domain_and_verdicts(general + line), "symmetric A: 4 right") << condition;
        EXPECT_EQ(domain_and_verdicts(general + condition + "\n\\[ \\nabla f(x) = A x . \\]\n"), "symmetric A: 4 wrong");
    }
    const auto reason =
        lines_of(general + all + "For symmetric $A$, it is\n\\[ \\nabla f(x) = 2 A x . \\]\n", {}, "a.tex").at(1).reason;
    EXPECT_NE(reason.find("it is said of symmetric A only, and other lines are not"), std::string::npos) << reason;
    EXPECT_EQ(of_tex(general + "we get\n\\[ \\nabla f(x) = 2 A x \\]\nfor symmetric $A$, and in general\n"
                               "\\[ \\nabla f(x) = 2 A x . \\]\n"),
              "4 not read, 6 wrong");
    EXPECT_EQ(of_tex(general + all + "If $A$ is symmetric, we get $\\nabla f(x) = 2 A x$.\n"), "4 right, 5 not read");
    // The text is introduced so.
    EXPECT_EQ(domain_and_verdicts("For a symmetric matrix $A \\in \\mathbb{R}^{n \\times n}$ and $x \\in \\mathbb{R}^n$, let\n"
                                  "\\[ f(x) = x^\\top A x . \\]\nThen\n\\[ \\nabla f(x) = 2 A x . \\]\n"),
              "symmetric A: 4 right");
}

TEST(LatexProperties, LabelsSumToOneWhereThatIsAsserted) {
    for (const char* said :
         {"where $\\sum_k y_k = 1$.", "Note that $\\sum_k y_k = 1$.", "Here $y$ is a probability distribution."})
        EXPECT_EQ(domain_and_verdicts(kCrossEntropy + said), "y that sum to 1: 2 right") << said;
    for (const char* said : {"where $y$ is one-hot.", "Here $y$ is a one-hot vector.", "with the one-hot label $y$."})
        EXPECT_EQ(domain_and_verdicts(kCrossEntropy + said), "one-hot y: 2 right") << said;
    for (const char* said :
         {"We do not require that $\\sum_k y_k = 1$.", "Note that we did not need $\\sum_k y_k = 1$.",
          "If $\\sum_k y_k = 1$ this simplifies.", "In the special case where $y$ is one-hot, this is well known.",
          "Unlike others, we take any $y$; if $y$ is a probability distribution the result is known.", "Often $y$ is one-hot.",
          "For $\\sum_k y_k = 1$ this is short.", "When $y$ is a one-hot label this is simple.",
          "Usually $y$ is a one-hot vector."})
        EXPECT_EQ(domain_and_verdicts(kCrossEntropy + said), "2 wrong") << said;
}

TEST(LatexProperties, ListsAreSaidToBeSymmetricAsAWhole) {
    const auto judged = [](const std::string& given) {
        return domain_and_verdicts(
            "Let $v \\in \\mathbb{R}^p$, " + given +
            "\n\\[ f = v^\\top P v + v^\\top R v, \\qquad \\frac{\\partial f}{\\partial v} = 2 P v + 2 R v . "
            "\\]\n");
    };
    const std::string p = "$P \\in \\mathbb{R}^{p \\times p}$", r = "$R \\in \\mathbb{R}^{p \\times p}$";
    for (const std::string& given : std::vector<std::string>{
             p + " and " + r + " symmetric. Then", p + " and " + r + ", where $P$ and $R$ are symmetric.",
             "and let " + p + " and " + r + " be symmetric. Then", "and symmetric matrices " + p + ", " + r + ". Then",
             "and symmetric matrices $P, R \\in \\mathbb{R}^{p \\times p}$.", p + " and " + r + ", where $P$, $R$ are symmetric.",
             "$P = P^\\top \\in \\mathbb{R}^{p \\times p}$ and $R = R^\\top \\in \\mathbb{R}^{p \\times p}$."})
        EXPECT_EQ(judged(given), "symmetric P: symmetric R: 2 right") << given;
    EXPECT_EQ(judged("let $P \\in \\mathbb{S}^p$ and $R \\in \\mathbb{S}_{++}^p$."),
              "symmetric P: symmetric positive definite R: 2 right");
    for (const std::string& given : std::vector<std::string>{
             p + " and a symmetric matrix " + r + ". Then", p + " and " + r + ", where $R$ is symmetric.",
             p + " and " + r + " with a general $P$ and $R$ is symmetric.",
             p + ", $u \\in \\mathbb{R}^p$ and " + r + " symmetric.", p + " arbitrary and " + r + " symmetric."})
        EXPECT_EQ(judged(given), "symmetric R: 2 wrong") << given;
    EXPECT_EQ(judged("a symmetric matrix " + p + " and " + r + ". Then"), "symmetric P: 2 wrong");
}

/// A text of inputs of size n that are said to be so, a value f and what is claimed of it.
std::string said_and_claimed(const std::string& said, const std::string& f, const std::string& claim) {
    const std::string text = "Let $A \\in \\mathbb{R}^{n \\times n}$ and $x, y \\in \\mathbb{R}^n$. " + said + "\n\\[ f = " + f +
                             " \\]\nThen\n\\[ " + claim + " . \\]\n";
    CheckOptions quick;
    quick.diagnose = quick.mutation = false;
    std::string out;
    for (const ProofReport& p : check_file("a.tex", text, quick).proofs) {
        for (const std::string& d : p.domain) out += d + ": ";
        for (const LineReport& l : p.lines) out += fmt::format("{} {}", l.line, verdict_of(l));
    }
    return out;
}

TEST(LatexProperties, AUnitVectorIsDrawnSo) {
    for (const char* said :
         {"Let $x$ be a unit vector.", "Here $x$ has unit norm.", "with $\\|x\\| = 1$.", "where $\\|x\\|_2^2 = 1$.",
          "We assume $x^\\top x = 1$.", "Since $\\|x\\|_2 = 1$, it is short.", "Recall that $x$ is a vector of unit length."}) {
        const auto judged = [&](const char* claim) { return said_and_claimed(said, "\\frac{x^\\top A y}{\\|x\\|}", claim); };
        EXPECT_EQ(judged("\\nabla_x f = A y - f x"), "unit vector x: 4 right") << said;
        EXPECT_EQ(judged("\\nabla_x f = A y - 2 f x"), "unit vector x: 4 wrong") << said;
    }
    EXPECT_EQ(
        said_and_claimed("Both have $\\|x\\| = \\|y\\| = 1$.", "\\|x\\|^2 + \\|y\\|^2 + x^\\top A y", "f = 2 + x^\\top A y"),
        "unit vector x: unit vector y: 4 right");
    for (const char* said :
         {"We do not assume $\\|x\\| = 1$.", "Maximise it subject to $\\|x\\| = 1$.", "A unit vector is short."})
        EXPECT_EQ(said_and_claimed(said, "\\frac{x^\\top A y}{\\|x\\|}", "\\nabla_x f = A y - f x"), "4 wrong") << said;
}

TEST(LatexProperties, WhatIsSaidOfANameIsNotSaidOfTheNext) {
    for (const char* said : {"be symmetric", "be a symmetric matrix"})
        EXPECT_EQ(domain_and_verdicts("Let $A \\in \\mathbb{R}^{n \\times n}$ " + std::string(said) +
                                      ", $B \\in \\mathbb{R}^{n \\times n}$ and $x \\in \\mathbb{R}^n$.\n"
                                      "\\[ f = x^\\top B x + x^\\top A x \\]\n\\[ \\nabla_x f = 2 A x + 2 B x \\]\n"),
                  "symmetric A: 3 wrong")
            << said;
}

TEST(LatexProperties, WhatIsSaidOfAnotherThingOrSoughtIsNotDrawn) {
    const auto judged = [](const char* said, const char* f, const char* claim) { return said_and_claimed(said, f, claim); };
    for (const char* said : {"The Hessian of $A$ is symmetric.", "The product of $x x^\\top$ and $A$ is symmetric."})
        EXPECT_EQ(judged(said, "x^\\top A x", "\\nabla_x f = 2 A x"), "4 wrong") << said;
    for (const char* said : {"We initialize $A$ orthogonal.", "At initialization $A$ is orthogonal.", "We want $A^\\top A = I$.",
                             "A regularizer pushes $A^\\top A = I$."})
        EXPECT_EQ(judged(said, "\\|A x\\|^2", "\\nabla_x f = 2 x"), "4 wrong") << said;
    for (const char* said : {"The gradient with respect to $x$ is positive.", "The inner product of $y$ and $x$ is positive.",
                             "Not all entries of $x$ are positive."})
        EXPECT_EQ(judged(said, "\\sum_i |x_i|", "\\nabla_x f = \\mathbf{1}"), "4 wrong") << said;
    EXPECT_EQ(judged("All entries of $x$ are positive.", "\\sum_i |x_i|", "\\nabla_x f = \\mathbf{1}"), "x > 0: 4 right");
    EXPECT_EQ(judged("The rows of $A$ are unit vectors.", "\\|A x\\|^2", "\\nabla_x f = 2 x"), "4 cannot tell");
    EXPECT_EQ(judged("The columns of $A$ are orthonormal.", "\\|A x\\|^2", "\\nabla_x f = 2 x"), "orthogonal A: 4 right");
}

TEST(LatexProperties, AMatrixOfAFormIsDrawnSo) {
    const auto judged = [](const std::string& said, const char* claim) { return said_and_claimed(said, "x^\\top A y", claim); };
    const auto of_square = [](const std::string& said, const char* claim) {
        return said_and_claimed(said, "\\|A x\\|^2 + x^\\top y", claim);
    };
    for (const char* said : {"Let $A$ be orthogonal.", "where $A^\\top A = I$.", "with $A^{-1} = A^\\top$.",
                             "We take an orthogonal matrix $A$.", "$A$ has orthonormal columns."}) {
        EXPECT_EQ(of_square(said, "\\nabla_x f = 2 x + y"), "orthogonal A: 4 right") << said;
        EXPECT_EQ(of_square(said, "\\nabla_x f = x + y"), "orthogonal A: 4 wrong") << said;
    }
    EXPECT_EQ(judged("Let $A$ be diagonal.", "\\nabla_x f = A^\\top y"), "diagonal A: 4 right");
    EXPECT_EQ(judged("Let $A$ be diagonal.", "\\nabla_x f = 2 A^\\top y"), "diagonal A: 4 wrong");
    for (const char* said : {"Let $A$ be skew-symmetric.", "where $A^\\top = -A$.", "We take an antisymmetric matrix $A$."}) {
        EXPECT_EQ(judged(said, "\\nabla_y f = - A x"), "skew-symmetric A: 4 right") << said;
        EXPECT_EQ(judged(said, "\\nabla_y f = A x"), "skew-symmetric A: 4 wrong") << said;
    }
    EXPECT_EQ(said_and_claimed("where $A$ is lower triangular.", "\\log |\\det A|",
                               "\\frac{\\partial f}{\\partial A_{ii}} = 1 / A_{ii}"),
              "lower triangular A: 4 right");
    EXPECT_EQ(
        said_and_claimed("where $A$ is upper triangular.", "\\log |\\det A|", "\\frac{\\partial f}{\\partial A_{ii}} = A_{ii}"),
        "upper triangular A: 4 wrong");
    EXPECT_EQ(said_and_claimed("where $A$ is invertible.", "x^\\top A^{-1} x", "\\nabla_x f = (A^{-1} + A^{-\\top}) x"),
              "4 right");
}

TEST(LatexProperties, ADerivativeByAMatrixOfAFormMayBeByItsFreeEntries) {
    const auto judged = [](const char* claim) { return said_and_claimed("Let $A$ be diagonal.", "x^\\top A y", claim); };
    EXPECT_EQ(judged("\\nabla_A f = x y^\\top"), "diagonal A: 4 right");
    EXPECT_EQ(judged("\\nabla_A f = \\mathrm{diag}(x \\odot y)"), "diagonal A: 4 cannot tell");
    EXPECT_EQ(judged("\\frac{\\partial f}{\\partial A_{ij}} = 2 x_i y_j"), "diagonal A: 4 wrong");
    const auto of_skew = [](const char* right) {
        return said_and_claimed("Let $A$ be skew-symmetric.", "x^\\top A y",
                                "\\frac{\\partial f}{\\partial A_{ij}} = " + std::string(right));
    };
    EXPECT_EQ(of_skew("x_i y_j"), "skew-symmetric A: 4 right");
    EXPECT_EQ(of_skew("x_i y_j - x_j y_i"), "skew-symmetric A: 4 cannot tell");
}

TEST(LatexProperties, EntriesArePositiveWhereThatIsSaidOfAll) {
    const auto judged = [](const std::string& said, const char* claim) {
        return said_and_claimed(said, "\\sum_i |x_i|^3 + x^\\top y", claim);
    };
    for (const char* said : {"Let $x$ have positive entries.", "We assume $x_i > 0$ for all $i$.", "Here $x$ is nonnegative.",
                             "Assume that $x \\ge 0$.", "where $x$ is elementwise positive."}) {
        EXPECT_EQ(judged(said, "\\frac{\\partial f}{\\partial x_i} = 3 x_i^2 + y_i"), "x > 0: 4 right") << said;
        EXPECT_EQ(judged(said, "\\frac{\\partial f}{\\partial x_i} = x_i^2 + y_i"), "x > 0: 4 wrong") << said;
    }
    EXPECT_EQ(
        of_tex("Let $x \\in \\mathbb{R}^n$ with $x > 0$ and\n\\[ f = \\sum_i |x_i| \\]\n\\[ \\nabla_x f = \\mathbf{1} \\]\n"),
        "3 right");
    for (const char* said : {"Here $x$ is a positive example.", "When $x$ is positive, it is short."})
        EXPECT_EQ(judged(said, "\\frac{\\partial f}{\\partial x_i} = 3 x_i^2 + y_i"), "4 wrong") << said;
    // Cases of a value that may be negative: it is not drawn as one of them.
    EXPECT_EQ(of_tex("Let $x \\in \\mathbb{R}^n$ and\n\\[ f = \\sum_i \\max(0, x_i) . \\]\nSuppose $x_i > 0$. Then\n"
                     "\\[ \\frac{\\partial f}{\\partial x_i} = 1 . \\]\nIf $x_i < 0$, then\n"
                     "\\[ \\frac{\\partial f}{\\partial x_i} = 0 . \\]\n"),
              "4 cannot tell, 6 right");
}

TEST(LatexProperties, WhatIsAssumedAndNotDrawnMayMakeAWrongLineRight) {
    const auto judged = [](const std::string& said, const std::string& claim) {
        return said_and_claimed(said, "\\|x + y\\|^2 + y^\\top A A x", claim);
    };
    for (const char* said :
         {"where $A$ is idempotent.", "with $x^\\top y = 0$.", "where $x$ is orthogonal to $y$.", "We assume that $A A = A$."}) {
        const bool of_matrix = std::string(said).find("$A") != std::string::npos;
        EXPECT_EQ(judged(said, of_matrix ? "\\nabla_x f = 2 x + 2 y + A^\\top y" : "\\nabla_x f = 2 x + A^\\top A^\\top y"),
                  "4 cannot tell")
            << said;
        EXPECT_EQ(judged(said, "\\nabla_x f = 2 x + 2 y + A^\\top A^\\top y"), "4 right") << said;
    }
    const std::string text =
        "Let $A \\in \\mathbb{R}^{n \\times n}$ be idempotent and $x \\in \\mathbb{R}^n$.\n"
        "\\[ f = \\|A A x\\|^2 \\]\n\\[ \\nabla_x f = 2 A^\\top A x \\]\n";
    const std::string reason = lines_of(text, {}, "a.tex").at(0).reason;
    EXPECT_NE(reason.find("the text assumes idempotent A, and inputs are not drawn so"), std::string::npos) << reason;
    for (const char* said : {"be a projection", "be a rotation", "be symmetric with zero diagonal", "have rows that sum to one",
                             "be doubly stochastic", "be a permutation matrix"})
        EXPECT_EQ(of_tex("Let $A \\in \\mathbb{R}^{n \\times n}$ " + std::string(said) +
                         " and $x \\in \\mathbb{R}^n$.\n"
                         "\\[ f = \\|A A x\\|^2 \\]\n\\[ \\nabla_x f = 2 A^\\top A x \\]\n"),
                  "3 cannot tell")
            << said;
    // What values are by themselves, and remarks, excuse nothing.
    const std::string of_value =
        "Let $X \\in \\mathbb{R}^{m \\times n}$, $w \\in \\mathbb{R}^n$ and $A = X^\\top X$, where $A$ is ";
    EXPECT_EQ(of_tex(of_value + "symmetric.\n\\[ f = w^\\top A w \\]\n\\[ \\nabla_w f = A w \\]\n"), "3 wrong");
    EXPECT_EQ(judged("Note that often $x^\\top y = 0$.", "\\nabla_x f = 2 x"), "4 wrong");
    EXPECT_EQ(
        of_tex(
            "Let $W \\in \\mathbb{R}^{m \\times n}$ have orthonormal columns and $x \\in \\mathbb{R}^n$.\n"
            "\\[ f = \\|W x\\|^2 \\]\n\\[ \\nabla_x f = 2 x, \\quad \\nabla_x f = 2 W^\\top W x, \\quad \\nabla_x f = x \\]\n"),
        "3 right, 3 right, 3 wrong");
}

TEST(LatexProperties, SentencesThatNameRowsAndColumnsAreRead) {
    const auto passed = [](const std::string& said, const std::string& claim) {
        const FileReport r = check_file(
            "a.tex",
            "Let $A, B \\in \\mathbb{R}^{n \\times n}$, $x \\in \\mathbb{R}^n$ and $L = \\frac12 \\sum_i (a_i^\\top x)^2$, " +
                said + ". Then\n\\[ \\nabla_x L = " + claim + " \\]\n");
        return r.proofs.at(0).passed_over.size();
    };
    EXPECT_EQ(passed("where $a_i$ are the columns of $A$", "A A^\\top x"), 0u);
    EXPECT_EQ(passed("where $a_i$ is the $i$-th row of $A$", "A^\\top A x"), 0u);
    EXPECT_EQ(passed("where $a_i$ are the rows of $B$", "A^\\top A x"), 1u);
}

TEST(LatexProperties, OfANameBeforeACommaIsNotThatOfTheNextOne) {
    const auto of_energy = [](const std::string& declared, const std::string& claim) {
        return of_tex("Let $x \\in \\mathbb{R}^n$, " + declared +
                      " and $E = x^\\top Q x + x^\\top R x$. Then\n\\[ \\nabla_x E = " + claim + " \\]\n");
    };
    const std::string q = "$Q \\in \\mathbb{R}^{n \\times n}$", r = "$R \\in \\mathbb{R}^{n \\times n}$";
    EXPECT_EQ(of_energy(q + " symmetric, " + r, "2 Q x + 2 R x"), "2 wrong");
    EXPECT_EQ(of_energy(q + " symmetric, " + r, "2 Q x + (R + R^\\top) x"), "2 right");
    EXPECT_EQ(of_energy(q + " a symmetric matrix, " + r, "2 Q x + (R + R^\\top) x"), "2 right");
    EXPECT_EQ(of_energy("symmetric matrices " + q + " and " + r, "2 Q x + 2 R x"), "2 right");
}

}  // namespace
}  // namespace gradproof::proof
