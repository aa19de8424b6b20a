// Repairs: what is offered says the slip, and nothing in it cancels.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

/// "what is wrong; write ..." of the first line of a file.
std::string told(const std::string& file, const std::string& text) {
    const LineReport l = lines_of(text, {}, file).at(0);
    if (!l.diagnosis) return verdict_of(l);
    return l.diagnosis->text + (l.diagnosis->repair.empty() ? "" : "; " + l.diagnosis->repair);
}

TEST(Repairs, OfFactorsDoNotCancel) {
    const std::string distilled =
        "Student logits $z\\in\\mathbb{R}^k$, teacher logits $v\\in\\mathbb{R}^k$, temperature $T > 0$.\n"
        "\\begin{align}\nq &= \\mathrm{softmax}(z / T) \\\\\np &= \\mathrm{softmax}(v / T) \\\\\n"
        "C &= -T^2 \\sum_i p_i \\log q_i\n\\end{align}\n\\[ \\frac{\\partial C}{\\partial z_i} = ";
    EXPECT_EQ(told("a.tex", distilled + "\\frac1T (q_i - p_i) \\]\n"), "off by a factor of 1/T^{2}; T (q_{i} - p_{i})");
    EXPECT_EQ(told("a.tex", distilled + "T^2 (q_i - p_i) \\]\n"), "off by a factor of T; T (q_{i} - p_{i})");
    const std::string discounted =
        told("a.tex",
             "Let $r\\in\\mathbb{R}^T$ and $\\gamma\\in(0,1)$.\n\\[ G = \\sum_{t=1}^{T} \\gamma^{t-1} r_t \\]\n"
             "\\[ \\frac{\\partial G}{\\partial \\gamma} = \\sum_{t=1}^{T} t \\gamma^{t-1} r_t \\]\n");
    EXPECT_EQ(discounted.find("1 - 1"), std::string::npos) << discounted;
}

TEST(Repairs, OfAnExponentSayTheExponent) {
    EXPECT_EQ(told("a.proof",
                   "dims n\ninput m [n], v [n] ~ positive, y [n]\nforward\n  L = sum(log(v) + (y - m)^2 / v) / 2\nclaim\n"
                   "  dm = (m - y) / sqrt(v)\n"),
              "sqrt(v) where v belongs; (m - y) / v");
}

TEST(Repairs, OfASignSayTheSign) {
    EXPECT_EQ(
        told("a.tex",
             "With $g, m\\in\\mathbb{R}^n$, $v \\in\\mathbb{R}^n_{>0}$, $\\beta, \\gamma, \\eta, \\epsilon > 0$ one step is\n"
             "\\begin{align}\np &= \\beta m + (1-\\beta) g\\\\\nq &= \\gamma v + (1-\\gamma) g^2\\\\\n"
             "u &= -\\eta \\frac{p}{\\sqrt{q} + \\epsilon}\n\\end{align}\n\\[ \\frac{\\partial u_i}{\\partial q_i} = "
             "-\\frac{\\eta p_i}{2 \\sqrt{q_i} (\\sqrt{q_i}+\\epsilon)^2} \\]\n")
            .substr(0, 17),
        "the sign is wrong");
}

TEST(Repairs, OfConditionsChangeTheComparison) {
    const std::string masked =
        "dims n d e\ninput Q, K [n, d], V [n, e]\nforward\n  A[i,j] = where(j <= i, Σ_c Q[i,c] K[j,c], 0)\n"
        "  O = A V\nclaim\n";
    EXPECT_EQ(told("a.proof", masked + "  dQ[i,c] = Σ_{j<i} dA[i,j] K[j,c]\n"),
              "step(i - j) leaves out the edge, where both sides are equal: it belongs to it; "
              "Σ_j where(1 - step(j - i),dA[i,j] K[j,c],0)");
    EXPECT_EQ(told("a.proof", masked + "  dV[j,b] = Σ_{i<=j} A[i,j] dO[i,b]\n"),
              "it holds everywhere: the condition 1 - step(i - j) does not belong there; Σ_i A[i,j] dO[i,b]");
    EXPECT_EQ(told("a.py", "# gradproof: dims n m; input X [n, m]\nY = np.clip(X, -1, 1)\ndX = dY * (X < 1)\n"),
              "the condition step(X + 1) is missing; dY * (1 - X > 0) * (X + 1 > 0)");
    EXPECT_EQ(told("a.py",
                   "# gradproof: dims N; input r [N]; const adv [N]\neps = 0.2\n"
                   "obj = np.minimum(r * adv, np.clip(r, 1 - eps, 1 + eps) * adv)\nloss = -obj.mean()\n"
                   "dr = -adv / N * np.where(adv > 0, r > 1 - eps, r < 1 + eps)\n"),
              "the two sides of the condition adv > 0 are exchanged; "
              "-adv / N * np.where((adv > 0), (1 + eps - r > 0), (r - (1 - eps) > 0))");
}

TEST(Repairs, NameTheWrongAxisAndTheMissingTerm) {
    EXPECT_EQ(told("a.py", "# gradproof: dims N D; input x [N, D], g [D]\ny = x * g\ndg = (dy * x).sum(axis=1)\n"),
              "(dy * x).sum(axis=1) runs over the wrong axis; np.sum(dy * x, axis=0)");
    EXPECT_EQ(told("a.tex",
                   "Let $X\\in\\mathbb{R}^{n\\times m}$, $W \\in\\mathbb{R}^{n \\times k}$ and "
                   "$H\\in\\mathbb{R}^{k\\times m}$, $\\lambda > 0$.\n"
                   "\\[ J = \\frac12 \\|X - W H\\|_F^2 + \\frac{\\lambda}{2}\\|W\\|_F^2 \\]\n"
                   "\\[ \\frac{\\partial J}{\\partial W} = -(X - WH) H^\\top \\]\n"),
              "the term λ W is missing; -(X - W H) H^\\top + \\lambda W");
}

TEST(Repairs, OfASignTurnADifferenceRound) {
    const std::string head = "dims n m\ninput W [n, m], x [m], t [n]\nforward\n  y = W x\n  L = sum((y - t)^2) / 2\nclaim\n";
    EXPECT_EQ(told("a.proof", head + "  dx = W^T (t - y)\n"), "the sign is wrong; W^T (y - t)");
    EXPECT_EQ(told("a.proof", head + "  dy = t - y\n"), "the sign is wrong; y - t");
    EXPECT_EQ(told("a.proof", head + "  dt = W x\n"), "the sign is wrong; and the term t is missing beside -(W x); -(W x) + t");
    EXPECT_EQ(told("a.tex", "Let $x\\in\\mathbb{R}^n$.\n\\[ L = x^\\top x \\]\n\\[ \\nabla_x L = -2 x \\]\n").find("the minus"),
              0U);
}

TEST(Repairs, OfAnEqualityChangeAllOfIt) {
    const std::string head =
        "dims n\ninput x [n]\nconst y [n] ~ binary\nforward\n  z[i] = where(y[i] == 1, exp(x[i]), x[i]^2)\nloss L = "
        "sum(z)\nclaim\n";
    EXPECT_EQ(told("a.proof", head + "  ∂L/∂x[i] = 1[y[i] = 0] exp(x[i]) + 1[y[i] = 0] 2 x[i]\n"),
              "1[y[i] = 0] holds where the two are to differ; (1[y[i] != 0]) exp(x[i]) + 1[y[i] = 0] 2 x[i]");
    EXPECT_EQ(told("a.proof", head + "  ∂L/∂x[i] = 1[y[i] = 1] exp(x[i]) + 1[y[i] = 1] 2 x[i]\n"),
              "1[y[i] = 1] holds where the two are to differ; 1[y[i] = 1] exp(x[i]) + (1[y[i] != 1]) 2 x[i]");
}

}  // namespace
}  // namespace gradproof::proof
