// `gradproof exercise` as a student runs it: three steps of feedback, progress in a file, sets of one's own; and the table of where
// each question of the documents is answered.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "gradproof/core/proof/documents/documents.hpp"
#include "gradproof/core/proof/exercises/exercises.hpp"
#include "gradproof/core/proof/library/library.hpp"
#include "tests/core/io_support.hpp"
#include "tests/tools/folder.hpp"

namespace gradproof {
namespace {

using namespace testing;

class ExerciseFeedback : public ::testing::Test {
  protected:
    ProgramRun exercise(const std::string& arguments) const {
        return run_program("exercise " + arguments + " --progress " + progress());
    }
    std::string progress() const { return (folder_ / "deep/progress").native(); }
    std::string kept() const { return read(progress()); }
    Folder folder_;
};

TEST_F(ExerciseFeedback, AnswersInThreeSteps) {
    const ProgramRun question = exercise("check 14 'dS K'");
    EXPECT_EQ(question.status, 1);
    EXPECT_TRUE(contains(question.text, "read as  ∂L/∂Q = dS K"));
    EXPECT_TRUE(contains(question.text, "Are the constant factors right?"));
    EXPECT_EQ(question.text.find("sqrt"), std::string::npos) << question.text;  // no solution unasked
    const ProgramRun why = exercise("check 14 'dS K' --why --seed 3");
    EXPECT_TRUE(contains(why.text, "--seed 3 repeats"));
    EXPECT_TRUE(contains(why.text, "by finite differences"));
    EXPECT_EQ(why.text.find("sqrt"), std::string::npos) << why.text;
    EXPECT_EQ(exercise("check 14 'dS K' --why --seed 3").text, why.text);
    EXPECT_TRUE(contains(exercise("check 14 'dS K' --repair").text, "write  dS K / sqrt(d_k)"));
    const ProgramRun right = exercise("check 14 'dS K / sqrt(d_k)'");
    EXPECT_EQ(right.status, 0);
    EXPECT_TRUE(contains(right.text, "  right  "));
}

TEST_F(ExerciseFeedback, TakesAnswersThatBeginWithAMinus) {
    for (const char* arguments : {"check 5 '-dY'", "check 5 -dY --why", "check --why 5 -dY", "check 5 --seed 3 -dY"}) {
        const ProgramRun run = exercise(arguments);
        EXPECT_EQ(run.status, 1) << arguments << run.text;
        EXPECT_TRUE(contains(run.text, "read as  ∂L/∂X = -dY")) << arguments;
    }
    EXPECT_EQ(run_program("exercise check 5 --progress " + progress() + " -- -dY").status, 1);
    EXPECT_EQ(exercise("check 5 '-(Y^2 - 1) ⊙ dY'").status, 0);
    EXPECT_EQ(exercise("check 35 '-1 -2'").status, 1);
    EXPECT_EQ(exercise("check -h").status, 0);
    EXPECT_TRUE(contains(exercise("check 5 dY --wy").text, "unknown option --wy; did you mean --why"));
}

TEST_F(ExerciseFeedback, KeepsWhatIsDone) {
    EXPECT_TRUE(contains(exercise("next").text, "Exercise 1 "));
    EXPECT_EQ(exercise("list").text.find("done"), std::string::npos);
    EXPECT_EQ(exercise("check 1 'dY'").status, 1);
    EXPECT_EQ(exercise("check 1 'dY / sqrt(d)'").status, 0);
    EXPECT_EQ(exercise("check 2 'dY'").status, 1);
    EXPECT_TRUE(contains(kept(), "scaling right 2\n"));
    EXPECT_TRUE(contains(kept(), "linear_weights open 1\n"));
    EXPECT_TRUE(contains(exercise("next").text, "Exercise 2 "));
    EXPECT_TRUE(contains(exercise("list").text, "1 of 38 done, kept in " + progress()));
    const auto list = nlohmann::json::parse(exercise("list --json").text);
    EXPECT_EQ(list.at("exercises").at(0).at("progress").at("tries"), 2);
    EXPECT_EQ(exercise("check 3 'A ('").status, 2);  // no answer is no try
    EXPECT_EQ(kept().find("bias"), std::string::npos);
}

TEST_F(ExerciseFeedback, LosesNothingOfAFileThatIsBroken) {
    std::filesystem::create_directories(folder_ / "deep");
    std::ofstream(progress()) << "my notes\n";
    const ProgramRun run = exercise("check 1 'dY / sqrt(d)'");
    EXPECT_EQ(run.status, 0);  // it is judged all the same
    EXPECT_TRUE(contains(run.text, "progress is not kept: " + progress() + ": line 1 is my notes, expected"));
    EXPECT_EQ(kept(), "my notes\n");
    std::filesystem::remove(progress());
    std::filesystem::create_directory(progress());
    EXPECT_TRUE(contains(exercise("check 1 'dY / sqrt(d)'").text, "progress is not kept: " + progress()));
    EXPECT_TRUE(std::filesystem::is_directory(progress()));
}

TEST_F(ExerciseFeedback, TakesASetOfOnesOwn) {
    const std::string set = (folder_ / "set.proof").native();
    std::ofstream(set)
        << "#! statement Twice.\ntitle \"Twice\"\ndims n d\ninput X [n, d]\nforward\n  Y = 2 X\nclaim\n  dX = 2 dY\n";
    EXPECT_EQ(run_program("exercise show twice --file " + set).status, 0);
    EXPECT_EQ(exercise("check twice '2 dY' --file " + set).status, 0);
    EXPECT_TRUE(contains(kept(), "set/twice right 1\n"));  // not an exercise of the program
    EXPECT_TRUE(contains(exercise("next --file " + set).text, "all 1 are done"));
    EXPECT_TRUE(contains(run_program("exercise list --file " + set + "x").text, "gradproof: "));
    EXPECT_EQ(run_program("exercise list --file " + set + "x").status, 2);
}

/// The words behind `kind` and a blank in the table, in backquotes.
std::set<std::string> named(const std::string& table, const std::string& kind) {
    std::set<std::string> out;
    const std::string open = kind + " `";
    for (std::size_t at = table.find(open); at != std::string::npos; at = table.find(open, at + 1)) {
        const std::size_t from = at + open.size();
        out.insert(table.substr(from, table.find('`', from) - from));
    }
    return out;
}

TEST(Questions, OfTheDocumentsLeadToWhatIsThere) {
    const std::string readme = read(GRADPROOF_SOURCE_DIR "/core/proof/exercises/README.md");
    const std::size_t from = readme.find("held true by a test -->"), to = readme.find("<!-- end of the questions -->");
    ASSERT_NE(from, std::string::npos);
    const std::string table = readme.substr(from, to - from), paragraphs = readme.substr(to);
    for (int n = 1; n <= 35; ++n) EXPECT_TRUE(contains(table, "\n| " + std::to_string(n) + " | "));
    for (const auto& [kind, least] :
         std::map<std::string, std::size_t>{{"exercise", 20}, {"proof", 14}, {"experiment", 10}, {"replay", 16}})
        EXPECT_GE(named(table, kind).size(), least) << kind;
    for (const std::string& name : named(table, "exercise")) EXPECT_EQ(proof::find_exercise(name).name, name);
    for (const std::string& name : named(table, "proof")) EXPECT_FALSE(proof::library_text(name).empty()) << name;
    const std::string experiments = run_program("experiment list").text;
    for (const std::string& name : named(table, "experiment")) EXPECT_TRUE(contains(experiments, " " + name + " "));
    for (const std::string& name : named(table, "replay")) {
        const std::size_t slash = name.find('/');
        const auto document = proof::read_document(name.substr(0, slash), proof::document_text(name.substr(0, slash)));
        EXPECT_TRUE(std::ranges::any_of(document.examples, [&](const auto& e) { return e.id == name.substr(slash + 1); }))
            << name;
    }
    for (std::size_t at = table.find("](#"); at != std::string::npos; at = table.find("](#", at + 1)) {
        const std::size_t open = table.rfind('[', at);
        EXPECT_TRUE(contains(paragraphs, "\n### " + table.substr(open + 1, at - open - 1) + "\n\n"));
    }
    std::istringstream rows(table);
    for (std::string row; std::getline(rows, row);) {
        if (!row.starts_with("| ") || row.starts_with("| |") || row.find("about | where") != std::string::npos) continue;
        EXPECT_TRUE(row.find('`') != std::string::npos || row.find("](#") != std::string::npos) << row;
    }
}

}  // namespace
}  // namespace gradproof
