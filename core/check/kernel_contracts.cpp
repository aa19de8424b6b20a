// The contracts of kernels: what a kernel is held to on the samples that it takes, and on calls made from them.
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/check/added_samples.hpp"
#include "gradproof/core/check/contract_result.hpp"
#include "gradproof/core/check/kernel_contracts.hpp"
#include "gradproof/core/kernel.hpp"
#include "gradproof/core/platform/guards.hpp"

namespace gradproof::check {
namespace {

/// Runs one contract under the kernel; what is thrown meanwhile is a finding too.
template <class Check>
void add(KernelCheck& k, Contract contract, const std::string& sample, Check check) {
    const KernelScope by(k.kernel->info.name);
    ContractResult f = guarded(contract, fmt::format("{}: {}", k.kernel->info.name, sample), check);
    f.sample = sample;
    k.report.findings.push_back(std::move(f));
}

bool takes_case(const KernelCheck& k, const Case& c) {
    const AnyAttrs& attrs = c.subject.sample->attrs;
    return takes<double>(*k.op, *k.kernel, attrs, c.subject.x) ||
           takes<float>(*k.op, *k.kernel, attrs, cast_all<float>(c.subject.x));
}

KernelCall call_of(const Case& c) { return {c.sample(), c.subject.sample->attrs, c.subject.x, c.subject.u, 0}; }

/// Notes a case that the kernel takes, with the kernel's claims.
void gather(KernelCheck& k, const Case& c) {
    if (!takes_case(k, c)) return;
    const pool::GuardScope guards;
    Tensors claimed = differentiate(c.subject, clones(c.subject.x), c.subject.u.clone()).gradients(c.subject.x);
    k.cases.emplace_back(c).claimed = std::move(claimed);
    k.calls.push_back(call_of(c));
}

/// Tensors of its own that no sample fills are declared for nothing.
void expect_own_filled(KernelCheck& k) {
    struct Filled final : TapeObserver<double>, SavedVisitor<double> {
        std::vector<std::string> names;
        void tensor(std::string_view name, const Tensor<double>& value) override {
            if (value.defined()) names.emplace_back(name);
        }
        void other(std::string_view, std::size_t) override {}
        void recorded(Tape<double>& tape, int node) override { tape.each_saved(node, *this); }
    } filled;
    if (k.kernel->f64 == nullptr) return;
    const KernelScope by(k.kernel->info.name);
    for (const Case& c : k.cases) differentiate<double>(c.subject, c.subject.x, c.subject.u, {.observer = &filled});
    for (const std::string_view name : k.kernel->f64->own)
        if (std::find(filled.names.begin(), filled.names.end(), name) == filled.names.end())
            k.report.findings.push_back(
                finding(Contract::saved, "all samples", Verdict::cannot_tell, fmt::format("no sample fills the saved {}", name)));
}

/// As of a page (contracts.cpp).
bool holds_first(KernelCheck& k) {
    const auto holds = [&] { return first_wrong(k.report.findings) == nullptr; };
    for (const KernelCall& call : k.calls) add(k, Contract::in_bounds, call.name, [&] { return check_in_bounds(k, call); });
    if (!holds()) return false;
    for (const Case& c : k.cases) add(k, Contract::unchanged, c.sample(), [&] { return check_unchanged(c); });
    if (!holds()) return false;
    for (const Case& c : k.cases) {
        add(k, Contract::needed, c.sample(), [&] { return check_written(c); });
        if (holds()) k.report.findings.pop_back();
    }
    if (!holds()) return false;
    // Some calls of 100 000 elements leave something to several threads.
    for (const KernelCall& call : k.calls) add(k, Contract::deterministic, call.name, [&] { return check_same_bits(k, call); });
    if (!holds()) return false;
    for (std::size_t i = 0; i < k.cases.size(); ++i)
        add(k, Contract::independent, k.cases[i].sample(),
            [&] { return check_independent(k.cases[i], k.cases[(i + 1) % k.cases.size()]); });
    return holds();
}

}  // namespace

KernelReport describe(const KernelEntry& kernel) {
    KernelReport out;
    out.kernel = kernel.info.name;
    out.file = kernel.file;
    if (kernel.f32) out.types.emplace_back("float");
    if (kernel.f64) out.types.emplace_back("double");
    if (kernel.has_forward()) out.directions.emplace_back("forward");
    if (kernel.has_backward()) out.directions.emplace_back("backward");
    return out;
}

std::vector<KernelReport> check_kernels(const OpEntry& op, const std::vector<Case>& cases, const std::vector<Case>& added,
                                        const Options& options) {
    std::vector<KernelReport> out;
    const std::vector<ErrorCase> errors = op.error_samples();
    for (const KernelEntry& kernel : op.kernels) {
        KernelCheck k;
        k.op = &op;
        k.kernel = &kernel;
        k.report = describe(kernel);
        expect_parts(static_cast<Index>(cases.size() + errors.size()));
        for (const Case& c : cases) {
            add(k, Contract::kernel_value, c.sample(), [&] {
                gather(k, c);
                return ContractResult{};
            });
            if (k.report.findings.back().verdict == Verdict::right) k.report.findings.pop_back();
        }
        k.report.samples = static_cast<int>(k.calls.size());
        if (!k.calls.empty())
            for (KernelCall& made : made_calls(op, kernel, cases)) k.calls.push_back(std::move(made));
        if (k.calls.empty() && k.report.findings.empty())
            k.report.findings.push_back(finding(Contract::kernel_value, "all samples", Verdict::cannot_tell,
                                                "the kernel takes no sample of the page: nothing was compared"));
        constexpr std::size_t kPartsOfACase = 8, kPartsOfACall = 3;
        expect_parts(static_cast<Index>(kPartsOfACase * k.cases.size() + kPartsOfACall * k.calls.size()));
        if (!holds_first(k)) {
            leave_out_the_rest(k.report.findings, kKernelContracts);
            out.push_back(std::move(k.report));
            continue;
        }
        std::vector<KernelCall> beside_page = k.calls;
        for (const Case& c : added)
            if (takes_case(k, c)) {
                beside_page.push_back(call_of(c));
                beside_page.back().rounding = rounding_far_out(c.subject.x, c.subject.y, c.subject.u);
            }
        for (const KernelCall& call : beside_page) {
            std::vector<ContractResult> compared;
            add(k, Contract::kernel_value, call.name, [&] {
                compared = compare_with_page(k, call);
                return compared[0];
            });
            for (std::size_t i = 1; i < compared.size(); ++i) k.report.findings.push_back(compared[i]);
        }
        for (std::size_t i = 0; i < k.cases.size(); ++i) {
            const Case& c = k.cases[i];
            add(k, Contract::kernel_special, c.sample(), [&] { return check_special_values(k, k.calls[i]); });
            add(k, Contract::linear, c.sample(), [&] { return check_linear(c); });
            add(k, Contract::saved, c.sample(), [&] { return check_saved(c); });
            add(k, Contract::layout, c.sample(), [&] { return check_layout(c); });
        }
        if (!k.cases.empty()) expect_own_filled(k);
        for (const ErrorCase& error : errors)
            add(k, Contract::errors, error.name, [&] { return check_errors(op, error, options.seed); });
        for (const Case& c : k.cases) add(k, Contract::needed, c.sample(), [&] { return check_needed(c); });
        out.push_back(std::move(k.report));
    }
    return out;
}

}  // namespace gradproof::check
