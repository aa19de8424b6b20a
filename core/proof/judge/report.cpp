// Reports of proofs as text and JSON.
#include "gradproof/core/proof/judge/report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gradproof/core/proof/derive/beside.hpp"
#include "gradproof/core/proof/judge/report_rows.hpp"
#include "gradproof/core/proof/judge/run_beside.hpp"
#include "gradproof/core/proof/span_json.hpp"
#include "gradproof/core/text_table.hpp"

namespace gradproof::proof {

int ProofReport::count(Verdict v) const {
    return static_cast<int>(std::count_if(lines.begin(), lines.end(),
                                          [&](const LineReport& l) { return !l.skipped && !l.unread && l.verdict == v; }));
}
int ProofReport::unread() const {
    return static_cast<int>(std::count_if(lines.begin(), lines.end(), [](const LineReport& l) { return l.unread; }));
}
int ProofReport::skipped() const {
    return static_cast<int>(std::count_if(lines.begin(), lines.end(), [](const LineReport& l) { return l.skipped; }));
}
const LineReport* ProofReport::first_wrong() const {
    for (const LineReport& l : lines)
        if (!l.skipped && !l.unread && l.verdict == Verdict::wrong) return &l;
    return nullptr;
}
Verdict ProofReport::verdict() const {
    if (count(Verdict::wrong) + unread() > 0) return Verdict::wrong;
    return count(Verdict::cannot_tell) > 0 ? Verdict::cannot_tell : Verdict::right;
}
namespace {

using check::Json;
using check::json_number;

Json passed_json(const PassedOver& s, bool with_why) {
    Json out{{"line", s.line}, {"text", s.text}};
    if (with_why) out["why"] = s.why;
    if (!s.in.empty()) out["in"] = s.in;
    return out;
}

/// Of all programs of a file; null where none was run.
Json run_json(const std::vector<ProofReport>& proofs) {
    RunReport all;
    bool any = false;
    for (const ProofReport& p : proofs) {
        if (!p.run) continue;
        any = true;
        all.python = p.run->python;
        all.values += p.run->values;
        all.gradients += p.run->gradients;
        if (all.differs.empty()) all.differs = p.run->differs;
        all.not_compared.insert(all.not_compared.end(), p.run->not_compared.begin(), p.run->not_compared.end());
    }
    if (!any) return {};
    Json out{{"python", all.python}, {"values", all.values}, {"gradients", all.gradients}, {"not_compared", Json::array()}};
    for (const PassedOver& s : all.not_compared) out["not_compared"].push_back(passed_json(s, true));
    if (!all.differs.empty()) out["differs"] = all.differs;
    return out;
}

Json line_json(const LineReport& l) {
    Json out{{"line", l.line},
             {"span", span_json(l.span)},
             {"kind", l.kind},
             {"text", l.text},
             {"verdict", l.skipped  ? "skipped"
                         : l.unread ? "not read"
                                    : std::string(check::name(l.verdict))},
             {"error", json_number(l.error)},
             {"entries", l.entries}};
    if (!l.read_as.empty()) out["read_as"] = l.read_as;
    if (l.proved)
        out["proof"] = {{"opaque", l.proved->opaque}, {"error_log2", static_cast<int>(std::ceil(l.proved->error_log2))}};
    if (!l.reason.empty()) out["reason"] = l.reason;
    if (l.at) out["at"] = span_json(*l.at);
    if (l.verdict == Verdict::wrong && l.worst) {
        Json index = Json::array();
        for (const Index i : l.worst->index) index.push_back(i);
        out["worst"] = {{"index", index}, {"claimed", json_number(l.worst->claimed)}, {"true", json_number(l.worst->truth)}};
    }
    if (l.diagnosis) {
        Json d{{"kind", check::key(l.diagnosis->mistake)}};
        if (!l.diagnosis->factor.empty()) d["factor"] = l.diagnosis->factor;
        if (!l.diagnosis->repair.empty()) d["repair"] = l.diagnosis->repair;
        d["text"] = l.diagnosis->text;
        out["diagnosis"] = d;
    }
    if (!l.derived.empty()) out["derived"] = l.derived;
    return out;
}

}  // namespace

std::string line_text(int line, const std::string& in) { return std::to_string(line) + (in.empty() ? "" : " of " + in); }
std::string line_text(const LineReport& l) { return line_text(l.line, l.span.in); }

int FileReport::count(Verdict v) const {
    int n = 0;
    for (const ProofReport& p : proofs) n += p.count(v);
    return n;
}
int FileReport::unread() const {
    int n = 0;
    for (const ProofReport& p : proofs) n += p.unread();
    return n;
}
Verdict FileReport::verdict() const {
    if (count(Verdict::wrong) + unread() > 0) return Verdict::wrong;
    return count(Verdict::cannot_tell) > 0 || count(Verdict::right) == 0 ? Verdict::cannot_tell : Verdict::right;
}

FileReport check_proof(const std::string& text, const CheckOptions& options, const Control& control) {
    const ControlScope scope(control, "check_proof");
    return check_file("proof", text, options);
}
FileReport check_markdown(const std::string& text, const CheckOptions& options, const Control& control) {
    const ControlScope scope(control, "check_markdown");
    return check_file("notes.md", text, options);
}
FileReport check_file(const std::string& file, const Text& text, const CheckOptions& options, const Control& control) {
    const ControlScope scope(control, "check_file");
    FileReport out{file, {}};
    for (const Proof& p : read_proofs(file, text, Unreadable::loses_line)) {
        out.proofs.push_back(check_proof(p, options));
        if (options.run) run_beside(p, options, out.proofs.back());
        if (!options.diagnose) continue;
        write_repairs(p, out.proofs.back());
        add_derived(p, options, out.proofs.back());
    }
    return out;
}

std::string legend(const FileReport& report) {
    bool compared = false, planted = false, proved = false, error = false, not_run = false;
    for (const ProofReport& p : report.proofs) {
        not_run = not_run || p.is_read_alone();
        compared = compared || p.entries > 0;
        planted = planted || p.planted > 0;
        for (const LineReport& l : p.lines) {
            const bool right = !l.skipped && !l.unread && l.verdict == Verdict::right;
            proved = proved || (right && l.proved);
            error = error || (right && !l.proved && l.error > 0);
        }
    }
    std::string out;
    const auto add = [&](bool wanted, std::string_view text) {
        if (wanted) out += (out.empty() ? "" : "; ") + std::string(text);
    };
    add(compared, "entries compared: numbers held to the true ones");
    add(planted, "mutation score: slips planted in right lines that were seen");
    add(proved, "error < 2^-n: the chance that another formula passes");
    add(error, "1e-16: the largest difference, of the largest true entry");
    add(not_run, "read, not run: what Python computes was not looked at");
    return out.empty() ? "" : out + "\n";
}

std::string to_text(const FileReport& report, const TextStyle& style) {
    const auto paint = [&](const std::string& code, const std::string& text) {
        return style.colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
    };
    std::string out;
    for (const ProofReport& p : report.proofs) {
        if (style.only_wrong && p.count(Verdict::right) + p.skipped() == static_cast<int>(p.lines.size())) continue;
        out += paint("1", fmt::format("{}      {}", name_of(p), fmt::join(facts_of(p), "\n  "))) + "\n";
        constexpr std::size_t kWidest = 64;
        std::size_t width = 0;
        for (const LineReport& l : p.lines)
            if (const std::size_t n = columns_of(l.text); n <= kWidest) width = std::max(width, n);
        const std::size_t marks = p.count(Verdict::cannot_tell) > 0 ? 13 : p.unread() > 0 ? 10 : 8;
        for (const LineReport& l : p.lines) {
            if (style.only_wrong && (l.skipped || (!l.unread && l.verdict == Verdict::right))) continue;
            const ReportRow s = row_of(l);
            const std::string text = printable(l.text, 1000);
            const std::string indent(2 + marks + width + 2, ' ');
            out += "  " + paint(s.colour, s.mark) + std::string(marks - s.mark.size(), ' ');
            out += columns_of(text) > width ? text + "\n" + indent : padded(text, width + 2);
            out += printable(s.note, 1000) + "\n";
            for (const std::string& m : s.more) out += indent + printable(m, 1000) + "\n";
        }
    }
    if (style.only_wrong && out.empty()) out += printable(report.file, 400) + ": ";
    return out + totals(report) + "\n";
}

std::string to_json(const FileReport& report) {
    Json lines = Json::array();
    int draws = 0, planted = 0, caught = 0, skipped = 0;
    Index entries = 0;
    const LineReport* first = nullptr;
    std::string title;
    Json domain = Json::array(), branches = Json::array(), unseen = Json::array(), passed_over = Json::array(),
         updates = Json::array(), inputs = Json::array(), not_claimed = Json::array(), definitions = Json::array();
    for (const ProofReport& p : report.proofs) {
        if (title.empty()) title = p.title;
        draws = std::max(draws, p.draws);
        for (const std::string& d : p.domain) domain.push_back(d);
        for (const std::string& i : p.inputs) inputs.push_back(i);
        for (const std::string& i : p.not_claimed) not_claimed.push_back(i);
        for (const std::string& d : p.definitions) definitions.push_back(d);
        for (const std::string& b : p.branches) branches.push_back(b);
        for (const Unseen& u : p.unseen) unseen.push_back({{"line", u.line}, {"bug", u.bug}});
        for (const PassedOver& s : p.passed_over) passed_over.push_back(passed_json(s, true));
        for (const PassedOver& s : p.updates) updates.push_back(passed_json(s, false));
        entries += p.entries;
        planted += p.planted;
        caught += p.caught;
        skipped += p.skipped();
        if (first == nullptr) first = p.first_wrong();
        for (const LineReport& l : p.lines) lines.push_back(line_json(l));
    }
    Json out{{"schema", 1},
             {"file", report.file},
             {"title", title},
             {"draws", draws},
             {"domain", domain},
             {"passed_over", passed_over},
             {"updates", updates},
             {"branches", branches},
             {"entries_compared", entries},
             {"mutation", {{"caught", caught}, {"planted", planted}, {"unseen", unseen}}},
             {"lines", lines},
             {"right", report.count(Verdict::right)},
             {"wrong", report.count(Verdict::wrong)},
             {"cannot_tell", report.count(Verdict::cannot_tell)},
             {"not_read", report.unread()},
             {"skipped", skipped}};
    if (!inputs.empty()) out["reading"] = {{"inputs", inputs}, {"definitions", definitions}};  // of a text in LaTeX
    if (std::ranges::any_of(report.proofs, &ProofReport::of_program)) out["run"] = run_json(report.proofs);
    if (!not_claimed.empty()) out["not_claimed"] = not_claimed;  // of a program
    out["first_wrong_line"] = first != nullptr ? Json(first->line) : Json(nullptr);
    return check::json_line(out);
}

std::string error_json(const std::string& file, const ProofError& e) {
    const Json error{{"line", e.line()}, {"column", e.column()}, {"text", e.message()}, {"span", span_json(e.at())}};
    return check::json_line({{"schema", 1}, {"file", file}, {"error", error}});
}

}  // namespace gradproof::proof
