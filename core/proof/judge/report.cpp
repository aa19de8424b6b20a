// Reports of proofs as text and JSON.
#include "gradproof/core/proof/judge/report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gradproof/core/proof/derive/beside.hpp"
#include "gradproof/core/proof/judge/expect.hpp"
#include "gradproof/core/proof/span_json.hpp"
#include "gradproof/core/text_table.hpp"

namespace gradproof::proof {
namespace {

using check::Json;
using check::json_number;

/// 12 340 as people write it.
std::string grouped(Index n) {
    std::string digits = std::to_string(n), out;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) out += ' ';
        out += digits[i];
    }
    return out;
}

std::string heading(const ProofReport& p) {
    std::string sizes;
    for (const std::string& s : p.drawn_sizes) sizes += (sizes.empty() ? "" : ", ") + s;
    std::string out = printable(p.file, 400);
    if (!p.start.in.empty()) out += ":" + p.start.in;
    if (p.start.line > 1) out += fmt::format(":{}", p.start.line);
    if (!p.title.empty()) out += ": " + printable(p.title);
    out += fmt::format("      {} draw{}{}, {} entries compared", p.draws, p.draws == 1 ? "" : "s",
                       sizes.empty() ? "" : fmt::format(" of ({})", sizes), grouped(p.entries));
    if (p.planted > 0) out += fmt::format(", mutation score {}/{}", p.caught, p.planted);
    constexpr std::size_t kMostUnseen = 3;
    for (std::size_t i = 0; i < std::min(p.unseen.size(), kMostUnseen); ++i)
        out += fmt::format("\n  a planted bug of line {} agrees too: {}", p.unseen[i].line, printable(p.unseen[i].bug, 200));
    if (p.unseen.size() > kMostUnseen) out += fmt::format("\n  and of {} more lines", p.unseen.size() - kMostUnseen);
    if (!p.domain.empty()) out += fmt::format("\n  for {}", fmt::join(p.domain, ", "));
    if (!p.branches.empty()) out += fmt::format("\n  branches taken: {}", fmt::join(p.branches, "; "));
    return out;
}

std::string proved_text(const Proved& p) { return fmt::format("proved, error < 2^{:.0f}", std::ceil(p.error_log2)); }

struct Shown {
    std::string mark, colour, note;
    std::vector<std::string> more;
};

Shown shown(const LineReport& l) {
    Shown s;
    if (l.skipped) return {"skip", "2", l.reason, {}};
    if (l.at) s.more.push_back("at " + place_text(l.at->in, l.at->line, l.at->column));
    if (l.unread) return {"not read", "31", l.reason, s.more};
    if (l.verdict == Verdict::right) {
        const std::size_t errs = l.misprints.size();
        const std::string error = l.proved ? proved_text(*l.proved) : l.error == 0 ? "exact" : fmt::format("{:.0e}", l.error);
        s = {"right", "32", errs > 0 ? fmt::format("{} of {} misprinted as stated", errs, l.entries) : error, {}};
        if (!l.read_as.empty()) s.note += ", " + l.read_as;
        return s;
    }
    if (l.verdict == Verdict::cannot_tell) return {"cannot tell", "33", l.reason, {}};
    s.mark = "wrong";
    s.colour = "31";
    const bool told = l.diagnosis && !l.diagnosis->text.empty();
    s.note = told ? l.diagnosis->text : l.reason.empty() ? "no simple explanation" : l.reason;
    if (told && !l.reason.empty()) s.more.push_back(l.reason);
    if (!l.read_as.empty()) s.more.push_back(l.read_as);
    if (l.diagnosis && !l.diagnosis->repair.empty()) s.note += "; write  " + l.diagnosis->repair;
    if (!l.derived.empty()) s.more.push_back("derived  " + l.derived);
    if (l.worst && l.reason.empty())
        s.more.push_back(fmt::format("worst{}: {}", l.worst->index.empty() ? "" : " at " + index_text(l.worst->index),
                                     check::claimed_and_true(l.worst->claimed, l.worst->truth, 6)));
    return s;
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

std::string line_text(const LineReport& l) { return std::to_string(l.line) + (l.span.in.empty() ? "" : " of " + l.span.in); }

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
        if (options.diagnose) add_derived(p, options, out.proofs.back());
    }
    return out;
}

std::string legend(const FileReport& report) {
    bool compared = false, planted = false, proved = false, error = false;
    for (const ProofReport& p : report.proofs) {
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
    return out.empty() ? "" : out + "\n";
}

std::string to_text(const FileReport& report, const TextStyle& style) {
    const auto paint = [&](const std::string& code, const std::string& text) {
        return style.colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
    };
    std::string out;
    for (const ProofReport& p : report.proofs) {
        if (style.only_wrong && p.count(Verdict::right) + p.skipped() == static_cast<int>(p.lines.size())) continue;
        out += paint("1", heading(p)) + "\n";
        constexpr std::size_t kWidest = 64;
        std::size_t width = 0;
        for (const LineReport& l : p.lines)
            if (const std::size_t n = columns_of(l.text); n <= kWidest) width = std::max(width, n);
        const std::size_t marks = p.count(Verdict::cannot_tell) > 0 ? 13 : p.unread() > 0 ? 10 : 8;
        for (const LineReport& l : p.lines) {
            if (style.only_wrong && (l.skipped || (!l.unread && l.verdict == Verdict::right))) continue;
            const Shown s = shown(l);
            const std::string text = printable(l.text, 1000);
            const std::string indent(2 + marks + width + 2, ' ');
            out += "  " + paint(s.colour, s.mark) + std::string(marks - s.mark.size(), ' ');
            out += columns_of(text) > width ? text + "\n" + indent : padded(text, width + 2);
            out += printable(s.note, 1000) + "\n";
            for (const std::string& m : s.more) out += indent + printable(m, 1000) + "\n";
        }
    }
    int lines = 0, skipped = 0;
    const LineReport* first = nullptr;
    for (const ProofReport& p : report.proofs) {
        lines += static_cast<int>(p.lines.size());
        skipped += p.skipped();
        if (first == nullptr) first = p.first_wrong();
    }
    const int wrong = report.count(Verdict::wrong), cannot = report.count(Verdict::cannot_tell), unread = report.unread();
    if (style.only_wrong && out.empty()) out += printable(report.file, 400) + ": ";
    if (wrong > 0)
        out += fmt::format("{} wrong of {}; first wrong line: {}", wrong, lines - skipped, line_text(*first));
    else if (lines == skipped)
        out += "nothing is claimed: nothing was checked";
    else if (cannot + unread > 0)
        out += fmt::format("{} right", lines - skipped - cannot - unread);
    else
        out += fmt::format("all right: {}", lines - skipped);
    if (cannot > 0) out += fmt::format("; {} cannot tell", cannot);
    if (unread > 0) out += fmt::format("; {} not read", unread);
    if (skipped > 0) out += fmt::format("; {} skipped", skipped);
    return out + "\n";
}

std::string to_json(const FileReport& report) {
    Json lines = Json::array();
    int draws = 0, planted = 0, caught = 0, skipped = 0;
    Index entries = 0;
    const LineReport* first = nullptr;
    std::string title;
    Json domain = Json::array(), branches = Json::array(), unseen = Json::array();
    for (const ProofReport& p : report.proofs) {
        if (title.empty()) title = p.title;
        draws = std::max(draws, p.draws);
        for (const std::string& d : p.domain) domain.push_back(d);
        for (const std::string& b : p.branches) branches.push_back(b);
        for (const Unseen& u : p.unseen) unseen.push_back({{"line", u.line}, {"bug", u.bug}});
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
             {"branches", branches},
             {"entries_compared", entries},
             {"mutation", {{"caught", caught}, {"planted", planted}, {"unseen", unseen}}},
             {"lines", lines},
             {"right", report.count(Verdict::right)},
             {"wrong", report.count(Verdict::wrong)},
             {"cannot_tell", report.count(Verdict::cannot_tell)},
             {"not_read", report.unread()},
             {"skipped", skipped}};
    out["first_wrong_line"] = first != nullptr ? Json(first->line) : Json(nullptr);
    return check::json_line(out);
}

std::string error_json(const std::string& file, const ProofError& e) {
    const Json error{{"line", e.line()}, {"column", e.column()}, {"text", e.message()}, {"span", span_json(e.at())}};
    return check::json_line({{"schema", 1}, {"file", file}, {"error", error}});
}

}  // namespace gradproof::proof
