// The contracts of kernels: what a kernel is held to on the samples that it takes, and on calls made from them.
#include "gradproof/core/check/kernel_contracts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/check/added_samples.hpp"
#include "gradproof/core/check/contract_result.hpp"
#include "gradproof/core/kernel.hpp"
#include "gradproof/core/platform/guards.hpp"
#include "gradproof/core/platform/threads.hpp"

namespace gradproof::check {

KernelCall call_of(const Case& c) {
    return {.name = c.sample(),
            .attrs = c.subject.sample->attrs,
            .x = c.subject.x,
            .u = c.subject.u,
            .is_excused = c.excuse().finite_differences};
}

ContractResult check_in_bounds(const OpEntry& op, const BlackBox& box, const KernelCall& call) {
    ContractResult f = finding(Contract::in_bounds, call.name, Verdict::right, {});
    if (box.takes(call, BoxPrecision::f64)) expect_in_bounds<double>(op, call.attrs, call.x, call.u, f);
    if (box.takes(call, BoxPrecision::f32)) expect_in_bounds<float>(op, call.attrs, call.x, call.u, f);
    return f;
}

namespace {

/// A kernel, or an op without a page, on its way through the contracts.
struct KernelCheck {
    const OpEntry& op;
    std::string scope;  ///< of KernelScope
    BlackBox box;
    Against against;
    std::vector<Case> cases{};        ///< of the samples those that it takes; the claims are its own
    std::vector<KernelCall> calls{};  ///< these, and with n = 1 and n = 100 000 in the place of one of their sizes
    KernelReport report{};
};

/// Runs one contract under the kernel; what is thrown meanwhile is a finding too.
template <class Check>
void add(KernelCheck& k, Contract contract, const std::string& sample, Check check) {
    const KernelScope by(k.scope);
    ContractResult f = guarded(contract, fmt::format("{}: {}", k.box.name, sample), check);
    f.sample = sample;
    k.report.findings.push_back(std::move(f));
}

bool takes(const BlackBox& box, const KernelCall& call) {
    return box.takes(call, BoxPrecision::f64) || box.takes(call, BoxPrecision::f32);
}

/// Notes a case that the kernel takes, with the kernel's claims.
void gather(KernelCheck& k, const Case& c) {
    if (!takes(k.box, call_of(c))) return;
    const pool::GuardScope guards;
    Tensors claimed = differentiate(c.subject, clones(c.subject.x), c.subject.u.clone()).gradients(c.subject.x);
    k.cases.emplace_back(c).claimed = std::move(claimed);
    k.calls.push_back(call_of(c));
}

/// Tensors of its own that no sample fills are declared for nothing.
void expect_own_filled(KernelCheck& k, const KernelEntry& kernel) {
    struct Filled final : TapeObserver<double>, SavedVisitor<double> {
        std::vector<std::string> names;
        void tensor(std::string_view name, const Tensor<double>& value) override {
            if (value.defined()) names.emplace_back(name);
        }
        void other(std::string_view, std::size_t) override {}
        void recorded(Tape<double>& tape, int node) override { tape.each_saved(node, *this); }
    } filled;
    if (kernel.f64 == nullptr || k.cases.empty() || first_wrong(k.report.findings) != nullptr) return;
    const KernelScope by(k.scope);
    for (const Case& c : k.cases) differentiate<double>(c.subject, c.subject.x, c.subject.u, {.observer = &filled});
    for (const std::string_view name : kernel.f64->own)
        if (std::find(filled.names.begin(), filled.names.end(), name) == filled.names.end())
            k.report.findings.push_back(
                finding(Contract::saved, "all samples", Verdict::cannot_tell, fmt::format("no sample fills the saved {}", name)));
}

/// The box again, and with other numbers of threads.
ContractResult check_same_bits(const BlackBox& box, const KernelCall& call) {
    ContractResult f = finding(Contract::deterministic, call.name, Verdict::right, {});
    f.bound = 1;
    for (const BoxPrecision p : {BoxPrecision::f64, BoxPrecision::f32}) {
        if (!box.takes(call, p)) continue;
        std::optional<Outcome> first;
        for (const int n : {1, 1, 2, 4, 8}) {
            const ThreadScope scope(n);
            Outcome now = box.run(call, p);
            const auto same = [&](const std::string& part, const Tensor<double>& a, const Tensor<double>& b) {
                expect_same_bits(part, a, b,
                                 fmt::format("{} has other bits {}", part,
                                             n == 1 ? std::string("the second time") : fmt::format("with {} threads", n)),
                                 f);
            };
            for (std::size_t i = 0; first && i < now.saved.size(); ++i)
                same("saved " + now.saved[i].first, now.saved[i].second, first->saved[i].second);
            if (first) same("y", now.y, first->y);
            for (std::size_t i = 0; first && i < now.gradients.size(); ++i)
                same("d(" + box.input_name(i) + ")", now.gradients[i], first->gradients[i]);
            if (!first) first = std::move(now);
        }
    }
    return f;
}

/// As of a page (contracts.cpp).
bool holds_first(KernelCheck& k) {
    const auto holds = [&] { return first_wrong(k.report.findings) == nullptr; };
    for (const KernelCall& call : k.calls)
        add(k, Contract::in_bounds, call.name, [&] { return check_in_bounds(k.op, k.box, call); });
    if (!holds()) return false;
    for (const Case& c : k.cases) add(k, Contract::unchanged, c.sample(), [&] { return check_unchanged(c); });
    if (!holds()) return false;
    for (const Case& c : k.cases) {
        add(k, Contract::needed, c.sample(), [&] { return check_written(c); });
        if (holds()) k.report.findings.pop_back();
    }
    if (!holds()) return false;
    // Some calls of 100 000 elements leave something to several threads.
    for (const KernelCall& call : k.calls)
        add(k, Contract::deterministic, call.name, [&] { return check_same_bits(k.box, call); });
    if (!holds()) return false;
    for (std::size_t i = 0; i < k.cases.size(); ++i)
        add(k, Contract::independent, k.cases[i].sample(),
            [&] { return check_independent(k.cases[i], k.cases[(i + 1) % k.cases.size()]); });
    return holds();
}

/// All contracts, on k.cases and k.calls; values and gradients on `compared`.
void check(KernelCheck& k, const std::vector<KernelCall>& compared, const Options& options) {
    const std::vector<ErrorCase> errors = k.op.error_samples();
    k.report.samples = static_cast<int>(k.cases.size());
    constexpr std::size_t kPartsOfACase = 8, kPartsOfACall = 2;
    expect_parts(
        static_cast<Index>(kPartsOfACase * k.cases.size() + kPartsOfACall * k.calls.size() + compared.size() + errors.size()));
    if (!holds_first(k)) return leave_out_the_rest(k.report.findings, kKernelContracts);
    KernelReport beside = check_kernel(k.box, compared, k.against);
    k.report.against = beside.against;
    for (ContractResult& f : beside.findings) k.report.findings.push_back(std::move(f));
    for (const Case& c : k.cases) {
        if (k.against.is_page)
            add(k, Contract::kernel_special, c.sample(), [&] { return check_special_values(k.box, call_of(c), k.against); });
        add(k, Contract::linear, c.sample(), [&] { return check_linear(c); });
        add(k, Contract::saved, c.sample(), [&] { return check_saved(c); });
        add(k, Contract::layout, c.sample(), [&] { return check_layout(c); });
    }
    for (const ErrorCase& error : errors)
        add(k, Contract::errors, error.name, [&] { return check_errors(k.op, error, options.seed); });
    for (const Case& c : k.cases) add(k, Contract::needed, c.sample(), [&] { return check_needed(c); });
}

}  // namespace

std::vector<KernelReport> check_kernels(const OpEntry& op, const std::vector<Case>& cases, const std::vector<Case>& added,
                                        const Options& options) {
    std::vector<KernelReport> out;
    for (const KernelEntry& kernel : op.kernels) {
        KernelCheck k{op, std::string(kernel.info.name), black_box(op, kernel.info.name), against_page(op)};
        k.report = describe(k.box);
        expect_parts(static_cast<Index>(cases.size()));
        for (const Case& c : cases) {
            add(k, Contract::kernel_value, c.sample(), [&] {
                gather(k, c);
                return ContractResult{};
            });
            if (k.report.findings.back().verdict == Verdict::right) k.report.findings.pop_back();
        }
        if (!k.calls.empty())
            for (KernelCall& made : made_calls(op, k.box, cases)) k.calls.push_back(std::move(made));
        if (k.calls.empty() && k.report.findings.empty())
            k.report.findings.push_back(finding(Contract::kernel_value, "all samples", Verdict::cannot_tell,
                                                "the kernel takes no sample of the page: nothing was compared"));
        std::vector<KernelCall> compared = k.calls;
        for (const Case& c : added)
            if (first_wrong(k.report.findings) == nullptr && takes(k.box, call_of(c))) {
                compared.push_back(call_of(c));
                compared.back().rounding = rounding_far_out(c.subject.x, c.subject.y, c.subject.u);
            }
        check(k, compared, options);
        expect_own_filled(k, kernel);
        out.push_back(std::move(k.report));
    }
    return out;
}

namespace {

/// The calls that are added to those of an op without a page; one that it refuses, or overflows on, is said to be left out.
std::vector<KernelCall> added_calls(KernelCheck& k, const Options& options) {
    std::vector<KernelCall> out;
    const std::vector<SampleCase> samples = added_samples(k.cases);
    const auto leave_out = [&](const std::string& sample, const std::string& why) {
        k.report.findings.push_back(excused(finding(Contract::kernel_gradient, sample, Verdict::right, {}), why));
        k.report.findings.back().added = true;
    };
    for (const SampleCase& sample : samples) try {
            const Case c = begin_case(k.op, sample, options.seed);
            const auto finite = [](const Tensor<double>& t) {
                return !t.defined() || std::all_of(t.begin(), t.end(), [](double v) { return std::isfinite(v); });
            };
            if (!finite(c.subject.y) || !std::all_of(c.claimed.begin(), c.claimed.end(), finite)) {
                leave_out(sample.name, "what it gives there is not finite");
                continue;
            }
            out.push_back(call_of(c));
            out.back().is_added = true;
            out.back().rounding = rounding_far_out(c.subject.x, c.subject.y, c.subject.u);
        } catch (const std::invalid_argument& e) {
            leave_out(sample.name, fmt::format("it is refused: {}", e.what()));
        }
    return out;
}

}  // namespace

void check_without_page(const OpEntry& op, const Options& options, OpReport& report) {
    KernelCheck k{op, "page", black_box(op), {}};
    k.box.name = "no page";
    k.box.kind = "the op";
    k.against = options.against ? *options.against : against_itself(k.box);
    k.report = describe(k.box);
    const std::vector<SampleCase> samples = op.samples();  // which the cases point into
    if (!op.has_table<double>()) {
        k.report.findings.push_back(finding(Contract::kernel_value, "all samples", Verdict::cannot_tell,
                                            "it is for float alone: only what is for double, too, can be checked"));
        return report.kernels.push_back(std::move(k.report));
    }
    expect_parts(static_cast<Index>(samples.size()));
    for (const SampleCase& sample : samples) {
        add(k, Contract::kernel_value, sample.name, [&] {
            k.cases.push_back(begin_case(op, sample, options.seed));
            k.calls.push_back(call_of(k.cases.back()));
            return ContractResult{};
        });
        if (k.report.findings.back().verdict == Verdict::right) k.report.findings.pop_back();
    }
    std::vector<KernelCall> compared = k.calls;
    if (first_wrong(k.report.findings) == nullptr)
        for (KernelCall& call : added_calls(k, options)) compared.push_back(std::move(call));
    for (KernelCall& made : made_calls(op, k.box, k.cases)) k.calls.push_back(std::move(made));
    check(k, compared, options);
    report.samples = static_cast<int>(samples.size());
    for (const ContractResult& f : k.report.findings)
        if (f.contract == Contract::kernel_gradient) report.entries += f.entries;
    for (const Case& c : k.cases)
        for (const Tensor<double>& g : c.claimed)
            if (g.defined()) report.gradient_norm = std::max(report.gradient_norm, norm(g));
    report.kernels.push_back(std::move(k.report));
}

}  // namespace gradproof::check
