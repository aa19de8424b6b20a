// What students type: right answers in every form are right, wrong ones get a first question that is true of them, nonsense is told.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <sstream>

#include "gradproof/core/proof/exercises/feedback.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"

namespace gradproof::proof {
namespace {

struct TypedAnswer {
    std::string exercise, text;
    std::vector<std::string> expected;
};

/// tests/core/proof/exercises/answers.txt, which says what the words mean.
std::vector<TypedAnswer> typed_answers() {
    std::ifstream in(GRADPROOF_SOURCE_DIR "/tests/core/proof/exercises/answers.txt");
    std::vector<TypedAnswer> out;
    std::string exercise;
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line.starts_with('#')) continue;
        if (line.starts_with("exercise ")) {
            exercise = line.substr(9);
            continue;
        }
        const std::size_t colon = line.find(" : ");
        TypedAnswer a{exercise, line.substr(colon + 3), {}};
        std::istringstream words(line.substr(0, line.find_last_not_of(' ', colon) + 1));
        for (std::string word; std::getline(words, word, '/');) a.expected.push_back(word);
        out.push_back(std::move(a));
    }
    return out;
}

/// In the words of that file.
std::string outcome(const Exercise& e, const std::string& answer, Response* response) {
    try {
        Response r = respond(e, answer);
        const std::string out = r.question ? r.question->kind : std::string(check::name(r.verdict()));
        if (response) *response = std::move(r);
        return out;
    } catch (const NoAnswer& no) {
        return no.kind() == NoAnswerKind::index ? "index" : no.kind() == NoAnswerKind::not_given ? "given" : "unread";
    } catch (const ProofError&) {
        return "unread";
    }
}

TEST(Answers, OfStudentsGetWhatWasWrittenDownBefore) {
    const std::vector<TypedAnswer> all = typed_answers();
    std::map<std::string, int> counts;
    for (const TypedAnswer& a : all) ++counts[a.exercise];
    EXPECT_GE(counts.size(), 15U);
    for (const auto& [exercise, n] : counts) EXPECT_GE(n, 20) << exercise;
    const std::size_t stride = testing::kSampled ? 7 : 1;
    for (std::size_t i = 0; i < all.size(); i += stride) {
        const TypedAnswer& a = all[i];
        const Exercise e = find_exercise(a.exercise);
        std::optional<Response> r(std::in_place);
        const std::string got = outcome(e, a.text, &*r);
        EXPECT_NE(std::ranges::find(a.expected, got), a.expected.end()) << a.exercise << ": " << a.text << ": " << got;
        if (!r->question) continue;
        EXPECT_EQ(r->question->text.find(e.solution), std::string::npos) << a.text << ": " << r->question->text;
        EXPECT_FALSE(counterexample(*r, 1).text.empty()) << a.text;
        // What is offered as a repair is right.
        const std::size_t write = r->repair.find("; write  ");
        if (write == std::string::npos) continue;
        EXPECT_EQ(judge_exercise(e, r->repair.substr(write + 9)).verdict(), Verdict::right) << a.text << ": " << r->repair;
    }
}

TEST(Answers, WithoutTheGradientThatComesInAreToldSoInEveryExercise) {
    int told = 0;
    for (const Exercise& e : all_exercises()) {
        if (e.given.empty() || e.solution.find("∂L/∂") == std::string::npos) continue;
        const std::string of = e.asked.substr(std::string_view("∂L/∂").size());
        const Response r = respond(e, of);  // the value itself: its shape fits
        ASSERT_TRUE(r.question) << e.name;
        EXPECT_EQ(r.question->kind, "upstream") << e.name;
        for (const std::string& g : e.given) EXPECT_NE(r.question->text.find("∂L/∂" + g), std::string::npos) << e.name;
        ++told;
    }
    EXPECT_GE(told, 25);
}

TEST(Answers, AreShownAsTheyWereRead) {
    const Exercise values = find_exercise("values");
    EXPECT_EQ(respond(values, "A.T @ dO").answer.claim, "∂L/∂V = A^T ∂L/∂O");
    EXPECT_EQ(respond(values, "$A^\\top \\nabla_O L$").answer.claim, "∂L/∂V = A^T ∂L/∂O");
    EXPECT_EQ(respond(values, "Σ_i A[i,j] dO[i,c]").answer.claim, "∂L/∂V[j,c] = Σ_i A[i,j] dO[i,c]");
    EXPECT_EQ(respond(values, " A^T dO ").answer.claim, "∂L/∂V = A^T dO");
    const Response tanh = respond(find_exercise("tanh"), "(1-Y)(1+Y) ⊙ dY");
    EXPECT_EQ(tanh.verdict(), Verdict::right);
    EXPECT_NE(tanh.answer.claim.find("(1-Y) ⊙ (1+Y)"), std::string::npos) << tanh.answer.claim;
    // Shapes decide: two matrices that fit are a matrix product, brackets or not.
    EXPECT_EQ(respond(find_exercise("gram"), "(dS + dS^T)(X)").verdict(), Verdict::right);
    EXPECT_EQ(respond(find_exercise("gate"), "X dY").verdict(), Verdict::wrong);
}

TEST(Answers, WithASquareOfTheWholeAreAskedAboutThePower) {
    const Response r = respond(find_exercise("tanh"), "dY ⊙ (1 - Y)²");
    EXPECT_EQ(r.question->kind, "slope") << r.question->text;
    EXPECT_NE(r.repair.find("Y^2"), std::string::npos) << r.repair;
}

TEST(Answers, MayHaveTheSignsOfOtherKeyboards) {
    const auto right = [](const char* exercise, const std::vector<const char*>& answers) {
        for (const char* a : answers) EXPECT_EQ(judge_exercise(find_exercise(exercise), a).verdict(), Verdict::right) << a;
    };
    right("scaling", {"dY/(sqrt d)", "dY/√d.", "1/√d · dY", "dY × d^{-1/2}"});
    right("values",
          {"A⊤dO", "A^T∙dO", "A^T•dO", "A^T @ dO;", "A.T.dot(dO)", "A.T dO", "A.transpose(-1, -2) @ dO", "V.grad = A.T @ dO"});
    right("bias",
          {"sum(dY, 0)", "sum(dY,0)", "Σᵢ dY_ij", "sum_i dY_ij", "\\sum_{i=1}^{n} \\frac{\\partial L}{\\partial Y_{ij}}"});
    right("softmax_jacobian", {"a_i δ_ij - a_i a_j", "a_i (δ_{ij} - a_j)", "a_i(1{i=j} - a_j)", "a_i (delta_ij - a_j)",
                               "a_i (delta_{ij} - a_j)", "diag(a) - a aᵀ"});
    right("softmax", {"a ⊙ (da - <a, da>)", "a ⊙ (da - ⟨a, da⟩)", "a*(da-sum(a*da))"});
    right("grouped_query", {"Σ_h Σ_i dS[h,i,j] Q[h,i,c] / sqrt(d_k)"});  // h is a size, too
}

TEST(Answers, OfAxesThatWereDroppedAreToldToKeepThem) {
    const Response r = respond(find_exercise("softmax_rows"), "A ⊙ (dA - sum(dA ⊙ A, axis=1))");
    EXPECT_EQ(r.question->kind, "axis");
    EXPECT_NE(r.repair.find("keep=true"), std::string::npos) << r.repair;
    EXPECT_EQ(r.repair.find("transposed"), std::string::npos) << r.repair;
}

TEST(Answers, OfAJacobianAreToldWhatTheyLack) {
    const Response r = respond(find_exercise("softmax_jacobian"), "-a[i] a[j]");
    EXPECT_EQ(r.question->kind, "diagonal");
    EXPECT_NE(r.question->text.find("right where i ≠ j"), std::string::npos) << r.question->text;
    EXPECT_EQ(r.repair.find("- a[i] a[j] is missing"), std::string::npos) << r.repair;
    EXPECT_NE(r.repair.find("δ[i,j]"), std::string::npos) << r.repair;
}

TEST(Answers, OfAJacobianAreToldWhichCaseIsRight) {
    const auto asked = [](const std::string& answer) {
        return respond(find_exercise("softmax_jacobian"), answer).question->text;
    };
    EXPECT_NE(asked("a[k] (1 - a[l])").find("right where k = l"), std::string::npos);
    EXPECT_NE(asked("-outer(a, a)").find("right where i ≠ j"), std::string::npos);
    EXPECT_EQ(asked("2 a[i] (δ[i,j] - a[j])").find("right where"), std::string::npos);
}

TEST(Answers, AFactorTooMuchIsTold) {
    const std::vector<std::array<const char*, 3>> kAnswers = {
        {"values", "A^T dO V", "A^T dO"},
        {"values", "A^T A^T dO", "A^T dO"},
        {"scaling", "dY/sqrt(d) X", "dY / sqrt(d)"},
        {"softmax_jacobian", "a[i] a[j] (δ[i,j] - a[j])", "a[i] (δ[i,j] - a[j])"}};
    for (const auto& [name, answer, repair] : kAnswers) {
        const Response r = respond(find_exercise(name), answer);
        EXPECT_EQ(r.question->kind, "chain") << answer << ": " << r.question->text;
        EXPECT_EQ(r.repair, fmt::format("there is a factor too many; write  {}", repair)) << answer;
    }
    const Response more = respond(find_exercise("values"), "A dO V");
    EXPECT_EQ(more.repair.find("too many"), std::string::npos) << more.repair;
}

TEST(Answers, OfASumThatIsThereAreAskedForTheOtherIndex) {
    const auto why = [](const std::string& answer) {
        return gradproof::testing::error_of([&] { respond(find_exercise("values"), answer); });
    };
    EXPECT_NE(why("Σ_i A[i,j] dO[i,c] V[k,c]").find("which index is also summed over?"), std::string::npos);
    EXPECT_NE(why("A[i,j] dO[i,c]").find("which index is summed over? ∂L/∂V has 2 indices, but your answer has 3: i, j, c"),
              std::string::npos);
    EXPECT_NE(why("A[i]").find("which index is missing? ∂L/∂V has 2 indices, but your answer has 1: i"), std::string::npos);
}

TEST(Answers, OfAJacobianOfRowsMayBeTheMatrixOfOneRow) {
    const Exercise e = find_exercise("rows_jacobian");  // ∂A[i,j]/∂S[i,k]
    EXPECT_FALSE(counterexample(respond(e, "-a a^T"), 1).text.empty());
    for (const char* right :
         {"diag(a) - a a^T", "np.diag(a) - np.outer(a, a)", "diag(a) - outer(a, a)", "A[i,j] (δ[j,k] - A[i,k])",
          "A[r,p] (δ[p,q] - A[r,q])", "\\mathrm{diag}(a) - a a^\\top", "A_{ij} (\\delta_{jk} - A_{ik})",
          "∂A[i,j]/∂S[i,k] = A[i,j] δ[j,k] - A[i,j] A[i,k]", "-(a a^T - diag(a))"})
        EXPECT_EQ(judge_exercise(e, right).verdict(), Verdict::right) << right;
    EXPECT_EQ(respond(e, "diag(a) - a a^T").answer.claim, "∂A[i,j]/∂S[i,k] = A[i,j] δ[j,k] - A[i,j] A[i,k]");
    EXPECT_EQ(respond(e, "-a a^T").question->kind, "diagonal");
    EXPECT_EQ(respond(e, "diag(a) + a a^T").question->kind, "sign");
    EXPECT_EQ(respond(e, "2 diag(a) - 2 a a^T").question->kind, "factor");
    EXPECT_EQ(outcome(e, "A[i,j] (δ[j,k] - A[i,l])", nullptr), "index");
    EXPECT_EQ(outcome(e, "∂A[i,j]/∂S[k,l] = A[i,j]", nullptr), "unread");  // not what is asked
}

TEST(Answers, AreShownWrongInNumbersThatTheSeedRepeats) {
    const Response r = respond(find_exercise("query"), "dS K");
    const Counterexample first = counterexample(r, 7), again = counterexample(r, first.seed);
    EXPECT_EQ(first.text, again.text);
    EXPECT_NE(first.text.find("true, by dual numbers"), std::string::npos);
    EXPECT_NE(first.text.find("times as much"), std::string::npos);
    EXPECT_NE(first.text, counterexample(r, 8).text);
    const Response shape = respond(find_exercise("values"), "dO^T A");
    EXPECT_NE(counterexample(shape, 7).text.find("the answer is [d_v, m]"), std::string::npos) << counterexample(shape, 7).text;
}

TEST(Answers, ThatAreAbsurdAreOneClearError) {
    const Exercise e = find_exercise("values");
    for (const std::string& answer :
         {std::string(), std::string("   "), std::string(100000, 'a'), std::string(100000, '('), std::string("A%*%dO"),
          std::string("∂"), std::string("\\frac{"), std::string("A = B = C"), std::string("==="), std::string("Σ")})
        EXPECT_EQ(outcome(e, answer, nullptr), "unread") << answer.substr(0, 40);
    for (const char* numbers : {"1,5", "[[[]]]"})  // arrays, without a gradient
        EXPECT_EQ(outcome(e, numbers, nullptr), "upstream") << numbers;
    EXPECT_EQ(outcome(find_exercise("scaling"), "dY * sqrt()", nullptr), "inner");  // a function of nothing
    const std::string r = testing::error_of([&] { judge_exercise(e, "t(A) %*% dO"); });
    EXPECT_NE(r.find("A %*% B is written A B or A @ B here"), std::string::npos) << r;
}

TEST(Answers, MayNotNameWhatIsToBeSaidWithout) {
    const Exercise e = find_exercise("rows_sum_to_one");
    EXPECT_EQ(judge_exercise(e, "1").verdict(), Verdict::right);
    EXPECT_EQ(judge_exercise(e, "Z / Z").verdict(), Verdict::right);
    EXPECT_EQ(judge_exercise(e, "n").verdict(), Verdict::wrong);
    EXPECT_EQ(outcome(e, "rowsum(A)", nullptr), "given");
    EXPECT_EQ(outcome(e, "rowsum(softmax(S))", nullptr), "given");
}

TEST(Answers, InNumbersAreJudgedToTheDigitsAskedFor) {
    const Exercise e = find_exercise("softmax_by_hand");  // 0.6652..., 0.2447..., 0.0900...
    for (const char* right : {"0.665 0.245 0.090", "[0.665, 0.245, 0.09]", "a = 0.665; 0.245; .09", "(0.6652, 0.2447, 0.0900)",
                              "np.array([0.665, 0.245, 0.090])", "+0.665, +0.245, +0.090"})
        EXPECT_EQ(judge_exercise(e, right).verdict(), Verdict::right) << right;
    for (const char* wrong : {"0.67 0.24 0.09", "0.666 0.245 0.090", "1 0 -1", "0.245 0.665 0.090", "0.665 0.245 1e-1"})
        EXPECT_EQ(judge_exercise(e, wrong).verdict(), Verdict::wrong) << wrong;
    EXPECT_EQ(respond(e, "0.666 0.245 0.090").question->kind, "rounding");
    const auto said = [&](const char* answer) { return testing::error_of([&] { judge_exercise(e, answer); }); };
    EXPECT_NE(said("0,665 0,245 0,090").find("written with a point: 0.665"), std::string::npos) << said("0,665 0,245 0,090");
    EXPECT_NE(said("0.665").find("3 numbers are asked for, got 1"), std::string::npos);
    EXPECT_NE(said("x y z").find("x is not a number"), std::string::npos);
    EXPECT_NE(said("1/0 0 0").find("is not a number"), std::string::npos);
    EXPECT_EQ(judge_exercise(find_exercise("score_by_hand"), "5/2, 0").verdict(), Verdict::right);
    EXPECT_EQ(judge_exercise(find_exercise("score_by_hand"), "2.50 −0").verdict(), Verdict::right);
}

}  // namespace
}  // namespace gradproof::proof
