// The documents replayed: every pinned erratum appears with claimed and true,
// nothing else does, and malformed documents are refused.
#include "tools/replay/replay.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "gradproof/core/proof/judge/printed.hpp"
#include "tests/support.hpp"

namespace gradproof::replay {
namespace {

using Json = nlohmann::json;

TEST(Replay, KnowsTheDocuments) {
    EXPECT_EQ(document_names(), (std::vector<std::string>{"attention_deep_dive", "search_engine", "single_head", "students"}));
    EXPECT_THROW(document_text("student"), ValueError);
}

TEST(Replay, EveryPinnedErratumAppearsAndNothingElse) {
    for (const std::string& name : document_names()) {
        const Json source = Json::parse(document_text(name));
        const Document d = replay_document(name, document_text(name));
        ASSERT_EQ(d.examples.size(), source["examples"].size());
        for (std::size_t i = 0; i < d.examples.size(); ++i) {
            const Example& e = d.examples[i];
            const Json& errata = source["examples"][i]["errata"];
            EXPECT_EQ(e.found.size(), errata.size()) << name << "/" << e.id;
            EXPECT_EQ(e.found.size(), static_cast<std::size_t>(e.rounding + e.wrong));
            for (const std::string& difference : e.differences) ADD_FAILURE() << name << "/" << e.id << ": " << difference;
            for (const Json& pinned : errata) {
                bool seen = false;
                for (const Disagreement& f : e.found) {
                    if (f.step != pinned["step"] ||
                        std::vector<Index>(f.index.begin(), f.index.end()) != pinned["index"].get<std::vector<Index>>())
                        continue;
                    seen = true;
                    EXPECT_EQ(f.claimed, pinned["claimed"].get<std::string>()) << e.id << " " << f.text();
                    EXPECT_EQ(gradproof::replay::name(f.kind), pinned["kind"].get<std::string>()) << e.id << " " << f.text();
                    const double truth = pinned["true"].get<double>();
                    EXPECT_LE(std::abs(f.truth - truth), 1e-12 * std::abs(truth)) << e.id << " " << f.text();
                }
                EXPECT_TRUE(seen) << name << "/" << e.id << ": " << pinned.dump();
            }
        }
    }
}

TEST(Replay, ReadsTheLastPrintedDigit) {
    EXPECT_EQ(proof::parse_printed("0.340").half_unit, 0.5 * std::pow(10.0, -3));
    EXPECT_EQ(proof::parse_printed("-12").half_unit, 0.5);
    EXPECT_EQ(proof::parse_printed("1.5e-3").half_unit, 0.5 * std::pow(10.0, -4));
    EXPECT_EQ(proof::parse_printed("+1.5").value, 1.5);
    for (const char* bad : {"", "1.2.3", "about 3", "nan", "1 ", "1e"})
        EXPECT_THROW(proof::parse_printed(bad), ValueError) << bad;
}

/// A document of one example and one step, sum of [0.1, 0.2], which `change` spoils or extends.
template <class Change>
Document small(const Change& change) {
    Json d = {{"schema", 1},
              {"document", "d"},
              {"title", "t"},
              {"examples",
               {{{"id", "e"},
                 {"title", "sum"},
                 {"inputs", {{"x", {0.1, 0.2}}}},
                 {"steps", {{{"name", "y"}, {"op", "sum"}, {"args", {"x"}}, {"attrs", {{"axes", 0}}}, {"printed", "0.3"}}}},
                 {"errata", Json::array()}}}}};
    change(d["examples"][0]);
    return replay_document("d", d.dump());
}

TEST(Replay, AgreesWithinHalfAUnitOfTheLastDigit) {
    const auto printed = [](const char* text) { return small([&](Json& e) { e["steps"][0]["printed"] = text; }).examples[0]; };
    EXPECT_EQ(printed("0.3").agree, 1);
    EXPECT_EQ(printed("0.300").agree, 1);
    EXPECT_EQ(printed("0").agree, 1);  // 0.3 rounds to 0
    EXPECT_EQ(printed("0.31").rounding, 1);
    EXPECT_EQ(printed("0.32").rounding, 1);
    EXPECT_EQ(printed("0.33").wrong, 1);
}

TEST(Replay, PrintedNumbersAreCarriedOn) {
    const auto d = small([](Json& e) {
        e["steps"][0]["printed"] = "0.5";
        e["steps"].push_back(
            {{"name", "z"}, {"op", "mul"}, {"args", {"y!", "x"}}, {"attrs", Json::object()}, {"printed", {"0.05", nullptr}}});
    });
    EXPECT_EQ(d.examples[0].agree, 1);
    EXPECT_EQ(d.examples[0].rounding, 1);
    EXPECT_EQ(d.examples[0].computed_only, 1);
}

TEST(Replay, NamesEveryDifferenceFromWhatIsPinned) {
    const auto unpinned = small([](Json& e) { e["steps"][0]["printed"] = "0.7"; }).examples[0];
    ASSERT_EQ(unpinned.differences.size(), 1U);
    EXPECT_EQ(unpinned.differences[0], "y: claimed 0.7, true 0.3 is not pinned");
    const auto stale = small([](Json& e) {
        e["errata"].push_back({{"step", "y"}, {"index", Json::array()}, {"claimed", "0.7"}, {"true", 0.3}, {"kind", "wrong"}});
    });
    ASSERT_EQ(stale.examples[0].differences.size(), 1U);
    EXPECT_NE(stale.examples[0].differences[0].find("no such disagreement"), std::string::npos);
    const auto moved = small([](Json& e) {
        e["steps"][0]["printed"] = "0.7";
        e["errata"].push_back(
            {{"step", "y"}, {"index", Json::array()}, {"claimed", "0.7"}, {"true", 0.300000001}, {"kind", "wrong"}});
    });
    ASSERT_EQ(moved.examples[0].differences.size(), 1U);
    EXPECT_NE(moved.examples[0].differences[0].find("but pinned is"), std::string::npos);
}

template <class Change>
void expect_refused(const char* fragment, const Change& change) {
    try {
        small(change);
        ADD_FAILURE() << "accepted: " << fragment;
    } catch (const ValueError& e) {
        const std::string text = e.what();
        EXPECT_NE(text.find(fragment), std::string::npos) << text;
        EXPECT_EQ(text.find('\n'), std::string::npos) << text;
        EXPECT_EQ(text.find("replay: d: "), 0U) << text;
    }
}

TEST(Replay, RefusesMalformedDocumentsInOneLine) {
    expect_refused("step y: no op named summ; did you mean sum", [](Json& e) { e["steps"][0]["op"] = "summ"; });
    expect_refused("no attribute named axis; did you mean axes", [](Json& e) { e["steps"][0]["attrs"] = {{"axis", 0}}; });
    expect_refused("printed is [2], value is []", [](Json& e) { e["steps"][0]["printed"] = {"0.1", "0.2"}; });
    expect_refused("step y: the field printed is missing", [](Json& e) { e["steps"][0].erase("printed"); });
    expect_refused("e: the field inputs is missing", [](Json& e) { e.erase("inputs"); });
    expect_refused("the field args is missing", [](Json& e) { e["steps"][0].erase("args"); });
    expect_refused("the field id is missing", [](Json& e) { e.erase("id"); });
    expect_refused("no input or earlier step named xx; did you mean x", [](Json& e) { e["steps"][0]["args"] = {"xx"}; });
    expect_refused("input x: rows differ in shape", [](Json& e) { e["inputs"]["x"] = {{1, 2}, {3}}; });
    expect_refused("input x: expected a number, got string", [](Json& e) { e["inputs"]["x"] = {"1"}; });
    expect_refused("\"lots\" is not a number", [](Json& e) { e["steps"][0]["printed"] = "lots"; });
    expect_refused("a printed entry is number", [](Json& e) { e["steps"][0]["printed"] = 0.3; });
    expect_refused("the name is taken", [](Json& e) { e["steps"].push_back(e["steps"][0]); });
    expect_refused("y! is not printed in full", [](Json& e) {
        e["steps"][0]["printed"] = nullptr;
        e["steps"].push_back({{"name", "z"}, {"op", "neg"}, {"args", {"y!"}}, {"printed", nullptr}});
    });
    expect_refused("kind is odd", [](Json& e) {
        e["errata"].push_back({{"step", "y"}, {"index", Json::array()}, {"claimed", "0.7"}, {"true", 0.3}, {"kind", "odd"}});
    });
    EXPECT_THROW(replay_document("d", "{\"schema\": 1"), ValueError);
    EXPECT_THROW(replay_document("d", "{\"schema\": 2}"), ValueError);
    EXPECT_THROW(replay_document("d", ""), ValueError);
}

TEST(ReplayCommand, PrintsEveryDocumentAndEndsWithZero) {
    const auto [status, out] = testing::run_program("replay");
    EXPECT_EQ(status, 0) << out;
    for (const std::string& name : document_names())
        EXPECT_NE(out.find("\n" + name + ": "), out.find(name + ": ") == 0 ? 0 : std::string::npos) << name;
    EXPECT_NE(out.find("every disagreement is pinned"), std::string::npos);
}

TEST(ReplayCommand, ShowsOneExampleAndRefusesAnUnknownOne) {
    const auto [status, out] = testing::run_program("replay students/queries");
    EXPECT_EQ(status, 0);
    EXPECT_NE(out.find("12 agree"), std::string::npos) << out;
    const auto [refused, message] = testing::run_program("replay student");
    EXPECT_EQ(refused, 2);
    EXPECT_EQ(message, "gradproof: replay: no document or example named student; did you mean students\n");
}

TEST(ReplayCommand, WritesJson) {
    const auto [status, out] = testing::run_program("replay students --json");
    EXPECT_EQ(status, 0);
    const Json d = Json::parse(out);
    EXPECT_EQ(d["document"], "students");
    EXPECT_EQ(d["examples"][0]["agree"], 12);
}

}  // namespace
}  // namespace gradproof::replay
