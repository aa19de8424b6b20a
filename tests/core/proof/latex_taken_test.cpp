// LaTeX as authors type it, where no sentence states a shape: names with indices, functions and bars, and what is said of Jacobians.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

TEST(LatexTaken, ANumberBelowACapitalIsPartOfItsName) {
    const std::string net = displayed("a = W x, \\quad y = W_2 \\tanh(a)");
    EXPECT_EQ(
        of_tex(net + displayed("\\nabla_{W_2} L = (\\nabla_y L) \\tanh(a)^\\top") +
               displayed("\\nabla_W L = (\\nabla_a L) x^\\top") + displayed("\\nabla_{W_2} L = \\tanh(a) (\\nabla_y L)^\\top")),
        "2 right, 3 right, 4 wrong");
    // Of a vector it is an entry.
    EXPECT_EQ(of_tex("For $x \\in \\mathbb{R}^2$ let\n" + displayed("f = x_1^2 + 3 x_1 x_2 + \\|x\\|^2") +
                     displayed("\\nabla_{x} f = (4 x_1 + 3 x_2, 3 x_1 + 2 x_2)^\\top") +
                     displayed("\\frac{\\partial f}{\\partial x_2} = 3 x_1 + 2 x_2") +
                     displayed("\\frac{\\partial f}{\\partial x_2} = 3 x_1")),
              "3 right, 4 right, 5 wrong");
}

TEST(LatexTaken, ASumHasNoVectorAddedAndBarsAreOfNumbersToo) {
    const std::string flow =
        "Let $f = z + u \\tanh(a)$ with $a = w^\\top z + b$, $\\Psi = 1 + (1 - \\tanh^2 a) u^\\top w$ and $\\ell = "
        "\\log |\\Psi|$.\n";
    EXPECT_EQ(of_tex(flow + displayed("\\frac{\\partial f}{\\partial z} = I + (1 - \\tanh^2 a) u w^\\top") +
                     displayed("\\frac{\\partial \\ell}{\\partial u} = \\frac{1 - \\tanh^2 a}{\\Psi} w") +
                     displayed("\\frac{\\partial \\ell}{\\partial u} = \\frac{1}{\\Psi} w")),
              "2 right, 3 right, 4 wrong");
}

TEST(LatexTaken, ASlopeGoesEntryByEntry) {
    const std::string silu =
        displayed("a = W x, \\quad h = \\mathrm{silu}(a)") + "where $\\mathrm{silu}(a) = a \\, \\sigma(a)$.\n";
    EXPECT_EQ(of_tex(silu + displayed("\\mathrm{silu}'(a) = \\sigma(a) \\bigl(1 + a \\, (1 - \\sigma(a))\\bigr)") +
                     displayed("\\mathrm{silu}'(a) = \\sigma(a) \\bigl(1 + a \\, \\sigma(a)\\bigr)") +
                     displayed("\\nabla_W L = (\\nabla_h L \\odot \\mathrm{silu}'(a)) x^\\top")),
              "3 right, 4 wrong, 5 right");
}

TEST(LatexTaken, OnesHaveTheSizeOfTheWhole) {
    const std::string centred = displayed("y = x - \\frac1n \\mathbf 1 \\mathbf 1^\\top x");
    EXPECT_EQ(of_tex(centred + displayed("\\frac{\\partial y}{\\partial x} = I - \\tfrac1n \\mathbf 1 \\mathbf 1^\\top") +
                     displayed("\\frac{\\partial y}{\\partial x} = \\mathbf 1 \\mathbf 1^\\top - \\tfrac1n I")),
              "2 right, 3 wrong");
    const std::string shares = displayed("s = \\mathbf 1^\\top x, \\quad p = x / s");
    EXPECT_EQ(of_tex(shares + displayed("\\frac{\\partial p}{\\partial x} = \\frac1s (I - p \\mathbf 1^\\top)") +
                     displayed("\\frac{\\partial p}{\\partial x} = \\frac1s (I - p p^\\top)")),
              "2 right, 3 wrong");
}

TEST(LatexTaken, AnEntryOfAJacobianSaysTheLayout) {
    const auto text = [](const std::string& said) {
        return "All vectors are columns and $" + said + "$.\n" + displayed("s = \\mathbf 1^\\top x, \\quad p = x / s") +
               displayed("\\frac{\\partial p}{\\partial x} = \\frac1s (I - \\mathbf 1 p^\\top)");
    };
    EXPECT_EQ(of_tex(text("(\\partial y/\\partial x)_{ij} = \\partial y_i/\\partial x_j")), "3 wrong");
    EXPECT_EQ(of_tex(text("\\left[\\frac{\\partial y}{\\partial x}\\right]_{ij} = \\frac{\\partial y_i}{\\partial x_j}")),
              "3 wrong");
    EXPECT_EQ(of_tex(text("(\\partial y/\\partial x)_{ij} = \\partial y_j/\\partial x_i")), "3 right");
    EXPECT_EQ(of_tex(text("n > 0")), "3 right");  // by the denominator, and the report says so
}

TEST(LatexTaken, WhatIsCalledAJacobianHasARowForEachValue) {
    const auto text = [](const std::string& words, const std::string& more = "") {
        return displayed("s = \\mathbf 1^\\top x, \\quad p = x / s, \\quad z = A x") + words + "\n" +
               displayed("\\frac{\\partial p}{\\partial x} = \\frac1s (I - \\mathbf 1 p^\\top)") + more;
    };
    EXPECT_EQ(of_tex(text("We get")), "3 right");  // by the denominator
    EXPECT_EQ(of_tex(text("The Jacobian is")), "3 cannot tell");
    EXPECT_EQ(of_tex(text("The transposed Jacobian is")), "3 right");
    EXPECT_EQ(of_tex(text("The Jacobian is", displayed("\\frac{\\partial z}{\\partial x} = A^\\top"))), "3 right, 4 right");
}

std::string losses_of(const std::string& text) {
    std::string out;
    for (const ProofReport& p : check_file("a.tex", text).proofs)
        for (const std::string& d : p.domain)
            if (d.starts_with("a loss")) out += (out.empty() ? "" : "; ") + d;
    return out;
}

TEST(LatexTaken, WithoutALossALineIsOfTheValuesWhoseGradientsItUses) {
    // One input leads to both of two values, and each line is about one of them: a loss of both has another gradient.
    const std::string update = displayed("y = W x + B A x, \\quad Y = X W^\\top + X A^\\top B^\\top");
    const std::string lines = displayed("\\frac{\\partial L}{\\partial B} = g (A x)^\\top") +
                              displayed("\\frac{\\partial L}{\\partial x} = A^\\top B^\\top g") +
                              displayed("\\frac{\\partial L}{\\partial B} = G^\\top X A^\\top") +
                              displayed("\\frac{\\partial L}{\\partial A} = B^\\top X^\\top G");
    const std::string given = "With $g = \\partial L/\\partial y$ and $G = \\partial L/\\partial Y$:\n";
    EXPECT_EQ(of_tex(update + given + lines), "3 cannot tell, 4 wrong, 5 cannot tell, 6 wrong");
    EXPECT_EQ(losses_of(update + given + lines), "a loss of y, as none is stated; a loss of Y, as none is stated");
    // Two values whose gradients one line uses belong together.
    const std::string cell = displayed("c = f \\odot b, \\quad h = o \\odot \\tanh(b)");
    const std::string both =
        "\\frac{\\partial L}{\\partial b} = f \\odot \\frac{\\partial L}{\\partial c} + o \\odot "
        "(1 - \\tanh^2(b)) \\odot \\frac{\\partial L}{\\partial h}";
    const std::string one = "\\frac{\\partial L}{\\partial f} = b \\odot \\frac{\\partial L}{\\partial c}";
    EXPECT_EQ(of_tex(cell + displayed(both) + displayed(one)), "2 right, 3 right");
    EXPECT_EQ(losses_of(cell + displayed(both) + displayed(one)), "a loss of c and h, as none is stated");
    EXPECT_EQ(of_tex(cell + displayed(both + " + b") + displayed(one)), "2 wrong, 3 right");
    // What leads to none of them is not 0: it is not known.
    EXPECT_EQ(of_tex(update + given + "and $D = B A$.\n" + displayed("\\frac{\\partial L}{\\partial D} = G^\\top X") +
                     displayed("\\frac{\\partial L}{\\partial B} = g (A x)^\\top")),
              "4 cannot tell, 5 cannot tell");
}

TEST(LatexTaken, RowsAndEntriesOfAMatrixAreWrittenSmall) {
    const std::string pairs =
        "Rows $u_i$, $v_j$ of $U$ and $V$, scores $s_{ij} = u_i^\\top v_j / \\tau$, $p_{ij} = e^{s_{ij}} / "
        "\\sum_k e^{s_{ik}}$,\n" +
        displayed("L = -\\frac1N \\sum_{i=1}^N \\log p_{ii}");
    EXPECT_EQ(of_tex(pairs + displayed("\\frac{\\partial L}{\\partial u_i} = \\frac{1}{N \\tau} (\\sum_j p_{ij} v_j - v_i)") +
                     displayed("\\frac{\\partial L}{\\partial u_i} = \\frac{1}{N} (\\sum_j p_{ij} v_j - v_i)") +
                     displayed("\\frac{\\partial L}{\\partial U} = \\frac{1}{N \\tau} (P - I) V") +
                     displayed("\\frac{\\partial L}{\\partial V} = \\frac{1}{N \\tau} (P - I) U")),
              "3 right, 4 wrong, 5 right, 6 wrong");
    const std::string squares = displayed("L = \\frac{1}{2n} \\|y - X \\beta\\|^2");
    EXPECT_EQ(of_tex(squares +
                     displayed("\\frac{\\partial L}{\\partial \\beta_j} = -\\frac1n \\sum_i x_{ij} (y_i - x_i^\\top \\beta)") +
                     displayed("\\frac{\\partial L}{\\partial \\beta_j} = -\\frac1n \\sum_i x_{ij} y_i")),
              "2 right, 3 wrong");
}

TEST(LatexTaken, ANumberHasNoEntries) {
    EXPECT_EQ(
        of_tex(displayed("w = s v / \\|v\\|, \\quad L = \\|w - t\\|^2") + displayed("\\nabla_s L = 2 v^\\top (w - t) / \\|v\\|") +
               displayed("\\frac{\\partial L}{\\partial s_i} = 2 v_i (w_i - t_i)")),
        "2 right, 3 not read");
}

TEST(LatexTaken, WhatASentenceSaysIsNotTakenForAnyValue) {
    const std::string link = "Counts $y_i$ have the log link $\\log\\mu_i = \\eta_i$, where $\\eta_i = x_i^\\top\\beta$.\n" +
                             displayed("\\ell = \\sum_{i=1}^n (y_i \\eta_i - e^{\\eta_i})");
    EXPECT_EQ(of_tex(link + displayed("\\frac{\\partial\\ell}{\\partial\\beta} = \\sum_{i=1}^n (y_i - \\mu_i) x_i") +
                     displayed("\\frac{\\partial\\ell}{\\partial\\beta} = \\sum_{i=1}^n (y_i - \\eta_i) x_i")),
              "3 right, 4 wrong");
    const std::string odds = "With $\\log\\frac{p}{1-p} = x^\\top w$,\n" + displayed("L = -y \\log p - (1 - y) \\log(1 - p)");
    EXPECT_EQ(of_tex(odds + displayed("\\nabla_w L = (p - y) x") + displayed("\\nabla_w L = (y - p) x")), "3 right, 4 wrong");
    const std::string quotient = "For $S = X^\\top X$ the quotient $\\rho(u) = u^\\top S u/(u^\\top u)$ has\n";
    EXPECT_EQ(of_tex(quotient + displayed("\\nabla\\rho(u) = \\frac{2}{u^\\top u} (S u - \\rho(u) u)") +
                     displayed("\\nabla\\rho(u) = \\frac{1}{u^\\top u} (S u - \\rho(u) u)")),
              "2 right, 3 wrong");
    // A case defines nothing, and its name is not any value either.
    EXPECT_EQ(of_tex("Let $x \\in \\mathbb{R}^n$.\n" + displayed("z = \\tanh(x)") + displayed("y = A z") +
                     "If $A = B B^\\top$, things are simple:\n" + displayed("\\nabla_z L = A (\\nabla_y L)")),
              "3 not read, 5 not read");
    const std::string named = displayed("P(i > j) = \\sigma(\\theta_i - \\theta_j) =: p_{ij}") +
                              displayed("\\ell = \\sum_i \\sum_j n_{ij} \\log p_{ij}");
    EXPECT_EQ(
        of_tex(named + displayed("\\frac{\\partial\\ell}{\\partial\\theta_k} = \\sum_j n_{kj} p_{jk} - \\sum_j n_{jk} p_{kj}") +
               displayed("\\frac{\\partial\\ell}{\\partial\\theta_k} = \\sum_j n_{kj} p_{kj} - \\sum_j n_{jk} p_{kj}")),
        "1 not read, 3 right, 4 wrong");
}

TEST(LatexTaken, ACapitalThatAlwaysStandsBeforeABracketIsAFunction) {
    const std::string forward = displayed("\\ell = \\log\\Gamma(y + \\kappa) - \\log\\Gamma(\\kappa) + y \\log\\mu - y \\mu");
    EXPECT_EQ(of_tex(forward + displayed("\\frac{\\partial\\ell}{\\partial\\mu} = \\frac{y}{\\mu} - y") +
                     displayed("\\frac{\\partial\\ell}{\\partial\\mu} = \\frac{y}{\\mu}")),
              "2 right, 3 wrong");
    EXPECT_EQ(of_tex(displayed("y = W (x + b)") + displayed("\\nabla_x L = W^\\top (\\nabla_y L)")), "2 right");
}

TEST(LatexTaken, ADerivativeByWhatMayBeANumberIsNotWrongForItsShape) {
    const std::string range = displayed("\\rho = \\sqrt{(u - x)^2 + (v - y)^2}");
    EXPECT_EQ(of_tex(range + displayed("\\frac{\\partial\\rho}{\\partial x} = -\\frac{u - x}{\\rho}") +
                     displayed("\\frac{\\partial\\rho}{\\partial y} = \\frac{v - y}{\\rho}")),
              "2 right, 3 wrong");
    EXPECT_EQ(
        of_tex(range + "and $x_t = a x_{t-1} + b$.\n" + displayed("\\frac{\\partial\\rho}{\\partial v} = \\frac{v - y}{\\rho}"))
            .find("wrong"),
        std::string::npos);
    EXPECT_EQ(of_tex("For $x \\in \\mathbb{R}^n$ let\n" + displayed("y = \\tanh(x)") +
                     displayed("\\frac{\\partial y}{\\partial x} = 1 - y^2")),
              "3 wrong");  // its shape is stated
}

TEST(LatexTaken, NamesWithWordsBelowAreNoEntries) {
    EXPECT_EQ(of_tex("For $x, r \\in \\mathbb{R}^n$ let\n" + displayed("x_{\\mathrm{new}} = x + r") +
                     displayed("L = \\|x_{\\mathrm{new}}\\|^2") + displayed("\\nabla_r L = 2 x_{\\mathrm{new}}") +
                     displayed("\\nabla_r L = 2 x")),
              "4 right, 5 wrong");
}

TEST(LatexTaken, WordsThatAreNotReadLeaveTheirLineOpen) {
    const std::string triplet = displayed("\\ell = [\\, \\|a - p\\|^2 - \\|a - n\\|^2 + \\kappa \\,]_+");
    EXPECT_EQ(
        of_tex(triplet + "If the triplet is active, i.e.\\ the bracket is positive, then\n" +
               displayed("\\partial \\ell / \\partial a = 2 (n - p)") + displayed("\\partial \\ell / \\partial p = 2 (a - p)")),
        "3 right, 4 wrong");
    const std::string values = "Let $V(s) = w^\\top s$, $\\delta = R + \\gamma V(z) - V(s)$ and $\\ell = \\frac12 \\delta^2$.\n";
    EXPECT_EQ(
        of_tex(values + "Treating the target $R + \\gamma V(z)$ as a constant,\n" + displayed("\\nabla_w \\ell = -\\delta s") +
               "whereas the full gradient is\n" + displayed("\\nabla_w \\ell = \\delta (\\gamma z - s)")),
        "3 not read, 5 right");
    const std::string contrastive = "Let $D = \\|x - z\\|$ and $\\ell = \\frac12 (1 - Y) D^2 + \\frac12 Y \\max(0, m - D)^2$.\n";
    const std::string pushed = displayed("\\frac{\\partial \\ell}{\\partial x} = -(m - D) \\frac{x - z}{D}");
    EXPECT_EQ(of_tex(contrastive + "For $Y = 1$, $D < m$,\n" + pushed), "3 cannot tell") << "no Y that is drawn is 1";
    EXPECT_EQ(of_tex("Let $Y \\in \\{0, 1\\}$.\n" + contrastive + "For $Y = 1$, $D < m$,\n" + pushed), "4 right");
    EXPECT_EQ(of_tex("Let $Y \\in \\{0, 1\\}$.\n" + contrastive + "For $Y = 1$,\n" + pushed), "4 wrong");
    const std::string normal = displayed("\\ell = -\\frac12 \\log |\\Sigma| - \\frac12 x^\\top \\Sigma^{-1} x");
    const std::string gradient = displayed("\\frac{\\partial \\ell}{\\partial x} = -\\Sigma^{-1} x");
    EXPECT_EQ(of_tex(normal + gradient + "In one dimension, where $\\Sigma = \\sigma^2$, this is\n" +
                     displayed("\\frac{\\partial \\ell}{\\partial x} = -\\frac{x}{\\sigma^2}")),
              "2 right, 4 not read");
}

TEST(LatexTaken, IndicesThatAgreeByChanceAreNotMeant) {
    const std::string pairs = displayed("p_{ij} = \\sigma(\\theta_i - \\theta_j)");
    EXPECT_EQ(of_tex(pairs + displayed("\\frac{\\partial p_{ij}}{\\partial \\theta_i} = p_{ij} p_{ji}") +
                     displayed("\\frac{\\partial p_{ij}}{\\partial \\theta_j} = p_{ij} p_{ji}") + "For $i \\ne j$,\n" +
                     displayed("\\frac{\\partial p_{ij}}{\\partial \\theta_i} = p_{ij} p_{ji}")),
              "2 cannot tell, 3 wrong, 5 right");
    // Of the two indices of a softmax both may agree.
    EXPECT_EQ(of_tex(displayed("p = \\mathrm{softmax}(z)") + displayed("\\frac{\\partial p_i}{\\partial z_j} = -p_i p_j")),
              "2 wrong");
}

TEST(LatexTaken, AMaskComparesPositionsOfOneSequence) {
    const std::string causal =
        displayed(
            "s_{ij} = q_i^\\top k_j, \\quad p_{ij} = \\frac{e^{s_{ij}}}{\\sum_{r \\le i} e^{s_{ir}}}, \\quad o_i = "
            "\\sum_{j \\le i} p_{ij} v_j") +
        "With $g_i = \\partial L / \\partial o_i$, for $j \\le i$,\n";
    EXPECT_EQ(of_tex(causal +
                     "\\begin{align*} \\tau_{ij} := \\frac{\\partial L}{\\partial s_{ij}} &= p_{ij} g_i^\\top (v_j - o_i) \\\\\n"
                     "&= p_{ij} g_i^\\top (v_j + o_i) \\end{align*}\n" +
                     displayed("\\frac{\\partial L}{\\partial k_j} = \\sum_{i \\ge j} \\tau_{ij} q_i")),
              "3 right, 4 wrong, 5 right");
}

TEST(LatexTaken, WhatALaterSentenceSaysAnewSaysNothingOfWhatStandsAbove) {
    const std::string matched = "With residuals $r_i = R p_i + t - q_i$ and $E = \\frac12 \\sum_i \\|r_i\\|^2$:\n" +
                                displayed("\\frac{\\partial E}{\\partial t} = \\sum_i r_i") +
                                displayed("\\frac{\\partial E}{\\partial p_i} = R r_i");
    // Here t is an index, and E another error.
    const std::string filter = "The output is $y_t = a x_t$, the error $e_t = y_t - d_t$ and $E = \\frac12 \\sum_t e_t^2$.\n" +
                               displayed("\\frac{\\partial E}{\\partial a} = \\sum_t e_t x_t");
    EXPECT_EQ(of_tex(matched), "2 right, 3 wrong");
    EXPECT_EQ(of_tex(matched + filter), "2 right, 3 wrong, 5 right");
}

TEST(LatexTaken, RepairsWriteIdentitiesAndOnesAsAuthorsDo) {
    const std::string text = displayed("s = \\mathbf 1^\\top x, \\quad p = x / s") +
                             displayed("\\frac{\\partial p}{\\partial x} = \\frac1s (I + p \\mathbf 1^\\top)");
    const std::vector<LineReport> lines = lines_of(text, {}, "a.tex");
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].diagnosis->repair, "\\frac{1}{s} (I_{n} - p \\mathbf{1}_{n}^\\top)");
}

/// x_i beside a stated X, of which the text says nothing else, is its row.
TEST(LatexTakenRows, AreThoseOfAStatedMatrix) {
    const std::string given = "Let $w\\in\\mathbb{R}^d$, $X\\in\\mathbb{R}^{n\\times d}$, $y\\in\\mathbb{R}^n$.\n";
    const std::string loss = "\\[ L = \\frac1n \\sum_{i=1}^n (w^\\top x_i - y_i)^2 \\]\n";
    EXPECT_EQ(of_tex(given + loss + "\\[ \\nabla_w L = \\frac2n X^\\top (Xw - y) \\]\n"), "3 right");
    EXPECT_EQ(of_tex(given + loss + "\\[ \\nabla_X L = 0 \\]\n"), "3 wrong");
    EXPECT_EQ(
        of_tex("Let $U\\in\\mathbb{R}^{m\\times k}$, $V\\in\\mathbb{R}^{n\\times k}$, $R\\in\\mathbb{R}^{m\\times n}$.\n"
               "\\[ L = \\sum_{ij} (R_{ij} - u_i^\\top v_j)^2 + \\lambda \\|U\\|_F^2 \\]\n\\[ \\nabla_U L = 2\\lambda U \\]\n"),
        "3 wrong");
}

TEST(LatexTakenRows, ALabelBelowASumIsNoIndex) {
    const std::string loss =
        "Let $z\\in\\mathbb{R}^n$ and $c$ the label.\n"
        "\\[ L = \\log(1 + \\sum_{j \\ne c} e^{z_j - z_c}) \\]\n\\[ \\frac{\\partial L}{\\partial z_j} = ";
    EXPECT_EQ(of_tex(loss + "\\mathrm{softmax}(z)_j - \\mathbf{1}[j=c] \\]\n"), "3 right");
    EXPECT_EQ(of_tex(loss + "\\mathrm{softmax}(z)_j \\]\n"), "3 wrong");
}

TEST(LatexTakenRows, AConditionInWordsGoesForClaimsOfSentencesToo) {
    const std::string triplet =
        "Triplet loss. $a, p, n\\in \\mathbb{R}^d$, margin $\\alpha>0$. Let\n"
        "\\[ L = \\max(0, \\|a - p\\|^2 - \\|a-n\\|^2 + \\alpha) \\]\n";
    EXPECT_EQ(of_tex(triplet + "When the loss is positive, $\\frac{\\partial L}{\\partial a} = 2(n - p)$.\n"), "3 right");
    EXPECT_EQ(of_tex(triplet + "When the loss is zero, $\\frac{\\partial L}{\\partial a} = 2(n - p)$.\n"), "3 wrong");
}

}  // namespace
}  // namespace gradproof::proof
