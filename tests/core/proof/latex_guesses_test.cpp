// What a text leaves open and is read in one way of two: it is told, or nothing is told of the lines that hang on it.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

std::vector<std::string> told(const std::string& text) { return passed_because("a.tex", text); }
const std::string kVector = "Let $x \\in \\mathbb{R}^n$.\n";

TEST(LatexGuesses, AValueThatIsGivenBehindClaimsIsTold) {
    const std::string claim = "\\[ f(x) = \\frac12 x^\\top A x, \\quad \\nabla f(x) = A x. \\]\n";
    const std::string again = " \\[ \\nabla f(x) = u (u^\\top x). \\]\n";
    const std::vector<std::string> why = {"A is given behind claims that use it"};
    for (const char* said : {"\\section{Rank one}\nLet $A = u u^\\top$. Then", "For $A = u u^\\top$ we have",
                             "Now let $A = u u^\\top$. Then", "\\section{Rank one}\n\\[ A = u u^\\top \\] so"})
        EXPECT_EQ(told(kVector + claim + said + again), why) << said;
    EXPECT_EQ(told(kVector + "Let $A = u u^\\top$.\n" + claim), std::vector<std::string>{});
    EXPECT_EQ(told(kVector + "\\[ f(x) = \\frac12 x^\\top A x, \\quad \\nabla f(x) = A x, \\]\nwhere $A = u u^\\top$.\n"),
              std::vector<std::string>{});
    EXPECT_EQ(told(kVector +
                   "\\[ m = \\|x\\|_1, \\quad \\frac{\\partial m}{\\partial x_i} = 1. \\]\n\\section{Special case}\nLet $x_i > "
                   "0$. Then\n\\[ \\frac{\\partial m}{\\partial x_i} = 1. \\]\n"),
              std::vector<std::string>{"what x is drawn to be stands behind claims that use it"});
}

TEST(LatexGuesses, ACapitalWhosePowerMultipliesAnArrayIsNoNumber) {
    EXPECT_EQ(
        of_tex(displayed("z^1 = W^1 x, \\quad z^2 = W^2 z^1, \\quad \\frac{\\partial L}{\\partial z^1} = W^2 \\frac{\\partial "
                         "L}{\\partial z^2}"))
            .find("right"),
        std::string::npos);
    EXPECT_EQ(of_tex(displayed("y = P^2 x, \\quad \\frac{\\partial L}{\\partial x} = P^2 \\frac{\\partial L}{\\partial y}"))
                  .find("right"),
              std::string::npos);
    EXPECT_EQ(
        of_tex(
            displayed("H = \\tilde A^2 X W, \\quad \\frac{\\partial L}{\\partial X} = \\tilde A^2 \\frac{\\partial L}{\\partial "
                      "H} W^\\top"))
            .find("right"),
        std::string::npos);
    EXPECT_EQ(of_tex(displayed("V = \\pi R^2 h, \\quad \\frac{\\partial V}{\\partial h} = \\pi R^2")), "1 right");
}

TEST(LatexGuesses, LinesThatHangOnRowsOrColumnsCannotBeTold) {
    const std::string given = "Let $w, y \\in \\mathbb{R}^n$, $A \\in \\mathbb{R}^{n \\times n}$.";
    const std::string loss = "\n\\[ L = \\frac12 \\|y - \\sum_k w_k a_k\\|^2 \\]\n";
    EXPECT_EQ(of_tex(given + loss + displayed("\\nabla_w L = -A (y - A^\\top w)")), "3 cannot tell");
    EXPECT_EQ(of_tex(given + loss + displayed("\\nabla_w L = -A^\\top (y - A w)")), "3 cannot tell");
    EXPECT_EQ(of_tex(given + " The $a_k$ are the rows of $A$." + loss + displayed("\\nabla_w L = -A (y - A^\\top w)")),
              "3 right");
    EXPECT_EQ(of_tex("Let $w \\in \\mathbb{R}^d$, $X \\in \\mathbb{R}^{n \\times d}$.\n\\[ L = \\sum_i w^\\top x_i \\]\n" +
                     displayed("\\nabla_w L = X^\\top \\mathbf{1}")),
              "3 right");
}

TEST(LatexGuesses, FunctionsOfMatricesCannotBeTold) {
    const std::string given = "Let $A, \\bar A \\in \\mathbb{R}^{n \\times n}$, $x \\in \\mathbb{R}^n$ and $t > 0$.\n";
    EXPECT_EQ(of_tex(given + displayed("z = e^{A t} x, \\quad \\frac{\\partial z}{\\partial t} = (A \\odot e^{A t}) x")),
              "2 cannot tell");
    EXPECT_EQ(of_tex(given + displayed("z = \\exp(t A) x, \\quad \\frac{\\partial z}{\\partial t} = (A \\odot \\exp(t A)) x")),
              "2 cannot tell");
    EXPECT_EQ(of_tex(given + "The exponential is taken elementwise.\n" +
                     displayed("z = \\exp(t A) x, \\quad \\frac{\\partial z}{\\partial t} = (A \\odot \\exp(t A)) x")),
              "3 right");
    EXPECT_EQ(
        of_tex("Let $\\Sigma \\in \\mathbb{R}^{n \\times n}$ be positive definite, $\\mu, \\epsilon \\in \\mathbb{R}^n$.\n" +
               displayed("x = \\mu + \\sqrt{\\Sigma} \\epsilon, \\quad \\frac{\\partial x_i}{\\partial \\Sigma_{ij}} = "
                         "\\frac{\\epsilon_j}{2 \\sqrt{\\Sigma_{ij}}}")),
        "2 cannot tell");
}

TEST(LatexGuesses, TheExponentialOfAnySquareMatrixThatMultipliesMayBeThatOfTheMatrix) {
    const std::string given = "Let $W \\in \\mathbb{R}^{n \\times n}$ and $x \\in \\mathbb{R}^n$.\n";
    const std::string product = displayed(
        "y = \\exp(W) x, \\quad \\frac{\\partial L}{\\partial W} = \\exp(W) \\odot "
        "\\left(\\frac{\\partial L}{\\partial y} x^\\top\\right)");
    EXPECT_EQ(of_tex(given + product), "2 cannot tell");
    EXPECT_EQ(of_tex(given + "The exponential is taken elementwise.\n" + product), "3 right");
    EXPECT_EQ(of_tex(given + displayed("y = \\cos(A) x, \\quad A = W W^\\top") +
                     displayed("\\frac{\\partial L}{\\partial x} = \\cos(A)^\\top \\frac{\\partial L}{\\partial y}")),
              "3 right");  // of a matrix that is computed it goes by entry, as everywhere
    EXPECT_EQ(
        of_tex("Let $A \\in \\mathbb{R}^{n \\times n}$ and $x \\in \\mathbb{R}^n$.\n" +
               displayed(
                   "y = \\cos(A) x, \\quad \\frac{\\partial L}{\\partial x} = \\cos(A)^\\top \\frac{\\partial L}{\\partial y}")),
        "2 cannot tell");
    EXPECT_EQ(of_tex(given + displayed("y = \\sin(W x), \\quad \\frac{\\partial L}{\\partial x} = "
                                       "W^\\top \\left(\\cos(W x) \\odot \\frac{\\partial L}{\\partial y}\\right)")),
              "2 right");
}

TEST(LatexGuesses, WhatUsesTheBaseOfAPowerBesideItIsTold) {
    EXPECT_EQ(told("Let $\\sigma > 0$ and $x, \\mu \\in \\mathbb{R}$.\n\\[ v = \\sigma^2, \\quad L = \\frac{(x - \\mu)^2}{2 "
                   "\\sigma^2} + "
                   "\\frac12 \\log v, \\quad \\frac{\\partial L}{\\partial v} = \\frac{1}{2 v}. \\]\n")
                  .size(),
              1u);
    EXPECT_EQ(told("Let $\\sigma > 0$ and $x, \\mu \\in \\mathbb{R}$.\n\\[ v = \\sigma^2, \\quad L = \\frac12 \\log v, \\quad "
                   "\\frac{\\partial L}{\\partial v} = \\frac{1}{2 v}. \\]\n"),
              std::vector<std::string>{});
}

TEST(LatexGuesses, ANameBeforeBracketsThatHoldOneNameIsTold) {
    const std::string given = "Let $s, y \\in \\mathbb{R}^n$, $\\lambda > 0$ and $t \\in (0, 1)$.\n";
    EXPECT_EQ(told(given +
                   displayed("L = \\lambda(t) \\|s - y\\|^2, \\quad \\frac{\\partial L}{\\partial t} = \\lambda \\|s - y\\|^2")),
              std::vector<std::string>{"\\lambda(t) is read as a product"});
    EXPECT_EQ(told(given + displayed("L = \\lambda(1 - t) \\|s - y\\|^2, \\quad \\nabla_s L = 2 \\lambda(1 - t) (s - y)")),
              std::vector<std::string>{});
}

TEST(LatexGuesses, BarsAroundAVectorAreNotReadAndMapsThatWordsNameAreTold) {
    const std::string bars =
        displayed("v = x / (1 + |x|), \\quad \\frac{\\partial v_i}{\\partial x_j} = \\delta_{ij} / (1 + |x_i|)^2");
    EXPECT_EQ(of_tex(kVector + bars), "2 not read, 2 not read");  // |x| may be the norm
    EXPECT_EQ(of_tex(kVector + "With the absolute value of each entry\n" + bars), "3 right");
    EXPECT_EQ(told(kVector + displayed("v = \\sum_i |x_i|, \\quad \\nabla_x v = \\mathrm{sign}(x)")), std::vector<std::string>{});
    EXPECT_EQ(
        told(kVector + "A residual block is\n" +
             displayed(
                 "z = x + f(x), \\quad \\frac{\\partial L}{\\partial x} = (1 + f'(x)) \\odot \\frac{\\partial L}{\\partial z}")),
        std::vector<std::string>{"f is read entry by entry"});
}

TEST(LatexGuesses, WhatStandsBehindACommaIsTold) {
    const std::string given = "Let $a, b \\in \\mathbb{R}$.\n";
    EXPECT_EQ(told(given + displayed("L = \\max 0, 1 - a b, \\quad \\frac{\\partial L}{\\partial a} = 0")).size(), 1u);
    EXPECT_EQ(told(given + displayed("L = a^2, b^2, \\quad \\frac{\\partial L}{\\partial a} = 2 a")).size(), 1u);
}

TEST(LatexGuesses, AnEquivalenceThatIsNotJudgedIsTold) {
    EXPECT_EQ(told("Let $X \\in \\mathbb{R}^{n \\times d}$, $w \\in \\mathbb{R}^d$ and $y \\in \\mathbb{R}^n$.\n" +
                   displayed("L = \\frac12 \\|X w - y\\|^2, \\quad \\nabla_w L = X^\\top (X w - y)") +
                   displayed("\\nabla_w L = 0 \\iff X^\\top X w = 2 X^\\top y"))
                  .size(),
              1u);
}

TEST(LatexGuesses, PropertiesThatAreSaidBehindClaimsAreTold) {
    const std::string claim = displayed("f(x) = x^\\top A x, \\quad \\nabla f(x) = 2 A x");
    const std::vector<std::string> why = {"what A is drawn to be stands behind claims that use it"};
    EXPECT_EQ(told(kVector + claim + "\\section{Symmetric}\nLet $A \\in \\mathbb{S}^n$.\n" + displayed("\\nabla f(x) = 2 A x")),
              why);
    EXPECT_EQ(told(kVector + "Let $A \\in \\mathbb{S}^n$.\n" + claim), std::vector<std::string>{});
}

TEST(LatexGuesses, LayersThatAreCountedAboveAreNoNumbers) {
    EXPECT_EQ(of_tex(displayed("h = \\tanh(x W^1), \\quad y = h W^2, \\quad L = \\frac12 \\|y - t\\|^2, \\quad \\frac{\\partial "
                               "L}{\\partial h} = (y - t) W^2")),
              "1 wrong");
    EXPECT_EQ(of_tex(displayed(
                  "y = \\Lambda^2 x, \\quad \\frac{\\partial L}{\\partial x} = \\Lambda^2 \\frac{\\partial L}{\\partial y}")),
              "1 wrong");
}

TEST(LatexGuesses, LogarithmsOfMatricesCannotBeTold) {
    EXPECT_EQ(
        of_tex("Let $X \\in \\mathbb{R}^{n \\times n}$.\n" +
               displayed("Y = \\log X, \\quad \\frac{\\partial L}{\\partial X} = \\frac{\\partial L}{\\partial Y} \\oslash X")),
        "2 cannot tell");
}

TEST(LatexGuesses, AFunctionThatIsCalledANetworkIsTold) {
    const std::string claim =
        displayed("z = f(x), \\quad \\frac{\\partial L}{\\partial x} = f'(x) \\odot \\frac{\\partial L}{\\partial z}");
    EXPECT_EQ(told(kVector + "The neural network $f$ gives\n" + claim).size(), 1u);
    EXPECT_EQ(told(kVector + "With the activation $f$ we get\n" + claim), std::vector<std::string>{});
}

TEST(LatexGuesses, NamesOfLayersAndFactorsAreNoFunctions) {
    EXPECT_EQ(of_tex(kVector + displayed("y = \\mathrm{LN}(x), \\quad \\frac{\\partial L}{\\partial x} = \\frac{1}{x} \\odot "
                                         "\\frac{\\partial L}{\\partial y}"))
                  .find("right"),
              std::string::npos);
    EXPECT_EQ(of_tex(kVector +
                     displayed("y = \\mathrm{scale}(x), \\quad \\frac{\\partial L}{\\partial x} = \\frac{\\partial L}{\\partial "
                               "y}"))
                  .find("right"),
              std::string::npos);
    EXPECT_EQ(of_tex(kVector + displayed("L = \\frac12 x^\\top x, \\quad \\nabla_x^\\top L = L x^\\top")).find("right"),
              std::string::npos);
}

TEST(LatexGuesses, ANameThatStandsInNormsAloneMayBeWhatOthersAreTogether) {
    const std::string of_rows = "p_k = \\frac{e^{w_k^\\top x}}{\\sum_j e^{w_j^\\top x}}, \\quad L = -\\sum_k y_k \\log p_k";
    const std::string claim = displayed("\\frac{\\partial L}{\\partial w_k} = (p_k - y_k) x");
    EXPECT_EQ(of_tex(displayed(of_rows + " + \\frac{\\lambda}{2} \\|W\\|_F^2") + claim), "1 not read, 2 cannot tell");
    const auto layers = [](const std::string& penalty, const std::string& by) {
        return of_tex(displayed("h = \\sigma(" + by + "{1} x), \\quad \\hat y = " + by +
                                "{2} h, \\quad L = \\frac12 \\|\\hat y - y\\|^2 + " + penalty) +
                      displayed("\\nabla_{" + by + "{2}} L = (\\hat y - y) h^\\top"));
    };
    EXPECT_EQ(layers("\\frac{\\lambda}{2} \\|\\theta\\|^2", "W_"), "1 not read, 2 cannot tell");
    EXPECT_EQ(layers("\\frac{\\lambda}{2} \\|W\\|_F^2", "W_"), "1 not read, 2 cannot tell");
    EXPECT_EQ(
        of_tex(displayed("h = \\sigma(W^{(1)} x), \\quad \\hat y = W^{(2)} h, \\quad L = \\frac12 \\|\\hat y - y\\|^2 + \\sum_l "
                         "\\|W^{(l)}\\|_F^2") +
               displayed("\\nabla_{W^{(2)}} L = (\\hat y - y) h^\\top")),
        "1 not read, 2 cannot tell");
    EXPECT_EQ(of_tex(displayed("L = \\frac12 \\|x\\|^2, \\quad \\nabla_x L = x")), "1 right");
}

TEST(LatexGuesses, OneOfAFamilyAndWhatHasAParameterBelowAreTold) {
    EXPECT_EQ(
        told("Let $v_c, u_o \\in \\mathbb{R}^d$ and $u_1, \\dots, u_V \\in \\mathbb{R}^d$.\n" +
             displayed(
                 "L = -u_o^\\top v_c + \\log \\sum_{w=1}^V \\exp(u_w^\\top v_c), \\quad \\frac{\\partial L}{\\partial u_o} = "
                 "-v_c")),
        std::vector<std::string>{"u_o is read as a value of its own, and not as one of u"});
    EXPECT_EQ(
        told(displayed("o = V h_T, \\quad L = \\frac12 \\|o\\|^2 + \\frac12 \\sum_{t=1}^T \\|h_t\\|^2, \\quad \\frac{\\partial "
                       "L}{\\partial h_T} = V^\\top o")),
        std::vector<std::string>{"h_T is read as a value of its own, and not as one of h"});
    EXPECT_EQ(
        told("Let $\\theta \\in \\mathbb{R}^p$, $y \\in \\mathbb{R}^n$, $\\lambda > 0$.\n" +
             displayed(
                 "L = \\frac12 \\|\\hat y_\\theta - y\\|^2 + \\frac{\\lambda}{2} \\|\\theta\\|^2, \\quad \\nabla_\\theta L = "
                 "\\lambda \\theta")),
        std::vector<std::string>{"y_hat_θ is read as a value that does not follow from θ"});
}

TEST(LatexGuesses, WhatIsNotSummedAndRelationsOfGradientsAreNotRead) {
    for (const char* formula :
         {"f = A_{ij} x_i x_j, \\quad \\frac{\\partial f}{\\partial x_i} = A_{ij} x_j",
          "E = \\frac12 k_{ab} \\phi_a \\phi_b, \\quad \\frac{\\partial E}{\\partial \\phi_a} = \\frac12 k_{ab} \\phi_b"})
        EXPECT_THROW(of_tex(displayed(formula)), ProofError) << formula;
    EXPECT_EQ(
        of_tex("Let $A \\in \\mathbb{R}^{n \\times n}$, $x \\in \\mathbb{R}^n$.\n" +
               displayed(
                   "f = \\sum_{i,j} A_{ij} x_i x_j, \\quad \\frac{\\partial f}{\\partial x_i} = \\sum_j (A_{ij} + A_{ji}) x_j")),
        "2 right");
    const std::string hinge = "Let $w, x \\in \\mathbb{R}^n$ and $y \\in \\mathbb{R}$.\n";
    for (const char* relation : {"\\nabla_w L \\ne 0", "L > 0"})
        EXPECT_EQ(
            of_tex(hinge + displayed("L = \\max(0, 1 - y w^\\top x), \\quad \\nabla_w L = -y x, \\quad " + std::string(relation)))
                .substr(0, 10),
            "2 not read")
            << relation;
}

TEST(LatexGuesses, LettersThatNameTheLayerAreNotRead) {
    EXPECT_EQ(
        of_tex(
            displayed("a_j = \\sum_i w_{ji} x_i, \\quad z_j = \\tanh(a_j), \\quad y_k = \\sum_j v_{kj} z_j, \\quad E = \\frac12 "
                      "\\sum_k (y_k - t_k)^2") +
            displayed("\\delta_k = y_k - t_k, \\quad \\delta_j = (1 - z_j^2) \\sum_k v_{kj} \\delta_k, \\quad \\frac{\\partial "
                      "E}{\\partial w_{ji}} = \\delta_j x_i")),
        "2 not read, 2 not read");
}

TEST(LatexGuesses, APowerOfANumberIsNoTranspose) {
    const auto payment = [](const std::string& given, const std::string& slope) {
        return of_tex("Let $r, C" + given +
                      " > 0$. \\[ P = C (1+r)^{-T} . \\] Then \\[ \\frac{\\partial P}{\\partial r} = " + slope + " . \\]\n");
    };
    EXPECT_EQ(payment(", T", "-\\frac{T P}{1+r}"), "1 right");
    EXPECT_EQ(payment(", T", "-\\frac{P}{1+r}"), "1 wrong");
    EXPECT_EQ(payment("", "-\\frac{P}{1+r}"), "1 not read, 1 not read");
    for (const char* text : {"Let $p\\in(0,1)$. \\[ q = 1 - (1-p)^T, \\qquad \\frac{dq}{dp} = \\frac{1-q}{1-p}. \\]\n",
                             "Let $x \\in \\mathbb{R}^d$. \\[ f = \\|x\\|^T, \\qquad \\nabla f = x / \\|x\\|. \\]\n"})
        EXPECT_EQ(of_tex(text), "1 not read, 1 not read") << text;
    const std::string decay =
        "Let $\\lambda, c \\in \\mathbb{R}^n$ and $\\eta \\in (0,1)$. \\[ L = \\sum_i c_i (1-\\eta\\lambda_i)^T \\] "
        "\\[ \\frac{\\partial L}{\\partial c_i} = 1-\\eta\\lambda_i \\]\n";
    EXPECT_EQ(told(decay).size(), 1u);
    // x^T A y may be turned.
    EXPECT_EQ(of_tex("Let $x, y \\in \\mathbb{R}^n$, $A \\in \\mathbb{R}^{n \\times n}$. \\[ f = (x^T A y)^T, \\quad \\nabla_x f "
                     "= A y \\]\n"),
              "1 right");
}

TEST(LatexGuesses, AFunctionInFrontOfAQuotientIsTold) {
    const auto half = [](const std::string& f) {
        return told("Let $\\theta\\in\\mathbb{R}$. \\[ f = " + f +
                    ", \\qquad \\frac{df}{d\\theta} = -\\tfrac12\\sin\\theta. \\]\n")
            .size();
    };
    EXPECT_EQ(half("\\cos\\theta/2"), 1u);
    EXPECT_EQ(half("\\cos(\\theta)/2"), 0u);
    EXPECT_EQ(half("\\frac{\\cos\\theta}{2}"), 0u);
}

TEST(LatexGuesses, ADefinitionOnOneSideOfAConditionIsTold) {
    const auto huber = [](const std::string& lead) {
        return told("Let $r\\in\\mathbb{R}$ and $\\delta > 0$. " + lead +
                    "\\[ L = \\tfrac12 r^2. \\] Then \\[ \\frac{\\partial L}{\\partial r} = r \\]\n")
            .size();
    };
    EXPECT_EQ(huber("For $|r| \\le \\delta$, "), 1u);
    EXPECT_EQ(huber(""), 0u);
}

TEST(LatexGuesses, PowersAndSumsOfFunctionsAreNoProducts) {
    const auto of = [](const std::string& f, const std::string& slope) {
        return of_tex("Let $x > 0$. \\[ g(x) = x^3, \\quad h(x) = e^x, \\quad f(x) = " + f + ", \\quad f'(x) = " + slope +
                      ". \\]\n");
    };
    EXPECT_EQ(of("g(x)^2", "6x^5"), "1 right");
    EXPECT_EQ(of("g(x) h(x)", "g'(x) h(x) + g(x) h'(x)"), "1 right");
    for (const auto& [f, slope] : std::vector<std::pair<std::string, std::string>>{
             {"g^2(x)", "7x^6"}, {"g^{-1}(x)", "-2x^{-3}"}, {"(g + h)(x)", "g(x) + h(x) + x (g'(x) + h'(x))"}, {"(g h)(x)", "1"}})
        EXPECT_EQ(of(f, slope), "1 not read, 1 not read") << f;
}

}  // namespace
}  // namespace gradproof::proof
