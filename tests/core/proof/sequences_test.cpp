// Sequences by rows, h[t] = tanh(W x[t] + U h[t-1]): their gradients, sums over steps, and where a line is said to hold.
#include <gtest/gtest.h>

#include "gradproof/core/proof/language/understood.hpp"
#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

const std::string kNetwork =
    "dims T n h v\ninput X [T, n], W [h, n], U [h, h], b [h], V [v, h], s [h]\nforward\n"
    "  H[t] = tanh(W X[t] + U where(t > 0, H[t-1], s) + b)\n  O[t] = V H[t]\nclaim\n";

TEST(Sequences, RowsGoThroughTheirSteps) {
    EXPECT_EQ(verdicts(kNetwork + "  dH[t] = V^T dO[t] + where(t < T - 1, U^T ((1 - H[t+1]^2) ⊙ dH[t+1]), 0)\n"
                                  "  dH[t] = V^T dO[t] + where(t < T - 1, U ((1 - H[t+1]^2) ⊙ dH[t+1]), 0)\n"
                                  "  dH[t] = V^T dO[t]\n  dH[T-1] = V^T dO[T-1]\n  dH[T-1] = V^T dO[0]\n"),
              "right, wrong, wrong, right, wrong");
    EXPECT_EQ(verdicts(kNetwork + "  dV = Σ_t outer(dO[t], H[t])\n  dV = Σ_t outer(H[t], dO[t])\n"
                                  "  dW = Σ_t outer((1 - H[t]^2) ⊙ dH[t], X[t])\n  dW = Σ_t outer(dH[t], X[t])\n"
                                  "  db = Σ_t (1 - H[t]^2) ⊙ dH[t]\n  db = mean_t((1 - H[t]^2) ⊙ dH[t])\n"
                                  "  dU = Σ_t outer((1 - H[t]^2) ⊙ dH[t], where(t > 0, H[t-1], s))\n"
                                  "  dX[t] = W^T ((1 - H[t]^2) ⊙ dH[t])\n  dX[t] = W^T dH[t]\n"),
              "right, wrong, right, wrong, right, wrong, right, right, wrong");
}

TEST(Sequences, ARowOfAJacobianIsAMatrix) {
    EXPECT_EQ(verdicts(kNetwork + "  ∂H[t]/∂H[t-1] = diag(1 - H[t]^2) U\n  ∂H[t]/∂H[t-1] = U diag(1 - H[t]^2)\n"
                                  "  ∂O[t]/∂H[t] = V\n  ∂O[t]/∂H[t] = V V^T V\n"),
              "right, wrong, right, wrong");
    EXPECT_EQ(verdicts("dims n m\ninput S [n, m]\nforward\n  P = softmax(S)\nclaim\n"
                       "  ∂P[i]/∂S[i] = diag(P[i]) - outer(P[i], P[i])\n  ∂P[i]/∂S[i] = diag(P[i])\n"),
              "right, wrong");
}

TEST(Sequences, ALineHoldsWhereItSays) {
    EXPECT_EQ(verdicts(kNetwork + "  dH[t] = V^T dO[t] + U^T ((1 - H[t+1]^2) ⊙ dH[t+1]) for t < T - 1\n"
                                  "  dH[t] = V^T dO[t] + U^T ((1 - H[t+1]^2) ⊙ dH[t+1]) for t = 0, ..., T - 2\n"
                                  "  dH[t] = V^T dO[t] + U^T dH[t+1] for t < T - 1\n"
                                  "  dH[t] = V^T dO[t] + U^T ((1 - H[t+1]^2) ⊙ dH[t+1])\n"),
              "right, right, wrong, wrong");
    const std::string softmax = "dims n\ninput z [n]\nforward\n  p = softmax(z)\nclaim\n";
    EXPECT_EQ(verdicts(softmax + "  ∂p[i]/∂z[j] = -p[i] p[j] for i ≠ j\n  ∂p[i]/∂z[j] = p[i] p[j] for i ≠ j\n"
                                 "  ∂p[i]/∂z[j] = -p[i] p[j]\n  ∂p[i]/∂z[j] = p[i] (δ[i,j] - p[j]) for all i, j\n"
                                 "  ∂p[i]/∂z[j] = p[i] (1 - p[j]) ∀ i = j\n  ∂p[i]/∂z[j] = -p[i] p[j] for i < j\n"),
              "right, wrong, wrong, right, right, right");
    EXPECT_EQ(refused_as(softmax + "  ∂p[i]/∂z[j] = p[i] for\n"),
              "expected an index and what it runs over: for t < T, for i ≠ j");
    EXPECT_EQ(refused_as(softmax + "  ∂p[i]/∂z[j] = p[i] for i = 1, ..., ...\n"),
              "expected where the index ends: for t = 1, ..., T");
    EXPECT_EQ(refused_as("dims n\ninput x [n]\nforward\n  y[i] = x[i] for i > 0\n"),
              "this says what y is for some of its entries only: say the others too, as where(t > 0, ..., ...)");
}

TEST(Sequences, BeyondTheLastEntryIsZeroWhereItIsSaid) {
    const std::string sum =
        "dims T n\ninput x [T, n], A [n, n]\nforward\n"
        "  s[t] = x[t] + where(t > 0, A s[t-1], 0)\n  y[t] = 2 s[t]\nclaim\n";
    EXPECT_EQ(verdicts(sum + "  ds[T] = 0\n  ds[t] = 2 dy[t] + A^T ds[t+1]\n  ds[t] = 2 dy[t] + A ds[t+1]\n  dx[t] = ds[t]\n"),
              "right, wrong, right");
    EXPECT_EQ(verdicts(sum + "  ds[t-1] = 2 dy[t-1] + A^T ds[t]\n  ds[t-1] = 2 dy[t-1] + A^T ds[t-1]\n"), "right, wrong");
}

TEST(Sequences, ZeroBeforeTheFirstRowTakesItsShape) {
    EXPECT_EQ(
        verdicts("dims T n\ninput g [T, n], c []\nforward\n  v[t] = c where(t > 0, v[t-1], 0) + (1 - c) g[t]\n  y = v\nclaim\n"
                 "  dv[t] = dy[t] + c dv[t+1] for t < T - 1\n  dg[t] = (1 - c) dv[t]\n  dg[t] = c dv[t]\n"),
        "right, right, wrong");
    EXPECT_EQ(
        verdicts("dims T n\ninput A [n, n], s [n]\nforward\n  h[t] = A where(t > 0, h[t-1], s) for t < T\n  y = h ⊙ h\nclaim\n"
                 "  ds = A^T dh[0]\n  ds = dh[0]\n"),
        "right, wrong");
}

TEST(Sequences, SlipsAreToldInTheirLine) {
    EXPECT_EQ(verdicts(kAttention + "  dS[i,j] = A[i] (dA[i,j] - Σ_k dA[i,k] A[i,k])\n"), "wrong");
    const ProofReport r = judged(kAttention + "  dS[i,j] = A[i] dA[i,j]\n");
    EXPECT_NE(r.lines[0].reason.find(": it takes 2 indices, got 1"), std::string::npos) << r.lines[0].reason;
    const std::string beyond = judged(kNetwork + "  dH[t] = V^T dO[t] + U^T dH[t+1]\n").lines[0].reason;
    EXPECT_NE(beyond.find("index t+1 = "), std::string::npos) << beyond;
    EXPECT_EQ(refused_as("dims T n\ninput x [T, n]\nforward\n  h[t] = x[t] + h[t+1]\n"),
              "h[t+1]: nothing says what stands behind the last entry: write where(t < ... - 1, h[t+1], 0)");
    EXPECT_EQ(
        refused_as("dims T n\ninput x [T, n]\nforward\n  h[t] = x[t] + where(t > 0, h[t-1], 0) + where(t < T - 1, h[t+1], 0)\n"),
        "h[t + 1] is not computed yet: a recurrence goes from the first entry to the last");
}

/// From the last to the first, as returns and advantages are; and among the claims.
TEST(Sequences, GoBackwardsToo) {
    const std::string given = "dims T d e\ninput x [T, d], U [d, e], W [e, e], s [e], G [T, e]\n";
    const std::string forwards = given + "forward\n  h[t] = tanh(x[t] U + where(t > 0, h[t-1], s) W)\n  L = sum(G ⊙ h)\nclaim\n";
    const std::string carried = "  u[t] = (1 - h[t]^2) ⊙ (G[t] + where(t < T - 1, u[t + 1] W^T, 0))\n";
    EXPECT_EQ(verdicts(forwards + carried +
                       "  dU = Σ_t outer(x[t], u[t])\n  dW = Σ_t outer(where(t > 0, h[t-1], s), u[t])\n  ds = u[0] W^T\n"
                       "  ds = u[1] W^T\n"),
              "right, right, right, wrong");
    EXPECT_EQ(verdicts(forwards + "  u[t] = (1 - h[t]^2) ⊙ (G[t] + where(t < T - 1, u[t + 1] W, 0))\n  ds = u[0] W^T\n"),
              "wrong");
    const std::string backwards =
        "dims T d\ninput x [T, d], w [d]\nforward\n  h[t, i] = x[t, i] + where(t < T - 1, w[i] h[t + 1, i], 0)\n  L = sum(h ⊙ "
        "h)\n"
        "claim\n";
    EXPECT_EQ(verdicts(backwards + "  u[t, i] = 2 h[t, i] + where(t > 0, w[i] u[t - 1, i], 0)\n  dx = u\n"
                                   "  dw[i] = Σ_t where(t < T - 1, u[t, i] h[t + 1, i], 0)\n  dw[i] = Σ_t u[t, i] h[t, i]\n"),
              "right, right, wrong");
}

TEST(Sequences, AreReadFromLatex) {
    const std::string head = "% gradproof: dims T n; input x [T, n], A [n, n]\n";
    EXPECT_EQ(refused_as(head + "\\[ s_t = x_t + A s_{t-1} \\]", "a.tex"),
              "nothing says what stands before the first entry of s: write s_0 = ... above it, or  % gradproof: input s_0 [n]");
    EXPECT_EQ(
        verdicts_by_line(
            "a.tex", head + "\\[ s_1 = x_1, \\quad s_t = x_t + A s_{t-1}, \\quad t \\ge 2, \\quad L = \\sum_t \\|s_t\\|^2 \\]\n"
                            "\\[ \\frac{\\partial L}{\\partial s_T} = 2 s_T \\]\n"
                            "\\[ \\frac{\\partial L}{\\partial s_t} = 2 s_t + A^\\top \\frac{\\partial L}{\\partial s_{t+1}} "
                            "\\quad (1 < t < T) \\]\n"
                            "\\[ \\frac{\\partial L}{\\partial s_t} = 2 s_t + A \\frac{\\partial L}{\\partial s_{t+1}} \\quad (1 "
                            "< t < T) \\]\n"),
        "3 right, 4 right, 5 wrong");
    const std::string all =
        understood(read_proofs("a.tex", head + "\\[ s_t = x_t + A s_{t-1}, \\quad s_0 = 0, \\quad t = 1, \\dots, T \\]"));
    EXPECT_NE(all.find("s[t] = x[t] + A where(step(t),s[t - 1],s_0)"), std::string::npos) << all;
}

TEST(Sequences, ATypesetLineIsMeantWhereItsEntriesAre) {
    const std::string head =
        "% gradproof: dims T d e; input q [T, d], k [T, d], v [T, e], \\lambda [T], S_0 [d, e]\n"
        "\\[ S_t = \\lambda_t S_{t-1} + k_t v_t^\\top, \\quad t = 1, \\dots, T \\]\n\\[ o_t = S_t^\\top q_t \\]\n";
    const std::string line = "\\[ dS_t = q_t do_t^\\top + \\lambda_{t+1} dS_{t+1}";
    EXPECT_EQ(verdicts_by_line("a.tex", head + line + " \\]\n" + line + ", \\quad t = T, \\dots, 1 \\]\n" +
                                            "\\[ dS_t = q_t do_t^\\top + \\lambda_t dS_{t+1} \\]\n"),
              "4 right, 5 right, 6 wrong");
    const ProofReport r = check_proof(read_proofs("a.tex", head + line + " \\]\n").at(0), {});
    EXPECT_EQ(r.lines[0].read_as, "judged where this is an entry: \\lambda_{t+1}, dS_{t+1}");
}

TEST(Sequences, ALossOfTheLastStepMayBeMeant) {
    const std::string head =
        "% gradproof: dims T n d; input x [T, d], W [n, n], U [n, d], h_0 [n]\n"
        "\\[ h_t = \\tanh(W h_{t-1} + U x_t), \\quad t = 1, \\dots, T \\]\n";
    const std::string of_last = "\\[ L = \\|h_T\\|^2 \\]\n", of_all = "\\[ L = \\sum_t \\|h_t\\|^2 \\]\n";
    const std::string lines =
        "\\[ dh_t = W^\\top ((1 - h_{t+1}^2) \\odot dh_{t+1}) \\]\n\\[ dh_t = W ((1 - h_{t+1}^2) \\odot dh_{t+1}) \\]\n"
        "\\[ dW = \\sum_t ((1 - h_t^2) \\odot dh_t) h_{t-1}^\\top \\]\n";
    EXPECT_EQ(verdicts_by_line("a.tex", head + "\n" + lines), "4 cannot tell, 5 wrong, 6 right");
    EXPECT_EQ(verdicts_by_line("a.tex", head + of_last + lines), "4 right, 5 wrong, 6 right");
    EXPECT_EQ(verdicts_by_line("a.tex", head + of_all + lines), "4 wrong, 5 wrong, 6 right");
}

TEST(Sequences, ArePrintedAndReadBack) {
    const Proof p = read_proofs("a.proof", kNetwork +
                                               "  dH[t] = V^T dO[t] + U^T ((1 - H[t+1]^2) ⊙ dH[t+1]) for t < T - 1\n"
                                               "  ∂O[t]/∂H[t] = V\n  dV = Σ_t outer(dO[t], H[t])\n")
                        .at(0);
    for (const Notation n : {Notation::latex, Notation::notation})
        EXPECT_EQ(read_back(p, n), written(p, Notation::notation)) << written(p, n);
}

}  // namespace
}  // namespace gradproof::proof
