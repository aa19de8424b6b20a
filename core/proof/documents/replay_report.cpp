// Replays as text and JSON.
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/check/json.hpp"
#include "gradproof/core/proof/documents/replay.hpp"
#include "gradproof/core/text_table.hpp"

namespace gradproof::proof {
namespace {

using check::Json;
using check::json_number;

/// The title cut to a column, at a character and not inside one.
std::string fit(const std::string& text, std::size_t width) {
    if (text.size() <= width) return text;
    std::size_t cut = width - 3;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) --cut;
    return text.substr(0, cut) + "...";
}

struct Counts {
    Index agree = 0, rounding = 0, wrong = 0;
    void add(const ReplayedExample& e) {
        agree += e.agree;
        rounding += e.rounding;
        wrong += e.wrong;
    }
    std::string text() const { return fmt::format("{:>5} agree {:>4} rounding {:>4} wrong", agree, rounding, wrong); }
};

/// Rows of what should be printed; behind a number that changes, what is printed.
std::string corrected_text(const CorrectedLine& c) {
    std::vector<std::vector<std::string>> rows;
    Shape row;
    for (const CorrectedLine::Number& n : c.numbers) {
        Shape of;
        for (int a = 0; a + 1 < n.index.rank(); ++a) of.push_back(n.index[a]);
        if (rows.empty() || !(of == row)) rows.emplace_back();
        row = of;
        rows.back().push_back(n.changed() ? fmt::format("{} (printed {})", n.right, n.printed) : n.right);
    }
    std::vector<std::size_t> width;
    for (const auto& r : rows)
        for (std::size_t i = 0; i < r.size(); ++i) {
            if (i == width.size()) width.push_back(0);
            width[i] = std::max(width[i], columns_of(r[i]));
        }
    std::string out = fmt::format("      line {:<4} {}\n", c.line, c.step);
    for (const auto& r : rows) {
        std::string text;
        for (std::size_t i = 0; i < r.size(); ++i) text += padded(r[i], i + 1 < r.size() ? width[i] + 2 : 0);
        out += "        " + text + "\n";
    }
    return out;
}

std::string example_text(const ReplayedExample& e, const ReplayStyle& style) {
    constexpr std::size_t kShown = 6;
    Counts counts;
    counts.add(e);
    std::string out = fmt::format("  {:<28} {:<46}{}\n", printable(e.id), fit(printable(e.title), 45), counts.text());
    if (!e.disagreements.empty() && !e.note.empty()) out += "      " + printable(e.note, 1000) + "\n";
    for (std::size_t i = 0; style.corrected && i < e.corrected.size(); ++i) out += corrected_text(e.corrected[i]);
    const std::size_t all = style.corrected ? 0 : e.disagreements.size(), shown = style.all ? all : std::min(kShown, all);
    for (std::size_t i = 0; i < shown; ++i)
        out += fmt::format("      line {:<4} {}\n", e.disagreements[i].line, e.disagreements[i].text());
    if (shown < all) out += fmt::format("      … {} more\n", all - shown);
    for (const std::string& text : e.objections()) out += "      NOT AS STATED: " + text + "\n";
    for (const int line : e.drawn_lines) out += fmt::format("      line {:<4} depends on values that are drawn\n", line);
    return out;
}

Json json(const Disagreement& d) {
    const Misprint& m = d.misprint;
    Json out{{"line", d.line},
             {"step", d.step},
             {"index", std::vector<Index>(m.index.begin(), m.index.end())},
             {"claimed", m.printed},
             {"true", json_number(m.truth)},
             {"kind", m.kind == Misprint::Kind::none       ? "right"
                      : m.kind == Misprint::Kind::rounding ? "rounding"
                                                           : "wrong"}};
    if (!m.erratum.empty()) out["erratum"] = m.erratum;
    return out;
}

Json corrected_json(const std::vector<CorrectedLine>& all) {
    Json lines = Json::array();
    for (const CorrectedLine& c : all) {
        Json numbers = Json::array();
        for (const CorrectedLine::Number& n : c.numbers)
            numbers.push_back(
                {{"index", std::vector<Index>(n.index.begin(), n.index.end())}, {"printed", n.printed}, {"right", n.right}});
        lines.push_back({{"line", c.line}, {"step", c.step}, {"numbers", numbers}});
    }
    return lines;
}

}  // namespace

std::string to_text(const Replay& r, const ReplayStyle& style) {
    Counts counts;
    for (const ReplayedExample& e : r.examples) counts.add(e);
    const std::string heading = printable(r.name, 400) + (r.title.empty() ? "" : ": " + printable(r.title));
    std::string out = fmt::format("{:<77}{}\n", fit(heading, 76), counts.text());
    for (const ReplayedExample& e : r.examples)
        if (!style.corrected || !e.corrected.empty() || !e.objections().empty()) out += example_text(e, style);
    return out;
}

std::string summary(const std::vector<Replay>& replays) {
    Counts all;
    std::size_t objections = 0;
    for (const Replay& r : replays)
        for (const ReplayedExample& e : r.examples) {
            all.add(e);
            objections += e.objections().size();
        }
    return fmt::format(
        "{} comparisons with what is printed, a number once for each way it is derived: {} agree, {} off by rounding, {} wrong; "
        "{}\n",
        all.agree + all.rounding + all.wrong, all.agree, all.rounding, all.wrong,
        objections == 0 ? "every disagreement has its erratum" : fmt::format("{} not as stated", objections));
}

std::string to_json(const Replay& r, const ReplayStyle& style) {
    Json examples = Json::array();
    for (const ReplayedExample& e : r.examples) {
        Json found = Json::array();
        for (const Disagreement& d : e.disagreements) found.push_back(json(d));
        examples.push_back({{"id", e.id},
                            {"title", e.title},
                            {"line", e.line},
                            {"entries", e.entries()},
                            {"agree", e.agree},
                            {"rounding", e.rounding},
                            {"wrong", e.wrong},
                            {"computed_only", e.computed_only},
                            {"cannot_tell", e.drawn_lines.size()},
                            {"disagreements", found},
                            {"not_as_pinned", e.objections()}});
        if (style.corrected) examples.back()["corrected"] = corrected_json(e.corrected);
    }
    return check::json_line({{"schema", 1}, {"document", r.name}, {"title", r.title}, {"examples", examples}});
}

}  // namespace gradproof::proof
