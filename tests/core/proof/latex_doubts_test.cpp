// Sentences that name a property and do not assert it: what hangs on it is not right.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

const std::string kForm =
    "Let $x, b \\in \\mathbb{R}^n$ and $A \\in \\mathbb{R}^{n \\times n}$.\n\\[ f(x) = x^\\top A x + b^\\top x \\]\n";
const std::string kIfSymmetric = "\\[ \\nabla f(x) = 2 A x + b \\]\n";

TEST(LatexDoubts, WhatASentenceTakesBackIsNotDrawn) {
    for (const char* said : {"Unless $A$ is symmetric,",
                             "Except when $A$ is symmetric,",
                             "We pretend $A$ is symmetric.",
                             "It is false that $A$ is symmetric.",
                             "Assuming that $A$ is symmetric would be wrong.",
                             "Nothing says that $A$ is symmetric.",
                             "Symmetric $A$ are excluded.",
                             "We exclude symmetric $A$.",
                             "Readers often assume $A$ symmetric.",
                             "In contrast to a symmetric $A$,",
                             "Instead of assuming $A = A^\\top$, we do not.",
                             "Here $A = A^\\top$ does not hold.",
                             "In general $A = A^\\top$ is false.",
                             "Here $A$ is symmetric up to a permutation.",
                             "Here $A$ is symmetric about its antidiagonal.",
                             "Here $A$ is symmetric for $n = 1$.",
                             "Let $A$ be symmetric or not.",
                             "Regardless of whether $A$ is symmetric,",
                             "No matter if $A$ is symmetric,",
                             "Here $A$ is symmetric with probability zero.",
                             "The claim that $A$ is symmetric is wrong.",
                             "For simplicity others take $A$ symmetric.",
                             "In Section 2 we will assume $A$ is symmetric.",
                             "Later we assume that $A$ is symmetric.",
                             "In the next section $A$ is symmetric."}) {
        EXPECT_EQ(of_tex(kForm + said + "\n" + kIfSymmetric).find("right"), std::string::npos) << said;
        EXPECT_EQ(of_tex(kForm + said + "\n\\[ \\nabla f(x) = (A + A^\\top) x + b \\]\n"), "4 right") << said;
        EXPECT_NE(of_tex(kForm + said + "\n\\[ \\nabla f(x) = (A + A^\\top) x + 2 b \\]\n").find("4 "), std::string::npos)
            << said;
    }
}

TEST(LatexDoubts, WhatIsSaidBesideAnAssertionIsNone) {
    for (const char* said :
         {"Here $A$ is symmetric and we do not need more.", "Let $A$ be symmetric, not necessarily definite.",
          "Here $A$ is symmetric for all $t$.", "In this section $A$ is symmetric.", "Here $A = A^\\top$ holds.",
          "We will assume that $A$ is symmetric.", "Assume $A$ is symmetric but possibly singular."})
        EXPECT_EQ(of_tex(kForm + said + "\n" + kIfSymmetric), "4 right") << said;
}

TEST(LatexDoubts, WhatIsSaidOfAnotherWorkIsNotDrawn) {
    for (const char* said : {"In \\cite{a}, $A$ is symmetric.",
                             "In \\citet[Section 2]{a}, we assume that $A$ is symmetric.",
                             "As in \\citet{x}, $A$ is symmetric.",
                             "Following [3], where the loss is convex, they assume that $A$ is symmetric.",
                             "Following [3, 7], they assume that $A$ is symmetric.",
                             "According to~\\citep{x}, $A$ is symmetric.",
                             "\\citet{x} assume that $A$ is symmetric.",
                             "Smith et al. assume that $A$ is symmetric.",
                             "In Smith et al. (2019), $A$ is symmetric.",
                             "In Smith (2019), $A = A^\\top$.",
                             "In the work of Smith et al.\\ (2019), $A$ is symmetric.",
                             "Note that in \\cite{x} $A$ is symmetric.",
                             "In the book [7], $A$ is symmetric.",
                             "They assume that $A$ is symmetric.",
                             "This follows \\cite{x}, who take $A$ symmetric.",
                             "The method of \\cite{x} requires that $A$ is symmetric.",
                             "It is assumed in [12] that $A$ is symmetric.",
                             "Unlike in \\cite{x}, where $A$ is symmetric, nothing is said here.",
                             "However, in [3] a symmetric $A$ is used.",
                             "Here $A$ is symmetric in \\cite{x}.",
                             "A symmetric $A$ is used in \\cite{x}."}) {
        EXPECT_EQ(of_tex(kForm + said + "\n" + kIfSymmetric).find("right"), std::string::npos) << said;
        EXPECT_EQ(of_tex(kForm + said + "\n\\[ \\nabla f(x) = (A + A^\\top) x + b \\]\n"), "4 right") << said;
    }
    for (const char* said :
         {"Following \\cite{x}, we assume that $A$ is symmetric.", "Following [3], assume that $A$ is symmetric.",
          "As in \\citet{x}, let $A$ be symmetric.", "As in \\citet{x}, we take $A$ symmetric.",
          "We assume, as in \\cite{x}, that $A$ is symmetric.", "Here $A$ is symmetric \\cite{x}.", "Here $A$ is symmetric [3].",
          "As is standard \\cite{x}, $A$ is symmetric.", "In this section, as in \\cite{x}, we assume that $A$ is symmetric.",
          "The entries are in [1, 2] and $A$ is symmetric.", "Here $A$ is symmetric, as in \\cite{x}.",
          "The form \\cite{x} is smooth and $A$ is symmetric.", "We use the form introduced in \\cite{x}, and $A$ is symmetric.",
          "This was used in [3]. Here $A$ is symmetric."}) {
        EXPECT_EQ(of_tex(kForm + said + "\n" + kIfSymmetric), "4 right") << said;
        EXPECT_EQ(of_tex(kForm + said + "\n\\[ \\nabla f(x) = 2 A x + 2 b \\]\n"), "4 wrong") << said;
    }
}

TEST(LatexDoubts, OfLabelsAndUnitVectorsToo) {
    const auto of_label = [](const std::string& said) {
        return of_tex("Let $z, y \\in \\mathbb{R}^K$, $p = \\mathrm{softmax}(z)$ and $L = -\\sum_k y_k \\log p_k$. " + said +
                      "\n\\[ \\frac{\\partial L}{\\partial z} = p - y \\]\n");
    };
    EXPECT_EQ(of_label("Here $y$ is one-hot."), "2 right");
    for (const char* said : {"Here $y$ is one-hot or smoothed.", "Here $\\sum_k y_k = 1$ does not hold.",
                             "Nothing says that $\\sum_k y_k = 1$.", "Unless $y$ is one-hot, this is wrong."})
        EXPECT_EQ(of_label(said).find("right"), std::string::npos) << said;
    const auto of_unit = [](const std::string& said) {
        return of_tex("Let $x, y \\in \\mathbb{R}^n$. " + said +
                      "\n\\[ f = \\frac{x^\\top y}{\\|x\\|} \\]\n\\[ \\nabla_x f = y - f x \\]\n");
    };
    EXPECT_EQ(of_unit("Here $x$ is a unit vector."), "3 right");
    for (const char* said : {"Here $x$ is a unit vector in expectation.", "Here $x$ is a unit vector up to scale."})
        EXPECT_EQ(of_unit(said), "3 cannot tell") << said;
}

TEST(LatexDoubts, OfFunctionsAndConstantsToo) {
    const auto of_function = [](const std::string& said) {
        return of_tex("Let $x \\in \\mathbb{R}^n$. " + said +
                      "\n\\[ L = \\sum_i \\sigma(x_i) \\]\n\\[ \\frac{\\partial L}{\\partial x_i} = \\mathbf{1}[x_i > 0] \\]\n");
    };
    for (const char* said : {"where $\\sigma$ is the ReLU.", "Here $\\sigma$ denotes the ReLU."})
        EXPECT_EQ(of_function(said), "3 right") << said;
    for (const char* said :
         {"Here $\\sigma$ is not the ReLU.", "Unlike the ReLU, $\\sigma$ is smooth.", "Others take $\\sigma$ to be the ReLU.",
          "Unless $\\sigma$ is the ReLU, this fails.", "We pretend $\\sigma$ is the ReLU.", "Here $\\sigma$ may be the ReLU.",
          "Here $\\sigma$ is the ReLU or the sigmoid.", "Later $\\sigma$ is the ReLU.", "Here $\\sigma$ is twice the ReLU.",
          "Here $\\sigma$ is a smooth approximation of the ReLU.", "Instead of the ReLU we use a smooth $\\sigma$."})
        EXPECT_EQ(of_function(said).find("right"), std::string::npos) << said;
    const auto of_constant = [](const std::string& said) {
        return of_tex("Let $x \\in \\mathbb{R}^n$ and $W \\in \\mathbb{R}^{n \\times n}$. Let $y = W x$. " + said +
                      "\n\\[ L = x^\\top y \\]\n\\[ \\nabla_x L = y \\]\n");
    };
    EXPECT_EQ(of_constant("$y$ is treated as a constant."), "3 right");
    for (const char* said :
         {"Later $y$ is treated as a constant.", "Treating $y$ as a constant is a mistake.", "Others detach $y$.",
          "Beware of treating $y$ as a constant.", "Avoid treating $y$ as a constant.", "During evaluation $y$ is held fixed."})
        EXPECT_EQ(of_constant(said), "3 wrong") << said;
}

TEST(LatexDoubts, OfAValueThatIsCalledFixedNothingIsTold) {
    const std::string given =
        "Let $X \\in \\mathbb{R}^{n \\times d}$, $r = X w - y$, $W = \\operatorname{diag}(r^2)$ and "
        "$L = \\frac12 r^\\top W r$. ";
    const std::string without = "\n\\[ \\nabla_w L = X^\\top W (X w - y) \\]\n", with = "\n\\[ \\nabla_w L = 2 X^\\top W r \\]\n";
    for (const char* words : {"With $W$ fixed,", "For a fixed $W$,", "For fixed weights $W$,", "Fix $W$. Then",
                              "Let $W$ be fixed.", "Here $W$ is fixed.", "Freezing the weights $W$ we have"}) {
        EXPECT_EQ(of_tex(given + words + without), "2 cannot tell") << words;
        EXPECT_EQ(of_tex(given + words + with), "2 cannot tell") << words;
        EXPECT_EQ(of_tex(given + words + "\n\\[ \\nabla_w L = 3 X^\\top W r \\]\n"), "2 wrong") << words;
    }
    const std::string one = "Holding $W$ fixed," + without + "In full, the gradient is";  // of one sentence only
    EXPECT_EQ(of_tex(given + one + with), "2 right, 4 cannot tell");
    EXPECT_EQ(of_tex(given + one + without), "2 right, 4 cannot tell");
    EXPECT_EQ(of_tex(given + "With $X$ fixed," + with), "2 right");  // no gradient runs through what is given
    EXPECT_EQ(of_tex(given + "Here $W$ is held fixed." + without), "2 right");
}

TEST(LatexDoubts, ANumberAboveAndTheSameBelowAreOfTwoNames) {
    const std::string given = "Let $x, w^{(1)}, w_1, w_2 \\in \\mathbb{R}$, $a = \\tanh(w^{(1)} x)$ and $f = w_1 a + w_2 x$.\n";
    EXPECT_EQ(of_tex(given + "\\[ \\frac{\\partial f}{\\partial w_1} = a \\]\n"), "2 right");
    EXPECT_EQ(of_tex(given + "\\[ \\frac{\\partial f}{\\partial w^{(1)}} = w_1 (1 - a^2) x \\]\n"), "2 right");
    EXPECT_EQ(of_tex(given + "\\[ \\frac{\\partial f}{\\partial w^{(1)}} = w^{(1)} (1 - a^2) x \\]\n"), "2 wrong");
    EXPECT_EQ(of_tex(given + "\\[ \\frac{\\partial f}{\\partial x} = w_1 w_1 (1 - a^2) + w_2 \\]\n"), "2 wrong");
    for (const char* pair : {"w^{\\text{in}} w_{\\text{in}}", "w^{(1,2)} w_{12}", "w^{\\mathrm{old}} w_{\\mathrm{old}}"}) {
        const std::string both = pair, above = both.substr(0, both.find(' ')), below = both.substr(both.find(' ') + 1);
        const std::string of_both = "Let $" + above + ", " + below + " \\in \\mathbb{R}$.\n\\[ f = " + above + " \\sin(" + below +
                                    ") \\]\n\\[ \\frac{\\partial f}{\\partial " + below + "} = ";
        EXPECT_EQ(of_tex(of_both + above + " \\cos(" + below + ") \\]\n"), "3 right") << pair;
        EXPECT_EQ(of_tex(of_both + below + " \\cos(" + below + ") \\]\n"), "3 wrong") << pair;
    }
    EXPECT_EQ(of_tex("Let $x, w^Q \\in \\mathbb{R}$ and $f = w_Q x$.\n\\[ \\frac{\\partial f}{\\partial x} = w_Q \\]\n"),
              "2 not read");
}

TEST(LatexDoubts, ALetterAboveAndTheSameBelowMayBeOfTwoNames) {
    const std::string given = "Let $x, y \\in \\mathbb{R}^n$.\n";
    EXPECT_EQ(of_tex(given + "\\[ f = \\sum_i x^{(i)} y^{(i)}, \\quad \\frac{\\partial f}{\\partial x^{(i)}} = y^{(i)} \\]\n"),
              "2 right");
    EXPECT_EQ(of_tex(given + "\\[ f = \\sum_i x_i y_i, \\quad \\frac{\\partial f}{\\partial x_i} = y_i \\]\n"), "2 right");
    EXPECT_EQ(of_tex(given + "\\[ f = \\sum_i x_i y_i, \\quad \\frac{\\partial f}{\\partial x_i} = y^{(i)} \\]\n"), "2 not read");
    EXPECT_EQ(
        of_tex("Let $w^{(q)}, w_q \\in \\mathbb{R}$.\n\\[ f = w^{(q)} w_q, \\quad \\frac{d f}{d w_q} = w_q \\]\n").find("right"),
        std::string::npos);
}

TEST(LatexDoubts, TheNormalDistributionInWordsIsNotAnyFunction) {
    const auto of_gelu = [](const std::string& said, const std::string& claim = "\\Phi(x) + x \\phi(x)") {
        return of_tex("Let $x \\in \\mathbb{R}$ and $f(x) = x \\Phi(x)$ where " + said + ". Then\n\\[ f'(x) = " + claim +
                      " \\]\n");
    };
    for (const char* said :
         {"$\\Phi$ and $\\phi$ are the distribution function and density of $\\mathcal{N}(0, 1)$",
          "$\\Phi$ and $\\phi$ are the distribution function and density of the standard normal",
          "$\\Phi$ is the normal CDF and $\\phi$ is the normal density",
          "$\\Phi$ is the normal CDF, $\\Phi(x) = \\frac12 (1 + \\operatorname{erf}(x / \\sqrt 2))$, and $\\phi(x) = "
          "\\frac{1}{\\sqrt{2 \\pi}} e^{-x^2/2}$ is its density"}) {
        EXPECT_EQ(of_gelu(said), "2 right") << said;
        EXPECT_EQ(of_gelu(said, "\\Phi(x) - x \\phi(x)"), "2 wrong") << said;
    }
    for (const char* said : {"$\\Phi$ and $\\phi$ are the distribution function and density of $\\mathcal{N}(0, 4)$",
                             "the function $\\Phi$ is the normal density and the function $\\phi$ its CDF",
                             "$\\Phi$ is the distribution function and $\\phi$ the density of the logistic distribution",
                             "$\\Phi$ is not the normal CDF and $\\phi$ is the normal density"})
        EXPECT_EQ(of_gelu(said), "2 not read") << said;
}

TEST(LatexDoubts, EulersNumberStandsUprightBesideAValue) {
    const std::string text = "Let $y, t, s \\in \\mathbb{R}$ and $e = y - t$.\n\\[ L = \\frac12 e^2 \\mathrm{e}^{-s} \\]\n";
    EXPECT_EQ(of_tex(text + "\\[ \\frac{\\partial L}{\\partial s} = -\\frac12 e^2 \\mathrm{e}^{-s} \\]\n"), "3 right");
    EXPECT_EQ(of_tex(text + "\\[ \\frac{\\partial L}{\\partial y} = 2 e \\mathrm{e}^{-s} \\]\n"), "3 wrong");
}

TEST(LatexDoubts, ANumberBeforeAFractionMayBeAMixedNumber) {
    const std::string begin = "Let $x \\in \\mathbb{R}^n$.\n";
    EXPECT_EQ(of_tex(begin + "\\[ f = 1\\tfrac12 \\|x\\|^2 \\]\n\\[ \\nabla_x f = x \\]\n").find("right"), std::string::npos);
    EXPECT_EQ(of_tex(begin + "\\[ f = 3 \\cdot \\tfrac12 \\|x\\|^2 \\]\n\\[ \\nabla_x f = 3 x \\]\n"), "3 right");
    EXPECT_EQ(of_tex(begin + "\\[ f = \\tfrac32 \\|x\\|^2 \\]\n\\[ \\nabla_x f = 2 \\frac32 x \\]\n"), "3 right");
}

TEST(LatexDoubts, APropertyOfAnotherPartOrKindIsInDoubt) {
    const std::string given = "Let $A \\in \\mathbb{R}^{n \\times n}$ and $x \\in \\mathbb{R}^n$. ";
    const std::string lines = "\n\\[ f = x^\\top A x, \\quad \\nabla_x f = 2 A x \\]\n";
    EXPECT_EQ(of_tex(given + "The matrix $A$ is symmetric." + lines), "2 right");
    EXPECT_EQ(of_tex(given + "For simplicity, $A$ is symmetric." + lines), "2 right");
    for (const char* words : {"The matrix $A$ is symmetric in Section 3, but general here.", "The matrix $A$ is symmetric? No.",
                              "For undirected graphs $A$ is symmetric."})
        EXPECT_EQ(of_tex(given + words + lines), "2 cannot tell") << words;
    EXPECT_EQ(
        of_tex(
            "Let $x \\in \\mathbb{R}^n$ and $t = x^2$. Nothing is constant except in the last section, where $t$ is treated as a "
            "constant.\n\\[ L = \\sum_i (x_i - t_i)^2, \\quad \\frac{\\partial L}{\\partial x_i} = 2(x_i - t_i) \\]\n"),
        "2 wrong");
}

TEST(LatexDoubts, SetsThatWordsCallSomeAreSubsets) {
    const std::string lines = "\n\\[ L = \\sum_{i \\in S} x_i^2, \\quad \\frac{\\partial L}{\\partial x_i} = 2x_i \\]\n";
    EXPECT_EQ(of_tex("Let $x \\in \\mathbb{R}^n$ and let $S$ be the set of all samples." + lines), "2 right");
    EXPECT_EQ(of_tex("Let $x \\in \\mathbb{R}^n$ and let $S$ be the support vectors." + lines), "2 wrong");
}

TEST(LatexDoubts, ASoftmaxWhoseColumnsSumToOneIsOfColumns) {
    const std::string claim =
        "\\[ \\frac{\\partial L}{\\partial S} = A \\odot (\\frac{\\partial L}{\\partial A} - "
        "\\mathrm{rowsum}(\\frac{\\partial L}{\\partial A} \\odot A)) \\]\n";
    const std::string given = "Let $S \\in \\mathbb{R}^{n \\times m}$ and let $A = \\mathrm{softmax}(S)$, ";
    EXPECT_EQ(of_tex(given + "so $\\sum_j A_{ij} = 1$.\n" + claim), "2 right");
    EXPECT_EQ(of_tex(given + "so $\\sum_i A_{ij} = 1$.\n" + claim), "2 wrong");
    EXPECT_EQ(of_tex(given + "taken over columns.\n" + claim), "2 not read");
}

}  // namespace
}  // namespace gradproof::proof
