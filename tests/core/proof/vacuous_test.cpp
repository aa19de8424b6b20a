// Lines that agree and say nothing are not called right: circular claims, claims of what is given, shapes that only look alike,
// and values under which a planted bug would not show.
#include <gtest/gtest.h>

#include "gradproof/core/proof/judge/report.hpp"
#include "tests/support.hpp"

namespace gradproof::proof {
namespace {

/// The verdict of each line, and what is said of the first.
struct Judged {
    std::string verdicts, reason;
};
Judged judged(const std::string& text) {
    Judged out;
    const ProofReport r = check_proof(read_proofs("a.proof", text).at(0), {});
    for (const LineReport& l : r.lines) out.verdicts += (out.verdicts.empty() ? "" : ", ") + std::string(check::name(l.verdict));
    out.reason = r.lines.at(0).reason;
    return out;
}

constexpr const char* kProduct = "dims n m d\ninput X [n, m], W [m, d]\nforward\n  Y = X W\nclaim\n";

TEST(Vacuous, AClaimThatUsesWhatItClaims) {
    for (const char* line : {"dX = dX", "dX = 2 dX - dX", "dX[i,j] = dX[i,j]", "dX = dX + dY W^T - dY W^T",
                             "dX[i,j] = (2 dX - dX)[i,j]", "∂Y[i,j]/∂X[k,l] = ∂Y[i,j]/∂X[k,l]", "Y = Y"}) {
        const Judged j = judged(std::string(kProduct) + "  " + line + "\n");
        EXPECT_EQ(j.verdicts, "cannot tell") << line;
        EXPECT_TRUE(j.reason.starts_with("the line uses what it claims: ")) << j.reason;
    }
    EXPECT_EQ(judged(std::string(kProduct) + "  dX = dY W^T\n  dX = 2 dX\n").verdicts, "right, wrong");  // wrong is wrong
}

TEST(Vacuous, ARecurrenceIsNoCircle) {
    EXPECT_EQ(
        judged("dims n = 4\ninput X [n]\nforward\n  Y = X ⊙ X\nclaim\n  dX[0] = dX[1] X[0] dY[0] / (X[1] dY[1])\n").verdicts,
        "right");
}

TEST(Vacuous, AClaimOfWhatIsGiven) {
    const std::string head = "input X = [1, 2]\nconst c = 5\nforward\n  Y = X ⊙ X\n";
    for (const char* line :
         {"claim\n  0 = 0", "claim\n  c = 5", "claim\n  X = [1, 2]", "expect\n  X = [1, 2]", "expect\n  c = 5"}) {
        const Judged j = judged(head + line + "\n");
        EXPECT_EQ(j.verdicts, "cannot tell") << line;
        EXPECT_NE(j.reason.find(" is given, not computed"), std::string::npos) << j.reason;
    }
    EXPECT_EQ(judged(head + "expect\n  Y = [1, 4]\n  X = [1, 2.1]\n").verdicts, "right, wrong");
}

TEST(Vacuous, AGradientsNameIsNotTaken) {
    const auto error = [](const std::string& text) { return gradproof::testing::error_of([&] { judged(text); }); };
    for (const char* head : {"input X [2]\nconst dX = 5\n", "const dX = 5\ninput X [2]\n", "input X [2], dX [2]\n"})
        EXPECT_NE(error(std::string(head) + "forward\n  Y = X ⊙ X\nclaim\n  dX = 5\n")
                      .find("dX means the gradient of X: choose another name"),
                  std::string::npos);
    EXPECT_EQ(judged("input X [2]\nconst dt = 5\nforward\n  Y = dt X\nclaim\n  dX = dt dY\n").verdicts, "right");
}

// A row is no column; what rowsum keeps may be dropped.
TEST(Vacuous, ShapesAreComparedAsWritten) {
    const std::string column = "dims n m\ninput W [m, n], x [n, 1]\nforward\n  z = W x\nclaim\n";
    EXPECT_EQ(judged(column + "  dx = W^T dz\n  dx = dz^T W\n").verdicts, "right, wrong");
    const std::string bias = "dims n m\ninput X [n, m], b [n, 1]\nforward\n  Y = X + b\nclaim\n";
    EXPECT_EQ(judged(bias + "  db = rowsum(dY)\n  db = rowsum(dY)^T\n  db[i,k] = Σ_j dY[i,j]\n").verdicts, "right, wrong, right");
    const std::string vector = "dims n m\ninput X [n, m], b [m]\nforward\n  Y = X + b\nclaim\n";
    EXPECT_EQ(judged(vector + "  db = colsum(dY)\n  db = sum(dY, axis=0)\n  db = sum(dY, axis=0, keep=true)\n").verdicts,
              "right, right, right");
}

TEST(Vacuous, ValuesUnderWhichABugWouldNotShow) {
    const std::string tail = "forward\n  Y = X W\nclaim\n  dX = dY W^T\n";
    const Judged symmetric = judged("dims n\ninput X [n, 2], W = [[1, 3], [3, 2]]\n" + tail);
    EXPECT_EQ(symmetric.verdicts, "cannot tell");
    EXPECT_EQ(symmetric.reason, "with the values given a planted bug would not show: dY W agrees too");
    EXPECT_EQ(judged("dims n\ninput X [n, 2], W = [[1, 3], [4, 2]]\n" + tail).verdicts, "right");
    // Drawn values that are symmetric for a reason hide nothing.
    EXPECT_EQ(
        judged("dims n m\ninput X [n, m]\nforward\n  G = X^T X\n  Y = tanh(G)\nclaim\n  dG = dY ⊙ (1 - Y^T ⊙ Y)\n").verdicts,
        "right");
}

}  // namespace
}  // namespace gradproof::proof
