// `gradproof experiment`: every experiment leaves whole files and findings that are numbers; the same seed, the same numbers; mistakes are one line.
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
        for (const char* loads : {"<script", "<link", "<img", "src=", "@import"}) EXPECT_EQ(count_of(f.text, loads), 0) << f.name << loads;
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
        EXPECT_TRUE(std::isfinite(f.measured)) << f.quantity << " is " << f.measured;
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
}

TEST(Experiment, TheSameSeedGivesTheSameNumbers) {
    const Experiment& e = find_experiment("variance");
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

TEST(Experiment, ACsvFieldIsQuotedWhereItMustBe) {
    EXPECT_EQ(csv({"a", "b,c"}, {{std::string("say \"x\""), 0.1}, {std::string("plain"), Index{3}}}), "a,\"b,c\"\n\"say \"\"x\"\"\",0.1\nplain,3\n");
}

using ExperimentCommand = gradproof::testing::InAFolder;

TEST_F(ExperimentCommand, WritesItsFolderAndSaysWhetherClaimsHeld) {
    const auto run = run_program("experiment variance --quick --out " + (dir_ / "new" / "folder").string());
    EXPECT_EQ(run.status, 0) << run.text;
    EXPECT_NE(run.text.find("claims held"), std::string::npos) << run.text;
    for (const char* name : {"index.html", "findings.csv", "variance.csv", "variance.svg"}) expect_whole({name, read(dir_ / "new" / "folder" / name)});
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
    fs::create_directories(dir_ / "c" / "variance.svg");  // a folder where a file must go
    const auto run = run_program("experiment variance --quick --out " + (dir_ / "c").string());
    EXPECT_EQ(run.status, 2);
    EXPECT_FALSE(fs::exists(dir_ / "c" / "findings.csv")) << "written before the mistake, and taken back";
    EXPECT_FALSE(fs::exists(dir_ / "a"));
}

}  // namespace
}  // namespace gradproof::experiments
