// Why a gradient of a kernel is wrong, found as for the backward of an op.
#include "tools/python/src/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "gradproof/core/check/evidence.hpp"

namespace gradproof::python {
namespace {

using check::BlackBox;
using check::Evidence;
using check::KernelCall;

check::BoxPrecision widest(const BlackBox& box) {
    return std::ranges::find(box.types, "double") != box.types.end() ? check::BoxPrecision::f64 : check::BoxPrecision::f32;
}

/// Fourth-order differences of the forward by each entry of an input.
Tensor<double> jacobian(const BlackBox& box, const KernelCall& call, std::size_t input) {
    const Index outputs = call.u.size(), entries = call.x[input].size();
    Tensor<double> out(Shape{outputs, entries});
    for (Index k = 0; k < entries; ++k) {
        const double h = 1e-3 * std::max(1.0, std::abs(call.x[input][k]));
        const auto at = [&](double step) {
            Tensors x = call.x;
            x[input] = x[input].clone();
            x[input][k] += step;
            return box.forward(call, x);
        };
        const Tensor<double> a = at(h), b = at(-h), c = at(2 * h), d = at(-2 * h);
        for (Index i = 0; i < outputs; ++i) out[i * entries + k] = (8 * (a[i] - b[i]) - (c[i] - d[i])) / (12 * h);
    }
    return out;
}

/// The sizes of the arrays, which a factor may be made of.
void add_sizes(const std::string& of, const Tensor<double>& x, std::vector<check::NamedNumber>& out) {
    for (int a = -1; a >= -x.rank(); --a)
        out.push_back({fmt::format("{}.shape[{}]", of, a), static_cast<double>(x.dim(x.rank() + a))});
    out.push_back({of + ".size", static_cast<double>(x.size())});
}

Evidence by_differences(const BlackBox& box, const KernelCall& call, const check::Against& against) {
    constexpr Index kMostWork = 1 << 16;  // numbers, of all forwards
    constexpr double kTolerance = 1e-7;
    Evidence e;
    const check::Outcome own = box.run(call, widest(box));
    e.claimed = own.gradients;
    e.truth = against.of(call).gradients;
    e.x = call.x;
    e.y = own.y;
    e.u = call.u;
    e.tolerance = widest(box) == check::BoxPrecision::f64 ? kTolerance : 1e-4;
    Index entries = 0;
    for (std::size_t i = 0; i < call.x.size(); ++i) {
        e.names.push_back(box.input_name(i));
        if (call.x[i].defined()) add_sizes(e.names.back(), call.x[i], e.constants);
        entries += call.x[i].defined() ? call.x[i].size() : 0;
    }
    add_sizes("y", own.y, e.constants);
    if (entries * call.u.size() > kMostWork || widest(box) != check::BoxPrecision::f64) return e;
    for (std::size_t i = 0; i < call.x.size(); ++i)
        e.jacobian.push_back(call.x[i].defined() && e.truth[i].defined() ? jacobian(box, call, i) : Tensor<double>());
    return e;
}

/// As of the op itself, its claims replaced by those of the kernel.
Evidence by_page(const BlackBox& box, const KernelCall& call, const OpEntry& op) {
    SampleCase sample{.name = call.name, .attrs = call.attrs, .args = {}, .excuse = {}};
    for (const Tensor<double>& x : call.x) sample.args.push_back(x.defined() ? Arg(x) : Arg::absent());
    check::Case c = check::make_case(op, sample, 1);
    c.subject.u = call.u;
    c.claimed = box.run(call, widest(box)).gradients;
    c.claimed.resize(c.subject.x.size());
    c.dual = check::dual_truth(c.subject, Random(1));
    Evidence e = check::evidence_of(c);
    if (widest(box) == check::BoxPrecision::f32) e.tolerance = 1e-4;
    return e;
}

struct Wrong {
    check::ContractResult* finding;
    Evidence evidence;

    /// Whether the finding says that this gradient, of this input, is off.
    bool has(const std::string& gradient, std::size_t input) const {
        const auto is_off = [&](const check::Census& c) { return c.tensor == gradient && c.off > 0; };
        const Tensors& claimed = evidence.claimed;
        return std::ranges::any_of(finding->census, is_off) && input < claimed.size() && claimed[input].defined();
    }
};

/// The first few findings of wrong gradients, with the evidence of their calls.
std::vector<Wrong> wrong_gradients(const BlackBox& box, const std::vector<KernelCall>& calls, const check::Against& against,
                                   const OpEntry* page, check::KernelReport& report) {
    constexpr std::size_t kMost = 4;
    std::vector<Wrong> out;
    for (check::ContractResult& f : report.findings) {
        if (out.size() == kMost) break;
        if (f.contract != check::Contract::kernel_gradient || f.verdict != check::Verdict::wrong || f.census.empty()) continue;
        const auto call = std::ranges::find(calls, f.sample, &KernelCall::name);
        if (call == calls.end() || call->is_added) continue;
        try {
            out.push_back({&f, page != nullptr ? by_page(box, *call, *page) : by_differences(box, *call, against)});
        } catch (const Stopped&) {
            throw;
        } catch (const std::exception&) {  // the finding stands without a reason
        }
    }
    return out;
}

void explain_gradient(const std::string& gradient, std::size_t input, const std::vector<Wrong>& wrong) {
    std::vector<const Evidence*> evidence;
    std::vector<check::ContractResult*> findings;
    for (const Wrong& w : wrong)
        if (w.has(gradient, input)) {
            evidence.push_back(&w.evidence);
            findings.push_back(w.finding);
        }
    if (evidence.empty()) return;
    std::vector<std::optional<check::Diagnosis>> why = check::explain_calls(evidence, static_cast<int>(input));
    for (std::size_t n = 0; n < why.size(); ++n) {
        if (!why[n]) continue;
        why[n]->tensor = gradient;
        std::erase_if(findings[n]->diagnoses, [&](const auto& before) { return before.tensor == gradient; });
        findings[n]->diagnoses.push_back(*std::move(why[n]));
    }
}

}  // namespace

void explain(const BlackBox& box, const std::vector<KernelCall>& calls, const check::Against& against, const OpEntry* page,
             check::KernelReport& report) {
    const std::vector<Wrong> wrong = wrong_gradients(box, calls, against, page, report);
    if (wrong.empty()) return;
    for (std::size_t i = 0; i < wrong.front().evidence.names.size(); ++i)
        explain_gradient("d(" + box.input_name(i) + ")", i, wrong);
}

}  // namespace gradproof::python
