// What lies between the draws, beyond them or below their rounding is not called right.
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

std::string of(const std::string& given, const std::string& forward, const std::string& claim) {
    return verdicts(given + "\nforward\n  " + forward + "\nclaim\n  " + claim + "\n");
}
const std::string kVector = "dims n\ninput x [n]", kWithNumber = "dims n\ninput x [n], a []";

TEST(Unreached, WhatDoublesRoundAwayIsSeenWithMoreDigits) {
    EXPECT_EQ(of(kVector, "y = cos(x) + exp(-36) x", "y = cos(x)"), "cannot tell");
    EXPECT_EQ(of(kVector, "q = exp(x) / (exp(-45) + sum(exp(x)))", "q = softmax(x)"), "cannot tell");
    EXPECT_EQ(of(kVector, "y = abs(x)", "dx = sign(x) ⊙ dy ⊙ (1 + 1e-30 exp(x))"), "cannot tell");
    EXPECT_EQ(of("input a []", "b = a + (a/100)^30", "b = a"), "cannot tell");
    // constants of few digits are exact there, too
    EXPECT_EQ(of(kVector, "y = abs(x) ⊙ tanh(0.2 x)", "dx = dy ⊙ (sign(x) ⊙ tanh(x/5) + 0.4 abs(x) ⊙ (1 - tanh(0.2 x)^2) / 2)"),
              "right");
    EXPECT_EQ(of(kVector, "y = tanh(x + 0.044715 x^3)", "dx = dy ⊙ (1 - y^2) ⊙ (1 + 0.134145 x^2)"), "right");
}

TEST(Unreached, ABranchElsewhereMakesNoLineRight) {
    const std::string lines = "\nforward\n  y = x^2\n  z = abs(x)\nclaim\n  y = x^2 + 1e-300 x^9\n";
    EXPECT_EQ(verdicts(kVector + lines), "cannot tell");
}

TEST(Unreached, AnEqualityOfWholeNumbersHasToBeMet) {
    for (const char* condition : {"floor(a/1000) == 1", "argmax(x) == 30", "sum(floor(x)) == 5000"})
        EXPECT_EQ(of(kWithNumber, std::string("y = x + (") + condition + ") x", "dx = dy"), "cannot tell") << condition;
    EXPECT_EQ(of("dims n m\ninput x [n, m]", "y = x^2", "dx = 2 x ⊙ dy (1 + (n + m == 18))"), "wrong");
    EXPECT_NE(of("dims n\ninput x [n]", "y = x^2", "dx = 2 x ⊙ dy (1 + (n / 2 == 200))"), "right");
    EXPECT_EQ(of("dims n m\ninput x [n, m]", "y = x (1 + 0^((n-m)^2))", "y = x"), "cannot tell");
}

TEST(Unreached, FactorsThatVanishForSmallIndicesAndSizesAreSeen) {
    EXPECT_EQ(of(kVector, "y = x^2", "dx[i] = dy[i] (2 x[i] + i (i-1) (i-2) (i-3) (i-4))"), "wrong");
    EXPECT_EQ(of(kVector, "y = x^2", "dx = dy ⊙ (2 x + (n-2)(n-3)(n-4)(n-5)(n-6)(n-7)(n-8)(n-9)(n-10)(n-11) x)"), "wrong");
    EXPECT_EQ(of(kVector, "y = x^2", "dx[i] = 2 x[i] dy[i] + 0^((i-9)^2)"), "wrong");
}

TEST(Unreached, ListsRootsAndNormsOfOneEntryAreBranches) {
    EXPECT_EQ(of(kVector, "y = x / max([1, norm(x)/100])", "y = x"), "wrong");
    EXPECT_EQ(of(kWithNumber, "y = x + max([0, a - 50]) x", "dx = dy"), "wrong");
    EXPECT_EQ(of("input x [] ~ uniform(-1e-3, 1e3)", "y = (x^2)^0.5", "y = x"), "cannot tell");
    EXPECT_EQ(of("input a []", "y = exp(log((a - 25)^2) / 2)", "y = 25 - a"), "wrong");
    EXPECT_EQ(of("input a []", "y = norm([a - 30])", "y = 30 - a"), "wrong");
    EXPECT_EQ(of("input a [] ~ positive", "v = a^(-1/2)\n  y = log(v^2)", "da = -dy / a"), "right");
}

TEST(Unreached, AFactorOfWholeNumbersHasToBeOtherThanZeroSomewhere) {
    for (const char* factor : {"(a^2 == 4)", "(floor(a/100) >= 7) (floor(a/100) <= 7)", "(a > 5000) (floor(a) < 6000)"})
        EXPECT_EQ(of(kWithNumber, std::string("y = x + ") + factor + " x", "dx = dy"), "cannot tell") << factor;
    EXPECT_EQ(verdicts("dims n\ninput x [n], B [n] ~ binary\nforward\n  s = sum(B)\n  y = x + s (s-1) (s-2) (s-3) (s-4) (s-5) x\n"
                       "claim\n  dx = dy\n"),
              "cannot tell");
    EXPECT_EQ(of("dims n\ninput x [n], B [n] ~ binary, C [n] ~ binary", "y = B ⊙ C ⊙ x", "dx = B ⊙ C ⊙ dy"), "right");
}

TEST(Unreached, AnEntryOfManyIsDrawnWhereTheLineNamesIt) {
    EXPECT_EQ(of("dims n d\ninput E [1000, d], w [n] ~ index(1000)", "X[i,k] = E[w[i],k]",
                 "dE[v,k] = Σ_i (w[i] == v) dX[i,k] (1 + (v == 2))"),
              "wrong");
}

TEST(Unreached, FoldsOfRootsLogarithmsAndDeterminantsHaveTwoSides) {
    EXPECT_EQ(of("input u []", "y = exp(logdet([[u - 20]]))", "y = 20 - u"), "wrong");
    EXPECT_EQ(of("input u []", "y = exp(0.5 log(var([u, 60])))", "y = (60 - u) / 2"), "wrong");
    EXPECT_EQ(of("input u []", "y = 2 sqrt(var([u, 40]))", "y = 40 - u"), "wrong");
    EXPECT_EQ(of(kVector, "y = sqrt(var(x))", "dx = dy (x - mean(x)) / (n y)"), "right");
}

TEST(Unreached, OfAListEachHasToBeTheLargest) {
    EXPECT_EQ(of("dims n\ninput x [n], a [], b []", "y = max([a, b, -10])", "y = max(a, b)"), "wrong");
    EXPECT_EQ(of(kVector, "m = max(concat(x, [-30]))", "m = max(x)"), "cannot tell");
}

TEST(Unreached, WhatHasNoValueOnASideIsNotRight) {
    EXPECT_EQ(of(kVector, "y = relu(x) / (1e-20 + sum(relu(x)))", "y = relu(x) / sum(relu(x))"), "cannot tell");
    EXPECT_EQ(of(kVector, "f = x^T x / 2 + sum((x/100)^30)", "∂²f/∂x² = eye(n)"), "cannot tell");
}

TEST(Unreached, TheRootOfAProductIsNoOtherFormula) {
    EXPECT_EQ(of("dims n d\ninput X [n, d]", "A = X X^T + eye(n)\n  k[i,j] = A[i,j] / sqrt(A[i,i] A[j,j])", "k[i,i] = 1"),
              "right");
}

TEST(Unreached, LagsAreTakenSeveralTimes) {
    const std::string lag = "dims T\ninput x [T], a []\nconst c [T]";
    EXPECT_EQ(
        of(lag, "y[t] = x[t] + a where(t >= 12, y[t-12], 0)\n  L = Σ_t c[t] y[t]", "∂L/∂a = Σ_t c[t] where(t >= 12, y[t-12], 0)"),
        "wrong");
    const std::string pair = "dims T k\ninput x [T]";
    EXPECT_EQ(
        of(pair, "L = Σ_t where(t + k < T, x[t] x[t+k], 0)", "∂L/∂x[t] = where(t + k < T, x[t+k], where(t >= k, x[t-k], 0))"),
        "wrong");
    EXPECT_EQ(
        of(pair, "L = Σ_t where(t + k < T, x[t] x[t+k], 0)", "∂L/∂x[t] = where(t + k < T, x[t+k], 0) + where(t >= k, x[t-k], 0)"),
        "right");
    EXPECT_EQ(of("dims n\ninput A [n, n]", "S[i,j] = A[i,j] (mod(i - j, 5) == 0)",
                 "dA[i,j] = dS[i,j] ((i == j) + (i == j + 5) + (j == i + 5))"),
              "wrong");
}

TEST(Unreached, ThresholdsNextToEachOtherAreTwo) {
    for (const char* claim : {"dx = (x > 1e-10) ⊙ dy", "dx = (x > -1e-12) ⊙ dy", "dx = min(1, max(0, 1e20 x)) ⊙ dy"})
        EXPECT_EQ(of(kVector, "y = relu(x)", claim), "cannot tell") << claim;
    EXPECT_EQ(of(kVector, "y = relu(x)", "dx = (x > 0) ⊙ dy"), "right");
    EXPECT_EQ(of(kWithNumber, "y = (1 + (a > 1) - (a > 1.003)) x^2", "dx = 2 x ⊙ dy"), "wrong");
}

TEST(Unreached, EveryCombinationOfSixBranches) {
    EXPECT_EQ(of("dims n\ninput x [n], y [n], a [], b [], c [], d []",
                 "z = x^2 + (a > 0) (b > 0) (c < 0) (d > 0) (x[0] > 0) (y[0] < 0) x", "dx = 2 x ⊙ dz"),
              "wrong");
}

TEST(Unreached, DigitsThatADoubleDoesNotHoldAreTold) {
    EXPECT_EQ(refused_as(kVector + "\nforward\n  y = x + (9007199254740993 - 9007199254740992) x\nclaim\n  y = x\n"),
              "a double for 9007199254740993 is 9007199254740992: write the digits that count");
    EXPECT_EQ(refused_as(kVector + "\nforward\n  y = 2.00000000000000001 x\nclaim\n  y = 2 x\n"),
              "a double for 2.00000000000000001 is 2: write the digits that count");
    EXPECT_EQ(of(kVector, "y = x + 1e16 (exp(1) - 2.718281828459045) x", "y = x"), "cannot tell");
    EXPECT_EQ(of(kVector, "y = 3.14159265358979323846 x", "dx = 3.141592653589793 dy"), "right");
    EXPECT_EQ(verdicts_by_line("a.py", "# gradproof: dims n; input x [n]\ny = 0.1000000000000000055511 * x\ndx = 0.1 * dy\n"),
              "3 right");
}

TEST(Unreached, OneIsBelowEveryOtherSize) {
    const std::string sum = "dims n\ninput x [n]\nloss L = sum(x) / n\nclaim\n";
    EXPECT_EQ(verdicts(sum + "  dx = ones(n) / n\n  dx = ones(n) / max(n, 1)\n"), "right, right");
    EXPECT_EQ(verdicts(sum + "  dx = ones(n) / max(n, 2)\n"), "wrong");
    EXPECT_EQ(verdicts(sum + "  dx = min(n - 1, 1) / n\n"), "wrong");
}

TEST(Unreached, ConditionsOnSizesAndIndicesAreMetTogether) {
    const std::string squares = "dims n m\ninput X [n, m]\nloss L = sum(X ⊙ X)\nclaim\n";
    for (const char* extra : {"(i > m) (j > 2)", "max(0, i - m) max(0, j - 2)", "(i == j + 2) (j > 3)", "(i > 2 j) (j > 2)",
                              "(i == 2 j) (j > 4)", "mod(n m, 2)", "(n-m) (n-m-1) (n-m+1) (n-m-2) (n-m+2) (n-m-3) (n-m+3)"})
        EXPECT_EQ(verdicts(squares + "  dX[i,j] = 2 X[i,j] + X[i,j] " + extra + "\n"), "wrong") << extra;
    EXPECT_EQ(verdicts(squares + "  dX = 2 X (-1)^(2 n m)\n"), "right");
    EXPECT_EQ(verdicts("dims n m k\ninput X [n, m], Y [m, k]\nforward\n  S = X Y\nclaim\n  dX = dS Y^T (-1)^(n m k)\n"), "wrong");
}

TEST(Unreached, ConstantsThatRoundingTakesAwayAreNotProved) {
    const std::string squares = "dims n\ninput x [n]\nloss L = sum(x^2)\nclaim\n";
    for (const char* line :
         {"dx = 2 x + sigmoid(-1000)", "dx = 2 x + 1/exp(800)", "dx = 2 x (1 - 1e-20 >= 1)", "dx = 2 x (exp(-1000) == 0)"})
        EXPECT_EQ(verdicts(squares + "  " + line + "\n"), "cannot tell") << line;
    for (const char* line : {"dx = 2 x tanh(400)", "dx = 2 x floor(tanh(50))", "dx = 2 x + floor(1 - 1e-17) - 1"})
        EXPECT_FALSE(lines_of(squares + "  " + line + "\n").at(0).proved.has_value()) << line;
}

}  // namespace
}  // namespace gradproof::proof
