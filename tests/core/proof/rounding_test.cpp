// Verdicts where rounding is large: masks of -1e9, constants that cancel, entries far apart. Wrong lines of each are wrong, right
// ones right, and where doubles cannot tell quadruple precision does.
#include <gtest/gtest.h>

#include "gradproof/core/proof/judge/report.hpp"
#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

struct Roundings {
    const char* name;
    const char* head;                                        ///< sizes, inputs, forward
    std::vector<std::pair<std::string, const char*>> lines;  ///< with their verdicts
};

const std::vector<Roundings> kRoundingss = {
    {"a mask of -1e9",
     "dims n = 2, m = 3, d\ninput S [n, m], V [m, d]\nconst M = [[0, 0, 1], [0, 1, 0]]\n"
     "forward\n  A = softmax(S - 1e9 M)\n  Y = A V\n",
     {{"dS = A ⊙ (dY V^T - rowsum(dY V^T ⊙ A))", "right"},
      {"dS = 1.00001 A ⊙ (dY V^T - rowsum(dY V^T ⊙ A))", "wrong"},
      {"dV = A^T dY + 1e-7", "wrong"}}},
    {"a constant of the claim's own",
     "dims n\ninput X [n]\nforward\n  Y = X ⊙ X\n",
     {{"dX = 2 X ⊙ dY + 3e11 - 3e11", "right"},
      {"dX = 1.05 * 2 X ⊙ dY + 3e11 - 3e11", "wrong"},
      {"dX = 1.000001 * 2 X ⊙ dY + 3e11 - 3e11", "wrong"}}},
    {"a sum that cancels to 1e-12",
     "dims n\ninput X [n]\nforward\n  Y = (X + 1e12) - 1e12\n  Z = Y ⊙ Y\n",
     {{"dX = 2 X ⊙ dZ", "right"}, {"dX = 2.000001 X ⊙ dZ", "wrong"}, {"dX = 2 X ⊙ dZ + 1e-6", "wrong"}}},
    {"what no number of this size holds",
     "dims n\ninput X [n]\nforward\n  Y = (X + 1e40) - 1e40\n  Z = Y ⊙ Y\n",
     {{"dX = 2 X ⊙ dZ", "right"}, {"dX = 0 * X", "cannot tell"}, {"dX = 2.1 X ⊙ dZ", "cannot tell"}}},
    {"entries from 1e-200 to 1e200",
     "dims n = 5\ninput X [n]\nconst a = [1e-200, 1e-12, 1, 1e12, 1e200]\nforward\n  Y = a ⊙ X ⊙ X\n",
     {{"dX = 2 a ⊙ X ⊙ dY", "right"},
      {"dX = [2, 3, 2, 2, 2] ⊙ a ⊙ X ⊙ dY", "wrong"},
      {"dX = [3, 2, 2, 2, 2] ⊙ a ⊙ X ⊙ dY", "wrong"},
      {"dX = 2 a ⊙ X ⊙ dY + [1e-208, 0, 0, 0, 0]", "wrong"},
      {"dX = [0, 2, 2, 2, 2] ⊙ a ⊙ X ⊙ dY", "wrong"}}},
    {"log-sum-exp at 1e4",
     "dims n m\ninput X [n, m]\nforward\n  Y = logsumexp(10000 X, axis=-1)\n",
     {{"dX[i,j] = 10000 softmax(10000 X)[i,j] dY[i]", "right"}, {"dX[i,j] = 10000.1 softmax(10000 X)[i,j] dY[i]", "wrong"}}},
    {"a learned temperature beside a mask of -1e6",
     "dims n m\ninput S [n, m], t [1] ~ positive\nconst M = causal(n, m)\n"
     "forward\n  A = softmax((S + (-1e6) (1 - exp(M))) / t[0])\n",
     {{"dt[i] = -sum(dA ⊙ A ⊙ (S - rowsum(A ⊙ S))) / t[0]^2", "right"},
      {"dt = 0", "wrong"},
      {"dt[i] = -1.001 sum(dA ⊙ A ⊙ (S - rowsum(A ⊙ S))) / t[0]^2", "wrong"}}},
    {"small entries beside a mask of -1e30",
     "dims n m\ninput S [n, m]\nconst M = causal(n, m)\nforward\n  B = 1e20 (1 - exp(M))\n  N = (S + B) - B\n",
     {{"N = S", "right"}, {"N = where(1 - exp(M), 7, S)", "wrong"}}},
    {"a ridge of 1e18",
     "dims n d\ninput X [n, d], w [d], y [n]\nforward\n  r = y - X w\n  loss L = 0.5 sum(r^2) + 0.5 * 1e18 sum(w^2)\n",
     {{"dw = 1e18 w - X^T r", "right"}, {"dw = 1.0000001e18 w - X^T r", "wrong"}}},
    {"a sine of 1e6",
     "dims n\ninput X [n]\nforward\n  Y = sin(1000000 X)\n",
     {{"dX = 1000000 cos(1000000 X) ⊙ dY", "right"}, {"dX = 1000000.1 cos(1000000 X) ⊙ dY", "wrong"}}},
    {"a kink under a large constant",
     "input X = [0, 1, -1]\nforward\n  Y = relu(X) + 1e6\n",
     {{"dX = step(X) ⊙ dY", "cannot tell"}, {"dX = [0.5, 1, 0] ⊙ dY", "cannot tell"}}},
    {"a claim that is not finite",
     "dims n\ninput X [n]\nforward\n  Y = X ⊙ X\n",
     {{"dX = 2 X ⊙ dY / (X - X)", "wrong"}, {"dX = 2 X ⊙ dY + inf", "wrong"}}},
    {"exponentials beyond the range of doubles",
     "dims n m\ninput X [n, m]\nforward\n  Y = log(rowsum(exp(X + 1e4)))\n",
     {{"dX = exp(X + 1e4) / rowsum(exp(X + 1e4)) ⊙ dY", "right"},
      {"dX = softmax(X) ⊙ dY", "right"},
      {"dX = 1.001 exp(X + 1e4) / rowsum(exp(X + 1e4)) ⊙ dY", "wrong"},
      {"dX = exp(X + 1e4) / rowsum(exp(X + 1e4))", "wrong"}}},
    {"a claim beyond the range of doubles",
     "dims n m\ninput X [n, m]\nforward\n  Y = softmax(X)\n",
     {{"dX = Y ⊙ (dY - rowsum(dY ⊙ exp(X + 800)) / rowsum(exp(X + 800)))", "right"},
      {"dX = Y ⊙ (dY - rowsum(dY ⊙ exp(X + 800)) / rowsum(exp(X + 801)))", "wrong"}}},
    {"a gradient that is no double",
     "dims n\ninput X [n]\nforward\n  Y = exp(X + 1e4)\n",
     {{"dX = 2 Y ⊙ dY", "cannot tell"}, {"dX = 0 * X", "cannot tell"}}},
    {"numbers beyond the range of any",
     "dims n\ninput X [n]\nforward\n  Y = X ⊙ X\n",
     {{"dX = 2 log(exp(1e5 X)) / 1e5 ⊙ dY", "cannot tell"},
      {"dX = 2 X ⊙ dY + log(X - X)", "wrong"},
      {"dX = 2 log(exp(X)) ⊙ dY", "right"},
      {"dX = 2.01 log(exp(X)) ⊙ dY", "wrong"}}},
    {"a division by nothing",
     "dims n\ninput X [n]\nforward\n  Y = exp(X)\n",
     {{"dX = Y ⊙ dY / (1 - 1)", "wrong"}, {"dX = Y ⊙ dY + log(X - X)", "wrong"}}},
    {"a z-loss with a padded vocabulary",
     "dims n, v = 4\ninput S [n, v]\nconst P = [0, 0, 0, 1]\nforward\n  Z = logsumexp(S - 1e9 P, axis=-1)\n  loss L = mean(Z ⊙ "
     "Z)\n",
     {{"dS[i,j] = 2 Z[i] softmax(S - 1e9 P)[i,j] / n", "right"},
      {"dS[i,j] = 2.0001 Z[i] softmax(S - 1e9 P)[i,j] / n", "wrong"},
      {"dS[i,j] = 2 Z[i] softmax(S)[i,j] / n", "wrong"}}},
};

TEST(Rounding, DecidesNoVerdict) {
    for (const Roundings& e : kRoundingss) {
        std::string text = std::string(e.head) + "claim\n";
        for (const auto& [line, verdict] : e.lines) text += "  " + line + "\n";
        const ProofReport report = check_proof(read_proofs("a.proof", text).at(0), {});
        ASSERT_EQ(report.lines.size(), e.lines.size());
        for (std::size_t i = 0; i < e.lines.size(); ++i)
            EXPECT_EQ(check::name(report.lines[i].verdict), e.lines[i].second) << e.name << ": " << e.lines[i].first << "\n"
                                                                               << report.lines[i].reason;
    }
}

TEST(Rounding, APrintedNumberMayComeOfNumbersBeyondDoubles) {
    const ProofReport report = check_proof(read_proofs("a.proof",
                                                       "input X = [10000, 9999]\nforward\n  Y = log(sum(exp(X)))\nclaim\n"
                                                       "  expect Y = 10000.313\n  expect Y = 10000.314\n")
                                               .at(0),
                                           {});
    EXPECT_EQ(report.lines[0].verdict, Verdict::right) << report.lines[0].reason;
    EXPECT_EQ(report.lines[1].verdict, Verdict::wrong);
}

TEST(Rounding, AChainOfTwoHundredTanhIsRight) {
    std::string text = "dims n\ninput X [n]\nforward\n  H0 = X\n", claims;
    for (int i = 1; i <= 200; ++i) {
        text += fmt::format("  H{} = tanh(H{})\n", i, i - 1);
        claims += fmt::format("  dH{} = dH{} ⊙ (1 - H{}^2)\n", i - 1, i, i);
    }
    const ProofReport report = check_proof(read_proofs("a.proof", text + "claim\n" + claims).at(0), {.draw = {}, .draws = 2});
    EXPECT_EQ(report.count(Verdict::right), 200);
}

TEST(Rounding, CannotTellSaysHowMuchAndWhatToChange) {
    const ProofReport report = check_proof(
        read_proofs("a.proof", "dims n\ninput X [n]\nforward\n  Y = (X + 1e40) - 1e40\n  Z = Y ⊙ Y\nclaim\n  dX = 2 X ⊙ dZ\n")
            .at(0),
        {.draw = {}, .prove = false});
    const std::string& reason = report.lines[0].reason;
    EXPECT_TRUE(reason.starts_with("rounding may change entry [0] by ")) << reason;
    EXPECT_NE(reason.find("draw the inputs from a smaller range, or state smaller constants"), std::string::npos) << reason;
}

// Residues tell them apart, doubles do not.
TEST(Rounding, WhatDiffersAsAFormulaIsNotRight) {
    const std::string head = "dims n\ninput x [n]\nforward\n y = x ⊙ x\nclaim\n";
    EXPECT_EQ(verdicts(head + " dx = 2 x ⊙ dy + 1e-300\n dx = 2 x ⊙ dy (1 + 1e-15)\n dx = 2 x ⊙ dy + 1e-300 - 1e-300\n"),
              "cannot tell, cannot tell, right");
    EXPECT_EQ(verdicts(head + " dx = 1.4142135623730951^2 x ⊙ dy\n"), "right") << "a root of 2, as many digits as a double has";
}

// A factor that fits the large entries and not the small ones is none.
TEST(Rounding, ASmallEntryThatIsOffIsNoConstantFactor) {
    const ProofReport report = check_proof(read_proofs("a.proof",
                                                       "dims n = 5\ninput X [n]\nconst a = [1e-200, 1e-12, 1, 1e12, 1e200]\n"
                                                       "forward\n  Y = a ⊙ X ⊙ X\nclaim\n"
                                                       "  dX = [3, 2, 2, 2, 2] ⊙ a ⊙ X ⊙ dY\n")
                                               .at(0),
                                           {});
    ASSERT_TRUE(report.lines[0].diagnosis);
    EXPECT_EQ(report.lines[0].diagnosis->text, "no simple explanation; 4 of 5 entries agree");
}

}  // namespace
}  // namespace gradproof::proof
