// Exercises: every solution is right, answers are judged, and nothing gives the solution away before the last hint.
#include "gradproof/core/proof/exercises/exercises.hpp"

#include <gtest/gtest.h>

#include "tests/support.hpp"

namespace gradproof::proof {
namespace {

using testing::error_of;

TEST(Exercise, EverySolutionIsTheTruthAndNotVacuous) {
    const auto all = all_exercises();
    EXPECT_GE(all.size(), 15U);
    int number = 0;
    for (const Exercise& e : all) {
        EXPECT_EQ(e.number, ++number);
        const ProofReport r = judge_exercise(e, e.solution).proofs.at(0);
        EXPECT_EQ(r.verdict(), Verdict::right) << e.name;
        EXPECT_GT(r.planted, 0) << e.name;
        EXPECT_EQ(r.caught, r.planted) << e.name;
        EXPECT_EQ(judge_exercise(e, "-(" + e.solution + ")").verdict(), Verdict::wrong) << e.name;
        EXPECT_GE(e.hints.size(), 3U) << e.name;
        EXPECT_LE(e.hints.size(), 4U) << e.name;
        EXPECT_FALSE(e.statement.empty() || e.title.empty()) << e.name;
        EXPECT_TRUE(e.difficulty >= 1 && e.difficulty <= 4) << e.name;
    }
}

TEST(Exercise, NothingGivesTheSolutionAwayBeforeTheLastHint) {
    for (const Exercise& e : all_exercises()) {
        EXPECT_EQ(e.forward.find(e.solution), std::string::npos) << e.name;
        EXPECT_EQ(e.statement.find(e.solution), std::string::npos) << e.name;
        for (std::size_t i = 0; i + 1 < e.hints.size(); ++i)
            EXPECT_EQ(e.hints[i].find(e.asked + " = " + e.solution), std::string::npos) << e.name;
        EXPECT_EQ(e.hints.back(), e.asked + " = " + e.solution);
    }
}

TEST(Exercise, TakesTheSameAnswerInSeveralSpellings) {
    const Exercise e = find_exercise("values");
    for (const char* answer : {"A^T dO", "A' @ ∂L/∂O", "∂L/∂V = A^T ∂L/∂O", "dV = Aᵀ dLoss/dO", "dV[j,c] = Σ_i A[i,j] dO[i,c]",
                               "∂L/∂V[j,c] = sum_i(A[i,j] ∂L/∂O[i,c])"})
        EXPECT_EQ(judge_exercise(e, answer).verdict(), Verdict::right) << answer;
    EXPECT_EQ(judge_exercise(find_exercise("3"), "sum(dY, axis=0)").verdict(), Verdict::right);
    for (const char* answer : {"A dO", "dO^T A", "2 A^T dO", "dV[j,c] = Σ_i A[i,j] dO[i,c] / n"})
        EXPECT_EQ(judge_exercise(e, answer).verdict(), Verdict::wrong) << answer;
}

TEST(Exercise, RefusesWhatIsNoAnswer) {
    const Exercise e = find_exercise("6");
    const auto refused = [&](const char* answer, const char* message) {
        const std::string error = error_of([&] { judge_exercise(e, answer); });
        EXPECT_NE(error.find(message), std::string::npos) << answer << ": " << error;
    };
    refused("", "the answer is empty");
    refused("dV", "dV is not given");
    refused("dV = dV", "dV is not given");
    refused("dA", "dA is not given");
    refused("dA = dO V^T", "it asks for ∂L/∂V");
    refused("dV[0,0] = A[0,0] dO[0,0]", "a letter for each axis");
    refused("A^T dP", "unknown name dP");
    refused("A^T (dO", "never closed");
    refused("expect\n O = O", "it asks for ∂L/∂V");
    EXPECT_NE(error_of([] { find_exercise("99"); }).find("there are 1 to"), std::string::npos);
    EXPECT_NE(error_of([] { find_exercise("valus"); }).find("did you mean values"), std::string::npos);
}

}  // namespace
}  // namespace gradproof::proof
