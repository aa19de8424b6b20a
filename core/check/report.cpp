// Marks, the table and the JSON of a report.
#include "gradproof/core/check/report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gradproof::check {
namespace {

constexpr std::array<std::string_view, kContracts> kNames{"adjoint", "dual value",    "difference", "float error",  "linear",
                                                          "needed",  "unchanged",     "saved",      "second order", "errors",
                                                          "layout",  "deterministic", "mutation"};

std::string paint(const std::string& text, char mark, bool colour) {
    if (!colour) return text;
    const char* code = mark == '+' ? "32" : mark == 'X' ? "1;31" : mark == '?' ? "33" : "2";
    return fmt::format("\033[{}m{}\033[0m", code, text);
}

std::string count(std::int64_t n, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::string describe(const ContractResult& f) {
    std::string out = fmt::format("{} {}, sample \"{}\"", number(f.contract), name(f.contract), f.sample);
    if (f.excused) return out + ": excused: " + f.reason;
    if (f.verdict == Verdict::right)
        return out +
               fmt::format(": holds, error {:.1e} of {:.0e} allowed, {}", f.error, f.bound, count(f.entries, "entry", "entries"));
    out += fmt::format(": {}: {}", name(f.verdict), f.reason);
    if (f.worst) out += "\n      worst entry " + f.worst->text();
    for (const Census& c : f.census)
        if (c.off > 0) out += "\n      " + c.text();
    for (const Diagnosis& d : f.diagnoses)
        out += fmt::format("\n      why: {}: {}{}", d.tensor, d.text, d.repair.empty() ? "" : "; " + d.repair);
    return out;
}

}  // namespace

std::string_view name(Verdict v) { return v == Verdict::right ? "right" : v == Verdict::wrong ? "wrong" : "cannot tell"; }
std::string_view name(Contract c) { return kNames[static_cast<std::size_t>(c)]; }

std::string Worst::text() const {
    std::string out = fmt::format("{}{}: claimed {:.10g}, true {:.10g}", tensor, index.str(), claimed, truth);
    if (std::isfinite(ratio())) out += fmt::format(", ratio {:.6g}", ratio());
    return out + fmt::format(", error {:.1e}", error);
}

std::string Census::text() const {
    std::string out = fmt::format("{}: {} of {} off", tensor, off, count(compared, "entry", "entries"));
    if (skipped > 0) out += fmt::format(", {} not compared", skipped);
    if (off > 0 && std::isfinite(lowest_ratio) && std::isfinite(highest_ratio)) {
        if (highest_ratio - lowest_ratio <= 1e-6 * std::abs(highest_ratio))
            out += fmt::format(", all by the ratio {:.6g}", highest_ratio);
        else
            out += fmt::format(", ratios {:.4g} to {:.4g}", lowest_ratio, highest_ratio);
    }
    return out;
}

int OpReport::caught() const {
    return static_cast<int>(std::count_if(mutants.begin(), mutants.end(), [](const MutantResult& m) { return m.caught; }));
}

Verdict OpReport::verdict() const {
    Verdict worst = Verdict::right;
    for (const ContractResult& f : findings) worst = std::max(worst, f.verdict);
    return worst;
}

char OpReport::mark(Contract c) const {
    Verdict worst = Verdict::right;
    bool checked = false;
    for (const ContractResult& f : findings) {
        if (f.contract != c) continue;
        worst = std::max(worst, f.verdict);
        checked = checked || !f.excused;
    }
    if (!failure.empty() && worst == Verdict::right && !checked) return '?';
    return worst == Verdict::wrong ? 'X' : worst == Verdict::cannot_tell ? '?' : checked ? '+' : '-';
}

std::vector<const ContractResult*> OpReport::of(Contract c) const {
    std::vector<const ContractResult*> out;
    for (const ContractResult& f : findings)
        if (f.contract == c) out.push_back(&f);
    return out;
}

Verdict Report::verdict() const {
    Verdict worst = Verdict::right;
    for (const OpReport& op : ops) worst = std::max(worst, op.verdict());
    return worst;
}

std::string table(const Report& report, const TableStyle& style) {
    std::size_t width = 18;
    for (const OpReport& op : report.ops) width = std::max(width, op.op.size() + 1);
    std::string out = fmt::format("{:<{}}", "op", width);
    for (int c = 1; c <= kContracts; ++c) out += fmt::format("{:>3}", c);
    out += fmt::format("{:>9}{:>9}{:>10}{:>10}{:>11}{:>8}\n", "samples", "entries", "adjoint", "differ.", "mutants", "ms");
    for (const OpReport& op : report.ops) {
        out += fmt::format("{:<{}}", op.op, width);
        for (int c = 0; c < kContracts; ++c) {
            const char mark = op.mark(static_cast<Contract>(c));
            out += "  " + paint(std::string(1, mark), mark, style.colour);
        }
        out += fmt::format("{:>9}{:>9}{:>10.1e}{:>10.1e}{:>11}{:>8.1f}\n", op.samples, op.entries, op.adjoint_error,
                           op.difference_error, fmt::format("{}/{}", op.caught(), op.planted()), op.ms);
    }
    out += "\n";
    for (int c = 0; c < kContracts; ++c)
        out += fmt::format("{:>2} {:<16}{}", c + 1, kNames[static_cast<std::size_t>(c)],
                           c % 5 == 4 || c + 1 == kContracts ? "\n" : "");
    out += "+ holds   X broken   ? cannot tell   - excused\n\n";

    for (const OpReport& op : report.ops)
        for (const ContractResult& f : op.findings)
            if (style.verbose || f.verdict != Verdict::right) {
                const char mark = f.verdict == Verdict::wrong         ? 'X'
                                  : f.verdict == Verdict::cannot_tell ? '?'
                                  : f.excused                         ? '-'
                                                                      : '+';
                out += fmt::format("  {} {}: {}\n", paint(std::string(1, mark), mark, style.colour), op.op, describe(f));
            }

    int right = 0, wrong = 0, unknown = 0, planted = 0, caught = 0, samples = 0;
    std::int64_t entries = 0;
    double smallest_norm = std::numeric_limits<double>::infinity();
    for (const OpReport& op : report.ops) {
        const Verdict v = op.verdict();
        ++(v == Verdict::right ? right : v == Verdict::wrong ? wrong : unknown);
        planted += op.planted();
        caught += op.caught();
        entries += op.entries;
        samples += op.samples;
        smallest_norm = std::min(smallest_norm, op.gradient_norm);
    }
    const char mark = wrong > 0 ? 'X' : unknown > 0 ? '?' : '+';
    out += paint(fmt::format("{}: {} right, {} wrong, {} cannot tell",
                             count(static_cast<std::int64_t>(report.ops.size()), "op", "ops"), right, wrong, unknown),
                 mark, style.colour);
    out += fmt::format("; {} in {:.1f} s, seed {}\n", count(samples, "sample", "samples"), report.seconds, report.seed);
    out += fmt::format(
        "not vacuous: {} gradient entries compared, cotangents random, smallest gradient norm of an op {:.2g}, {}/{} planted "
        "bugs caught\n",
        entries, report.ops.empty() ? 0.0 : smallest_norm, caught, planted);
    return out;
}

std::string json(const Report& report) {
    using nlohmann::json;
    const auto real = [](double v) { return std::isfinite(v) ? json(v) : json(fmt::format("{}", v)); };
    json ops = json::array();
    for (const OpReport& op : report.ops) {
        json contracts = json::array();
        for (int c = 0; c < kContracts; ++c) {
            const auto contract = static_cast<Contract>(c);
            json findings = json::array();
            for (const ContractResult* f : op.of(contract)) {
                json entry{{"sample", f->sample},   {"verdict", name(f->verdict)}, {"excused", f->excused},
                           {"entries", f->entries}, {"error", real(f->error)},     {"bound", real(f->bound)}};
                if (!f->reason.empty()) entry["reason"] = f->reason;
                if (f->worst)
                    entry["worst"] = {{"tensor", f->worst->tensor},
                                      {"index", std::vector<Index>(f->worst->index.begin(), f->worst->index.end())},
                                      {"claimed", real(f->worst->claimed)},
                                      {"true", real(f->worst->truth)},
                                      {"ratio", real(f->worst->ratio())},
                                      {"error", real(f->worst->error)}};
                json census = json::array();
                for (const Census& n : f->census)
                    census.push_back({{"tensor", n.tensor},
                                      {"compared", n.compared},
                                      {"off", n.off},
                                      {"skipped", n.skipped},
                                      {"lowest_ratio", real(n.lowest_ratio)},
                                      {"highest_ratio", real(n.highest_ratio)}});
                if (!census.empty()) entry["census"] = std::move(census);
                for (const Diagnosis& d : f->diagnoses) {
                    json why{{"tensor", d.tensor}, {"kind", d.kind}, {"text", d.text}};
                    if (!d.repair.empty()) why["repair"] = d.repair;
                    entry["diagnoses"].push_back(std::move(why));
                }
                findings.push_back(std::move(entry));
            }
            contracts.push_back({{"number", c + 1},
                                 {"name", name(contract)},
                                 {"mark", std::string(1, op.mark(contract))},
                                 {"samples", std::move(findings)}});
        }
        json survivors = json::array();
        for (const MutantResult& m : op.mutants)
            if (!m.caught) survivors.push_back({{"mutant", m.name}, {"sample", m.sample}});
        json entry{{"op", op.op},
                   {"page", op.file},
                   {"verdict", name(op.verdict())},
                   {"samples", op.samples},
                   {"entries", op.entries},
                   {"adjoint_error", real(op.adjoint_error)},
                   {"difference_error", real(op.difference_error)},
                   {"gradient_norm", real(op.gradient_norm)},
                   {"mutants", {{"planted", op.planted()}, {"caught", op.caught()}, {"survivors", std::move(survivors)}}},
                   {"ms", op.ms},
                   {"contracts", std::move(contracts)}};
        if (!op.failure.empty()) entry["failure"] = op.failure;
        ops.push_back(std::move(entry));
    }
    return json{{"schema", 2},
                {"seed", report.seed},
                {"seconds", report.seconds},
                {"verdict", name(report.verdict())},
                {"ops", std::move(ops)}}
               .dump(2, ' ', false, json::error_handler_t::replace) +
           "\n";
}

}  // namespace gradproof::check
