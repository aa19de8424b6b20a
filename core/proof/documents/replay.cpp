// Replaying documents.
#include "gradproof/core/proof/documents/replay.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/judge/expect.hpp"

namespace gradproof::proof {
namespace {

std::string entry_name(const Expr& value, const Shape& index) {
    const bool joined = value.kind == Kind::sum || value.kind == Kind::product || value.kind == Kind::negate;
    return (joined && !index.empty() ? "(" + text_of(value) + ")" : text_of(value)) + index_text(index);
}

/// The name whose entries an expression is: S of S[0].
std::string base_name(const Expr& e) {
    if (e.kind == Kind::index) return base_name(*e.children[0]);
    return e.kind == Kind::name ? e.name : "";
}

bool is_printed(const Expr& e) {
    return e.kind == Kind::array || e.kind == Kind::number || (e.kind == Kind::negate && is_printed(*e.children[0]));
}

/// As many decimals as are printed.
std::string rounded_like(double truth, const std::string& printed) {
    const std::size_t point = printed.find('.');
    const bool exponent = printed.find_first_of("eE") != std::string::npos;
    if (exponent) return fmt::format("{:.6g}", truth);
    const std::string out = fmt::format("{:.{}f}", truth, point == std::string::npos ? 0 : printed.size() - point - 1);
    return out.find_first_not_of("-0.") == std::string::npos && out.starts_with('-') ? out.substr(1) : out;
}

/// The numbers of a printed array in reading order, with their places.
void collect_numbers(const Expr& e, Shape index, std::vector<CorrectedLine::Number>& out) {
    if (e.kind != Kind::array) {
        const std::string text = e.kind == Kind::ellipsis ? "..." : text_of(e);
        out.push_back({std::move(index), text, text});
        return;
    }
    for (std::size_t i = 0; i < e.children.size(); ++i) {
        Shape at = index;
        at.push_back(static_cast<Index>(i));
        collect_numbers(*e.children[i], at, out);
    }
}

CorrectedLine corrected_line(const JudgedLine& line, const std::vector<Misprint>& misprints) {
    CorrectedLine out{line.statement.line, text_of(*line.left), {}};
    collect_numbers(*line.right, {}, out.numbers);
    for (const Misprint& m : misprints)
        for (CorrectedLine::Number& n : out.numbers)
            if (m.kind != Misprint::Kind::none && n.index == m.index) n.right = rounded_like(m.truth, n.printed);
    return out;
}

/// How many entries it expects, and those that it leaves open.
Index replay_line(Instance& draw, const Proof& proof, const JudgedLine& line, ReplayedExample& out) {
    LineReport report;
    judge_expectation(draw, proof, line, report);
    out.computed_only += report.unprinted;
    out.agree += report.entries;
    if (CorrectedLine corrected = corrected_line(line, report.misprints);
        std::ranges::any_of(corrected.numbers, &CorrectedLine::Number::changed)) {
        // What is printed once and derived in two ways is told by the later line, which starts from the inputs.
        std::erase_if(out.corrected, [&](const CorrectedLine& c) {
            return std::ranges::equal(c.numbers, corrected.numbers, {}, &CorrectedLine::Number::printed,
                                      &CorrectedLine::Number::printed);
        });
        out.corrected.push_back(std::move(corrected));
    }
    for (Misprint& m : report.misprints) {
        if (m.kind != Misprint::Kind::none) {
            --out.agree;
            ++(m.kind == Misprint::Kind::rounding ? out.rounding : out.wrong);
        }
        out.disagreements.push_back({line.statement.line, text_of(*line.left), entry_name(*line.left, m.index), std::move(m)});
    }
    return report.entries + report.unprinted;
}

ReplayedExample replay_example(const WorkedExample& e) {
    const Proof& proof = e.proof;
    ReplayedExample out;
    out.id = e.id;
    out.title = proof.title;
    out.note = e.note;
    out.line = proof.start.line;
    const Plan plan(proof);
    Instance draw(proof, plan, {}, 0);
    std::map<std::string, Index> expected;
    for (const JudgedLine& line : proof.lines) {
        if (!line.is_judged() || line.type != JudgedLine::Type::expect || !is_printed(*line.right)) continue;
        if (plan.is_drawn(*line.left))
            out.drawn_lines.push_back(line.statement.line);
        else
            expected[base_name(*line.left)] += replay_line(draw, proof, line, out);
    }
    for (const Assignment& a : proof.forward)
        out.computed_only += std::max<Index>(0, draw.scope().values.at(a.name).value().size() - expected[a.name]);
    return out;
}

}  // namespace

std::string Disagreement::text() const {
    return fmt::format("{}: printed {}, true {:.6g}{}", entry, misprint.printed, misprint.truth,
                       misprint.kind == Misprint::Kind::rounding ? " (rounding)" : "");
}

std::string Disagreement::objection() const {
    if (misprint.as_stated) return "";
    const std::string where = fmt::format("line {}: ", line);
    if (misprint.kind == Misprint::Kind::none)
        return where + fmt::format("{}: the printed {} is right, and needs no erratum", entry, misprint.printed);
    if (misprint.erratum.empty()) return where + text() + ", and no erratum says so";
    return where + text() + fmt::format(", and the erratum says {}", misprint.erratum);
}

std::vector<std::string> ReplayedExample::objections() const {
    std::vector<std::string> out;
    for (const Disagreement& d : disagreements)
        if (std::string text = d.objection(); !text.empty()) out.push_back(std::move(text));
    return out;
}

Replay replay(const Document& document, const Control& control) {
    const ControlScope scope(control, "replay");
    Replay out{document.name, document.title, {}};
    expect_parts(static_cast<Index>(document.examples.size()));
    for (const WorkedExample& e : document.examples) {
        begin_part(e.id);
        out.examples.push_back(replay_example(e));
    }
    return out;
}

}  // namespace gradproof::proof
