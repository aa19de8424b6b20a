// The driver: every contract on every sample of every op.
#include "gradproof/core/check/contracts.hpp"

#include <chrono>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "gradproof/core/check/added_samples.hpp"
#include "gradproof/core/check/contract_result.hpp"
#include "gradproof/core/check/evidence.hpp"
#include "gradproof/core/check/kernel_contracts.hpp"
#include "gradproof/core/check/mutation.hpp"
#include "gradproof/core/kernel.hpp"
#include "gradproof/core/platform/guards.hpp"
#include "gradproof/core/platform/threads.hpp"

namespace gradproof::check {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

ContractResult judge_adjoint(const Case& c) {
    return guarded(Contract::adjoint, c.sample(), [&] { return check_adjoint(c); });
}
void add_adjoint(const Case& c, ContractResult f, OpReport& report) {
    report.adjoint_error = std::max(report.adjoint_error, f.error);
    report.entries += f.entries;
    report.gradient_norm = std::max(report.gradient_norm, c.dual.norm);
    report.findings.push_back(std::move(f));
}

/// The contracts that speak of one sample, but for 6 and those that come first.
void check_case(const Case& c, OpReport& report) {
    using Check = ContractResult (*)(const Case&);
    constexpr std::pair<Contract, Check> kChecks[] = {
        {Contract::dual_value, check_dual_value},
        {Contract::difference, check_difference},
        {Contract::float_error, check_float_error},
        {Contract::linear, check_linear},
        {Contract::saved, check_saved},
        {Contract::second_order, check_second_order},
        {Contract::layout, check_layout},
    };
    add_adjoint(c, judge_adjoint(c), report);
    for (const auto& [contract, check] : kChecks) {
        ContractResult f = guarded(contract, c.sample(), [&, run = check] { return run(c); });
        if (contract == Contract::difference) report.difference_error = std::max(report.difference_error, f.error);
        report.findings.push_back(std::move(f));
    }
    report.findings.push_back(guarded(Contract::mutation, c.sample(), [&] { return check_mutation(c, report.mutants); }));
}

/// What all samples together must have shown, so that no contract holds because nothing was looked at.
void check_not_vacuous(const std::vector<Case>& cases, OpReport& report) {
    const auto doubt = [&](Contract contract, std::string reason) {
        report.findings.push_back(finding(contract, "all samples", Verdict::cannot_tell, std::move(reason)));
    };
    for (const Contract c : {Contract::adjoint, Contract::difference, Contract::float_error, Contract::second_order})
        if (report.mark(c) == '-') doubt(c, "every sample is excused, or there is none");
    if (report.mutants.empty()) doubt(Contract::mutation, "no sample to plant bugs in");
    if (report.of(Contract::errors).empty()) doubt(Contract::errors, "the page has no error samples");
    std::map<std::string, double> seen;  // the largest true gradient of each input
    for (const Case& c : cases)
        for (int i = 0; i < c.subject.inputs(); ++i) {
            if (!c.subject.has(i)) continue;
            double& top = seen[c.subject.names[static_cast<std::size_t>(i)]];
            for (const double g : c.dual.value[static_cast<std::size_t>(i)])
                if (std::isfinite(g)) top = std::max(top, std::abs(g));
        }
    for (const auto& [name, top] : seen)
        if (!(top > 1e-9)) doubt(Contract::mutation, fmt::format("no sample shows a gradient of {}", name));
}

/// Saved fields that no sample ever fills are declared for nothing.
void check_saved_used(const std::vector<Case>& cases, OpReport& report) {
    struct Used final : SavedVisitor<double>, TapeObserver<double> {
        std::map<std::string, bool> used;
        void tensor(std::string_view name, const Tensor<double>& value) override { used[std::string(name)] |= value.defined(); }
        void other(std::string_view name, std::size_t bytes) override { used[std::string(name)] |= bytes > 0; }
        void recorded(Tape<double>& tape, int node) override { tape.each_saved(node, *this); }
    } used;
    for (const Case& c : cases) differentiate<double>(c.subject, c.subject.x, c.subject.u, {.observer = &used});
    for (const auto& [name, filled] : used.used)
        if (!filled)
            report.findings.push_back(
                finding(Contract::saved, "all samples", Verdict::cannot_tell, fmt::format("no sample fills the saved {}", name)));
}

/// Memory, numbers, determinism and state, in this order, each on all samples. Ends at the first that does not hold, which is all
/// that is then said of the op: whatever else is wrong may come of it. Returns whether all hold.
bool holds_first(const std::vector<Case>& cases, OpReport& report) {
    const auto each = [&](Contract contract, auto check, bool only_if_broken = false) {
        bool holds = true;
        for (std::size_t i = 0; i < cases.size(); ++i) {
            ContractResult f = guarded(contract, cases[i].sample(), [&] { return check(i); });
            holds = holds && f.verdict == Verdict::right;
            if (!only_if_broken || f.verdict != Verdict::right) report.findings.push_back(std::move(f));
        }
        return holds;
    };
    const auto deterministic = [&] {
        std::vector<ContractResult> found;
        const ContractResult ran = guarded(Contract::deterministic, "all samples", [&] {
            found = check_deterministic(cases);
            return ContractResult{};
        });
        if (ran.verdict != Verdict::right) found = {ran};
        for (ContractResult& f : found) report.findings.push_back(std::move(f));
        return report.mark(Contract::deterministic) != 'X';
    };
    return each(Contract::in_bounds, [&](std::size_t i) { return check_in_bounds(cases[i]); }) &&
           each(Contract::unchanged, [&](std::size_t i) { return check_unchanged(cases[i]); }) &&
           each(
               Contract::needed, [&](std::size_t i) { return check_written(cases[i]); }, true) &&
           each(
               Contract::dual_value, [&](std::size_t i) { return check_finite(cases[i]); }, true) &&
           deterministic() &&
           each(Contract::independent, [&](std::size_t i) { return check_independent(cases[i], cases[(i + 1) % cases.size()]); });
}

/// Judges contract 1 alone where a claimed gradient is wrong for not being finite. Returns whether there is none.
bool gradients_are_numbers(const std::vector<Case>& cases, OpReport& report) {
    const auto lost = [](const Tensor<double>& claimed, const Tensor<double>& truth) {
        bool out = false;
        for (Index k = 0; claimed.defined() && k < claimed.size(); ++k)
            out = out || (!std::isfinite(claimed[k]) && std::isfinite(truth[k]));
        return out;
    };
    bool none = true;
    for (const Case& c : cases) {
        bool here = false;
        for (std::size_t i = 0; i < c.claimed.size(); ++i) here = here || lost(c.claimed[i], c.dual.value[i]);
        if (!here) continue;
        ContractResult f = judge_adjoint(c);
        if (f.verdict != Verdict::wrong) continue;
        none = false;
        add_adjoint(c, std::move(f), report);
    }
    return none;
}

/// Says of the contracts that were not asked, and of the kernels, that the page breaks one that comes first.
void leave_out_the_rest(const OpEntry& op, OpReport& report) {
    std::vector<Contract> all;
    for (int c = 0; c < kContracts; ++c) all.push_back(static_cast<Contract>(c));
    leave_out_the_rest(report.findings, all);
    const std::string why =
        fmt::format("the page breaks {}: there is nothing to compare with", name(first_wrong(report.findings)->contract));
    for (const KernelEntry& kernel : op.kernels) {
        report.kernels.push_back(describe(black_box(op, kernel.info.name)));
        report.kernels.back().findings.push_back(finding(Contract::kernel_value, "all samples", Verdict::cannot_tell, why));
    }
}

/// Holds the page to what options.against knows.
void check_against(const OpEntry& op, const std::vector<Case>& cases, const std::vector<Case>& added, const Against& known,
                   OpReport& report) {
    std::vector<KernelCall> calls;
    for (const Case& c : cases) calls.push_back(call_of(c));
    for (const Case& c : added) {
        calls.push_back(call_of(c));
        calls.back().is_added = true;
        calls.back().rounding = rounding_far_out(c.subject.x, c.subject.y, c.subject.u);
    }
    report.kernels.push_back(check_kernel(black_box(op), calls, known));
}

bool gradients_hold(const OpReport& report) {
    return report.mark(Contract::adjoint) != 'X' && report.mark(Contract::dual_value) != 'X' &&
           report.mark(Contract::difference) != 'X';
}

OpReport report_on(const OpEntry& op, const Options& options) {
    const auto start = Clock::now();
    const KernelScope pages("page");  // the kernels have contracts of their own
    OpReport report;
    report.op = op.info.name;
    report.file = op.file;
    const std::vector<SampleCase> samples = op.samples();
    const std::vector<ErrorCase> errors = op.error_samples();
    if (!has_page(op)) {
        check_without_page(op, options, report);
        report.ms = ms_since(start);
        return report;
    }
    constexpr std::size_t kPartsOfASample = 17;
    expect_parts(static_cast<Index>(kPartsOfASample * samples.size() + errors.size() + 1));
    std::vector<Case> begun, cases;  // they point into the samples
    cases.reserve(samples.size());
    // Adds one if it comes to be; what an op throws meanwhile is a finding.
    const auto add = [&](std::vector<Case>& to, const std::string& sample, auto make) {
        ContractResult made = guarded(Contract::adjoint, sample, [&] {
            to.push_back(make());
            return ContractResult{};
        });
        if (made.verdict != Verdict::right) report.findings.push_back(std::move(made));
    };
    for (const SampleCase& sample : samples) {
        ++report.samples;
        add(begun, sample.name, [&] { return begin_case(op, sample, options.seed); });
    }
    const bool sound = !(begun.empty() && first_wrong(report.findings) != nullptr) && holds_first(begun, report);
    if (sound)
        for (Case& c : begun)
            add(cases, c.sample(), [&] {
                complete(c);
                return std::move(c);
            });
    if (!sound || !gradients_are_numbers(cases, report)) {
        diagnose(cases, report);
        leave_out_the_rest(op, report);
        report.ms = ms_since(start);
        return report;
    }
    for (const Case& c : cases) check_case(c, report);
    for (const ErrorCase& error : errors)
        report.findings.push_back(guarded(Contract::errors, error.name, [&] { return check_errors(op, error, options.seed); }));
    check_saved_used(cases, report);
    check_not_vacuous(cases, report);
    // Of an op that is wrong on its own samples nothing more is asked.
    const std::vector<SampleCase> more = gradients_hold(report) ? added_samples(cases) : std::vector<SampleCase>{};
    const std::vector<Case> added = check_added(op, more, options.seed, report);
    diagnose(cases, report);  // of values that are alike many mistakes are one: no advice is taken from what was added
    report.kernels = check_kernels(op, cases, added, options);
    if (options.against) check_against(op, cases, added, *options.against, report);
    for (const Case& c : cases) report.findings.push_back(guarded(Contract::needed, c.sample(), [&] { return check_needed(c); }));
    report.ms = ms_since(start);
    return report;
}

}  // namespace

Case begin_case(const OpEntry& op, const SampleCase& sample, std::uint64_t seed) {
    const pool::GuardScope guards;
    Case c;
    c.subject = draw_subject(op, sample, seed);
    c.random = sample_random(seed, op.info.name, sample.name);
    c.claimed = differentiate(c.subject, clones(c.subject.x), c.subject.u.clone()).gradients(c.subject.x);
    return c;
}

void complete(Case& c) {
    c.dual = dual_truth(c.subject, c.random.stream(3));
    if (c.excuse().finite_differences) return;
    c.difference = difference_truth(c.subject, forward_of(c.subject), c.random.stream(4));
    Random random = c.random.stream(2);
    for (int k = 0; k < 2; ++k) {
        Tensors v = normal_like(c.subject.x, random);
        Tensor<double> jv = dual_along(dual_forward_of(c.subject), c.subject.x, v);
        c.directions.push_back({std::move(v), std::move(jv)});
    }
}

ContractResult check_mutation(const Case& c, std::vector<MutantResult>& results) {
    ContractResult f = finding(Contract::mutation, c.sample(), Verdict::right, {});
    const auto excused = [&](std::string_view why) {
        f.excused = true;
        f.reason = why;
        return f;
    };
    if (c.empty()) return excused("no entries");
    if (c.excuse().zero_gradient) {
        if (!(c.dual.norm > 1e-9)) return excused(c.excuse().why);
        f.verdict = Verdict::wrong;
        f.reason = fmt::format("the sample says its gradient is zero, and its norm is {:.3g}", c.dual.norm);
        return f;
    }
    if (c.excuse().finite_differences) return excused(c.excuse().why);
    std::string survivors;
    for (const Mutant& m : mutants(c.subject)) {
        const auto claimed = plant(c.subject, c.claimed, m);
        if (!claimed) continue;
        ++f.entries;
        const bool caught = refused(c, *claimed);
        results.push_back({m.name, c.sample(), caught});
        if (!caught) survivors += (survivors.empty() ? "" : ", ") + m.name;
        if (!caught) ++f.error;
    }
    if (!survivors.empty()) {
        f.verdict = Verdict::wrong;
        f.reason = "planted and not caught: " + survivors;
    }
    return f;
}

OpReport check_op(const OpEntry& op, const Options& options, const Control& control) {
    const ControlScope scope(control, "check_op");
    return check_ops({&op}, options).ops.front();
}

Report check_ops(const std::vector<const OpEntry*>& ops, const Options& options, const Control& control) {
    const ControlScope scope(control, "check_ops");
    const auto start = Clock::now();
    Report report;
    report.seed = options.seed;
    report.ops.resize(ops.size());
    parallel_for(static_cast<Index>(ops.size()), 1, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i)
            report.ops[static_cast<std::size_t>(i)] = report_on(*ops[static_cast<std::size_t>(i)], options);
    });
    checkpoint();  // an op may have swallowed what ended it
    report.seconds = ms_since(start) / 1000;
    return report;
}

Report check_all(const Options& options, const Control& control) {
    const ControlScope scope(control, "check_all");
    std::vector<const OpEntry*> ops;
    for (const auto& e : registry().all()) ops.push_back(e.get());
    return check_ops(ops, options);
}

}  // namespace gradproof::check
