// Exercises: every solution is right, answers are judged, and nothing gives the solution away before the last hint.
#include "gradproof/core/proof/exercises/progress.hpp"

#include <gtest/gtest.h>

#include "gradproof/core/proof/exercises/feedback.hpp"
#include "tests/support.hpp"

namespace gradproof::proof {
namespace {

using testing::error_of;

std::string with_another_first_digit(std::string numbers) {
    char& digit = numbers.at(numbers.find_first_of("0123456789"));
    digit = digit == '9' ? '1' : static_cast<char>(digit + 1);
    return numbers;
}

TEST(Exercise, EverySolutionIsTheTruthAndNotVacuous) {
    const auto all = all_exercises();
    EXPECT_GE(all.size(), 38U);
    int number = 0;
    for (const Exercise& e : all) {
        EXPECT_EQ(e.number, ++number);
        const ProofReport r = judge_exercise(e, e.solution).proofs.at(0);
        EXPECT_EQ(r.verdict(), Verdict::right) << e.name;
        if (e.numeric) {
            EXPECT_EQ(judge_exercise(e, with_another_first_digit(e.solution)).verdict(), Verdict::wrong) << e.name;
        } else {
            EXPECT_GT(r.planted, 0) << e.name;
            EXPECT_EQ(r.caught, r.planted) << e.name;
            EXPECT_EQ(judge_exercise(e, "-(" + e.solution + ")").verdict(), Verdict::wrong) << e.name;
        }
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
        const std::vector<std::string> hints = hints_of(e);
        EXPECT_EQ(hints.back(), e.hints.back());
        const bool derived = !e.numeric && e.asked.starts_with("∂L/∂");
        EXPECT_EQ(hints.size() > e.hints.size(), derived) << e.name;
        for (std::size_t i = 0; i + 1 < hints.size(); ++i)
            EXPECT_EQ(hints[i].find(": " + e.asked + " = "), std::string::npos) << e.name << ": " << hints[i];
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

TEST(Exercise, AnswersInLatexCountFromZeroAsTheExerciseDoesUnlessTheySumFromOne) {
    const Exercise e = find_exercise("values");
    EXPECT_EQ(respond(e, "\\sum_i A_{ij} \\frac{\\partial L}{\\partial O_{ic}} + A_{0,1}").answer.claim,
              "∂L/∂V[j,c] = Σ_i A[i,j] ∂L/∂O[i,c] + A[0,1]");
    for (const char* answer : {"\\sum_{i=0}^{n-1} A_{ij} \\frac{\\partial L}{\\partial O_{ic}}",
                               "\\sum_{i=1}^{n} A_{ij} \\frac{\\partial L}{\\partial O_{ic}}"})
        EXPECT_EQ(respond(e, answer).verdict(), Verdict::right) << answer;
}

TEST(Exercise, QuestionsNameTheValueThatIsUsedTheRuleThatIsBrokenAndWhatIsAsked) {
    const auto asked = [](const char* exercise, const char* answer) {
        return respond(find_exercise(exercise), answer).question.value().text;
    };
    EXPECT_TRUE(asked("projections", "dV W_v^T").starts_with("In how many places of the forward is X used?"));
    EXPECT_EQ(asked("values", "A dO"),
              "Do the parts of your answer fit together? A matrix product needs as many columns on the left "
              "as rows on the right; A is [n, m] = [2, 4], dO is [n, d_v] = [2, 3]");
    EXPECT_EQ(asked("rows_jacobian", "A[i,j] (1 - A[i,k])"),
              "Your answer is right where j = k. How does A[i,j] change with another entry of its row of S, where j ≠ k?");
    EXPECT_EQ(asked("rows_jacobian", "-A[i,j] A[i,k]"),
              "Your answer is right where j ≠ k. How does A[i,j] change with S[i,j] itself, where j = k?");
    EXPECT_EQ(error_of([] { respond(find_exercise("values"), "dV"); }).substr(0, 34), "exercise: dV is what is asked; the");
    const std::string bracket = error_of([] { respond(find_exercise("values"), "A^T dO)"); });
    EXPECT_NE(bracket.find("this bracket was never opened"), std::string::npos) << bracket;
}

TEST(Exercise, HintsGoOnByTheRulesOneStepAtATime) {
    const std::vector<std::string> hints = hints_of(find_exercise("attention_scores"));
    ASSERT_EQ(hints.size(), 5U);
    EXPECT_EQ(hints[2], "by the rules: matrix product on O = A V: ∂L/∂A = ∂L/∂O V^T");
    EXPECT_EQ(hints[3], "by the rules: softmax on A = softmax(S)");
    // Where there is one step only, the shapes say more than its rule.
    EXPECT_EQ(
        hints_of(find_exercise("bias")).at(2),
        "by the rules: sum rule on Y = X W + b; ∂L/∂Y, which is given, is [n, d_out] = [2, 3], and ∂L/∂b must be [d_out] = [3]");
}

constexpr const char* kSet = R"(#! statement A product with a number.
#! hint Look at one entry.
title "Twice"
dims n d
input X [n, d]
forward
  Y = 2 X
claim
  dX = 2 dY

#! name root
#! difficulty 3
#! statement The root of a sum of squares.
#! without r
title "By hand"
input x = [3, 4]
forward
  r = sqrt(sum(x^2))
expect
  r = 5.0
)";
std::string changed(const std::string& from, const std::string& to) {
    std::string out = kSet;
    return out.replace(out.find(from), from.size(), to);
}

TEST(Exercise, SetsOfATeacherAreReadAndHeldToTheTruth) {
    const std::vector<Exercise> set = read_exercises("set.proof", kSet);
    ASSERT_EQ(set.size(), 2U);
    EXPECT_EQ(set[0].name, "twice");
    EXPECT_EQ(set[1].name, "root");
    EXPECT_EQ(set[1].difficulty, 3);
    EXPECT_TRUE(set[1].numeric);
    EXPECT_EQ(judge_exercise(find_exercise("twice", set), "dY + dY").verdict(), Verdict::right);
    EXPECT_EQ(judge_exercise(find_exercise("2", set), "5").verdict(), Verdict::right);
    EXPECT_EQ(judge_exercise(find_exercise("2", set), "5.1").verdict(), Verdict::wrong);
    const auto refused = [](const std::string& text, const char* message) {
        const std::string error = error_of([&] { read_exercises("set.proof", text); });
        EXPECT_NE(error.find(message), std::string::npos) << error;
        EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    };
    refused(changed("dX = 2 dY", "dX = 3 dY"), "set.proof:9: dX = 3 dY is wrong");
    refused(changed("r = 5.0", "r = 5.5"), "set.proof:20: r = 5.5 is wrong");
    refused(changed("#! hint", "#! hnt"), "unknown key hnt; did you mean hint");
    refused(changed("#! difficulty 3", "#! difficulty 9"), "difficulty is 9, expected 1 to 4");
    refused(changed("#! statement A product with a number.\n", ""), "it has no statement");
    refused(changed("forward", "forwrd"), "set.proof:6: ");
    refused(changed("#! name root", "#! name twice"), "another exercise is called twice too");
    refused(changed("#! name root", "#! name two words"), "name is two words, expected one word");
    refused(changed("#! without r", "#! given q"), "no value is called q");
    refused(changed("  dX = 2 dY", "  dX = 2 dY\n  dX = dY + dY"), "one claim, or one expectation, got 2");
    refused("", "there are no exercises in it");
    refused("# nothing\n", "exercise: set.proof:1: ");
}

TEST(Exercise, ProgressIsTextThatIsReadAgainOrRefusedWhole) {
    const auto all = all_exercises();
    Progress p;
    EXPECT_EQ(p.next(all)->name, "scaling");
    p.tried("scaling", false);
    EXPECT_EQ(p.next(all)->name, "scaling");
    p.tried("scaling", true);
    p.tried("scaling", false);  // what was right stays so
    p.tried("gate", true);
    EXPECT_EQ(p.next(all)->name, "linear_weights");
    EXPECT_EQ(p.done(all), 2);
    const Progress again = Progress::read(p.text());
    EXPECT_EQ(again.text(), p.text());
    EXPECT_EQ(again.of("scaling").tries, 3);
    EXPECT_TRUE(again.of("scaling").right);
    EXPECT_EQ(again.of("tanh").tries, 0);
    EXPECT_EQ(Progress::read("").done(all), 0);
    for (const std::string& bad :
         {std::string("broken"), p.text() + "tanh", p.text() + "tanh right", p.text() + "tanh right x", p.text() + "tanh right 0",
          p.text() + "tanh maybe 1", p.text() + "tanh right 1 2", std::string("\n")})
        EXPECT_NE(error_of([&] { Progress::read(bad); }).find("expected"), std::string::npos) << bad;
    for (const Exercise& e : all) p.tried(e.name, true);
    EXPECT_EQ(p.next(all), nullptr);
}

TEST(Exercise, RefusesWhatIsNoAnswer) {
    const Exercise e = find_exercise("6");
    const auto refused = [&](const char* answer, const char* message) {
        const std::string error = error_of([&] { judge_exercise(e, answer); });
        EXPECT_NE(error.find(message), std::string::npos) << answer << ": " << error;
    };
    refused("", "the answer is empty");
    refused("dV", "dV is what is asked");
    refused("dV = dV", "dV is what is asked");
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
