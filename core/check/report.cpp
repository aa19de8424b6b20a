// Marks and the table of a report.
#include "gradproof/core/check/report.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

namespace gradproof::check {
namespace {

/// What errors are measured in is "" where bits are compared.
struct ContractText {
    std::string_view name, meaning, unit;
};
constexpr std::array<ContractText, kContracts + 3> kTexts{{
    {"adjoint", "<u, J v> = <Jᵀ u, v>, where J v comes from dual numbers", "relative"},
    {"dual value", "the forward gives numbers, and over dual numbers the same as over doubles", "eps"},
    {"difference", "the gradient agrees with fourth-order differences of the forward", "relative"},
    {"float error", "float agrees with double", "float roundings"},
    {"linear", "the backward is linear in dy, gives 0 for dy = 0, and adds to what is there", "relative"},
    {"needed", "gradients nobody asked for are not computed; those asked for are written in every entry", "relative"},
    {"unchanged", "the backward does not write to inputs, dy or saved tensors", ""},
    {"saved", "the saved tensors are those that OpInfo::saves names", ""},
    {"second order", "the Hessian is symmetric, and is the derivative of the gradient", "relative"},
    {"errors", "every call of error_samples() throws its message before any work", ""},
    {"layout", "strided copies, reshaped views and shared tensors give the same bits", ""},
    {"deterministic", "the same bits twice, and with 1, 2, 4 and 8 threads", ""},
    {"mutation", "bugs planted in the gradient are caught", ""},
    {"independent", "two calls recorded before either goes back, in either order, give what each gives alone", ""},
    {"in bounds", "nothing is written or read before or behind a tensor, forward or backward", ""},
    {"value", "the kernel's y is the page's", "tolerances"},
    {"gradient", "every gradient of the kernel is the page's", "tolerances"},
    {"special values", "NaN and infinities stand where the page has them, all else is the page's", "tolerances"},
}};
static_assert(!kTexts.back().name.empty(), "a contract has no text");
std::string_view unit(Contract c) { return kTexts[static_cast<std::size_t>(c)].unit; }

std::string paint(const std::string& text, char mark, bool colour) {
    if (!colour) return text;
    const char* code = mark == '+' ? "32" : mark == 'X' ? "1;31" : mark == '?' ? "33" : "2";
    return fmt::format("\033[{}m{}\033[0m", code, text);
}

std::string count(std::int64_t n, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::string describe(const ContractResult& f) {
    std::string out = fmt::format("{}, sample \"{}\"", name(f.contract), f.sample);
    if (f.excused) return out + ": excused: " + f.reason;
    if (f.verdict == Verdict::right) {
        out += ": holds";
        if (!unit(f.contract).empty())
            out += fmt::format(", error {:.1e} {}, at most {:.0e}", f.error, unit(f.contract), f.bound);
        return f.entries > 0 ? out + ", " + count(f.entries, "entry", "entries") : out;
    }
    out += fmt::format(": {}: {}", name(f.verdict), f.reason);
    if (const Worst* worst = f.blamed()) out += "\n      worst entry " + worst->text();
    for (const Census& c : f.census)
        if (c.off > 0) out += "\n      " + c.text();
    for (const Diagnosis& d : f.diagnoses)
        out += fmt::format("\n      why: {}: {}{}", d.tensor, d.text, d.repair.empty() ? "" : "; " + d.repair);
    return out;
}

/// A finding, and the samples on which the same is found.
struct Folded {
    const ContractResult* first;
    std::vector<std::string> others;
    std::string text() const {
        constexpr std::size_t kMost = 4;
        if (others.empty()) return describe(*first);
        std::string names;
        for (std::size_t i = 0; i < std::min(others.size(), kMost); ++i)
            names += fmt::format("{}\"{}\"", i > 0 ? ", " : "", others[i]);
        return describe(*first) + fmt::format("\n      the same on {}: {}{}",
                                              count(static_cast<std::int64_t>(others.size()), "other sample", "other samples"),
                                              names, others.size() > kMost ? ", ..." : "");
    }
};

/// A reason without its numbers, which differ from sample to sample.
std::string without_numbers(const std::string& reason) {
    std::string out;
    const auto is_digit = [&](std::size_t i) {
        return i < reason.size() && std::isdigit(static_cast<unsigned char>(reason[i])) != 0;
    };
    for (std::size_t i = 0; i < reason.size(); ++i) {
        const bool inside =
            out.ends_with('#') && is_digit(i + 1) && std::string_view(".e+-").find(reason[i]) != std::string::npos;
        const bool sign = reason[i] == '-' && out.ends_with(' ') && is_digit(i + 1);
        if (!is_digit(i) && !inside && !sign && !(reason[i] == 'e' && out.ends_with('#')))
            out += reason[i];
        else if (!out.ends_with('#'))
            out += '#';
    }
    return out;
}

/// What is not right, or all of it, in its order; of what is found alike on several samples once where `fold` says so.
std::vector<Folded> folded(const std::vector<ContractResult>& findings, bool fold) {
    const auto alike = [](const ContractResult& a, const ContractResult& b) {
        return a.contract == b.contract && a.verdict == b.verdict && without_numbers(a.reason) == without_numbers(b.reason) &&
               std::equal(a.diagnoses.begin(), a.diagnoses.end(), b.diagnoses.begin(), b.diagnoses.end(),
                          [](const Diagnosis& x, const Diagnosis& y) {
                              const bool same = x.repair.empty() ? x.text == y.text : x.repair == y.repair;
                              return same && x.mistake == y.mistake && x.tensor == y.tensor;
                          });
    };
    std::vector<Folded> out;
    for (const ContractResult& f : findings) {
        if (fold && f.verdict == Verdict::right) continue;
        const auto same = std::find_if(out.begin(), out.end(), [&](const Folded& o) { return fold && alike(*o.first, f); });
        if (same == out.end())
            out.push_back({&f, {}});
        else
            same->others.push_back(f.sample);
    }
    return out;
}

char mark_of(const ContractResult& f) {
    return f.verdict == Verdict::wrong ? 'X' : f.verdict == Verdict::cannot_tell ? '?' : f.excused ? '-' : '+';
}
char mark_of(const std::vector<ContractResult>& findings, Contract c) {
    Verdict worst = Verdict::right;
    bool checked = false;
    for (const ContractResult& f : findings) {
        if (f.contract != c) continue;
        worst = std::max(worst, f.verdict);
        checked = checked || !f.excused;
    }
    return worst == Verdict::wrong ? 'X' : worst == Verdict::cannot_tell ? '?' : checked ? '+' : '-';
}
Verdict worst_of(const std::vector<ContractResult>& findings) {
    Verdict worst = Verdict::right;
    for (const ContractResult& f : findings) worst = std::max(worst, f.verdict);
    return worst;
}

}  // namespace

std::string_view name(Verdict v) { return v == Verdict::right ? "right" : v == Verdict::wrong ? "wrong" : "cannot tell"; }
std::string_view name(Contract c) { return kTexts[static_cast<std::size_t>(c)].name; }
std::string contracts_text() {
    std::string out = "Ops:\n";
    for (int c = 0; c < kContracts; ++c)
        out += fmt::format("  {:>2} {:<15} {}\n", c + 1, kTexts[static_cast<std::size_t>(c)].name,
                           kTexts[static_cast<std::size_t>(c)].meaning);
    out += "Kernels:\n";
    char letter = 'a';
    for (const Contract c : kKernelContracts)
        out += fmt::format("   {} {:<15} {}\n", letter++, name(c), kTexts[static_cast<std::size_t>(c)].meaning);
    return out;
}

Census census_of(std::string tensor, const Comparison& c) {
    Census out{std::move(tensor), c.compared(), static_cast<std::int64_t>(c.off_at.size()), c.skipped};
    const OffCensus& off = c.off;
    out.lowest_ratio = off.zero > 0 ? std::min(off.lowest_ratio, 0.0) : off.lowest_ratio;
    out.highest_ratio = off.from_zero + off.not_finite > 0 ? std::numeric_limits<double>::infinity()
                        : off.zero > 0                     ? std::max(off.highest_ratio, 0.0)
                                                           : off.highest_ratio;
    return out;
}

std::string Census::text() const {
    std::string out = fmt::format("{}: {} of {} off", tensor, off, count(compared, "entry", "entries"));
    if (skipped > 0) out += fmt::format(", {} not compared", skipped);
    if (off > 0 && std::isfinite(lowest_ratio) && std::isfinite(highest_ratio)) {
        if (highest_ratio - lowest_ratio <= 1e-6 * std::abs(highest_ratio))
            out += ", all by the ratio " + ratio_text(highest_ratio);
        else
            out += fmt::format(", ratios {:.4g} to {:.4g}", lowest_ratio, highest_ratio);
    }
    return out;
}

const Worst* ContractResult::blamed() const {
    const bool all_agree =
        !census.empty() && std::all_of(census.begin(), census.end(), [](const Census& c) { return c.off == 0; });
    return worst && (verdict == Verdict::right || !all_agree) ? &*worst : nullptr;
}

int OpReport::caught() const {
    return static_cast<int>(std::count_if(mutants.begin(), mutants.end(), [](const MutantResult& m) { return m.caught; }));
}

Verdict OpReport::verdict() const {
    Verdict worst = worst_of(findings);
    for (const KernelReport& k : kernels) worst = std::max(worst, k.verdict());
    return worst;
}

char OpReport::mark(Contract c) const {
    const char mark = mark_of(findings, c);
    return mark == '-' && !failure.empty() ? '?' : mark;
}

Verdict KernelReport::verdict() const { return worst_of(findings); }
char KernelReport::mark(Contract c) const { return mark_of(findings, c); }

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

namespace {

/// One line a kernel: the contracts are columns of letters.
std::string kernel_table(const Report& report, const TableStyle& style) {
    std::size_t width = 0;
    for (const OpReport& op : report.ops)
        for (const KernelReport& k : op.kernels) width = std::max(width, op.op.size() + k.kernel.size() + 3);
    if (width == 0) return {};
    std::string out = fmt::format("{:<{}}", "kernel", width = std::max<std::size_t>(width, 18));
    for (std::size_t c = 0; c < kKernelContracts.size(); ++c) out += fmt::format("{:>3}", static_cast<char>('a' + c));
    out += fmt::format("{:>9}  {}\n", "samples", "of");
    for (const OpReport& op : report.ops)
        for (const KernelReport& k : op.kernels) {
            out += fmt::format("{:<{}}", op.op + ": " + k.kernel, width);
            for (const Contract c : kKernelContracts) out += "  " + paint(std::string(1, k.mark(c)), k.mark(c), style.colour);
            out += fmt::format("{:>9}  {}; {}{}\n", k.samples, fmt::join(k.types, " "), fmt::join(k.directions, " "),
                               k.against.empty() ? "" : "; against " + k.against);
        }
    out += "\n";
    for (std::size_t c = 0; c < kKernelContracts.size(); ++c)
        out += fmt::format(" {} {:<16}{}", static_cast<char>('a' + c), name(kKernelContracts[c]),
                           c % 5 == 4 || c + 1 == kKernelContracts.size() ? "\n" : "");
    return out + "\n";
}

/// How many of them came out as what.
struct Count {
    int all = 0, right = 0, wrong = 0, unknown = 0;
    void add(Verdict v) {
        ++all;
        ++(v == Verdict::right ? right : v == Verdict::wrong ? wrong : unknown);
    }
    std::string text(std::string_view one, std::string_view many) const {
        return fmt::format("{}: {} right, {} wrong, {} cannot tell", count(all, one, many), right, wrong, unknown);
    }
};

/// What came of the samples that were added to an op's own: how many were judged, and why others were not.
struct Added {
    int judged = 0, refused = 0;
    std::string why;
    explicit Added(const OpReport& op) {
        for (const ContractResult& f : op.findings) {
            if (!f.added || f.contract != Contract::adjoint) continue;
            const bool asked = !f.excused || f.entries > 0;
            ++(asked ? judged : refused);
            if (!asked) why += fmt::format("{}\"{}\": {}", why.empty() ? "" : "; ", f.sample, f.reason);
        }
    }
};

}  // namespace

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
        out += fmt::format("{:>2} {:<16}{}", c + 1, kTexts[static_cast<std::size_t>(c)].name,
                           c % 5 == 4 || c + 1 == kContracts ? "\n" : "");
    out += "+ holds   X broken   ? cannot tell   - excused or not judged\n\n";
    out += kernel_table(report, style);

    const auto tell = [&](const Folded& f, const std::string& who) {
        const char mark = mark_of(*f.first);
        out += fmt::format("  {} {}{}\n", paint(std::string(1, mark), mark, style.colour), who, f.text());
    };
    int judged = 0, refused = 0;
    for (const OpReport& op : report.ops) {
        for (const Folded& f : folded(op.findings, !style.verbose))
            tell(f, fmt::format("{}: {} ", op.op, number(f.first->contract)));
        const Added more(op);
        judged += more.judged;
        refused += more.refused;
        if (more.refused > 0) out += fmt::format("  {} {}: not judged: {}\n", paint("-", '-', style.colour), op.op, more.why);
        for (const KernelReport& k : op.kernels)
            for (const Folded& f : folded(k.findings, !style.verbose)) tell(f, fmt::format("{}: kernel {}: ", op.op, k.kernel));
    }

    Count ops, kernels;
    int planted = 0, caught = 0, samples = 0;
    std::int64_t entries = 0;
    double smallest_norm = std::numeric_limits<double>::infinity();
    for (const OpReport& op : report.ops) {
        ops.add(op.verdict());
        for (const KernelReport& k : op.kernels) kernels.add(k.verdict());
        planted += op.planted();
        caught += op.caught();
        entries += op.entries;
        samples += op.samples;
        if (op.entries > 0) smallest_norm = std::min(smallest_norm, op.gradient_norm);
    }
    const char mark = ops.wrong > 0 ? 'X' : ops.unknown > 0 ? '?' : '+';
    out += paint(ops.text("op", "ops") + (kernels.all > 0 ? "; " + kernels.text("kernel", "kernels") : ""), mark, style.colour);
    out += fmt::format("; {} in {:.1f} s, seed {}\n", count(samples, "sample", "samples"), report.seconds, report.seed);
    if (entries == 0) return out + "nothing compared: no gradient was judged\n";
    out += fmt::format(
        "{} gradient entries compared, random incoming gradients, smallest gradient norm of an op {:.2g}, {}/{} planted bugs "
        "caught\n",
        entries, smallest_norm, caught, planted);
    if (judged + refused > 0)
        out += fmt::format(
            "added by the checker (values times 30, 1e3, 1e4 and 1e5, plus 1e4, zeros, some zeros, ties, one value): {} "
            "judged, {} not\n",
            count(judged, "sample", "samples"), refused);
    return out;
}

}  // namespace gradproof::check
