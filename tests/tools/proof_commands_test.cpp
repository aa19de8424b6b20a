// The commands about derivations: what they print and the status they end with.
#include <algorithm>

#include "gradproof/core/proof/documents/documents.hpp"
#include "gradproof/core/proof/library/library.hpp"
#include "tests/paths.hpp"
#include "tests/tools/folder.hpp"

namespace gradproof::proof {
namespace {

using Json = nlohmann::json;
using testing::ProgramRun;
using testing::run_program;
using ProofFiles = testing::InAFolder;

TEST_F(ProofFiles, CheckPrintsTheReportAndTheStatus) {
    const auto file = [&](const char* name, const std::string& text) {
        std::ofstream(dir_ / name) << text;
        return "'" + (dir_ / name).native() + "'";
    };
    const std::string head = "dims n m d\ninput X [n, m], W [m, d]\nforward\n  Y = X W\n";
    const std::string right = file("right.proof", head + "claim\n dX = dY W^T\n"),
                      wrong = file("wrong.proof", head + "claim\n dX = 2 dY W^T\n"), bad = file("bad.proof", "input\n"),
                      empty = file("empty.proof", "");
    EXPECT_EQ(run_program("check " + right).status, 0);
    EXPECT_EQ(run_program("check " + right + " " + wrong).status, 1);
    EXPECT_EQ(run_program("check " + right + " " + bad + " " + wrong).status, 2);
    EXPECT_EQ(run_program("check " + empty).status, 2);
    EXPECT_EQ(run_program("check /no/such.proof").status, 2);
    const std::string relu = "dims n m\ninput X [n, m]\nforward\n Y = max(X, 0)\nclaim\n dX = dY ⊙ ";
    const auto beside_op = run_program("check --op relu --proof " + file("slip.proof", relu + "(X < 0)\n"));
    EXPECT_EQ(beside_op.status, 1) << beside_op.text;
    EXPECT_NE(beside_op.text.find("1 wrong of 1; first wrong line: 6"), std::string::npos) << beside_op.text;
    EXPECT_EQ(run_program("check --op relu --proof " + file("step.proof", relu + "(X > 0)\n")).status, 0);
    const std::string decay = GRADPROOF_SOURCE_DIR "/tests/proofs/readme/decay.tex";
    EXPECT_EQ(run_program("check " + decay).status, 0);
    EXPECT_EQ(run_program("check --strict " + decay).status, 3);
    EXPECT_EQ(run_program("check --strict " + right).status, 0);
    EXPECT_EQ(run_program("check --strict " + wrong).status, 1);
    const auto shown = run_program("check --only-wrong " + wrong);
    EXPECT_NE(shown.text.find("off by a factor of 2; write  dY W^T"), std::string::npos) << shown.text;
    EXPECT_EQ(nlohmann::json::parse(run_program("check --json " + bad).text)["error"]["line"], 1);
    // A file after --proof NAME is a file.
    EXPECT_EQ(run_program("check --proof softmax " + right).status, 0);
    EXPECT_EQ(run_program("check --proof softmax " + wrong).status, 1);
    // Of a program, one function.
    const std::string program = file("kernel.py",
                                     "# gradproof: dims n; input x [n]\n# gradproof: begin\ny = x ** 2\n"
                                     "def slow(x, dy):\n    dx = x * dy\ndef fast(x, dy):\n    dx = 2 * x * dy\n"
                                     "# gradproof: end\n");
    EXPECT_EQ(run_program("check " + program).status, 1);
    EXPECT_EQ(run_program("check " + program + " --function fast").status, 0);
    EXPECT_EQ(run_program("check " + program + " --function slow").status, 1);
    const auto other = run_program("check " + program + " --function slo");
    EXPECT_EQ(other.status, 2);
    EXPECT_NE(other.text.find("has no function slo; did you mean slow"), std::string::npos) << other.text;
    EXPECT_EQ(run_program("check " + right + " --function slow").status, 2);
    // Of several files it is said which one is right.
    const auto both = run_program("check --only-wrong " + right + " " + wrong).text;
    EXPECT_NE(both.find("right.proof: all right: 1\n"), std::string::npos) << both;
}

TEST(ProofsCommand, ListsThemAndPrintsOne) {
    const auto list = run_program("proofs");
    EXPECT_EQ(list.status, 0);
    for (const std::string& name : library_names()) EXPECT_NE(list.text.find(name + " "), std::string::npos) << name;
    const auto json = nlohmann::json::parse(run_program("proofs --json").text);
    EXPECT_EQ(json["schema"], 1);
    EXPECT_EQ(json["proofs"].size(), library_names().size());
    EXPECT_EQ(run_program("proofs softmax").text, library_text("softmax"));
    const auto unknown = run_program("proofs sotmax");
    EXPECT_EQ(unknown.status, 2);
    EXPECT_EQ(unknown.text, "gradproof: no proof named sotmax; did you mean softmax\n");
}

TEST(ProofsCommand, ChecksProofsByName) {
    const auto two = run_program("check --proof softmax --proof attention");
    EXPECT_EQ(two.status, 0) << two.text;
    EXPECT_NE(two.text.find("softmax.proof: "), std::string::npos);
    EXPECT_NE(two.text.find("attention.proof: "), std::string::npos);
    const auto unknown = run_program("check --proof atention");
    EXPECT_EQ(unknown.status, 2);
    EXPECT_EQ(unknown.text, "gradproof: no proof named atention; did you mean attention\n");
    EXPECT_EQ(run_program("check --proof softmax --op softmax").status, 2);
}

TEST(ExerciseCommand, ExitStatusesAreThoseOfTheChecker) {
    EXPECT_EQ(run_program("exercise check 6 'A^T dO'").status, 0);
    const ProgramRun wrong = run_program("exercise check 14 'dS K'");
    EXPECT_EQ(wrong.status, 1);
    EXPECT_NE(wrong.text.find("not yet"), std::string::npos) << wrong.text;
    EXPECT_EQ(run_program("exercise check 6 'A^T ('").status, 2);
    EXPECT_EQ(run_program("exercise check 77 'A'").status, 2);
    EXPECT_EQ(run_program("exercise hint 6 9").status, 2);
    EXPECT_EQ(run_program("exercise").status, 2);
    const ProgramRun list = run_program("exercise list");
    EXPECT_EQ(list.status, 0);
    EXPECT_NE(list.text.find("Causal multi-head"), std::string::npos);
}

TEST(ExerciseCommand, GivesNothingAwayBeforeTheLastHint) {
    EXPECT_EQ(run_program("exercise show 6").text.find("A^T"), std::string::npos);
    EXPECT_EQ(run_program("exercise hint 6 2").text.find("A^T"), std::string::npos);
    EXPECT_EQ(run_program("exercise hint 6 3").text.find("A^T"), std::string::npos);
    EXPECT_NE(run_program("exercise hint 6 4").text.find("A^T ∂L/∂O"), std::string::npos);
    EXPECT_EQ(run_program("exercise check 6 'A dO'").text.find("A^T"), std::string::npos);
}

TEST(ReplayCommand, PrintsEveryDocumentAndEndsWithZero) {
    const auto [status, out] = run_program("replay");
    EXPECT_EQ(status, 0) << out;
    for (const std::string& name : document_names()) EXPECT_NE(("\n" + out).find("\n" + name + ": "), std::string::npos) << name;
    EXPECT_NE(out.find("scores[1,1]: printed 2, true 1\n"), std::string::npos);
    EXPECT_NE(out.find("1519 comparisons with what is printed, a number once for each way it is derived: 1069 agree, 104 off by "
                       "rounding, 346 wrong; every disagreement has its erratum\n"),
              std::string::npos);
}

TEST(ReplayCommand, ShowsOneExampleAndRefusesAnUnknownOne) {
    const auto [status, out] = run_program("replay students/queries");
    EXPECT_EQ(status, 0);
    EXPECT_NE(out.find("12 agree"), std::string::npos) << out;
    EXPECT_EQ(run_program("replay queries").text, out);
    const auto [refused, message] = run_program("replay student");
    EXPECT_EQ(refused, 2);
    EXPECT_EQ(message, "gradproof: replay: no document or example named student; did you mean students\n");
}

TEST(ReplayCommand, WritesJson) {
    const auto [status, out] = run_program("replay students --json");
    EXPECT_EQ(status, 0);
    const Json d = Json::parse(out);
    EXPECT_EQ(d["document"], "students");
    EXPECT_EQ(d["examples"][0]["agree"], 12);
    const Json& e = d["examples"][5];
    EXPECT_EQ(e["id"], "exponentials");
    EXPECT_EQ(e["disagreements"][0]["step"], "exp(x)");
    EXPECT_EQ(e["disagreements"][0]["index"], Json::array({1}));
    EXPECT_EQ(e["disagreements"][0]["claimed"], "20.08");
    EXPECT_EQ(e["disagreements"][0]["erratum"], "20.09");
    EXPECT_EQ(e["disagreements"][0]["kind"], "rounding");
    EXPECT_TRUE(e["not_as_pinned"].empty());
}

TEST_F(ProofFiles, ReplayTakesAFileOfTheReaders) {
    const auto write = [&](const std::string& name, const std::string& text) { std::ofstream(dir_ / name) << text; };
    write("right.md", "# Mine\n\n```proof\ntitle \"Mine\"\ninput x = 2\nexpect\n x^2 = 4\n```\n");
    write("wrong.proof", "input x = 3\nexpect\n exp(x) = 20.08\n");
    write("drawn.proof", "input x [3]\nexpect\n x = [1, 2, 3]\n");
    write("empty.proof", "input x = 3\n");
    write("bad.proof", "input x = 3\nexpect\n exp(y) = 20.08\n");
    const auto right = run_program("replay right.md", dir_);
    EXPECT_EQ(right.status, 0) << right.text;
    EXPECT_NE(right.text.find("  line 4                       Mine"), std::string::npos) << right.text;
    const auto wrong = run_program("replay wrong.proof", dir_);
    EXPECT_EQ(wrong.status, 1);
    EXPECT_NE(wrong.text.find("line 3    exp(x): printed 20.08, true 20.0855 (rounding)\n"), std::string::npos) << wrong.text;
    EXPECT_NE(wrong.text.find("gradproof: replay: wrong.proof/line 1: line 3: exp(x): printed 20.08"), std::string::npos);
    EXPECT_EQ(run_program("replay drawn.proof", dir_).status, 3);
    EXPECT_EQ(run_program("replay empty.proof", dir_).status, 3);
    const auto bad = run_program("replay bad.proof", dir_);
    EXPECT_EQ(bad.status, 2);
    EXPECT_EQ(bad.text, "gradproof: replay: bad.proof:3:6: unknown name y\n");
    const auto missing = run_program("replay missing.proof", dir_);
    EXPECT_EQ(missing.status, 2);
    EXPECT_EQ(missing.text.find("gradproof: missing.proof: "), 0U) << missing.text;
    EXPECT_EQ(std::count(missing.text.begin(), missing.text.end(), '\n'), 1);
}

TEST_F(ProofFiles, DeriveNamesAForwardThatMayBeReadInTwoWays) {
    const auto derived = [&](const std::string& loss) {
        std::ofstream(dir_ / "a.tex") << "Let $A \\in \\mathbb{R}^{n \\times n}$ and $x, s \\in \\mathbb{R}$, $s > 0$.\n\\[ L = "
                                      << loss << " \\]\n";
        return run_program("derive a.tex", dir_);
    };
    const auto has_note = [](const ProgramRun& r) { return r.status == 0 && r.text.find("note: line 2 ") != std::string::npos; };
    EXPECT_TRUE(has_note(derived("\\mathrm{tr}(A^2)")));
    EXPECT_TRUE(has_note(derived("e^{-x^2/2s}")));
    EXPECT_EQ(run_program("derive --wrt Z a.tex", dir_).text, "gradproof: --wrt: no gradient of Z to derive\n");
    for (const char* clear : {"\\mathrm{tr}(A A)", "e^{-x^2/(2s)}"}) {
        const ProgramRun r = derived(clear);
        EXPECT_EQ(r.status, 0) << r.text;
        EXPECT_EQ(r.text.find("note: "), std::string::npos) << r.text;
    }
}

}  // namespace
}  // namespace gradproof::proof
