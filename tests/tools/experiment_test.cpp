// `gradproof experiment`: every experiment leaves whole files and findings that are numbers;
// the same seed, the same numbers; mistakes are one line.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include <nlohmann/json.hpp>

#include "tests/tools/folder.hpp"
#include "tests/tools/xml.hpp"
#include "tools/experiments/report.hpp"

namespace gradproof::experiments {

/// How a failure and ctest name one.
inline void PrintTo(const Experiment& e, std::ostream* out) { *out << e.name; }

namespace {

using gradproof::testing::count_of;
using gradproof::testing::expect_one_line;
using gradproof::testing::read;
using gradproof::testing::run_program;
using gradproof::testing::xml_mistake;
namespace fs = std::filesystem;

void expect_whole(const File& f) {
    EXPECT_GT(f.text.size(), 20U) << f.name;
    if (f.name.extension() == ".svg" || f.name.extension() == ".html") {
        EXPECT_EQ(xml_mistake(f.text), "") << f.name;
        for (const char* loads : {"<script", "<link", "<img", "src=", "@import"})
            EXPECT_EQ(count_of(f.text, loads), 0) << f.name << loads;
        return;
    }
    ASSERT_EQ(f.name.extension(), ".csv");
    EXPECT_GE(count_of(f.text, "\n"), 2) << f.name << " has no rows";
}

class EveryExperiment : public ::testing::TestWithParam<Experiment> {};

TEST_P(EveryExperiment, LeavesWholeFilesAndFindingsThatAreNumbers) {
    const Experiment& e = GetParam();
    const Context context{.seed = 1, .effort = Effort::smoke};
    const Result r = e.run(context);
    EXPECT_FALSE(r.findings.empty());
    EXPECT_FALSE(r.tables.empty());
    EXPECT_FALSE(r.figures.empty());
    for (const Finding& f : r.findings) {
        EXPECT_TRUE(std::isfinite(f.measured.value)) << f.quantity << " is " << f.measured.value;
        EXPECT_TRUE(std::isfinite(f.low) || std::isfinite(f.high)) << f.claim << ": nothing could refute it";
        EXPECT_FALSE(f.claim.empty() || f.quantity.empty());
    }
    for (const Table& t : r.tables)
        for (const auto& row : t.rows) EXPECT_EQ(row.size(), t.columns.size()) << t.name;
    std::set<fs::path> names;
    for (const File& f : files_of(e, context, r)) {
        expect_whole(f);
        EXPECT_TRUE(names.insert(f.name).second) << f.name << " is written twice";
    }
    EXPECT_TRUE(names.contains("index.html"));
    EXPECT_NE(terminal_text(e, r).find(r.findings[0].claim), std::string::npos);
}
INSTANTIATE_TEST_SUITE_P(Experiments, EveryExperiment, ::testing::ValuesIn(all_experiments().begin(), all_experiments().end()),
                         [](const auto& instance) {
                             std::string name(instance.param.name);
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

TEST(Experiment, FindingsAreHeldAgainstTheirBounds) {
    EXPECT_TRUE(at_least("", "", 2, 2).held());
    EXPECT_FALSE(at_least("", "", 1.9, 2).held());
    EXPECT_FALSE(at_most("", "", NAN, 2).held()) << "what could not be measured did not hold";
    EXPECT_EQ(between("", "", 1, 0.5, 2).expected(), "0.5 to 2");
    const auto outcome = [](double value, double error) { return between("", "", {value, error}, 1, 2).outcome(); };
    EXPECT_EQ(outcome(1.5, 0.4), Outcome::held);
    EXPECT_EQ(outcome(1.5, 0.6), Outcome::open) << "chance could have moved it beyond both bounds";
    EXPECT_EQ(outcome(0.9, 0.2), Outcome::open);
    EXPECT_EQ(outcome(0.7, 0.2), Outcome::refuted);
    EXPECT_EQ(outcome(2.3, 0.2), Outcome::refuted);
    EXPECT_EQ(at_most("", "", {0, INFINITY}, 2).outcome(), Outcome::open) << "a single repeat cannot tell";
    EXPECT_EQ(at_least("", "", {0.5, 0.125}, 2).measured_text(), "0.5 ± 0.12");
}

class ExperimentOfASeed : public ::testing::TestWithParam<const char*> {};
TEST_P(ExperimentOfASeed, GivesTheSameNumbersAgain) {
    const Experiment& e = find_experiment(GetParam());
    const auto files = [&](std::uint64_t seed) {
        const Context context{.seed = seed, .effort = Effort::smoke};
        std::string all;
        for (const File& f : files_of(e, context, e.run(context)))
            if (f.name.extension() == ".csv") all += f.text;
        return all;
    };
    EXPECT_EQ(files(7), files(7));
    EXPECT_NE(files(7), files(8));
}
INSTANTIATE_TEST_SUITE_P(Experiments, ExperimentOfASeed,
                         ::testing::Values("variance", "entropy", "interpretability"));  // the last two train

TEST(Experiment, WhatIsNotFiniteOrZeroIsShownAsSuch) {
    const Context context{.seed = 1, .effort = Effort::smoke};
    const Result pitfalls = find_experiment("pitfalls").run(context);
    const auto& row = pitfalls.tables[0].rows.back();
    ASSERT_EQ(std::get<std::string>(row[0]), "not finite");
    for (std::size_t i = 2; i < 6; ++i) EXPECT_TRUE(std::isnan(std::get<double>(row[i]))) << pitfalls.tables[0].columns[i];
    const std::string& figure = pitfalls.figures[0].figure.body;
    EXPECT_EQ(count_of(figure, "2 points not drawn: not finite<"), 1)
        << "the entropy after the first step, which spoils the weights, and after the second one";
    EXPECT_EQ(count_of(figure, "1 point not drawn: not finite<"), 1) << "the gradient of the second step";
    for (const auto& said : pitfalls.tables[1].rows)
        if (std::get<std::string>(said[0]) == "not finite") {
            EXPECT_EQ(std::get<std::string>(said[1]).find("vanishing"), std::string::npos) << "there is no gradient to vanish";
        }
    // The convolution reaches 8 of the 11 steps.
    EXPECT_EQ(count_of(find_experiment("gradient-flow").run(context).figures[0].figure.body, "3 points not drawn"), 1);
}

TEST(Experiment, ACsvFieldIsQuotedWhereItMustBe) {
    EXPECT_EQ(csv({"a", "b,c"}, {{std::string("say \"x\""), 0.1}, {std::string("plain"), Index{3}}}),
              "a,\"b,c\"\n\"say \"\"x\"\"\",0.1\nplain,3\n");
    EXPECT_EQ(csv({"a", "b"}, {{std::copysign(NAN, -1.0), std::string("two\rlines")}}), "a,b\nnan,\"two\rlines\"\n");
}

using ExperimentCommand = gradproof::testing::InAFolder;

TEST_F(ExperimentCommand, WritesItsFolderAndSaysWhetherClaimsHeld) {
    const auto run = run_program("experiment variance --quick --out " + (dir_ / "new" / "folder").string());
    EXPECT_EQ(run.status, 0) << run.text;
    EXPECT_NE(run.text.find("claims held"), std::string::npos) << run.text;
    for (const char* name : {"index.html", "findings.csv", "variance.csv", "variance.svg"})
        expect_whole({name, read(dir_ / "new" / "folder" / name)});
}

TEST_F(ExperimentCommand, JsonIsOneObject) {
    const auto run = run_program("experiment variance --quick --json --out " + dir_.string());
    const auto j = nlohmann::json::parse(run.text);
    EXPECT_EQ(j["experiment"], "variance");
    ASSERT_FALSE(j["findings"].empty());
    EXPECT_TRUE(j["findings"][0]["measured"].is_number());
    EXPECT_EQ(j["tables"][0]["columns"].size(), j["tables"][0]["rows"][0].size());
}

TEST_F(ExperimentCommand, ListNamesThemAll) {
    const auto run = run_program("experiment list");
    for (const Experiment& e : all_experiments()) EXPECT_NE(run.text.find(e.name), std::string::npos) << e.name;
}

TEST_F(ExperimentCommand, MistakesAreOneLineAndLeaveNothing) {
    expect_one_line(run_program("experiment varianse --out " + (dir_ / "a").string()), "did you mean variance");
    expect_one_line(run_program("experiment variance"), "--out is missing");
    std::ofstream(dir_ / "file") << "x";
    expect_one_line(run_program("experiment variance --out " + (dir_ / "file" / "b").string()), "is a file, expected a folder");
    expect_one_line(run_program("experiment variance --out /proc/gradproof"), "--out: /proc");
    EXPECT_FALSE(fs::exists(dir_ / "a"));
}

TEST_F(ExperimentCommand, EarlierResultsStayWhereNotAllCanBeWritten) {
    fs::create_directories(dir_ / "variance.svg");  // a folder where a file must go
    std::ofstream(dir_ / "findings.csv") << "earlier";
    const auto run = run_program("experiment variance --quick --out " + dir_.string());
    EXPECT_EQ(run.status, 2);
    EXPECT_NE(run.text.find("variance.svg is a folder, expected a file"), std::string::npos) << run.text;
    EXPECT_EQ(read(dir_ / "findings.csv"), "earlier");
    EXPECT_EQ(std::distance(fs::directory_iterator(dir_), fs::directory_iterator()), 2) << "what was written aside is gone";
    fs::remove(dir_ / "variance.svg");
    EXPECT_EQ(run_program("experiment variance --quick --out " + dir_.string()).status, 0);
    EXPECT_NE(read(dir_ / "findings.csv"), "earlier");
    EXPECT_EQ(std::distance(fs::directory_iterator(dir_), fs::directory_iterator()), 4);
}

}  // namespace
}  // namespace gradproof::experiments
