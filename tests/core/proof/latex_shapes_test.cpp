// LaTeX as authors type it, where no sentence states a shape: names with the shapes that the formulas need.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

/// What the report says the lines are judged for.
std::string domain_of(const std::string& text) {
    std::string out;
    for (const ProofReport& p : check_file("a.tex", text).proofs)
        for (const std::string& d : p.domain) out += (out.empty() ? "" : "; ") + d;
    return out;
}
constexpr const char* kAsNeeded = ": shapes as the formulas need them";

TEST(LatexShapes, AreThoseThatTheFormulasNeed) {
    const std::string squares = displayed("L = \\frac{1}{2n} \\|X w - y\\|^2 + \\frac{\\lambda}{2} \\|w\\|^2");
    EXPECT_EQ(domain_of(squares + displayed("\\nabla_w L = w")), std::string("X [n, m], w [m], y [n], λ") + kAsNeeded);
    EXPECT_EQ(of_tex(squares + displayed("\\nabla_w L = \\frac{1}{n} X^\\top (X w - y) + \\lambda w") +
                     displayed("\\nabla_w L = \\frac{1}{n} X (X w - y) + \\lambda w") +
                     displayed("\\frac{\\partial L}{\\partial y} = \\frac{1}{n} (X w - y)")),
              "2 right, 3 wrong, 4 wrong");
    // A vector or a number is what fits.
    const std::string point = displayed("f = w^\\top x + b") + displayed("L = \\frac12 (f - y)^2");
    EXPECT_EQ(domain_of(point + displayed("\\nabla_w L = (f - y) x")), std::string("w [n], x [n], b, y") + kAsNeeded);
    EXPECT_EQ(of_tex(point + displayed("\\nabla_w L = (f - y) x") + displayed("\\frac{\\partial L}{\\partial b} = f - y") +
                     displayed("\\nabla_w L = (f - y) w")),
              "3 right, 4 right, 5 wrong");
}

TEST(LatexShapes, NothingIsSquareThatNeedNotBe) {
    const std::string layers = displayed("h = \\tanh(W x + b), \\quad z = V h, \\quad L = \\tfrac12 \\|z - t\\|^2");
    EXPECT_EQ(of_tex(layers + displayed("\\frac{\\partial L}{\\partial V} = (z - t) h^\\top") +
                     displayed("\\frac{\\partial L}{\\partial V} = h (z - t)^\\top") +
                     displayed("\\frac{\\partial L}{\\partial h} = V (z - t)")),
              "2 right, 3 wrong, 4 wrong");
    const std::string attention = displayed("S = Q K^T, \\quad A = \\mathrm{softmax}(S), \\quad O = A V");
    EXPECT_EQ(of_tex(attention + displayed("dV = A^T dO, \\quad dK = dS^T Q, \\quad dK = dS Q")), "2 right, 2 right, 2 wrong");
}

TEST(LatexShapes, ACountThatDividesASumIsItsSize) {
    const std::string norm = displayed(
        "\\mu = \\frac1n \\sum_i x_i, \\quad v = \\frac1n \\sum_i (x_i - \\mu)^2, \\quad y_i = "
        "\\frac{x_i - \\mu}{\\sqrt{v + \\epsilon}}");
    const std::string gradient =
        "\\frac{\\partial L}{\\partial x_i} = \\frac{1}{\\sqrt{v + \\epsilon}} \\Bigl(\\frac{\\partial "
        "L}{\\partial y_i} - \\frac1n \\sum_j \\frac{\\partial L}{\\partial y_j}";
    EXPECT_EQ(of_tex(norm + displayed(gradient + " - y_i \\frac1n \\sum_j y_j \\frac{\\partial L}{\\partial y_j}\\Bigr)") +
                     displayed(gradient + "\\Bigr)")),
              "2 right, 3 wrong");
    EXPECT_EQ(domain_of(norm + displayed(gradient + "\\Bigr)")), std::string("x [n], ε") + kAsNeeded + "; ε > 0");
}

TEST(LatexShapes, EntriesShowAxes) {
    const std::string text = displayed("L = \\sum_{i=1}^N (y_i - w^\\top x_i)^2");
    EXPECT_EQ(of_tex(text + displayed("\\nabla_w L = -2 \\sum_i (y_i - w^\\top x_i) x_i") +
                     displayed("\\nabla_w L = -2 \\sum_i (y_i - w^\\top x_i)")),
              "2 right, 3 wrong");
    // X is the matrix whose rows are the x_i.
    EXPECT_EQ(of_tex(text + displayed("\\nabla_w L = -2 X^\\top (y - X w)") + displayed("\\nabla_w L = 2 X^\\top (y - X w)")),
              "2 right, 3 wrong");
    // What words say goes first.
    EXPECT_EQ(domain_of("Let $x$ be a vector.\n" + displayed("y = a x") + displayed("\\nabla_x L = a \\nabla_y L")),
              std::string("a, x [n]") + kAsNeeded);
    const std::string rows = "Let $q_i, k_j \\in \\mathbb{R}^d$ be rows.\n" + displayed("S_{ij} = \\tau q_i^\\top k_j");
    EXPECT_EQ(
        of_tex(rows + displayed("\\frac{\\partial L}{\\partial q_i} = \\tau \\sum_j \\frac{\\partial L}{\\partial S_{ij}} k_j") +
               displayed("\\frac{\\partial L}{\\partial k_j} = \\tau \\sum_i \\frac{\\partial L}{\\partial S_{ij}} k_i")),
        "3 right, 4 wrong");
}

TEST(LatexShapes, LabelsAndTargetsAreDrawnAsTheyAreUsed) {
    const std::string label = displayed("p = \\mathrm{softmax}(W h), \\quad L = -\\log p_y, \\quad z = W h");
    EXPECT_EQ(of_tex("With $z = W h$,\n" + displayed("p = \\mathrm{softmax}(z), \\quad L = -\\log p_y") +
                     displayed("\\frac{\\partial L}{\\partial z_k} = p_k - \\mathbf{1}[k = y]") +
                     displayed("\\frac{\\partial L}{\\partial z_k} = p_k")),
              "3 right, 4 wrong");
    const std::string target = displayed("p = \\mathrm{softmax}(z), \\quad L = -\\sum_k y_k \\log p_k");
    EXPECT_EQ(of_tex(target + displayed("\\nabla_z L = p - y") + displayed("\\nabla_z L = y - p")), "2 right, 3 wrong");
    EXPECT_NE(domain_of(target + displayed("\\nabla_z L = p - y")).find("y that sum to 1"), std::string::npos)
        << domain_of(target + displayed("\\nabla_z L = p - y"));
    const std::string logistic = displayed("L = -y \\log p - (1 - y) \\log(1 - p)");
    EXPECT_EQ(of_tex(logistic + displayed("\\frac{\\partial L}{\\partial p} = \\frac{p - y}{p (1 - p)}") +
                     displayed("\\frac{\\partial L}{\\partial p} = \\frac{p - y}{p}")),
              "2 right, 3 wrong");
    // An index that lacks its sum is no label.
    EXPECT_EQ(of_tex("Let $w \\in \\mathbb{R}^{n \\times n}$, $x \\in \\mathbb{R}^n$.\n" + displayed("z_i = w_{ij} x_j") +
                     displayed("\\nabla_x L = w^\\top \\nabla_z L")),
              "2 not read, 3 not read");
}

TEST(LatexShapes, WhatIsNoValueIsNotTaken) {
    // Beside a value y, \bar y may be its gradient.
    const std::string bare = displayed("y = x \\odot x") + displayed("\\bar{x} = 2 x \\odot \\bar{y}");
    EXPECT_EQ(of_tex(bare + displayed("\\nabla_x L = 2 x \\odot \\nabla_y L")), "2 not read, 3 cannot tell");
    EXPECT_EQ(of_tex(displayed("y = x \\odot x") + displayed("\\bar{x} = 2 x \\odot \\bar{y}") +
                     "With $\\bar y$ the incoming gradient.\n"),
              "2 right");
    EXPECT_EQ(of_tex(displayed("y = x \\odot x") + displayed("\\bar{x} = x \\odot \\bar{y}") +
                     "Let $\\bar y$ denote the gradient of the loss on $y$.\n"),
              "2 wrong");
    // A function of which nothing is said is any smooth one.
    const std::string any = displayed("a = W x, \\quad L = \\sum_i \\phi(a_i)");
    EXPECT_EQ(of_tex(any + displayed("\\nabla_x L = W^\\top \\phi'(a)") + displayed("\\nabla_x L = W^\\top \\phi(a)")),
              "2 right, 3 wrong");
}

TEST(LatexShapes, LikelihoodsAreNames) {
    const std::string gauss = displayed(
        "\\log p(x \\mid \\mu, \\Sigma) = -\\tfrac12 \\log|\\Sigma| - \\tfrac12 (x - \\mu)^\\top "
        "\\Sigma^{-1} (x - \\mu) + \\mathrm{const}");
    EXPECT_EQ(
        of_tex(gauss + displayed("\\frac{\\partial \\log p(x \\mid \\mu, \\Sigma)}{\\partial \\mu} = \\Sigma^{-1} (x - \\mu)") +
               displayed("\\frac{\\partial}{\\partial \\mu} \\log p(x \\mid \\mu, \\Sigma) = -\\Sigma^{-1} (x - \\mu)")),
        "2 right, 3 wrong");
}

TEST(LatexShapes, ListsOfExamplesSayAnewWhatAFunctionIs) {
    EXPECT_EQ(of_tex("\\begin{enumerate}\n\\item Let $f(x) = x^T A x$. Then\n\\[ \\nabla f(x) = 2 A x. \\]\n"
                     "\\item Let $f(X) = \\mathrm{tr}(A X B)$. Then\n\\[ \\nabla f(X) = A^T B^T. \\]\n"
                     "\\item Let $f(X) = a^T X^{-1} b$. Then\n\\[ \\nabla f(X) = -X^{-T} b a^T X^{-T}. \\]\n\\end{enumerate}\n"),
              "3 wrong, 5 right, 7 wrong");
}

TEST(LatexShapes, PrimedIndicesAreIndices) {
    const std::string text = displayed("y_w = \\frac{e^{s_w}}{\\sum_{w'} e^{s_{w'}}}, \\quad L = -\\sum_w t_w \\log y_w") +
                             "where $\\sum_w t_w = 1$.\n";
    EXPECT_EQ(of_tex(text + displayed("\\frac{\\partial L}{\\partial s_w} = y_w - t_w") +
                     displayed("\\frac{\\partial L}{\\partial s_w} = y_w - t_{w'}")),
              "3 right, 4 not read");
}

TEST(LatexShapes, WhatIsDefinedAmongTheClaimsIsNoPartOfTheLoss) {
    const std::string norm = "for a scalar $g$,\n" + displayed("w = \\frac{g}{\\|v\\|} v");
    EXPECT_EQ(of_tex(norm + displayed("\\nabla_g L = \\frac{v^\\top \\nabla_w L}{\\|v\\|}") +
                     displayed("\\nabla_v L = \\frac{g}{\\|v\\|} \\nabla_w L - \\frac{g \\nabla_g L}{\\|v\\|} v") +
                     displayed("\\nabla_v L = \\frac{g}{\\|v\\|} M \\nabla_w L, \\quad M = I - \\frac{w w^\\top}{\\|w\\|^2}")),
              "3 right, 4 wrong, 5 right");
}

TEST(LatexShapes, RecurrencesBeginWithAStateOfTheirOwn) {
    const std::string net = displayed("h^{(t)} = \\tanh(W h^{(t-1)} + U x^{(t)} + b), \\quad o^{(t)} = V h^{(t)}");
    EXPECT_EQ(domain_of(net + displayed("\\nabla_V L = \\sum_t (\\nabla_{o^{(t)}} L) h^{(t)\\top}")),
              std::string("W [n, n], h_0 [n], U [n, m], x [d, m], b [n], V [p, n]") + kAsNeeded);
    EXPECT_EQ(of_tex(net + displayed("\\nabla_V L = \\sum_t (\\nabla_{o^{(t)}} L) h^{(t)\\top}") +
                     displayed("\\nabla_W L = \\sum_t \\mathrm{diag}(1 - (h^{(t)})^2) (\\nabla_{h^{(t)}} L) h^{(t-1)\\top}") +
                     displayed("\\nabla_W L = \\sum_t \\mathrm{diag}(1 - (h^{(t)})^2) (\\nabla_{h^{(t)}} L) h^{(t)\\top}")),
              "2 right, 3 right, 4 wrong");
}

TEST(LatexShapes, FormsThatAuthorsUse) {
    const std::string ridge = displayed("\\min_w F(w) = \\|X w - y\\|^2 + \\lambda \\|w\\|^2");
    EXPECT_EQ(of_tex(ridge + displayed("\\nabla F(w) = 2 X^\\top (X w - y) + 2 \\lambda w") +
                     displayed("\\nabla^2 F(w) = 2 X^\\top X + \\lambda I")),
              "2 right, 3 wrong");
    const std::string smooth = displayed("f(x) = \\sum_i \\sqrt{x_i^2 + \\epsilon}");
    EXPECT_EQ(
        of_tex(smooth + displayed("\\nabla^2 f(x) = \\mathrm{diag}\\bigl(\\frac{\\epsilon}{(x_i^2 + \\epsilon)^{3/2}}\\bigr)") +
               displayed("\\nabla^2 f(x) = \\mathrm{diag}\\bigl(\\frac{1}{\\sqrt{x_i^2 + \\epsilon}}\\bigr)")),
        "2 right, 3 wrong");
    const std::string normal = "The prior is $\\mathcal{N}(m, P)$.\n" + displayed("J(x) = \\tfrac12 (x - m)^T P^{-1} (x - m)");
    EXPECT_EQ(of_tex(normal + displayed("\\nabla J(x) = P^{-1} (x - m)") +
                     displayed("\\frac{\\partial J}{\\partial m} = P^{-1} (x - m)")),
              "3 right, 4 wrong");
    EXPECT_EQ(of_tex("The measurement is $y = C x + v$.\n" + displayed("J(x) = \\tfrac12 \\|y - C x\\|^2") +
                     displayed("\\nabla J(x) = -C^T (y - C x)") + displayed("\\nabla J(x) = C^T (y - C x)")),
              "3 right, 4 wrong");
    EXPECT_EQ(of_tex(displayed("\\log p(y \\mid s) = -\\tfrac12 \\log 2\\pi - s - \\tfrac12 e^{-2s} y^2") +
                     displayed("\\frac{\\partial}{\\partial s} \\log p(y \\mid s) = -1 + e^{-2s} y^2")),
              "2 right");
}

TEST(LatexShapes, WhatASentenceSaysAnewGoesForTheLinesBehindIt) {
    const std::string text = "With $E = X W - Y$,\n" + displayed("L = \\tfrac12 \\|E\\|^2") + displayed("\\nabla_W L = X^T E") +
                             displayed("\\nabla_W L = E") + "With a mask, $E = M \\odot (X W - Y)$ and\n";
    EXPECT_EQ(of_tex(text + displayed("\\nabla_W L = X^T E") + displayed("\\nabla_W L = X^T (M \\odot E)")),
              "3 right, 4 wrong, 6 wrong, 7 right");
    const std::string gate = displayed("Y = X + H U") + displayed("\\nabla_U L = H^T \\nabla_Y L") +
                             "With a scalar gate on the branch, $Y = X + s H U$,\n";
    EXPECT_EQ(of_tex(gate + displayed("\\nabla_U L = H^T \\nabla_Y L") + displayed("\\nabla_U L = s H^T \\nabla_Y L")),
              "2 right, 4 wrong, 5 right");
    // What is so already is no change.
    EXPECT_EQ(of_tex(displayed("p_i = \\frac{e^{z_i}}{\\sum_j e^{z_j}}") + "Since $p = \\mathrm{softmax}(z)$,\n" +
                     displayed("\\frac{\\partial p_i}{\\partial z_j} = p_i (\\delta_{ij} - p_j)")),
              "3 right");
}

TEST(LatexShapes, AConditionInWordsIsReadOfOneHinge) {
    const std::string hinge = displayed("\\ell = [\\, \\|a - p\\|^2 - \\|a - n\\|^2 + \\alpha \\,]_+");
    const auto slope = [](const std::string& right) { return displayed("\\frac{\\partial \\ell}{\\partial a} = " + right); };
    EXPECT_EQ(of_tex(hinge + "When the margin is violated, that is when the bracket is positive,\n" + slope("2 (n - p)")),
              "3 right");
    EXPECT_EQ(of_tex(hinge + "When active:\n" + slope("2 (n - p)") + slope("2 (p - n)")), "3 right, 4 wrong");
    EXPECT_EQ(of_tex(hinge + "Whenever the loss is zero,\n" + slope("0") + "When the loss is positive,\n" + slope("0")),
              "3 right, 5 wrong");
    EXPECT_EQ(of_tex(hinge + "When the loss is not positive,\n" + slope("0")), "3 not read");
    const std::string two = displayed("\\ell = \\max(0, a) + \\max(0, b)");
    EXPECT_EQ(of_tex(two + "When the loss is positive,\n" + slope("1")), "3 not read");
    EXPECT_EQ(of_tex(displayed("\\ell = a^2") + "When the loss is positive,\n" + slope("2 a")), "3 not read");
}

TEST(LatexShapes, TheLossOfATextIsNoFunctionAndIsNotGuessedWhereItsLineIsLost) {
    EXPECT_EQ(of_tex(displayed("L(w) = \\frac{1}{2n} \\|X w - y\\|^2") + "Write $r = X w - y$.\n" +
                     displayed("\\nabla_w L = \\frac1n X^\\top r") + "If $L(w, b) = \\|r\\|^2$, nothing changes.\n"),
              "3 right");
    EXPECT_EQ(of_tex(displayed("d = \\Lambda x") + displayed("J = \\foo \\tfrac12 d^\\top d") +
                     displayed("\\frac{\\partial J}{\\partial x} = \\Lambda^\\top d")),
              "2 not read, 3 not read");
}

TEST(LatexShapes, ASizeBesideAFactorIsNoDifferential) {
    EXPECT_EQ(of_tex(displayed("r = \\sqrt{\\tfrac1d \\sum_k x_k^2 + \\varepsilon}") +
                     displayed("\\frac{\\partial r}{\\partial x_j} = \\frac{x_j}{d\\,r}") +
                     displayed("\\frac{\\partial r}{\\partial x_j} = \\frac{x_j}{r}")),
              "2 right, 3 wrong");
}

TEST(LatexShapes, RowsOfABatchHaveBiasesInEachRow) {
    const std::string text = displayed("A = X D + c, \\quad H = \\varphi(A), \\quad Y = H U + b");
    EXPECT_EQ(of_tex(text + displayed("\\nabla_b L = \\mathbf{1}^T \\nabla_Y L") + displayed("\\nabla_c L = \\nabla_A L") +
                     displayed("\\nabla_D L = X^T \\nabla_A L")),
              "2 right, 3 wrong, 4 right");
}

TEST(LatexShapes, FunctionsAreNoFactors) {
    EXPECT_EQ(of_tex(displayed("z = A x") + displayed("y = W N(x)") + displayed("\\nabla_W L = (\\nabla_y L) x^\\top")),
              "2 not read, 3 not read");
}

TEST(LatexShapes, WhereNoneFitTheTextIsAskedForThem) {
    const std::string error =
        gradproof::testing::error_of([] { read_proofs("a.tex", displayed("L = \\foo(X w)") + displayed("\\nabla_w L = w")); });
    EXPECT_NE(error.find("nothing says what the inputs are"), std::string::npos) << error;
    // A comment that declares one declares all.
    EXPECT_EQ(of_tex("% gradproof: dims n; input x [n]\n" + displayed("y = a x") + displayed("\\nabla_x L = a \\nabla_y L")),
              "2 not read, 3 not read");
}

}  // namespace
}  // namespace gradproof::proof
