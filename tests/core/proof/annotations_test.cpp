// Reports for continuous integration: each format says what is wrong, and where, and none is broken by what a file holds.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gradproof/core/proof/judge/annotations.hpp"

namespace gradproof::proof {
namespace {

/// A right, a wrong and an open line, and a file that is none; a name with what the formats escape.
std::vector<Checked> files() {
    std::vector<Checked> out;
    const std::string text =
        "# A title\n\n```proof\ntitle \"<Rows> & more\"\ndims n m\ninput X [n, m]\nforward\n  Y = relu(X)\nclaim\n"
        "  dX = dY ⊙ step(X)\n  dX = dY\n  dX = 2 dX - dX\n  skip \"no reason\"\n  dX = ?\n```\n";
    out.push_back({check_file("a, 50%: notes.md", text), {}});
    try {
        check_file("b.proof", "dims n\ninput x [n]\nforward\n  y = x\n  dims (\n");
    } catch (const ProofError& e) {
        out.push_back({{"b.proof", {}}, e});
    }
    return out;
}

TEST(Annotations, OfGitHubAreOneLineEach) {
    const std::string out = to_github(files());
    EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 3);
    EXPECT_TRUE(out.starts_with("::error file=a%2C 50%25%3A notes.md,line=11,col=3,title=gradproof%3A wrong::dX = dY")) << out;
    EXPECT_NE(out.find("\n::warning file=a%2C 50%25%3A notes.md,line=12,col=3,title=gradproof%3A cannot tell::"),
              std::string::npos);
    EXPECT_NE(out.find("\n::error file=b.proof,line=5,col=8,title=gradproof%3A cannot be read::"), std::string::npos) << out;
}

TEST(Annotations, OfSarifPointAtLinesByRules) {
    const auto out = nlohmann::json::parse(to_sarif(files()));
    EXPECT_EQ(out["version"], "2.1.0");
    const auto& run = out["runs"].front();
    EXPECT_EQ(run["columnKind"], "unicodeCodePoints");
    ASSERT_EQ(run["results"].size(), 3u);
    for (const auto& result : run["results"])
        EXPECT_EQ(run["tool"]["driver"]["rules"].at(result["ruleIndex"].get<std::size_t>())["id"], result["ruleId"]);
    const auto& place = run["results"].front()["locations"].front()["physicalLocation"];
    EXPECT_EQ(place["artifactLocation"]["uri"], "a,%2050%25%3A%20notes.md");
    EXPECT_EQ(place["region"]["startLine"], 11);
    EXPECT_EQ(run["results"].at(1u)["level"], "warning");
    EXPECT_EQ(run["results"].at(2u)["ruleId"], "unreadable");
}

TEST(Annotations, OfJUnitCountWhatFails) {
    const std::string out = to_junit(files());
    EXPECT_NE(out.find("<testsuites name=\"gradproof\" tests=\"5\" failures=\"1\" errors=\"2\">"), std::string::npos) << out;
    EXPECT_NE(out.find("<testsuite name=\"a, 50%: notes.md\" tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\">"),
              std::string::npos);
    EXPECT_NE(out.find("name=\"line 11: dX = dY\"><failure type=\"wrong\" message=\"dX = dY"), std::string::npos) << out;
    EXPECT_NE(out.find("&lt;Rows&gt; &amp; "), std::string::npos) << out;
    EXPECT_EQ(to_junit({}),
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
              "<testsuites name=\"gradproof\" tests=\"0\" failures=\"0\" errors=\"0\">\n</testsuites>\n");
}

TEST(Legend, ExplainsTheFiguresThatStandInAReport) {
    const std::string dims = "dims n d\ninput X [n, d]\nforward\n  Y = 2 X\nclaim\n";
    const std::string of_right = legend(check_proof(dims + "  dX = 2 dY\n"));
    for (const char* part : {"entries compared: ", "mutation score: ", "error < 2^-n: "})
        EXPECT_NE(of_right.find(part), std::string::npos) << of_right;
    const std::string of_wrong = legend(check_proof(dims + "  dX = 3 dY\n"));
    EXPECT_NE(of_wrong.find("entries compared: "), std::string::npos);
    EXPECT_EQ(of_wrong.find("mutation score: "), std::string::npos) << of_wrong;  // nothing right to plant slips in
    EXPECT_EQ(legend({}), "");
}

}  // namespace
}  // namespace gradproof::proof
