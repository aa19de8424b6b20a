// What a proof may cost: absurd inputs end soon, by one line that names the limit or by a verdict.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "gradproof/core/proof/checker.hpp"
#include "gradproof/core/proof/evaluate/evaluate.hpp"
#include "gradproof/core/proof/exercises/exercises.hpp"
#include "tests/core/proof/judged.hpp"
#include "tests/paths.hpp"

namespace gradproof::proof {
namespace {

/// A claim about Z = forward.
std::string claimed(const std::string& forward, const std::string& right) {
    return "dims n\ninput X [n], Y [n]\nforward\n Z = " + forward + "\nclaim\n dX = " + right + "\n";
}
/// text with its # numbered.
std::string numbered(int n, const std::string& text) {
    std::string out;
    for (int i = 0; i < n; ++i) {
        std::string one = text;
        for (std::size_t at; (at = one.find('#')) != std::string::npos;) one.replace(at, 1, std::to_string(i));
        out += one;
    }
    return out;
}

struct Absurd {
    std::string text, said;  ///< in the error or the report
};

void expect_soon(const std::string& file, const Absurd& a) {
    const auto start = std::chrono::steady_clock::now();
    std::string said;
    try {
        said = to_text(check_file(file, a.text));
    } catch (const ProofError& e) {
        said = e.message();
    } catch (const std::exception& e) {
        said = e.what();
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    EXPECT_NE(said.find(a.said), std::string::npos)
        << a.text.substr(0, 80)
        << "\nsays: " << (said.size() > 400 ? said.substr(0, 100) + " ... " + said.substr(said.size() - 300) : said);
    const double kHangs = 250;  // ten seconds are enough in a release build
    EXPECT_LT(seconds, kHangs) << a.text.substr(0, 80);
}

TEST(Budget, AbsurdProofsEndSoon) {
    const std::string names = numbered(5000, " n#"), given = numbered(5000, "X# [2], ");
    for (const Absurd& a : std::vector<Absurd>{
             {claimed("1000 X", times(999, "dZ + ") + "dZ"), "all right: 1"},
             {claimed("1000 X", times(999, "dZ + ") + "Y"),
              "54 changes were tried: the line has 1001 parts, the forward 3, the proof 1 lines"},
             {claimed("X", "dZ" + times(1000, " ⊙ 1")), "all right: 1"},
             {claimed("X", times(250000, "a") + "  (3)"), "unknown name"},
             {claimed("X", "dZ" + times(100000, " ⊙ 1")), "at most 262144 (kLongestStatement)"},
             {claimed("X" + times(100000, "+X"), "dZ"), "the statement has more than 65536 parts (kMostParts)"},
             {claimed("X" + times(30000, "+X"), "dZ"), "wrong"},
             {claimed("X", "dZ" + times(30000, "+dZ")), "the claim has 30003 parts, at most 4096 (kMostPartsOfAClaim)"},
             {claimed("X + " + times(225000, "1 + ") + "1", "dZ"), "kLongestStatement"},
             {claimed(times(300000, "1 +\n") + "X", "dZ"), "kLongestStatement"},
             {claimed("X # " + times(900000, "x"), "dZ"), "all right: 1"},
             {claimed(times(10000, "[") + "X", "dZ"), "brackets are nested deeper than 100 (kDeepestBrackets)"},
             {"dims" + names + "\ninput X [n0]\n", "more than 1000 names of dims, inputs, constants and values (kMostNames)"},
             {"input " + given + "X [2]\n", "(kMostNames)"},
             {"input A [2]\nforward\n Z0 = A\n" + numbered(5000, " Y# = A\n"), "(kMostStatements)"},
             {"input A [2]\nforward\n Z0 = A\n" + numbered(3000, " Y# = A\n"), "(kMostNames)"},
             {numbered(50000, "title \"#\"\ninput X = 2\nexpect\n X = 2\n"), "statements or more, at most 4000 in a file"},
             {claimed("X", "dZ") + times(3000, " dX = Y\n"), "3000 wrong of 3001"},
             {"input X = eye(30000)\n", "eye: 900000000 elements, at most 1048576 (kMostElements)"},
             {"input X [2]\nforward\n Z = sum(causal(30000)) X\n", "causal: 900000000 elements, at most"},
             {"input X [2]\nforward\n Z = trace(diag(range(100000))) X\n", "diag: 10000000000 elements, at most"},
             {"input X [2]\nforward\n Z = sum(ones(1000000000)) X\n", "ones: a size is 1000000000, expected"},
             {"dims n=1000000000\ninput X [n]\nforward\n Z = X\n", "a size is 1000000000, expected"},
             {"input X [1000000], Y [1000000, 1]\nforward\n Z = X + Y\n", "would make up to 1000000000000 elements, at most"},
             {"input X [900, 900]\nforward\n Z = X X\n",
              "matmul: 729000000 products of numbers, at most 16777216 (kMostMultiplied)"},
             {"input X [2, 3000], W [3000, 3]\nforward\n Z = X W\nclaim\n dX = dZ W^T\n", "all right: 1"},
         }) {
        expect_soon("a.proof", a);
    }
    expect_soon("a.md", {times(400000, "```\n```\n"), "no proofs"});
    expect_soon("a.md", {times(150000, "```proof\ninput X=2\n```\n"), "(kMostStatements)"});
}

TEST(Budget, AnswersToExercisesHaveIt) {
    const Exercise e = find_exercise("1");
    const auto said = [&](const std::string& answer) { return gradproof::testing::error_of([&] { judge_exercise(e, answer); }); };
    const std::string right = e.solution;
    EXPECT_NE(said(right + times(200000, " + 0")).find("kLongestStatement"), std::string::npos);
    EXPECT_NE(said(right + times(5000, "+0")).find("kMostPartsOfAClaim"), std::string::npos);
    EXPECT_NE(said(times(5000, "(") + right).find("kDeepestBrackets"), std::string::npos);
    EXPECT_NE(said("eye(30000)").find("kMostElements"), std::string::npos);
    EXPECT_EQ(judge_exercise(e, right + times(1000, " + 0")).verdict(), Verdict::right);
}

TEST(Budget, ALongSequenceIsJudgedSoon) {
    expect_soon("a.proof", {"dims n = 3\ninput x [n]\nconst N = zeros(200,n)\nforward\n"
                            " h[t] = tanh(1.1 where(t > 0, h[t-1], x) + N[t])\nloss L = sum(h[199])\nclaim\n"
                            " dx = 1.1 ∂L/∂h[0] ⊙ (1 - h[0]^2)\n",
                            "all right: 1"});
}

TEST(Budget, IsTheTableOfTheReadme) {
    std::ifstream file(GRADPROOF_SOURCE_DIR "/core/proof/README.md");
    const std::string readme((std::istreambuf_iterator<char>(file)), {});
    for (const auto& [name, value] : std::vector<std::pair<std::string, double>>{
             {"kLongestFile", kLongestFile},
             {"kLongestNotebook", kLongestNotebook},
             {"kMostStatements", kMostStatements},
             {"kLongestStatement", kLongestStatement},
             {"kDeepestBrackets", kDeepestBrackets},
             {"kDeepestNesting", kDeepestNesting},
             {"kDeepest", kDeepest},
             {"kMostParts", kMostParts},
             {"kMostPartsOfAClaim", kMostPartsOfAClaim},
             {"kMostTokens", kMostTokens},
             {"kDeepestMacros", kDeepestMacros},
             {"kDeepestInputs", kDeepestInputs},
             {"kDeepestCalls", kDeepestCalls},
             {"kMostMembers", kMostMembers},
             {"kMostNames", kMostNames},
             {"kMostElements", kMostElements},
             {"kMostMultiplied", kMostMultiplied},
             {"kMostSteps", kMostSteps},
             {"kMostBugParts", kMostBugParts},
             {"kPartsToExplain", kPartsToExplain},
             {"kLinesToExplain", kLinesToExplain},
             {"kPartsToDeriveBeside", kPartsToDeriveBeside},
         })
        EXPECT_NE(readme.find(fmt::format("| `{}` | {:.0f} |", name, value)), std::string::npos) << name << " is " << value;
}

}  // namespace
}  // namespace gradproof::proof
