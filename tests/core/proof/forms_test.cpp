// Forms people write: comparisons, conditions under sums, norms between bars, inverses, primes, running sums. A right line of
// each is right, and a wrong one wrong.
#include <gtest/gtest.h>

#include "gradproof/core/proof/judge/report.hpp"
#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

TEST(Forms, ComparisonsAreOnesAndZeros) {
    EXPECT_EQ(verdicts("dims n m\ninput X [n, m]\nforward\n  Y = relu(X)\nclaim\n"
                       "  dX = dY ⊙ (X > 0)\n  dX = dY ⊙ (X < 0)\n  dX = where(X > 0, dY, 0)\n  dX[i,j] = dY[i,j] 1[X[i,j] > 0]\n"
                       "  dX = dY ⊙ (1 - (X <= 0))\n  dX[i,j] = dY[i,j] 1[0 ≥ X[i,j]]\n"),
              "right, wrong, right, right, right, wrong");
    EXPECT_EQ(verdicts("dims n\ninput z [n]\nforward\n  p = softmax(z)\nclaim\n"
                       "  ∂p[i]/∂z[j] = p[i] (1[i = j] - p[j])\n  ∂p[i]/∂z[j] = p[i] (1[i ≠ j] - p[j])\n"
                       "  ∂p[i]/∂z[j] = where(i == j, p[i] (1 - p[i]), -p[i] p[j])\n"),
              "right, wrong, right");
    EXPECT_EQ(verdicts("dims n\ninput x [n]\nforward\n  y = clip(x, -1, 2)\nclaim\n"
                       "  dx = dy ⊙ (x > -1) ⊙ (x < 2)\n  dx = dy ⊙ (x < 2)\n"),
              "right, wrong");
}

TEST(Forms, SumsOverPairsHaveTwoIndices) {
    const std::string given = "dims n\ninput x [n], w [n]\nforward\n";
    EXPECT_EQ(verdicts(given + "  loss L = Σ_{i<j} (x[i] - x[j])^2\nclaim\n"
                               "  ∂L/∂x[k] = 2 Σ_j (x[k] - x[j])\n  ∂L/∂x[k] = 2 Σ_{j>k} (x[k] - x[j])\n"
                               "  ∂L/∂x[k] = Σ_{j≠i} (x[k] - x[j])\n"),
              "right, wrong, wrong");
    // an index of the left, or of a sum outside, is no other one
    EXPECT_EQ(verdicts(given + "  y[j] = Σ_{i<j} x[i] w[j]\nclaim\n  ∂L/∂x[k] = Σ_{k<j} ∂L/∂y[j] w[j]\n"
                               "  ∂L/∂x[k] = Σ_{j<k} ∂L/∂y[j] w[j]\n  Σ_j y[j] = Σ_j Σ_{i<j} x[i] w[j]\n"),
              "right, wrong, right");
}

TEST(Forms, SumsHaveConditions) {
    EXPECT_EQ(verdicts("dims n\ninput x [n]\nforward\n  y[i] = Σ_{j<=i} x[j]\n  z = cumsum(x)\nclaim\n"
                       "  y = z\n  y[i] = Σ_{j<i} x[j]\n  z[i] = x[i] + Σ_{j<i} x[j]\n  ∂L/∂x[j] = Σ_{i>=j} ∂L/∂z[i]\n"
                       "  ∂L/∂x[j] = Σ_{i>j} ∂L/∂z[i]\n"),
              "right, wrong, right, right, wrong");
    EXPECT_EQ(verdicts("dims n m\ninput X [n, m]\nforward\n  y[i] = Σ_{k=1}^{m} X[i,k]\nclaim\n"
                       "  dX[i,j] = dy[i]\n  y[i] = ∑_{k} X[i,k]\n  y[i] = X[i,i] + Σ_{k≠i} X[i,k]\n"
                       "  y[i] = Σ_{k=0}^{m-2} X[i,k]\n  y[i] = Σ_{k>=1} X[i,k] + X[i,0]\n"),
              "right, right, wrong, wrong, right");
    for (const char* sum : {"Σ_{k=1}^{m-1} X[0,k]", "Σ_i Σ_{k=i+1}^{m-1} X[i,k]", "Σ_{k=2}^{m} X[0,k]",
                            "X[0,0] + Σ_{k=1}^{m-1} X[0,k]"})  // from 0 or from 1?
        EXPECT_NE(refused_as("dims n m\ninput X [n, m]\nforward\n  y = " + std::string(sum) + "\n").find("entries count from 0"),
                  std::string::npos)
            << sum;
    EXPECT_EQ(
        verdicts("dims n\ninput x [n]\nforward\n  y[i] = Σ_{j=1}^{i} x[j]\n  s[i] = Σ_{j=i+1}^{n} x[j]\n  t = y + s\nclaim\n"
                 "  y = cumsum(x)\n  t[i] = Σ_j x[j]\n  t[i] = Σ_{j≠i} x[j]\n"),
        "right, right, wrong");
    EXPECT_NE(refused_as("dims n\ninput x [n]\nforward\n  y = Σ_{t=1}^{n} t x[t]\n").find("t runs from 1 and stands as a number"),
              std::string::npos);
    EXPECT_NE(refused_as("dims n\ninput x [n]\nforward\n  y = Σ_{t=1} x[t]\n").find("from t = 1 to what"), std::string::npos);
}

TEST(Forms, SumsSideBySideHaveIndicesOfTheirOwn) {
    const std::string head =
        "dims n m a b\ninput X [n, m], U [m, a], V [m, b]\nforward\n  P = X U\n  Q = X V\n"
        "loss L = sum(P ⊙ P) + sum(Q ⊙ Q ⊙ Q)\nclaim\n";
    EXPECT_EQ(verdicts(head + "  ∂L/∂X[i,j] = Σ_k ∂L/∂P[i,k] U[j,k] + Σ_k ∂L/∂Q[i,k] V[j,k]\n"
                              "  ∂L/∂X[i,j] = Σ_k ∂L/∂P[i,k] U[j,k] - Σ_k ∂L/∂Q[i,k] V[j,k]\n"
                              "  ∂L/∂X[i,j] = sum_k(∂L/∂P[i,k] U[j,k]) + sum_k(∂L/∂Q[i,k] V[j,k])\n"
                              "  ∂L/∂X[i,j] = Σ_k (∂L/∂P[i,k] U[j,k] + ∂L/∂Q[i,k] V[j,k])\n"),
              "right, wrong, right, wrong");
    EXPECT_EQ(verdicts("dims n a b\ninput X [n, a], W [a], Y [n, b], V [b]\nforward\n"
                       "  z[i] = tanh(Σ_{k=1}^{a} X[i,k] W[k] + Σ_{k=1}^{b} Y[i,k] V[k])\nclaim\n"
                       "  ∂L/∂W[k] = Σ_i ∂L/∂z[i] (1 - z[i]^2) X[i,k]\n  ∂L/∂W[k] = Σ_i ∂L/∂z[i] (1 - z[i]) X[i,k]\n"
                       "  z = tanh(X W + Y V)\n"),
              "right, wrong, right");
    EXPECT_EQ(
        verdicts("dims n a b\ninput X [n, a], Y [n, b]\nforward\n  y[i] = Σ_k relu(X[i,k]) + Σ_k relu(Y[i,k])\nclaim\n"
                 "  dY[i,k] = dy[i] (Y[i,k] > 0)\n  dY[i,k] = dy[i] (Y[i,k] < 0)\n  y = rowsum(relu(X)) + rowsum(relu(Y))\n"),
        "right, wrong, right");
    EXPECT_EQ(tex("dims n m a b; input X [n, m], U [m, a], V [m, b]",
                  "\\[ P = X U, \\quad Q = X V, \\quad L = \\sum_{ij} P_{ij}^2 + \\sum_{ij} Q_{ij}^3 \\]\n"
                  "\\[ \\frac{\\partial L}{\\partial X_{ij}} = \\sum_k \\frac{\\partial L}{\\partial P_{ik}} U_{jk}"
                  " + \\sum_k \\frac{\\partial L}{\\partial Q_{ik}} V_{jk} \\]\n"
                  "\\[ \\frac{\\partial L}{\\partial X_{ij}} = \\sum_k \\frac{\\partial L}{\\partial P_{ik}} U_{jk}"
                  " - \\sum_k \\frac{\\partial L}{\\partial Q_{ik}} V_{jk} \\]\n"),
              "3 right, 4 wrong");
}

TEST(Forms, WithinASumItsIndexIsNoSize) {
    EXPECT_EQ(verdicts("dims n m k\ninput A [n, k], B [k, m]\nforward\n  C[i,j] = Σ_k A[i,k] B[k,j]\nclaim\n  C = A B\n"
                       "  C[i,j] = Σ_k A[i,k] B[k,j] / k\n"
                       "  C[i,j] = (Σ_k A[i,k] B[k,j]) k / k\n"),
              "right, wrong, right");
}

TEST(Forms, TheTraceOfANumberIsThatNumber) {
    EXPECT_EQ(verdicts("dims n m\ninput X [n, m], w [m]\nforward\n  r = X w\n  f = tr(r^T r)\nclaim\n  df = tr(2 r^T X dw)\n"
                       "  df = tr(r^T X dw)\n  ∂f/∂w = 2 X^T r\n  ∂f/∂w = X^T r\n"),
              "right, wrong, right, wrong");
}

TEST(Forms, ProductsRunOverAnIndex) {
    EXPECT_EQ(verdicts("dims n\ninput x [n] ~ positive\nforward\n  p = prod_i(x[i])\nclaim\n  dx[j] = dp p / x[j]\n"
                       "  dx[j] = dp p x[j]\n  dx[j] = dp ∏_i where(i == j, 1, x[i])\n"),
              "right, wrong, right");
    EXPECT_EQ(verdicts("dims n\ninput x [n] ~ positive\nforward\n  c = cumprod(x)\nclaim\n  dx[j] = Σ_{i>=j} dc[i] c[i] / x[j]\n"
                       "  dx[j] = Σ_{i<=j} dc[i] c[i] / x[j]\n"),
              "right, wrong");
}

TEST(Forms, BarsAreSizesAndNorms) {
    EXPECT_EQ(verdicts("dims n\ninput x [n]\nforward\n  r = ‖x‖\nclaim\n  dx = dr x / ‖x‖\n  dx = dr x\n  r^2 = ‖x‖²\n"),
              "right, wrong, right");
    EXPECT_EQ(verdicts("dims n\ninput x [n]\nforward\n  y = |x| ⊙ x\nclaim\n  dx = 2 |x| ⊙ dy\n  dx = 2 x ⊙ dy\n"
                       "  y = x ⊙ |(|x|)|\n"),
              "right, wrong, right");
    EXPECT_EQ(refused_as("dims n\ninput x [n]\nforward\n  y = |x\n"), "expected | or an operator");
}

TEST(Forms, LinearAlgebra) {
    EXPECT_EQ(verdicts("dims n m\ninput A [n, n], B [n, m]\nforward\n  Y = inv(A) B\nclaim\n"
                       "  dB = A^{-T} dY\n  dA = -A^{-T} dY Y^T\n  dA = A^{-T} dY Y^T\n  Y = solve(A, B)\n  dB = A^{-1} dY\n"),
              "right, right, wrong, right, wrong");
    EXPECT_EQ(verdicts("dims n\ninput A [n, n]\nforward\n  loss L = logdet(A)\nclaim\n  dA = A^{-T}\n  dA = A⁻¹\n"),
              "right, wrong");
    EXPECT_EQ(verdicts("dims n\ninput A [n, n]\nforward\n  y = det(A)\nclaim\n  dA = dy det(A) A⁻ᵀ\n  dA = dy A⁻ᵀ\n"),
              "right, wrong");
    EXPECT_EQ(
        verdicts("dims n m\ninput A [n, m], B [m, n]\nforward\n  loss L = tr(A B)\nclaim\n  dA = B^T\n  dA = B\n  dB = A^T\n"),
        "right, wrong, right");
    EXPECT_EQ(verdicts("dims n m p q\ninput A [n, m], X [m, p], B [p, q]\nforward\n  Y = A X B\n  v = vec(Y)\nclaim\n"
                       "  v = kron(B^T, A) vec(X)\n  v = kron(A, B^T) vec(X)\n"),
              "right, wrong");
    // A Gaussian process: the gradient of its likelihood.
    EXPECT_EQ(verdicts("dims n\ninput R [n, n], y [n]\nforward\n  K = R R^T + eye(n)\n"
                       "  loss L = (y · (inv(K) y) + logdet(K)) / 2\nclaim\n"
                       "  dK = (inv(K) - outer(inv(K) y, inv(K) y)) / 2\n  dK = (inv(K) + outer(inv(K) y, inv(K) y)) / 2\n"),
              "right, wrong");
}

TEST(Forms, PowersAboveEachOtherBeginWithTheUppermost) {
    EXPECT_EQ(verdicts("dims n\ninput x [n]\nforward\n  z = x^8\n  u = exp(-4)\nloss L = sum(z) + u\nclaim\n"
                       "  z = x^2^3\n  z = (x^2)^3\n  u = e^-2^2\n  u = e^(-2)^2\n"),
              "right, wrong, right, wrong");
    EXPECT_EQ(refused_as("dims n\ninput x [n]\nforward\n  z = x^2^2^2\n"), "three powers above each other: put them in brackets");
}

TEST(Forms, ExponentsMayBeArrays) {
    const std::string given = "dims n d\ninput X [n, d] ~ positive, p [d], s [n, 1]\nforward\n";
    EXPECT_EQ(verdicts(given + "  Y = X^p\nclaim\n  dX = dY ⊙ p ⊙ X^(p - 1)\n  dp = sum(dY ⊙ Y ⊙ log(X), axis=0)\n"
                               "  dp = sum(dY ⊙ Y, axis=0)\n  dX = dY ⊙ X^(p - 1)\n"),
              "right, right, wrong, wrong");
    EXPECT_EQ(
        verdicts(given + "  Y = 2^X + X^s\nclaim\n  dX = dY ⊙ (2^X log(2) + s ⊙ X^(s - 1))\n  dX = dY ⊙ (2^X + s ⊙ X^(s - 1))\n"),
        "right, wrong");
    EXPECT_EQ(verdicts("dims n\ninput x [n], p [n]\nforward\n  y = x^p\nclaim\n  dx = dy ⊙ p ⊙ x^(p - 1)\n"), "cannot tell");
}

TEST(Forms, NoGradientGoesThroughSg) {
    const std::string quantised = "dims n m\ninput z [n, m], w [n, m]\nforward\n  p = softmax(z)\n";
    EXPECT_EQ(verdicts(quantised + "  y = sg(onehot(argmax(p)) - p) + p\n  u = y ⊙ sg(w)\nclaim\n  dp = dy\n  dp = 0 dy\n"
                                   "  dy = du ⊙ w\n  dw = zeros(n, m)\n  dw = du ⊙ y\n  y = onehot(argmax(z))\n  y = p\n"),
              "right, wrong, right, right, wrong, right, wrong");
    EXPECT_EQ(verdicts(quantised + "  u[i,j] = z[i,j] sg(z[i,j]) + sg(p)[i,j]\nclaim\n  dz = du ⊙ z\n  dz = 2 du ⊙ z\n"
                                   "  u = z ⊙ sg(z) + p\n"),
              "right, wrong, right");
    EXPECT_EQ(verdicts("dims n m\ninput Z [n, m]\nforward\n  a = argmax(Z)\n  Y = onehot(a, m) ⊙ Z\nclaim\n"
                       "  dZ = dY ⊙ onehot(argmax(Z))\n  dZ = dY\n"),
              "right, wrong");
    EXPECT_NE(refused_as("dims n\ninput x [n]\nforward\n  y[i] = sg(2 x[i])\n").find("sg takes a whole value"),
              std::string::npos);
    EXPECT_NE(refused_as("dims n\ninput x [n]\nforward\n  y = onehot(x)\n").find("onehot: a wrong number"), std::string::npos);
}

TEST(Forms, DifferentialsAreReadWhereEveryDComesFromEarlierValues) {
    const std::string attention =
        "dims n m d v\ninput Q [n, d], K [m, d], V [m, v]\nforward\n  S = Q K^T / sqrt(d)\n"
        "  A = softmax(S)\n  O = A V\nclaim\n";
    EXPECT_EQ(verdicts(attention + "  dS = (dQ K^T + Q dK^T) / sqrt(d)\n  dS = (dQ K^T - Q dK^T) / sqrt(d)\n"
                                   "  dS[i,j] = Σ_k (dQ[i,k] K[j,k] + Q[i,k] dK[j,k]) / sqrt(d)\n  dO = dA V + A dV\n"
                                   "  dO = dA V\n  dA = A ⊙ (dS - rowsum(A ⊙ dS))\n  dA = dO V^T\n  ∂L/∂S = dQ K^T\n"),
              "right, wrong, right, right, wrong, right, right, wrong");
    EXPECT_EQ(verdicts("dims n m\ninput A [n, m], B [m, n], X [n, n]\nforward\n  loss f = tr(A B X)\nclaim\n"
                       "  df = tr(A B dX) + tr(dA B X) + tr(A dB X)\n  df = tr(A B dX)\n  dX = (A B)^T\n"),
              "right, wrong, right");
    EXPECT_EQ(verdicts("dims n\ninput x [n]\nforward\n  y = 2 x\nclaim\n  dy = dx / 2\n  dy = 2 dx\n  dy = 3 dx\n"),
              "right, right, wrong");
}

TEST(Forms, EinsumIsAnArrayByItsEntries) {
    const std::string product = "dims n m d\ninput A [n, m], B [m, d]\nforward\n  C = einsum(\"ij,jk->ik\", A, B)\nclaim\n";
    EXPECT_EQ(
        verdicts(product + "  C = A B\n  dA = einsum(\"ik,jk->ij\", dC, B)\n  dA = dC B\n  dB = einsum(\"ij, ik -> jk\", A, dC)\n"
                           "  dB = 2 einsum(\"ij,ik->jk\", A, dC)\n  sum(A ⊙ A) = einsum(\"ij,ij->\", A, A)\n"),
        "right, right, wrong, right, wrong, right");
    EXPECT_EQ(verdicts("dims i j k b\ninput A [b, i, j], B [b, j, k]\nforward\n  C = einsum(\"bij,bjk->bik\", A, B)\nclaim\n"
                       "  dA = einsum(\"bik,bjk->bij\", dC, B)\n  dB = einsum(\"bij,bik->bjk\", A, dC)\n"
                       "  dB = einsum(\"bij,cik->bjk\", A, dC)\n"),
              "right, right, wrong");
    EXPECT_EQ(
        verdicts(product + "  dA = einsum(\"ik,jk\", dC, B)\n  dA = einsum(\"jk,ik\", B, dC)\n  dB = einsum(\"kj,kd\", A, dC)\n"
                           "  dB = einsum(\"kj,kd->jd\", A, dC)\n  sum(A ⊙ A) = einsum(\"ij,ij\", A, A)\n"),
        "right, right, wrong, right, right");  // d before j
    EXPECT_EQ(refused_as(product + "  dA = einsum(\"ik->ik\", dC, B)\n"), "einsum: 2 arrays, more than in \"ik->ik\"");
    EXPECT_EQ(refused_as(product + "  dA = einsum(\"ik,jk->ij\", dC, Bx)\n"), "unknown name Bx; did you mean B");
}

TEST(Forms, OfSeveralLossesEachHasItsDerivatives) {
    const std::string two = "dims n\ninput x [n], w [n]\nforward\n  loss A = sum(x ⊙ x ⊙ w)\n  loss B = sum(exp(w ⊙ x))\nclaim\n";
    EXPECT_EQ(verdicts(two + "  ∂A/∂x = 2 x ⊙ w\n  ∂A/∂w = x ⊙ x\n  ∂B/∂w = x ⊙ exp(w ⊙ x)\n  ∂B/∂w = w ⊙ exp(w ⊙ x)\n"
                             "  ∂A/∂x[i] = 2 x[i] w[i]\n  ∂A/∂x = ∂B/∂x\n"),
              "right, right, right, wrong, right, wrong");
    EXPECT_EQ(refused_as(two + "  dx = 2 x ⊙ w\n"), "there are several losses: say which, as ∂A/∂x");
}

TEST(Forms, ASingularMatrixHasNoInverse) {
    const auto error = [](const char* f) {
        return refusal_of("a.proof", "input A = [[1, 2], [2, 4]]\nforward\n  Y = " + std::string(f) + "(A)\nclaim\n  dA = dY\n");
    };
    EXPECT_NE(error("inv").find("inverse: x is singular"), std::string::npos) << error("inv");
    EXPECT_NE(error("logdet").find("logdet: x is singular"), std::string::npos);
}

TEST(Forms, PrimesOfFunctionsAreDerivatives) {
    EXPECT_EQ(verdicts("dims n m\ninput X [n, m]\nforward\n  Y = σ(X)\nclaim\n  dX = dY ⊙ σ'(X)\n  dX = dY ⊙ σ(X)\n"),
              "right, wrong");
    EXPECT_EQ(verdicts("dims n m\ninput X [n, m], W [m, m]\nforward\n  Y = tanh(X W)\nclaim\n"
                       "  dX = (tanh'(X W) ⊙ dY) W'\n  dX = (tanh'(X W) ⊙ dY) W\n"),
              "right, wrong");
    EXPECT_EQ(refused_as("dims n\ninput x [n]\nforward\n  y = softmax'(x)\n"),
              "softmax': softmax has no derivative entry by entry that is known");
}

TEST(Forms, SubscriptsOfValuesAreIndices) {
    EXPECT_EQ(verdicts("dims n m\ninput X [n, m], w [m]\nforward\n  y = X w\nclaim\n"
                       "  y_i = Σ_j X_ij w_j\n  ∂L/∂w_j = Σ_i dy_i X_{i,j}\n  ∂L/∂X_{ij} = ∂L/∂y_i w_j\n  ∂y_i/∂w_j = X_ij\n"
                       "  ∂y_i/∂w_j = X_{ij} w_j\n  ∂L/∂X_ij = ∂L/∂y_i w_i\n"),
              "right, right, right, right, wrong, wrong");
    EXPECT_EQ(verdicts("dims n\ninput x [n], x_i [n]\nforward\n  y = x ⊙ x_i\nclaim\n  dx = dy ⊙ x_i\n"), "right");
}

TEST(Forms, DerivativesAreOfExpressionsToo) {
    const std::string head = "dims n\ninput x [n], A [n, n]\nforward\n  y = A x\n  z = exp(y)\nclaim\n";
    EXPECT_EQ(verdicts(head + "  ∂(x^T A x)/∂x = (A + A^T) x\n  ∂(x^T A x)/∂x = 2 A x\n"
                              "  ∂(x^T A x)/∂x[i] = Σ_j (A[i,j] + A[j,i]) x[j]\n  ∂(x^T A x)/∂A = outer(x, x)\n"
                              "  ∂(sum(y ⊙ y))/∂y = 2 y\n  ∂(sum(y ⊙ y))/∂x = 2 A^T y\n  dx = A^T (dz ⊙ z)\n"),
              "right, wrong, right, right, right, right, right");
    EXPECT_EQ(verdicts("dims n\ninput x [n]\nclaim\n  ∂(sum(x^3))/∂x = 3 x^2\n  ∂(sum(x^3))/∂x = 3 x\n"), "right, wrong");
    EXPECT_EQ(verdicts(head + "  ∂(2 z)/∂x = 2 diag(z) A\n  ∂(2 z)/∂x = A\n  dy = dz ⊙ z\n"), "right, wrong, right");
    EXPECT_EQ(
        verdicts("dims n\ninput x [n]\nforward\n  loss L = sum(x)\nclaim\n  ∂(2 L)/∂x = 2 ones(n)\n  ∂(2 L)/∂x = ones(n)\n"),
        "right, wrong");
    EXPECT_EQ(refused_as(head + "  ∂(2 w)/∂x = A\n"), "unknown name w");
    EXPECT_EQ(refused_as(head + "  ∂(2 y, x)/∂x = A\n"), "expected ) or an operator");
    EXPECT_EQ(refused_as("dims n\ninput x [n]\nforward\n  y = ∂(x^2)/∂x\n"),
              "a derivative in the forward: they belong to claims and expectations");
}

TEST(Forms, NamesAreDefinedAmongTheClaims) {
    EXPECT_EQ(verdicts(kAttention + "  D = rowsum(dO ⊙ O)\n  dP = dO V^T\n  dS = A ⊙ (dP - D)\n  D = rowsum(dP ⊙ A)\n"
                                    "  dS = A ⊙ (dP + D)\n  D = rowsum(dP)\n"),
              "right, right, wrong, wrong");
    EXPECT_EQ(verdicts(kAttention + "  D[i] = Σ_j dO[i,j] O[i,j]\n  dS[i,j] = A[i,j] ((dO V^T)[i,j] - D[i])\n"
                                    "  dS[i,j] = A[i,j] ((dO V^T)[i,j] - D[j])\n"),
              "right, wrong");
    EXPECT_EQ(verdicts(kAttention + "  D[i] = Σ_c dO[i,c] O[i,c]\n  dS[i,j] = A[i,j] ((dO V^T)[i,j] - D[i])\n"), "right");
    EXPECT_EQ(verdicts(kAttention + "  P = 2 dS\n  Q2 = P K\n  dQ = Q2 / (2 sqrt(d))\n  dQ = Q2\n"), "right, wrong");
    // Through a helper a line uses what it claims.
    EXPECT_EQ(verdicts(kAttention + "  H = 2 dS\n  dS = H / 2\n"), "cannot tell");
    EXPECT_EQ(refused_as(kAttention + "  dWq = Q\n  dQ = dS K / sqrt(d)\n"),
              "unknown name dWq: it is neither a value nor the gradient of one, and no later line uses it");
    EXPECT_EQ(refused_as(kAttention + "  D = dO\n  dA = D V^T\n  ∂L/∂D = O\n"),
              "D is defined among the claims: the loss has no gradient by it");
}

TEST(Forms, ChainsAreJudgedLinkByLink) {
    const ProofReport r =
        check_proof(read_proofs("a.proof", kAttention + "  dA = dO V^T\n    = dO V\n  dS = A ⊙ (dA - rowsum(dA ⊙ A))\n"
                                                        "     = A ⊙ dA - rowsum(dA ⊙ A)\n"
                                                        "     = A ⊙ dA - rowsum(A ⊙ dA) = A ⊙ (dA - rowsum(dO ⊙ O))\n")
                        .at(0),
                    {});
    std::string found;
    for (const LineReport& l : r.lines) found += fmt::format("{} {}; ", l.line, check::name(l.verdict));
    EXPECT_EQ(found, "8 right; 9 wrong; 10 right; 11 wrong; 12 wrong; 12 right; ");
    EXPECT_EQ(r.lines[3].read_as, "the step from A ⊙ (dA - rowsum(dA ⊙ A)) is wrong");
    EXPECT_EQ(r.lines[4].read_as, "the step from A ⊙ dA - rowsum(dA ⊙ A) is right: the error stands before it");
    EXPECT_EQ(refused_as("dims n\ninput x [n]\nforward\n  y = x = 2 x\n"),
              "a second =: chains of equalities belong to the claims");
}

TEST(Forms, RecurrencesGoThroughTheirSteps) {
    const std::string rnn =
        "dims T n h\ninput X [T, n], W [n, h], U [h, h]\nforward\n"
        "  H[t,i] = tanh(Σ_j X[t,j] W[j,i] + where(t > 0, Σ_k H[t-1,k] U[k,i], 0))\n  Y = H ⊙ H\nclaim\n";
    EXPECT_EQ(verdicts(rnn + "  dH[t,i] = 2 H[t,i] dY[t,i] + where(t < T - 1, Σ_k dH[t+1,k] (1 - H[t+1,k]^2) U[i,k], 0)\n"
                             "  dH[t,i] = 2 H[t,i] dY[t,i]\n"
                             "  dH[t,i] = 2 H[t,i] dY[t,i] + where(t < T - 1, Σ_k dH[t+1,k] (1 - H[t+1,k]^2) U[k,i], 0)\n"
                             "  dW[j,i] = Σ_t X[t,j] dH[t,i] (1 - H[t,i]^2)\n  dW[j,i] = Σ_t X[t,j] dH[t,i]\n"
                             "  dU[k,i] = Σ_{t>0} H[t-1,k] dH[t,i] (1 - H[t,i]^2)\n"),
              "right, wrong, wrong, right, wrong, right");
    EXPECT_EQ(
        verdicts("dims T\ninput x [T], a [] ~ positive\nforward\n  s[t] = x[t] + where(t > 0, a s[t-1], 0)\n  y = 2 s\nclaim\n"
                 "  ds[t] = 2 dy[t] + where(t < T - 1, a ds[t+1], 0)\n  ∂L/∂x_t = ds[t]\n  ∂L/∂x_t = Σ_{u>=t} a^(u - t) 2 dy[u]\n"
                 "  ∂L/∂x_t = Σ_{u>=t} a^(t - u) 2 dy[u]\n"),
        "right, right, right, wrong");
    EXPECT_NE(refused_as("dims T\ninput x [T]\nforward\n  s[t] = x[t] + sum(s)\n").find("a recurrence uses earlier entries"),
              std::string::npos);
}

TEST(Forms, OtherConventionsAreNamed) {
    const auto line = [](const std::string& text) { return check_proof(read_proofs("a.proof", text).at(0), {}).lines.at(0); };
    const std::string layer = "dims n d\ninput x [d], W [n, d]\nforward\n  y = W x\nclaim\n";
    EXPECT_EQ(line(layer + "  ∂L/∂W = ∂L/∂y x^T\n").verdict, Verdict::right);
    EXPECT_EQ(line(layer + "  ∂L/∂W = ∂L/∂y x^T\n").read_as, "right if read with vectors as columns: outer(∂L/∂y,x)");
    EXPECT_EQ(line(layer + "  ∂L/∂W = 2 ∂L/∂y x^T\n").verdict, Verdict::wrong);
    EXPECT_EQ(line(layer + "  ∂L/∂W = outer(∂L/∂y, x)\n").read_as, "");
    const std::string softmax = "dims n\ninput z [n]\nforward\n  p = softmax(z)\nclaim\n";
    EXPECT_EQ(line(softmax + "  ∂p/∂z = diag(p) - p p^T\n").read_as,
              "right if read with vectors as columns: diag(p) - outer(p,p)");
    const std::string tanh = "dims h\ninput p [h], U [h, h]\nforward\n  a = U p\n  y = tanh(a)\nclaim\n";
    EXPECT_EQ(line(tanh + "  ∂L/∂p = (1 - y^2) ⊙ U^T ∂L/∂y\n").read_as,
              "right only if ⊙ and matrix products are read from left to right");
    EXPECT_EQ(line(tanh + "  ∂L/∂p = U^T (∂L/∂y ⊙ (1 - y^2))\n").read_as, "");
    const LineReport gate =
        line("dims n h\ninput A [n, h], U [h, h]\nforward\n  Z = tanh(A)\n  Y = Z U\nclaim\n  ∂L/∂A = (1 - Z^2) ⊙ ∂L/∂Y U^T\n");
    EXPECT_EQ(gate.verdict, Verdict::right);
    EXPECT_EQ(gate.read_as, "right if read with matrix products before ⊙: (1 - Z^2) ⊙ (∂L/∂Y U^T)");
    const LineReport half = line("dims n\ninput x [n]\nforward\n  loss L = sum(x^2) / (2 n)\nclaim\n  L = 1/2n sum(x^2)\n");
    EXPECT_EQ(half.verdict, Verdict::right);
    EXPECT_EQ(half.read_as, "right if read with 1/2n as 1/(2n): 1 / (2 n) sum(x^2)");
}

TEST(Forms, NamesOfTheReaderHideShortForms) {
    EXPECT_EQ(verdicts("dims n\ninput tr [n], inv [n]\nforward\n  clip = tr ⊙ inv\nclaim\n  ∂L/∂tr = ∂L/∂clip ⊙ inv\n"), "right");
}

/// Where x is negative, log(x)^2 has no derivative, and not that of the logarithm.
TEST(Forms, APowerOfWhatHasNoValueHasNoDerivative) {
    const auto claimed = [](const std::string& value, const std::string& claim) {
        return verdicts("dims n\ninput x [n]\nforward\n  f = " + value + "\nclaim\n  " + claim + "\n");
    };
    EXPECT_EQ(claimed("sum(log(x)^2)", "∂f/∂x = 2 log(x) / x"), "cannot tell");
    EXPECT_EQ(claimed("Σ_i log(x[i])^2", "∂f/∂x = 2 log(x) / x"), "cannot tell");
    EXPECT_EQ(claimed("sum(log(x ⊙ x)^2)", "∂f/∂x = 4 log(x ⊙ x) / x"), "right");
}

}  // namespace
}  // namespace gradproof::proof
