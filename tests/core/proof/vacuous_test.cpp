// Lines that agree and say nothing are not called right: circular claims, claims of what is given, shapes that only look alike,
// and values under which a planted bug would not show.
#include <gtest/gtest.h>

#include "gradproof/core/proof/judge/report.hpp"
#include "tests/core/proof/judged.hpp"
#include "tests/support.hpp"

namespace gradproof::proof {
namespace {

/// The verdict of each line, and what is said of the first.
struct Said {
    std::string verdicts, reason;
};
Said said_of(const std::string& text) {
    Said out;
    const ProofReport r = check_proof(read_proofs("a.proof", text).at(0), {});
    for (const LineReport& l : r.lines) out.verdicts += (out.verdicts.empty() ? "" : ", ") + std::string(check::name(l.verdict));
    out.reason = r.lines.at(0).reason;
    return out;
}

constexpr const char* kProduct = "dims n m d\ninput X [n, m], W [m, d]\nforward\n  Y = X W\nclaim\n";

TEST(Vacuous, AClaimThatUsesWhatItClaims) {
    for (const char* line : {"dX = dX", "dX = 2 dX - dX", "dX[i,j] = dX[i,j]", "dX = dX + dY W^T - dY W^T",
                             "dX[i,j] = (2 dX - dX)[i,j]", "∂Y[i,j]/∂X[k,l] = ∂Y[i,j]/∂X[k,l]", "Y = Y"}) {
        const Said j = said_of(std::string(kProduct) + "  " + line + "\n");
        EXPECT_EQ(j.verdicts, "cannot tell") << line;
        EXPECT_TRUE(j.reason.starts_with("the line uses what it claims: ")) << j.reason;
    }
    EXPECT_EQ(said_of(std::string(kProduct) + "  dX = dY W^T\n  dX = 2 dX\n").verdicts, "right, wrong");  // wrong is wrong
}

TEST(Vacuous, AClaimThatHoldsOfAnyGradient) {
    for (const char* line : {"dX^T = dX^T", "2 dX = dX + dX", "dX - dX = 0", "0 dX = 0", "rowsum(softmax(dX)) = ones(n, 1)",
                             "rowsum(dX ⊙ X) = rowsum(X ⊙ dX)", "dX W = (1 - 1) + dX W"}) {
        const Said j = said_of(std::string(kProduct) + "  " + line + "\n");
        EXPECT_EQ(j.verdicts, "cannot tell") << line;
        EXPECT_EQ(j.reason, "the line holds whatever ∂L/∂X is: it claims nothing of it");
    }
    EXPECT_EQ(said_of(std::string(kProduct) + "  dX^T = W dY^T\n  rowsum(dY ⊙ Y) = rowsum(Y ⊙ dY)\n").verdicts, "right, right");
    // A line between two gradients says something of both.
    EXPECT_EQ(
        said_of("dims n d\ninput A [n, d], V [d, d]\nforward\n  O = A V\nclaim\n  rowsum(dA ⊙ A) = rowsum(dO ⊙ O)\n").verdicts,
        "right");
}

TEST(Vacuous, ARecurrenceIsNoCircle) {
    EXPECT_EQ(
        said_of("dims n = 4\ninput X [n]\nforward\n  Y = X ⊙ X\nclaim\n  dX[0] = dX[1] X[0] dY[0] / (X[1] dY[1])\n").verdicts,
        "right");
}

TEST(Vacuous, AClaimOfWhatIsGiven) {
    const std::string head = "input X = [1, 2]\nconst c = 5\nforward\n  Y = X ⊙ X\n";
    for (const char* line :
         {"claim\n  0 = 0", "claim\n  c = 5", "claim\n  X = [1, 2]", "expect\n  X = [1, 2]", "expect\n  c = 5"}) {
        const Said j = said_of(head + line + "\n");
        EXPECT_EQ(j.verdicts, "cannot tell") << line;
        EXPECT_NE(j.reason.find(" is given, not computed"), std::string::npos) << j.reason;
    }
    EXPECT_EQ(said_of(head + "expect\n  Y = [1, 4]\n  X = [1, 2.1]\n").verdicts, "right, wrong");
    EXPECT_EQ(said_of(head + "expect\n  X[0] = 1\n  X[0] = 2\n  Y[0] = 1\n").verdicts, "cannot tell, wrong, right");
    EXPECT_EQ(said_of("input A = [[1, 2], [3, 4]]\nexpect\n  A[1,0] = 3\n  A[1] = [3, 4]\n  A[1] = [3, 5]\n").verdicts,
              "cannot tell, cannot tell, wrong");
}

TEST(Vacuous, AClaimOfWhatIsGivenSaidOtherwise) {
    const std::string given = "input v = [1, 2, 3, 4]\nforward\n  y = 2 v\nclaim\n";
    EXPECT_EQ(verdicts(given + "  v[0:2]^T = [1, 2]\n  v + 0 = v\n  -v[0:2] = [-1, -2]\n  v[0:2]^T = y[0:2] / 2\n"),
              "cannot tell, cannot tell, cannot tell, right");
}

TEST(Vacuous, AGradientsNameIsNotTaken) {
    const auto error = [](const std::string& text) { return gradproof::testing::error_of([&] { said_of(text); }); };
    for (const char* head : {"input X [2]\nconst dX = 5\n", "const dX = 5\ninput X [2]\n", "input X [2], dX [2]\n"})
        EXPECT_NE(error(std::string(head) + "forward\n  Y = X ⊙ X\nclaim\n  dX = 5\n")
                      .find("dX means the gradient of X: choose another name"),
                  std::string::npos);
    EXPECT_NE(error("input X [2]\nforward\n  dY = 2 X\n  Y = X ⊙ X\nclaim\n  dY = 2 X\n").find("dY means the gradient of Y"),
              std::string::npos);
    EXPECT_EQ(said_of("input X [2]\nconst dt = 5\nforward\n  Y = dt X\nclaim\n  dX = dt dY\n").verdicts, "right");
}

// A row is no column; what rowsum keeps may be dropped.
TEST(Vacuous, ShapesAreComparedAsWritten) {
    const std::string column = "dims n m\ninput W [m, n], x [n, 1]\nforward\n  z = W x\nclaim\n";
    EXPECT_EQ(said_of(column + "  dx = W^T dz\n  dx = dz^T W\n").verdicts, "right, wrong");
    const std::string bias = "dims n m\ninput X [n, m], b [n, 1]\nforward\n  Y = X + b\nclaim\n";
    EXPECT_EQ(said_of(bias + "  db = rowsum(dY)\n  db = rowsum(dY)^T\n  db[i,k] = Σ_j dY[i,j]\n").verdicts,
              "right, wrong, right");
    const std::string vector = "dims n m\ninput X [n, m], b [m]\nforward\n  Y = X + b\nclaim\n";
    EXPECT_EQ(said_of(vector + "  db = colsum(dY)\n  db = sum(dY, axis=0)\n  db = sum(dY, axis=0, keep=true)\n").verdicts,
              "right, right, right");
}

TEST(Vacuous, ValuesUnderWhichABugWouldNotShow) {
    const std::string tail = "forward\n  Y = X W\nclaim\n  dX = dY W^T\n";
    const std::string stated = "dims n\ninput X [n, 2], W = [[1, 3], [3, 2]]\n";
    EXPECT_EQ(said_of(stated + tail).verdicts, "right");  // proved for any W
    const Said symmetric = said_of(stated + "forward\n  Y = X W\nclaim\n  dX = dY W\n");
    EXPECT_EQ(symmetric.verdicts, "cannot tell");
    EXPECT_EQ(symmetric.reason,
              "with the values given a planted bug would not show, dY W^T agrees too: draw them, or give others");
    EXPECT_EQ(said_of("input x = [2]\nforward\n  y = x^2\nclaim\n  dx = 2 x dy\n").verdicts, "right");
    EXPECT_EQ(said_of("dims n\ninput X [n, 2], W = [[1, 3], [4, 2]]\n" + tail).verdicts, "right");
    // Drawn values that are symmetric for a reason hide nothing.
    EXPECT_EQ(
        said_of("dims n m\ninput X [n, m]\nforward\n  G = X^T X\n  Y = tanh(G)\nclaim\n  dG = dY ⊙ (1 - Y^T ⊙ Y)\n").verdicts,
        "right");
}

// What is 0 as a formula may be claimed to be 0, however that is written; what is so small that it is 0 in doubles may not.
TEST(Vacuous, AZeroIsProvedOrCannotBeTold) {
    const std::string shift = "dims n m d\ninput S [n, m], b [n, 1], c [d]\nforward\n  A = softmax(S + b)\nclaim\n";
    EXPECT_EQ(said_of(shift + "  db = 0\n  db = zeros(n, 1)\n  db = rowsum(dS)\n  dc = zeros(d)\n  db = 0.001\n").verdicts,
              "right, right, right, right, wrong");
    // A bias before batch normalisation: the mean takes it away.
    EXPECT_EQ(said_of("dims n d\ninput X [n, d], b [d]\nconst ε = 1e-5\nforward\n  Z = X + b\n  C = Z - colmean(Z)\n"
                      "  Y = C / sqrt(colmean(C^2) + ε)\nclaim\n  db = 0\n  db = zeros(d)\n  db = sum(dZ, axis=0)\n"
                      "  db = sum(dY, axis=0)\n  db = 1e-9\n")
                  .verdicts,
              "right, right, right, wrong, wrong");
    const Said far =
        said_of("dims n\ninput X [n] ~ positive\nforward\n  Y = tanh(X + 300)\nclaim\n  dX = 0\n  dX = (1 - Y^2) ⊙ dY\n");
    EXPECT_EQ(far.verdicts, "cannot tell, right");
    EXPECT_EQ(far.reason,
              "tanh(X + 300) is saturated in every draw, its slope is the same everywhere, and another line could agree "
              "as well: shift or scale the inputs, or state smaller constants");
    // A factor that does not matter beside one that is 0 hides a slip.
    EXPECT_EQ(said_of("dims n m\ninput S [n, m]\nforward\n  A = softmax(S)\n  loss L = sum(A)\nclaim\n"
                      "  dS = A ⊙ (dA - rowsum(dA ⊙ A))\n")
                  .verdicts,
              "cannot tell");
}

TEST(Vacuous, AConstantStandsForAnArrayOfIt) {
    const std::string head = "dims n d\ninput X [n, d], b [d], s []\nforward\n  Y = X + b\n  loss L = sum(Y) / (n d)\nclaim\n";
    EXPECT_EQ(said_of(head + "  dX = 1 / (n d)\n  db = 1 / d\n  db = 1 / n\n").verdicts, "right, right, wrong");
    EXPECT_EQ(said_of(head + "  dX = s / s / (n d)\n").verdicts, "wrong");  // a value has the shape that it has
}

// An option that follows from an input is an input.
TEST(Vacuous, OptionsCarryTheirSlopes) {
    const std::string head = "dims n m\ninput X [n, m], t [1] ~ positive\nforward\n  c = sum(t)\n";
    const std::string scale = head + "  Y = scale(X, factor=c)\nclaim\n";
    EXPECT_EQ(said_of(scale + "  dt[i] = sum(dY ⊙ X)\n  dX = c dY\n  dt = 0\n").verdicts, "right, right, wrong");
    const std::string softmax = head + "  A = softmax(X, axis=0, temperature=c)\nclaim\n";
    EXPECT_EQ(said_of(softmax + "  dX = A ⊙ (dA - colsum(dA ⊙ A)) / c\n"
                                "  dt[i] = -sum(dA ⊙ A ⊙ (X - colsum(A ⊙ X))) / c^2\n  dt = 0\n")
                  .verdicts,
              "right, right, wrong");
    const std::string power = head + "  Z = exp(X)\n  Y = pow(Z, exponent=c)\nclaim\n";
    EXPECT_EQ(said_of(power + "  dX = c Y ⊙ dY\n  dt[i] = sum(dY ⊙ Y ⊙ X)\n  dt = 0\n").verdicts, "right, right, wrong");
    const std::string error =
        gradproof::testing::error_of([&] { said_of(head + "  Y = rms_norm(X, ones(m), eps=c)\nclaim\n  dt = 0\n"); });
    EXPECT_NE(error.find("an option is constant here, and c depends on an input"), std::string::npos) << error;
}

TEST(Vacuous, NoComparisonHidesWhatIsNoNumber) {
    const std::string twice = "dims n\ninput X [n]\nforward\n  Y = 2 X\nclaim\n";
    EXPECT_EQ(
        said_of(twice + "  Y = 2 X + max(0/0, 0)\n  Y = 2 X + max(0, 0/0)\n  Y = 2 X ⊙ where(0/0, 1, 5)\n  Y = 2 X + step(0/0)\n")
            .verdicts,
        "wrong, wrong, wrong, wrong");
}

TEST(Vacuous, InfinitiesAreValues) {
    const std::string head = "input X = [0, 1]\nexpect\n";
    EXPECT_EQ(
        said_of(head + "  log(X) = 7 X\n  log(X) = X - 1 / X + [0, 0]\n  log(X) = [0, 0] - exp(log(1 / X) / 1) + X\n").verdicts,
        "wrong, right, right");
    EXPECT_EQ(said_of(head + "  X / X = X\n").verdicts, "cannot tell");
}

TEST(Vacuous, APrintedNumberSaysSomething) {
    const std::string head = "input Z = [123456, 0.4, 1, 0.003]\nexpect\n";
    EXPECT_EQ(said_of(head + "  Z = [1e5, 0.4, 1, 0.003]\n").reason,
              "1 of 4 numbers has no digit to compare, as 1e5: print more digits");
    EXPECT_EQ(said_of(head + "  Z[1] = 0.\n  Z[2] = 1e300\n  Z[1] = 0\n  Z[3] = 0\n  Z[0] = 1.2e5\n  Z[0] = 1e6\n").verdicts,
              "cannot tell, wrong, cannot tell, right, right, wrong");
}

TEST(Vacuous, WithoutALossAValueThatDoesNotReachTheLastOneHasNoGradient) {
    const ProofReport r = judged(
        "dims n\ninput x [n], y [n]\nforward\n z = x ⊙ y\n w = x + y\nclaim\n dx = dz ⊙ y\n dy = dz\n dz = y\n dz = 0\n dx = "
        "dw\n");
    for (const std::size_t i : {0U, 1U, 2U}) {
        EXPECT_EQ(r.lines[i].verdict, Verdict::cannot_tell) << i;
        EXPECT_EQ(r.lines[i].reason,
                  "no loss is stated, so it is of w, the last value, and no path leads from z to w: state a loss that uses both");
    }
    EXPECT_EQ(r.lines[3].verdict, Verdict::right) << "it is 0";
    EXPECT_EQ(r.lines[4].verdict, Verdict::right);
}

TEST(Vacuous, AValueThatIsNaNTellsNothingOfWhatLeadsToIt) {
    const std::string text = "dims n\ninput x [n], z [n]\nforward\n y = log(x)\n w = y + z\nclaim\n dx = dw / x\n dz = dw\n";
    const ProofReport r = judged(text);
    EXPECT_EQ(r.lines[0].verdict, Verdict::cannot_tell);
    EXPECT_NE(r.lines[0].reason.find("y is NaN at "), std::string::npos) << r.lines[0].reason;
    EXPECT_NE(r.lines[0].reason.find("~ positive"), std::string::npos) << r.lines[0].reason;
    std::string positive = text;
    positive.replace(positive.find("x [n]"), 5, "x [n] ~ positive");
    EXPECT_EQ(verdicts(positive), "right, right");
}

TEST(Vacuous, APlantedBugThatAgreesIsShown) {
    const ProofReport r = judged("dims n\ninput x [n]\nforward\n y = x ⊙ x\n m = mean(y)\nloss L = m\nclaim\n dx = 2 x dm / n\n");
    EXPECT_LT(r.caught, r.planted);
    ASSERT_FALSE(r.unseen.empty());
    EXPECT_EQ(r.unseen[0].line, 8);
    EXPECT_NE(to_text(FileReport{"a.proof", {r}}, {}).find("a planted bug of line 8 agrees too: "), std::string::npos);
}

TEST(Vacuous, TheReportSaysOnWhichValuesItRests) {
    const ProofReport r = check_proof(
        read_proofs("a.proof",
                    "dims n\ninput X [n], t [] ~ positive, u [n] ~ uniform(-1, 1)\nforward\n"
                    "  Y = relu(X) ⊙ u / t\n  Z = rowsum(Y ⊙ Y)\nclaim\n  dX = u ⊙ step(X) ⊙ dY / t\n  Z = sum(Y ⊙ Y)\n")
            .at(0),
        {});
    EXPECT_EQ(r.domain, (std::vector<std::string>{"t > 0", "u in (-1, 1)"}));
    ASSERT_EQ(r.branches.size(), 2u);
    EXPECT_TRUE(r.branches[0].starts_with("relu(X): ")) << r.branches[0];
    EXPECT_EQ(r.lines[0].read_as, "");
    const ProofReport dropped = check_proof(read_proofs("a.proof",
                                                        "dims n m\ninput X [n, m]\nforward\n  Y = X ⊙ X\n"
                                                        "  s[i] = Σ_j Y[i,j]\nclaim\n  s = rowsum(Y)\n")
                                                .at(0),
                                            {});
    EXPECT_EQ(dropped.lines[0].verdict, Verdict::right);
    EXPECT_TRUE(dropped.lines[0].read_as.starts_with("the claimed shape [n, 1] = ")) << dropped.lines[0].read_as;
}

}  // namespace
}  // namespace gradproof::proof
