// ⊗, and the I and 1 whose sizes their neighbours show.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

TEST(Sizes, KroneckersProduct) {
    const std::string given = "dims n m p q\ninput A [n, m], B [p, q]\nforward\n  Z = A ⊗ B\nloss L = sum(Z ⊙ Z)\nclaim\n";
    EXPECT_EQ(
        verdicts(given + "  dA = 2 norm(B)² A\n  dA = 2 norm(A)² A\n  dB = 2 norm(A)² B\n  Z = kron(A, B)\n  Z^T = B^T ⊗ A^T\n"
                         "  Z^T = A^T ⊗ B^T\n"),
        "right, wrong, right, right, wrong, right");
    EXPECT_EQ(tex("dims n m p q; input A [n, m], B [p, q]",
                  "\\[ Z = A \\otimes B \\]\n\\[ L = \\| Z \\|_F^2 \\]\n\\[ \\nabla_A L = 2 \\|B\\|_F^2 A \\]\n"
                  "\\[ \\nabla_A L = 2 \\|A\\|_F^2 A \\]\n"),
              "4 right, 5 wrong");
}

TEST(Sizes, DerivativesOfColumnsBelowEachOther) {
    const std::string given = "dims n m k\ninput A [n, m], X [m, k]\nforward\n  Y = A X\n  z = vec(Y)\nclaim\n";
    EXPECT_EQ(verdicts(given + "  ∂vec(Y)/∂vec(X) = I ⊗ A\n  ∂vec(Y)/∂vec(X) = A ⊗ I\n  ∂z/∂vec(X) = I ⊗ A\n"
                               "  ∂vec(Y)/∂vec(A) = X^T ⊗ I\n  ∂vec(Y)/∂vec(A) = X^T ⊗ I_n\n  z = (I ⊗ A) vec(X)\n"
                               "  z = (A ⊗ I) vec(X)\n  ∂L/∂vec(X) = (I ⊗ A^T) ∂L/∂z\n"),
              "right, wrong, right, right, right, right, wrong, right");
}

TEST(Sizes, AnIdentityAsATerm) {
    const std::string given = "dims n m\ninput X [n, m], u [n]\nforward\n  Y = (I - u u^T) X\nclaim\n";
    EXPECT_EQ(verdicts(given + "  dX = (I - u u^T) dY\n  dX = (I + u u^T) dY\n  dX = (I_n - outer(u, u)) dY\n"),
              "right, wrong, right");
    EXPECT_EQ(refused_as("dims n m\ninput X [n, m]\nforward\n  Y = I X\nclaim\n  dX = dY\n"),
              "nothing here shows the size of this identity: write I_n, or eye(n)");
}

TEST(Sizes, ASumOverNoIndexIsZeroOfAnyShape) {
    EXPECT_EQ(verdicts("dims T d e\ninput x [T, e], W [d, d], V [d, d], U [d, e]\nforward\n"
                       "  z[t] = W where(t > 0, h[t-1], 0) + V where(t > 1, h[t-2], 0) + U x[t]\n  h[t] = tanh(z[t])\n"
                       "loss L = 1/2 Σ_t norm(h[t])^2\nclaim\n  ∂L/∂V = Σ_{t>1} outer(∂L/∂z[t], h[t-2])\n"
                       "  ∂L/∂V = Σ_{t>1} outer(∂L/∂z[t], h[t-1])\n"),
              "right, wrong");
}

TEST(Sizes, TwoLettersBelowASumAreTwoIndices) {
    const std::string given = "dims n d\ninput x [n, d]\nforward\n  loss L = Σ_ij x_ij^2\nclaim\n";
    EXPECT_EQ(verdicts(given + "  ∂L/∂x_ij = 2 x_ij\n  ∂L/∂x_ij = x_ij\n"), "right, wrong");
    EXPECT_EQ(refused_as("dims n\ninput S [n, n]\nforward\n  P = softmax(S)\nclaim\n  Σ_j P[i,j] = 1\n"),
              "i is an index of a sum on the left: give the sum a name, s[i] = ..., or write it whole, as rowsum(P) = 1");
}

TEST(Sizes, OnesBesideWhatShowsTheirNumber) {
    const std::string given =
        "dims n m k\ninput W [n, m], X [m, k], b [n]\nforward\n  Y = W X + b 1^T\nloss L = 1^T (Y ⊙ Y) 1\nclaim\n";
    EXPECT_EQ(verdicts(given + "  dY = 2 Y\n  db = dY 1\n  db = dY^T 1\n  db = 2 Y 1\n  dW = dY X^T\n"),
              "right, right, wrong, right, right");
    EXPECT_EQ(verdicts("dims n m\ninput X [n, m], c [m]\nforward\n  Y = X + 1 c^T\nloss L = 1^T Y 1\nclaim\n  dX = 1 1^T\n"
                       "  dc = dY^T 1\n  dc = dY 1\n"),
              "right, right, wrong");
    EXPECT_EQ(refused_as("dims n m\ninput X [n, m]\nforward\n  s = 1^T 1\n  Y = X s\nclaim\n  dX = dY s\n"),
              "nothing here shows how many ones these are: write ones(n)");
}

/// 1 beside a number, and I as a name, are what they were.
TEST(Sizes, NamesAndNumbersAreAsTheyWere) {
    EXPECT_EQ(verdicts("dims n\ninput I [n], x [n]\nforward\n  y = I ⊙ x\nclaim\n  dx = I ⊙ dy\n  dx = 1 I ⊙ dy\n  dx = 1 dy\n"),
              "right, right, wrong");
}

/// The index of a sum is the index within it, in functions too, where dims has that name.
TEST(Sizes, AnIndexThatIsAlsoASize) {
    const std::string given = "dims n k\ninput x [k], w [k]\nforward\nloss L = Σ_k relu(x[k]) w[k]\nclaim\n";
    EXPECT_EQ(verdicts(given + "  dw[j] = relu(x[j])\n  dx[j] = (x[j] > 0) w[j]\n  dx[j] = (x[j] < 0) w[j]\n"),
              "right, right, wrong");
    EXPECT_EQ(verdicts("dims n k\ninput X [n, k], w [k]\nforward\n  y[i] = (Σ_k exp(X[i,k]) w[k]) / k\nclaim\n"
                       "  dw[j] = Σ_i exp(X[i,j]) dy[i] / k\n  dw[j] = Σ_i exp(X[i,j]) dy[i]\n"),
              "right, wrong");
}

}  // namespace
}  // namespace gradproof::proof
