// Texts on the usual subjects by authors who had not seen the program, each line with its truth, which differences say as well:
// what is right is not called wrong, what is wrong is not called right, and as many lines as before get their verdict.
//
//   build/release/gradproof_tests --gtest_filter='Corpus*'        // prints the table of core/proof/README.md
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/core/proof/judged.hpp"
#include "tests/paths.hpp"

namespace gradproof::proof {
namespace {

struct Line {
    std::string file;
    int line = 0;
    bool right = false;
};
std::vector<Line> lines_with_truth(const std::string& folder) {
    std::ifstream in(folder + "/truth.txt");
    std::vector<Line> out;
    for (std::string text; std::getline(in, text);) {
        const std::size_t colon = text.find(':'), blank = text.find(' ');
        const std::string truth = blank == std::string::npos ? "" : text.substr(blank + 1);
        if (truth.starts_with("right") || truth.starts_with("wrong"))
            out.push_back({text.substr(0, colon), std::stoi(text.substr(colon + 1)), truth.starts_with("right")});
    }
    return out;
}

/// Of all lines of a file the verdicts; none where it is refused.
std::multimap<int, std::string> verdicts_of(const std::string& folder, const std::string& file) {
    std::ifstream in(folder + "/" + file);
    std::stringstream text;
    text << in.rdbuf();
    std::multimap<int, std::string> out;
    try {
        for (const ProofReport& p : check_file(file, text.str()).proofs)
            for (const LineReport& l : p.lines) out.emplace(l.line, verdict_of(l));
    } catch (const ProofError&) {
    }
    return out;
}
/// One of several of a line: wrong, if one is.
std::string verdict_at(const std::multimap<int, std::string>& all, int line) {
    const auto [begin, end] = all.equal_range(line);
    std::string out = begin == end ? "none" : "right";
    for (const char* worse : {"skipped", "cannot tell", "not read", "wrong"})
        for (auto v = begin; v != end; ++v)
            if (v->second == worse) out = worse;
    return out;
}

void hold(const std::string& name, int right, int wrong, const std::vector<std::string>& false_alarms) {
    const std::string folder = GRADPROOF_SOURCE_DIR "/tests/texts/" + name;
    std::map<std::pair<bool, std::string>, int> count;
    std::map<std::string, std::multimap<int, std::string>> verdicts;
    std::vector<std::string> alarms, missed;
    for (const Line& l : lines_with_truth(folder)) {
        if (!verdicts.contains(l.file)) verdicts[l.file] = verdicts_of(folder, l.file);
        const std::string verdict = verdict_at(verdicts[l.file], l.line);
        ++count[{l.right, verdict}];
        if (l.right && verdict == "wrong") alarms.push_back(fmt::format("{}:{}", l.file, l.line));
        if (!l.right && verdict == "right") missed.push_back(fmt::format("{}:{}", l.file, l.line));
    }
    for (const auto& [of, lines] : count)
        fmt::print("{:<10} {:<5} {:<12} {:>4}\n", name, of.first ? "right" : "wrong", of.second, lines);
    EXPECT_EQ(missed, std::vector<std::string>{}) << "wrong lines that are called right";
    EXPECT_EQ(alarms, false_alarms) << "right lines that are called wrong";
    EXPECT_GE((count[{true, "right"}]), right);
    EXPECT_GE((count[{false, "wrong"}]), wrong);
}

TEST(Corpus, Notes) { hold("notes", 86, 39, {}); }
TEST(Corpus, Papers) { hold("papers", 89, 43, {"10-causal.tex:45"}); }
TEST(Corpus, Appendices) { hold("appendices", 99, 20, {}); }

}  // namespace
}  // namespace gradproof::proof
