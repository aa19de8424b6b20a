// Names as people write them, equations that share a line, and what is said once of a text: conventions, implied sums.
#include <gtest/gtest.h>

#include "gradproof/core/proof/derive/derive.hpp"
#include "gradproof/core/proof/language/understood.hpp"
#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

TEST(Names, HaveBracesAccentsAndPrimes) {
    EXPECT_EQ(verdicts("dims n h\ninput x [n], W_{hx} [h, n]\nforward\n  z_{1,t} = W_{hx} x\n  y = tanh(z_{1,t})\nclaim\n"
                       "  dx = W_{hx}^T dz_{1,t}\n  ∂L/∂W_{hx} = outer(∂L/∂z_{1,t}, x)\n  dW_{hx} = outer(x, dz_{1,t})\n"
                       "  ∇_{W_{hx}} L = outer(dz_{1,t}, x)\n"),
              "right, right, wrong, right");
    EXPECT_EQ(verdicts("dims n\ninput x̂ [n], x̃ [n], ŷ [n], x̄ [n]\nforward\n  ẑ = x̂ ⊙ x̃ + ŷ ⊙ x̄\nclaim\n"
                       "  ∂L/∂x̂ = ∂L/∂ẑ ⊙ x̃\n  dx̂ = dẑ ⊙ x̂\n  dx̄ = dẑ ⊙ ŷ\n"),
              "right, wrong, right");
    EXPECT_EQ(verdicts("dims n m\ninput 𝐱 [n], 𝑾 [m, n]\nforward\n  𝐲 = 𝑾 𝐱\nclaim\n  d𝐱 = 𝑾^T d𝐲\n  d𝐱 = 2 𝑾^T d𝐲\n"),
              "right, wrong");
    EXPECT_EQ(verdicts("dims n m\ninput x [n], A [m, n]\nforward\n  x' = tanh(x)\n  y = A x'\nclaim\n"
                       "  dx' = A' dy\n  dx = dx' ⊙ (1 - x'^2)\n  dx = dx' ⊙ tanh'(x)\n  dx = A' dy\n"),
              "right, right, right, wrong");
    // An entry where nothing has the name.
    EXPECT_EQ(verdicts("dims n m\ninput X [n, m]\nforward\n  y = X^2\nclaim\n  dX_{ij} = 2 X_{ij} dy_{ij}\n"), "right");
    EXPECT_EQ(refused_as("dims n\ninput W_{hx [n]\n"), "this bracket is never closed");
}

TEST(Names, DeltaIsOneWhereItIsDefined) {
    EXPECT_EQ(verdicts("dims n m\ninput x [n], W [m, n]\nforward\n  z = W x\n  y = tanh(z)\nclaim\n"
                       "  δ = dy ⊙ (1 - y^2)\n  dz = δ\n  dW = outer(δ, x)\n  dW = outer(x, δ)\n"),
              "right, right, wrong");
    EXPECT_EQ(
        verdicts(
            "dims n\ninput z [n]\nforward\n  p = softmax(z)\nclaim\n  ∂p[i]/∂z[j] = p[i] (δ_ij - p[j])\n"
            "  ∂p[i]/∂z[j] = p[i] (δ_{ij} - p[j])\n  ∂p[i]/∂z[j] = p[i] (δᵢⱼ - p[j])\n  ∂p[i]/∂z[j] = p[i] (δ[j,i] - p[i])\n"),
        "right, right, right, wrong");
    EXPECT_EQ(refused_as("dims n\ninput z [n]\nforward\n  p = z δ\n"), "unknown name δ");
}

TEST(Names, EquationsShareALineAndHaveNumbers) {
    EXPECT_EQ(verdicts("dims n\ninput x [n]\nforward\n  y = x σ (3)\nclaim\n  dx = σ(3) dy\n  dx = dy\n"), "right, wrong");
    EXPECT_EQ(verdicts(kAttention + "  dV = A^T dO, dA = dO V^T; dA = dO V   (3)\n  dV = A^T dO and dA = dO V^T (4a)\n"
                                    "  dS[i,j] = A[i,j] (dA[i,j] - Σ_k dA[i,k] A[i,k]) for i = 1, …, n, dQ = dS K / sqrt(d)\n"),
              "right, right, wrong, right, right, right, right");
    EXPECT_EQ(
        verdicts(
            "dims n\ninput x [n]\nforward\n  y = 2 x  (1), z = y ⊙ y  (2)\nclaim\n  dx = 2 dy, dy = 2 y ⊙ dz\n  dx = dy * (2)\n"),
        "right, right, right");
    EXPECT_EQ(verdicts("input x = [1, 4]\nforward\n  y = sqrt (x)\n  z = sqrt (9) x\nexpect\n  y = [1, 2], z = [3, 12]\n"),
              "right, right");
}

TEST(Names, ADefinitionMayBeAChain) {
    EXPECT_EQ(verdicts(kAttention + "  D = rowsum(dO ⊙ O) = rowsum(dA ⊙ A)\n  dS = A ⊙ (dA - D)\n"), "right, right");
    EXPECT_EQ(verdicts(kAttention + "  D = rowsum(dO ⊙ O) = rowsum(dA)\n  dS = A ⊙ (dA - D)\n"), "wrong, right");
    EXPECT_EQ(verdicts(kAttention + "  D[i] = Σ_k dO[i,k] O[i,k] = Σ_j dA[i,j] A[i,j]\n"), "right");
}

TEST(Conventions, ColumnsAndRowsAreSaidOnce) {
    const std::string layer = "dims n d\ninput x [d], W [n, d]\nforward\n  y = W x\nclaim\n";
    for (const char* said : {"convention columns\n", ""})
        EXPECT_EQ(verdicts(said + layer + "  ∂L/∂W = ∂L/∂y x^T\n  ∂L/∂W = x (∂L/∂y)^T\n  dx = W^T dy\n"), "right, wrong, right");
    EXPECT_EQ(lines_of("convention columns\n" + layer + "  ∂L/∂W = ∂L/∂y x^T\n").at(0).read_as, "");
    EXPECT_EQ(lines_of(layer + "  ∂L/∂W = ∂L/∂y x^T\n").at(0).read_as, "right if read with vectors as columns: outer(∂L/∂y,x)");
    const std::string row =
        "dims n d\ninput x [d], W [d, n]\nforward\n  y = x W\nclaim\n  ∂L/∂W = x^T ∂L/∂y\n  ∂L/∂W = (∂L/∂y)^T x\n";
    EXPECT_EQ(verdicts("convention rows\n" + row), "right, wrong");
    EXPECT_EQ(lines_of("convention rows\n" + row).at(0).read_as, "");
    EXPECT_EQ(lines_of(row).at(0).read_as, "right if read with vectors as rows: outer(x,∂L/∂y)");
    // A number stays one.
    EXPECT_EQ(verdicts("convention columns\ndims n\ninput x [n], A [n, n]\nforward\n  loss L = x^T A x\nclaim\n"
                       "  ∂L/∂A = x x^T\n  ∂L/∂x = (A + A^T) x\n  ∂L/∂A = x^T x\n"),
              "right, right, wrong");
    EXPECT_EQ(refused_as("convention column\ninput x = 2\n"),
              "expected  convention columns,  convention rows  or  convention elementwise");
    EXPECT_EQ(refused_as("input x = 2\nforward\n y = x\nconvention columns\n"), "expected = after convention");
    EXPECT_EQ(verdicts_by_line("a.tex",
                               "% gradproof: convention columns; dims n d; input x [d], W [n, d]\n\\[ y = W x \\]\n"
                               "\\[ \\nabla_W L = \\nabla_y L \\, x^\\top \\]\n\\[ \\nabla_W L = x (\\nabla_y L)^\\top \\]\n"),
              "3 right, 4 wrong");
    EXPECT_EQ(
        verdicts_by_line("a.py", "# gradproof: layout denominator; dims n d; input x [n, d], w [d]\ny = x @ w\ndw = x.T @ dy\n"),
        "3 right");
}

TEST(Conventions, LayoutsOfJacobians) {
    const std::string layer = "dims n d\ninput x [d], W [n, d]\nforward\n  y = W x\n  z = tanh(y)\nclaim\n";
    EXPECT_EQ(verdicts(layer + "  ∂y/∂x = W\n  ∂z/∂x = diag(1 - z^2) W\n"), "right, right");
    EXPECT_EQ(lines_of(layer + "  ∂y/∂x = W\n").at(0).read_as, "");
    EXPECT_EQ(lines_of(layer + "  ∂y/∂x = W^T\n").at(0).verdict, Verdict::right);
    EXPECT_EQ(lines_of(layer + "  ∂y/∂x = W^T\n").at(0).read_as.find("right if read with Jacobians by the denominator"), 0u);
    EXPECT_EQ(verdicts("layout denominator\n" + layer +
                       "  ∂y/∂x = W^T\n  ∂z/∂x = W^T diag(1 - z^2)\n  ∂z/∂x = ∂y/∂x ∂z/∂y\n"
                       "  ∂z/∂x = diag(1 - z^2) W^T\n  dx = ∂z/∂x dz\n"),
              "right, right, right, wrong, right");
    EXPECT_EQ(lines_of("layout denominator\n" + layer + "  ∂y/∂x = W^T\n").at(0).read_as, "");
    EXPECT_EQ(refused_as("layout mixed\ninput x = 2\n"), "expected  layout numerator  or  layout denominator");
}

TEST(Conventions, JacobiansOfRowsMayBeByTheDenominatorToo) {
    const std::string network =
        "Let $h_0 = 0$, $h_t = \\tanh(W h_{t-1} + U x_t)$ with $W \\in \\mathbb{R}^{n \\times n}$, $U \\in \\mathbb{R}^{n "
        "\\times m}$, $x_t \\in \\mathbb{R}^m$, $t = 1, \\dots, T$. Then\n";
    const std::string step = "\\frac{\\partial h_t}{\\partial h_{t-1}} = ", slope = "\\mathrm{diag}(1 - h_t^2)";
    EXPECT_EQ(of_tex(network + displayed(step + slope + " W")), "2 right");
    EXPECT_EQ(of_tex(network + displayed(step + "W^\\top " + slope)), "2 right");
    EXPECT_EQ(of_tex(network + displayed(step + slope + " W^\\top")), "2 wrong");
    EXPECT_EQ(of_tex(network + displayed(step + slope + " W") + displayed(step + "W^\\top " + slope)),
              "2 cannot tell, 3 cannot tell");
    EXPECT_EQ(
        of_tex(network + displayed("\\frac{\\partial h_T}{\\partial h_t} = \\prod_{k=t+1}^T W^\\top \\mathrm{diag}(1 - h_k^2)")),
        "2 right");
}

TEST(Conventions, EinsteinSumsRepeatedIndices) {
    const std::string head =
        "einstein\ndims n m d\ninput A [n, m], B [m, d], x [d]\nforward\n  C[i,k] = A[i,j] B[j,k]\n  y_i = C_ik x_k\n"
        "  z[i] = tanh(A[i,j] B[j,k] x[k]) + y[i]\nclaim\n";
    EXPECT_EQ(verdicts(head + "  C = A B\n  y = A B x\n  z = tanh(y) + y\n  dC[i,k] = dy[i] x[k]\n  dx[k] = dy[i] C[i,k]\n"),
              "right, right, right, right, wrong");
    EXPECT_EQ(
        verdicts(
            "einstein\ndims n m\ninput X [n, m], w [m]\nforward\n  y[i] = X[i,j] w[j]\n  loss L = y[i] y[i]\nclaim\n"
            "  ∂L/∂w_j = 2 y_i X_ij\n  ∂L/∂X[i,j] = 2 y[i] w[j]\n  ∂L/∂w_j = y_i X_ij\n  L = y[i]^2\n  ∂L/∂w_j = 2 y_i X_ik\n"),
        "right, right, wrong, right, wrong");
    EXPECT_EQ(verdicts("dims n m\ninput X [n, m], w [m]\nforward\n  y = X w\nclaim\n  y[i] = X[i,j] w[j]\n"), "wrong");
    EXPECT_EQ(verdicts_by_line("a.tex",
                               "% gradproof: einstein; dims n m; input A [n,m], x [m]\n\\[ y_i = A_{ij} x_j \\]\n"
                               "\\[ \\frac{\\partial L}{\\partial x_j} = \\frac{\\partial L}{\\partial y_i} A_{ij} \\]\n"
                               "\\[ \\frac{\\partial L}{\\partial x_j} = \\frac{\\partial L}{\\partial y_j} A_{jj} \\]\n"),
              "3 right, 4 wrong");
}

TEST(SecondOrder, HessiansAreDerivativesOfGradients) {
    const std::string head = "dims n\ninput x [n], A [n, n]\nforward\n  y = A x\n  loss f = y^T y + sum(exp(x))\nclaim\n";
    EXPECT_EQ(
        verdicts(
            head +
            "  ∂²f/∂x∂xᵀ = 2 A^T A + diag(exp(x))\n  ∂²f/∂x∂xᵀ = 2 A A^T + diag(exp(x))\n  ∂²L/∂x² = 2 A^T A + diag(exp(x))\n"
            "  ∂²f/∂x[i]∂x[j] = Σ_k 2 A[k,i] A[k,j] + δ[i,j] exp(x[i])\n  ∂²f/∂x[i]∂x[j] = Σ_k 2 A[k,i] A[k,j]\n"
            "  ∂²f/∂x_i∂x_j = 2 (A^T A)[i,j] for i ≠ j\n  ∂²f/∂y∂y^T = 2 eye(n)\n  ∂²f/∂y∂y^T = eye(n)\n"),
        "right, wrong, right, right, wrong, right, right, wrong");
    EXPECT_EQ(verdicts("dims n\ninput x [n], A [n, n]\nforward\n  y = exp(x)\nclaim\n  ∂²(x^T A x)/∂x∂xᵀ = A + A^T\n"
                       "  ∂²(x^T A x)/∂x∂xᵀ = 2 A\n  ∂(x^T A x)/∂x = (A + A^T) x\n"),
              "right, wrong, right");
    EXPECT_EQ(verdicts("dims n\ninput w [n]\nconst v [n]\nforward\n  loss f = sum(w^4)\nclaim\n  H = ∇²f\n  H v = 12 w^2 ⊙ v\n"
                       "  H = 12 diag(w^2)\n  H v = 4 w^3 ⊙ v\n  ∇²f = diag(12 w^2)\n"),
              "right, right, wrong, right");
    EXPECT_EQ(verdicts("dims n m\ninput x [n], y [m], B [n, m]\nforward\n  loss f = x^T B y + x^T x\nclaim\n"
                       "  ∂²f/∂x∂yᵀ = B\n  ∂²f/∂y∂xᵀ = B\n  ∂²f/∂y∂xᵀ = B^T\n  ∂²f/∂y∂yᵀ = zeros(m, m)\n"),
              "right, wrong, right, right");
    // By index form.
    EXPECT_EQ(verdicts("dims n\ninput x [n]\nforward\n  loss f = Σ_i Σ_j x[i]^2 x[j]\nclaim\n"
                       "  ∂²f/∂x[i]∂x[j] = 2 x[i] + 2 x[j] + 2 δ[i,j] sum(x)\n  ∂²f/∂x[i]∂x[j] = 2 x[i] + 2 δ[i,j] sum(x)\n"),
              "right, wrong");
    EXPECT_EQ(refused_as("dims n\ninput x [n], y [n]\nforward\n  loss f = sum(x ⊙ y)\nclaim\n  ∇²f = eye(n)\n"),
              "there are several inputs: say by which, as ∇²_xf");
    EXPECT_EQ(refused_as("dims n\ninput x [n]\nforward\n  y = x\nclaim\n  ∂²L/∂x∂x = 1\n"),
              "a second derivative is of one number: state the loss, as  loss L = ...");
    EXPECT_EQ(refused_as("dims n\ninput x [n]\nforward\n  loss f = sum(x)\nclaim\n  ∂²f/∂x = 1\n"),
              "expected the second value it is taken by: ∂²f/∂x∂x^T, ∂²f/∂x²");
}

TEST(SecondOrder, AGradientInWhatADerivativeIsTakenOfIsAValue) {
    const std::string head = "dims n\ninput x [n]\nforward\n  f = sum(x ⊙ x)\nloss L = f\nclaim\n";
    EXPECT_EQ(verdicts(head + "  g = ∂f/∂x\n  ∂(g^T g)/∂x = 8 x\n  ∂(g^T g)/∂x = 4 x\n  dx = 2 x\n"), "right, wrong, right");
    EXPECT_EQ(verdicts(head + "  g = dx\n  ∂(g^T g)/∂x = 8 x\n  ∂(g^T g)/∂x = 4 x\n"), "right, wrong");
    EXPECT_EQ(verdicts(head + "  D = x ⊙ dx\n  ∂(sum(D))/∂x = 4 x\n  ∂(sum(D))/∂x = 2 x\n"), "right, wrong");
    EXPECT_EQ(verdicts(head + "  D[i] = x[i] dx[i]\n  ∂(sum(D))/∂x = 4 x\n"), "right");
    // The incoming gradient of y is drawn: nothing says how it depends on x.
    const std::vector<LineReport> lines =
        lines_of("dims n\ninput x [n]\nforward\n  y = x ⊙ x\nclaim\n  g = dx\n  ∂(g^T g)/∂x = 8 x\n  dx = 2 x ⊙ dy\n");
    EXPECT_EQ(verdict_of(lines[0]), "cannot tell");
    EXPECT_NE(lines[0].reason.find("depends on the incoming gradient: state a loss"), std::string::npos) << lines[0].reason;
    EXPECT_EQ(verdict_of(lines[1]), "right");
    const Proof p = read_proofs("a.proof", head + "  g = dx\n  ∂(g^T g)/∂x = 8 x\n").at(0);
    EXPECT_NE(gradproof::testing::error_of([&] { derive(p); }).find("such a line is for check alone"), std::string::npos);
}

TEST(SecondOrder, IsPrintedAndReadBack) {
    const Proof p = read_proofs("a.proof",
                                "dims n\ninput x [n]\nforward\n  loss f = sum(x^3)\nclaim\n  ∂²f/∂x∂xᵀ = diag(6 x)\n"
                                "  ∂²f/∂x[i]∂x[j] = δ[i,j] 6 x[i]\n")
                        .at(0);
    for (const Notation n : {Notation::latex, Notation::notation})
        EXPECT_EQ(read_back(p, n), written(p, Notation::notation)) << written(p, n);
}

}  // namespace
}  // namespace gradproof::proof
