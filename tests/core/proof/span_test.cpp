// Where the lines of a report stand in the text: in bytes and as an editor or JavaScript counts.
#include <gtest/gtest.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "gradproof/core/proof/checker.hpp"

namespace gradproof::proof {
namespace {

/// The units of UTF-16, each as the character it is (half) of.
std::vector<std::string> utf16(const std::string& text) {
    std::vector<std::string> out;
    for (std::size_t i = 0, n = 0; i < text.size(); i += n) {
        n = character_length(text, i);
        out.push_back(text.substr(i, n));
        if (n == 4) out.push_back(out.back() + "'");
    }
    return out;
}

/// The span names `expected` in the text, by bytes and by units of UTF-16, and its line and column are those of its first byte.
void expect_at(const std::string& text, const TextSpan& s, const std::string& expected) {
    EXPECT_EQ(text.substr(s.offset, s.length), expected);
    const auto units = utf16(text), wanted = utf16(expected);
    ASSERT_LE(s.utf16_offset + s.utf16_length, units.size()) << expected;
    const auto first = units.begin() + static_cast<std::ptrdiff_t>(s.utf16_offset);
    EXPECT_EQ(std::vector<std::string>(first, first + static_cast<std::ptrdiff_t>(s.utf16_length)), wanted) << expected;
    const std::string before = text.substr(0, s.offset);
    EXPECT_EQ(s.line, 1 + std::count(before.begin(), before.end(), '\n')) << expected;
    const std::string in_line = before.substr(before.rfind('\n') + 1);
    const auto characters = std::count_if(in_line.begin(), in_line.end(), [](char c) { return (c & 0xC0) != 0x80; });
    EXPECT_EQ(s.column, 1 + characters) << expected;
}

void expect_lines(const std::string& name, const std::string& text, const std::vector<std::string>& expected) {
    std::vector<TextSpan> spans;
    for (const ProofReport& p : check_file(name, text).proofs)
        for (const LineReport& l : p.lines) spans.push_back(l.span);
    ASSERT_EQ(spans.size(), expected.size());
    for (std::size_t i = 0; i < spans.size(); ++i) expect_at(text, spans[i], expected[i]);
}

const std::string kGreek = "# the mask 😀 hides, 𝔸 is a matrix\ndims n\ninput α [n], β [n]\nforward\n  γ = α ⊙ β\nclaim\n";

TEST(Spans, CountGreekAsOneUnitAndEmojiAsTwo) {
    expect_lines("a.proof", kGreek + "  ∂L/∂α = ∂L/∂γ ⊙ β   # 😀 as it is\n  ∂L/∂β = ∂L/∂γ ⊙ α\n",
                 {"∂L/∂α = ∂L/∂γ ⊙ β", "∂L/∂β = ∂L/∂γ ⊙ α"});
    const LineReport line = check_proof(kGreek + "  dα = dγ ⊙ β\n").proofs.at(0).lines.at(0);
    EXPECT_EQ(line.span.line, 7);
    EXPECT_EQ(line.span.column, 3);
    EXPECT_EQ(line.span.utf16_length, 11U);
    EXPECT_EQ(line.span.length, 16U);
}

TEST(Spans, LeaveOutTheEndOfLineOfEverySystem) {
    std::string text = kGreek + "  dα = dγ ⊙ β\n  dβ = dγ ⊙ α";
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.replace(at, 1, "\r\n");
    expect_lines("a.proof", text, {"dα = dγ ⊙ β", "dβ = dγ ⊙ α"});
}

TEST(Spans, ReachOverContinuationLines) {
    expect_lines(
        "a.proof",
        kGreek + "  dα = 2 dγ ⊙ β -  # goes on\n     dγ ⊙\n     β\n  skip \"later\"\n  dβ = (dγ\n  ⊙ α)  \nexpect 1 = 1\n",
        {"dα = 2 dγ ⊙ β -  # goes on\n     dγ ⊙\n     β", "dβ = (dγ\n  ⊙ α)", "1 = 1"});
}

TEST(Spans, AreThoseOfTheWholeMarkdown) {
    expect_lines("a.md", "# Σ 😀\n```proof\n" + kGreek + "  dα = dγ ⊙ β\n```\n😀 text\n```proof\nclaim\n  dβ = dγ\n```\n",
                 {"dα = dγ ⊙ β", "dβ = dγ"});
}

TEST(Spans, CountAByteOrderMarkAsOneUnitAndNoColumn) {
    const TextSpan s = Source("a",
                              "\xEF\xBB\xBF"
                              "x = 1\ny = 2")
                           .span({3, 8});
    EXPECT_EQ(s.offset, 3U);
    EXPECT_EQ(s.utf16_offset, 1U);
    EXPECT_EQ(s.column, 1);
    EXPECT_EQ(Source("a",
                     "\xEF\xBB\xBF"
                     "x = 1\ny = 2")
                  .span({9, 14})
                  .utf16_offset,
              7U);
}

TEST(Spans, AreInTheJsonOfReportsExplanationsAndErrors) {
    const std::string text = kGreek + "  dα = dγ ⊙ β\n";
    const auto at = [&](const nlohmann::json& s, const std::string& expected) {
        expect_at(text,
                  {s.at("line"), s.at("column"), s.at("offset"), s.at("length"), s.at("utf16_offset"), s.at("utf16_length")},
                  expected);
    };
    at(nlohmann::json::parse(to_json(check_proof(text))).at("lines").at(0).at("span"), "dα = dγ ⊙ β");
    const std::vector<Proof> proofs = read_proofs("a.proof", text);
    const auto explained = nlohmann::json::parse(to_json(explain(proofs[0])));
    at(explained.at("forward").at(0).at("span"), "γ = α ⊙ β");
    EXPECT_EQ(explained.at("backward").at(2).at("name"), "∂L/∂α");
    at(explained.at("backward").at(2).at("claim").at("span"), "dα = dγ ⊙ β");
    at(nlohmann::json::parse(to_json(explain_cell(proofs, "γ[0]"))).at("cell").at("span"), "γ = α ⊙ β");
    try {
        read_proofs("a.proof", kGreek + "  dα = dη ⊙ β\n");
        FAIL();
    } catch (const ProofError& e) {
        EXPECT_EQ(e.at().utf16_offset, utf16(kGreek).size() + 7) << e.what();
        EXPECT_EQ(nlohmann::json::parse(error_json("a", e)).at("error").at("span").at("offset"), kGreek.size() + 8);
    }
}

TEST(Spans, OfAnExerciseAreThoseOfTheAnswer) {
    const Exercise e = find_exercise("values");
    const LineReport line = judge_exercise(e, " A^T dO ").proofs.at(0).lines.at(0);
    EXPECT_EQ(line.span.offset, 1U);
    EXPECT_EQ(line.span.length, 6U);
    try {
        judge_exercise(e, "A^T dP");
        FAIL();
    } catch (const ProofError& error) {
        EXPECT_EQ(error.at().offset, 4U);
    }
}

}  // namespace
}  // namespace gradproof::proof
