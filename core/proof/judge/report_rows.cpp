// The words of reports.
#include "gradproof/core/proof/judge/report_rows.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gradproof/core/proof/judge/expect.hpp"

namespace gradproof::proof {
namespace {

/// "for all x [n], w [n], where L = Σ_i w[i] x[i]"; what does not fit in that line stands below it.
std::vector<std::string> reading_of(const ProofReport& p) {
    constexpr std::size_t kLongestLine = 130, kMostInputs = 20, kMostDefinitions = 6;
    if (p.inputs.empty()) return {};
    std::string inputs =
        fmt::format("for all {}", fmt::join(std::span(p.inputs).first(std::min(p.inputs.size(), kMostInputs)), ", "));
    if (p.inputs.size() > kMostInputs) inputs += fmt::format(" and {} more", p.inputs.size() - kMostInputs);
    if (p.definitions.empty()) return {inputs};
    const std::string all = fmt::format("{}, where {}", inputs, fmt::join(p.definitions, ", "));
    if (all.size() <= kLongestLine) return {all};
    std::vector<std::string> out{inputs + ", where"};
    const std::size_t shown = p.definitions.size() > kMostDefinitions ? kMostDefinitions - 1 : p.definitions.size();
    for (std::size_t i = 0; i < shown; ++i) out.push_back("  " + p.definitions[i]);
    if (shown < p.definitions.size()) out.push_back(fmt::format("  and {} more", p.definitions.size() - shown));
    return out;
}

/// 12 340 as people write it.
std::string grouped(Index n) {
    std::string digits = std::to_string(n), out;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) out += ' ';
        out += digits[i];
    }
    return out;
}

/// "line 3", "lines 3, 4", "7 lines"
std::string shown(const PassedLines& lines) {
    constexpr std::size_t kMostNamed = 5;
    if (lines.size() > kMostNamed) return fmt::format("{} lines", lines.size());
    std::string named;
    for (const auto& [in, line] : lines) named += (named.empty() ? "" : ", ") + line_text(line, in);
    return fmt::format("line{} {}", lines.size() == 1 ? "" : "s", named);
}

/// "run in Python 3.11.2: 4 lines of the forward and 3 of gradients compute what was read"
std::vector<std::string> run_of(const RunReport& run) {
    if (!run.differs.empty()) return {fmt::format("run in Python {}: {}", run.python, run.differs)};
    const auto lines = [](int n) { return fmt::format("{} line{}", n, n == 1 ? "" : "s"); };
    std::vector<std::string> out;
    if (run.values + run.gradients > 0)
        out.push_back(fmt::format("run in Python {}: {} of the forward and {} of gradients compute what was read", run.python,
                                  lines(run.values), run.gradients));
    std::vector<std::pair<std::string, PassedLines>> by_reason;
    for (const PassedOver& p : run.not_compared) {
        if (by_reason.empty() || by_reason.back().first != p.why) by_reason.push_back({p.why, {}});
        by_reason.back().second.emplace(p.in, p.line);
    }
    constexpr std::size_t kMostReasons = 5;
    for (std::size_t i = 0; i < std::min(by_reason.size(), kMostReasons); ++i)
        out.push_back(fmt::format("not compared with a run: {}: {}", shown(by_reason[i].second), by_reason[i].first));
    if (by_reason.size() > kMostReasons) out.push_back(fmt::format("and {} more", by_reason.size() - kMostReasons));
    return out;
}

std::string proved_text(const Proved& p) { return fmt::format("proved, error < 2^{:.0f}", std::ceil(p.error_log2)); }

}  // namespace

ReportRow row_of(const LineReport& l) {
    ReportRow s;
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

std::string name_of(const ProofReport& p) {
    std::string out = printable(p.file, 400);
    if (!p.start.in.empty()) out += ":" + p.start.in;
    if (p.start.line > 1) out += fmt::format(":{}", p.start.line);
    if (!p.title.empty()) out += ": " + printable(p.title);
    return out;
}

std::vector<std::string> facts_of(const ProofReport& p) {
    const std::string sizes = fmt::format("{}", fmt::join(p.drawn_sizes, ", "));
    std::vector<std::string> out{fmt::format("{} draw{}{}, {} entries compared", p.draws, p.draws == 1 ? "" : "s",
                                             sizes.empty() ? "" : fmt::format(" of ({})", sizes), grouped(p.entries))};
    if (p.planted > 0) out[0] += fmt::format(", mutation score {}/{}", p.caught, p.planted);
    for (std::string& line : reading_of(p)) out.push_back(std::move(line));
    constexpr std::size_t kMostUnseen = 3;
    for (std::size_t i = 0; i < std::min(p.unseen.size(), kMostUnseen); ++i)
        out.push_back(fmt::format("a planted bug of line {} agrees too: {}", p.unseen[i].line, printable(p.unseen[i].bug, 200)));
    if (p.unseen.size() > kMostUnseen) out.push_back(fmt::format("and of {} more lines", p.unseen.size() - kMostUnseen));
    if (!p.domain.empty()) out.push_back(for_text(p.domain));
    if (!p.not_claimed.empty()) out.push_back(fmt::format("no line is a gradient by {}", fmt::join(p.not_claimed, ", ")));
    if (p.run)
        for (std::string& line : run_of(*p.run)) out.push_back(std::move(line));
    if (!p.branches.empty()) out.push_back(fmt::format("branches taken: {}", fmt::join(p.branches, "; ")));
    return out;
}

std::string for_text(const std::vector<std::string>& domain) {
    return domain.empty() ? "" : fmt::format("for {}", fmt::join(domain, ", "));
}
namespace {

/// `which`: a member of each report, or what a member gives.
template <class Which>
PassedLines lines_of(const FileReport& report, Which which) {
    PassedLines out;
    for (const ProofReport& p : report.proofs)
        for (const PassedOver& s : std::invoke(which, p)) out.emplace(s.in, s.line);
    return out;
}

}  // namespace

std::string if_passed_over_changes_nothing(const PassedLines& lines) {
    return lines.empty() ? "" : fmt::format("if what is passed over in {} changes nothing", shown(lines));
}

std::string totals(const FileReport& report) {
    std::string out;
    int lines = 0, skipped = 0;
    const LineReport* first = nullptr;
    for (const ProofReport& p : report.proofs) {
        lines += static_cast<int>(p.lines.size());
        skipped += p.skipped();
        if (first == nullptr) first = p.first_wrong();
    }
    const int wrong = report.count(Verdict::wrong), cannot = report.count(Verdict::cannot_tell), unread = report.unread();
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
    if (report.count(Verdict::right) == 0) return out;
    const PassedLines passed = lines_of(report, &ProofReport::passed_over), updates = lines_of(report, &ProofReport::updates),
                      not_compared = lines_of(report, &ProofReport::not_compared);
    if (!passed.empty()) out += "; right " + if_passed_over_changes_nothing(passed);
    if (!updates.empty()) out += fmt::format("; updates in {} are not judged", shown(updates));
    if (std::ranges::any_of(report.proofs, &ProofReport::is_read_alone)) out += "; read, not run";
    if (!not_compared.empty()) out += fmt::format("; {} compared with no run", shown(not_compared));
    return out;
}

}  // namespace gradproof::proof
