// The calls on which a kernel is compared.
#include "tools/python/src/drawn_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "gradproof/core/check/added_samples.hpp"
#include "gradproof/core/check/kernel_contracts.hpp"
#include "gradproof/core/proof/evaluate/instance.hpp"
#include "tools/python/src/attributes.hpp"

namespace gradproof::python {
namespace {

using check::KernelCall;

bool finite(const Tensor<double>& t) {
    return !t.defined() || std::all_of(t.begin(), t.end(), [](double v) { return std::isfinite(v); });
}

/// How many inputs a call has at least, without those at its end that are absent.
std::size_t given_inputs(const SampleCase& sample) {
    std::size_t n = sample.args.size();
    while (n > 0 && !sample.args[n - 1].present) --n;
    return n;
}

/// Numbers in the inputs and y, above which a call with another size is not asked.
constexpr Index kMostNumbers = 1 << 17;

Index numbers_in(const KernelCall& call) {
    Index out = call.u.size();
    for (const Tensor<double>& x : call.x) out += x.defined() ? x.size() : 0;
    return out;
}

bool is_drawn(const Arg& arg) { return arg.present && !arg.values.defined(); }

/// The sizes above 1 of what is drawn, without those that values which the sample gives depend on.
std::set<Index> sizes_that_may_change(const SampleCase& sample) {
    std::set<Index> out;
    for (const Arg& arg : sample.args)
        if (is_drawn(arg)) out.insert(arg.shape.begin(), arg.shape.end());
    for (const Arg& arg : sample.args)
        if (arg.values.defined())
            for (const Index n : arg.shape) out.erase(n);
    std::erase_if(out, [](Index n) { return n < 2; });
    return out;
}

SampleCase resized(const SampleCase& sample, Index size, Index to) {
    SampleCase out = sample;
    out.name += fmt::format(", {} as {}", size, to);
    for (Arg& arg : out.args)
        if (is_drawn(arg)) std::replace(arg.shape.begin(), arg.shape.end(), size, to);
    return out;
}

/// Whether inputs that are off by a few roundings change the page's results by about as little. It is not so where errors grow from
/// step to step, as in long recurrences, or where a matrix is nearly singular: two right kernels may then differ.
bool is_steady(const OpEntry& op, SampleCase sample, const check::Case& c, std::uint64_t seed) {
    constexpr double kMoved = 0x1p-48, kMost = 8;
    for (std::size_t i = 0; i < sample.args.size(); ++i) {
        if (!is_drawn(sample.args[i])) continue;
        Tensor<double> x = c.subject.x[i].clone();
        for (Index k = 0; k < x.size(); ++k) x[k] *= 1 + (k % 2 == 0 ? kMoved : -kMoved);
        sample.args[i].values = x;
    }
    const check::Case moved = check::begin_case(op, sample, seed);
    const auto is_near = [](const Tensor<double>& a, const Tensor<double>& b) {
        return !a.defined() || check::compare(a, b, check::relative_to_largest(b, kMost * kMoved)).right();
    };
    bool out = is_near(moved.subject.y, c.subject.y);
    for (std::size_t i = 0; i < c.claimed.size(); ++i) out = out && is_near(moved.claimed[i], c.claimed[i]);
    return out;
}

/// A sample that the checker adds, as a call; nothing where the page refuses it or is not finite there, or where it is to be
/// steady and is not.
std::optional<KernelCall> added_call(const OpEntry& op, const SampleCase& sample, std::uint64_t seed, bool steady = false) {
    try {
        const check::Case c = check::begin_case(op, sample, seed);
        if (!finite(c.subject.y) || !std::all_of(c.claimed.begin(), c.claimed.end(), finite)) return std::nullopt;
        if (steady && !is_steady(op, sample, c, seed)) return std::nullopt;
        KernelCall call = check::call_of(c);
        call.is_added = true;
        call.rounding = check::rounding_far_out(c.subject.x, c.subject.y, c.subject.u);
        return call;
    } catch (const std::invalid_argument&) {
        return std::nullopt;
    }
}

/// A draw of the derivation as a call.
KernelCall proof_call(const proof::Proof& p, const std::string& name, const proof::InstanceOptions& options, int number,
                      bool added = false) {
    const proof::Plan plan(p);
    const proof::Instance draw(p, plan, options, number);
    KernelCall call{.name = name, .attrs = named_attributes(), .x = {}, .u = {}};
    for (const std::string& input : inputs_of(p)) call.x.push_back(draw.scope().values.find(input)->second.value());
    const Tensor<double>& y = draw.scope().values.find(draw.last())->second.value();
    call.u = Random(options.seed, static_cast<std::uint64_t>(1000 + number)).normal<double>(y.shape());
    call.is_added = added;
    if (added) call.rounding = check::rounding_far_out(call.x, y, call.u);
    return call;
}

}  // namespace

std::vector<SampleCase> samples_with(const OpEntry& op, const nb::dict& values) {
    std::vector<SampleCase> out;
    const std::string usual = op.default_attrs().text();
    for (SampleCase& sample : op.samples()) {
        if (values.size() > 0 && sample.attrs.text() == usual) set_attributes(sample.attrs = op.default_attrs(), values);
        out.push_back(std::move(sample));
    }
    return out;
}

std::vector<KernelCall> page_calls(const OpEntry& op, const std::vector<SampleCase>& samples, std::size_t inputs,
                                   std::uint64_t seed) {
    std::vector<KernelCall> out;
    std::vector<check::Case> cases;
    for (const SampleCase& sample : samples) try {
            check::Case c = check::begin_case(op, sample, seed);
            out.push_back(check::call_of(c));
            if (given_inputs(sample) <= inputs) cases.push_back(std::move(c));
        } catch (const std::invalid_argument&) {
        }
    for (const SampleCase& sample : check::added_samples(cases))
        if (std::optional<KernelCall> call = added_call(op, sample, seed)) out.push_back(std::move(*call));
    return out;
}

std::vector<KernelCall> resized_calls(const OpEntry& op, const SampleCase& sample, const std::vector<Index>& sizes,
                                      std::uint64_t seed) {
    std::vector<KernelCall> out;
    for (const Index size : sizes_that_may_change(sample))
        for (const Index to : sizes) {
            const SampleCase other = resized(sample, size, to);
            Index numbers = 0;
            for (const Arg& arg : other.args) numbers += arg.present ? arg.shape.size() : 0;
            if (numbers > kMostNumbers) continue;
            if (std::optional<KernelCall> call = added_call(op, other, seed, true)) out.push_back(std::move(*call));
        }
    return out;
}

std::vector<std::string> inputs_of(const proof::Proof& p) {
    std::vector<std::string> out;
    for (const proof::Given& g : p.given)
        if (g.fill != proof::Fill::literal) out.push_back(g.name);
    return out;
}

std::vector<KernelCall> proof_calls(const proof::Proof& p, std::uint64_t seed) {
    constexpr int kDraws = 5;
    std::vector<KernelCall> out;
    for (int i = 0; i < kDraws; ++i) out.push_back(proof_call(p, fmt::format("draw {}", i + 1), {.seed = seed}, i));
    const auto add = [&](const std::string& name, const proof::InstanceOptions& options) {
        try {
            out.push_back(proof_call(p, name, options, kDraws, true));
        } catch (const proof::ProofError&) {  // such a size does not fit
        }
    };
    add("values times 30", {.seed = seed, .spread = 30});
    for (const proof::Dim& dim : p.dims)
        if (!dim.value) add(dim.name + " as 1", {.seed = seed, .sizes = {{dim.name, 1}}});
    return out;
}

std::vector<KernelCall> resized_proof_calls(const proof::Proof& p, const std::vector<Index>& sizes, std::uint64_t seed) {
    std::vector<KernelCall> out;
    for (const proof::Dim& dim : p.dims) {
        if (dim.value) continue;
        for (const Index to : sizes) try {
                KernelCall call =
                    proof_call(p, fmt::format("{} as {}", dim.name, to), {.seed = seed, .sizes = {{dim.name, to}}}, 0, true);
                if (numbers_in(call) <= kMostNumbers && finite(call.u)) out.push_back(std::move(call));
            } catch (const proof::ProofError&) {  // such a size does not fit
            }
    }
    return out;
}

proof::Proof one_proof(const std::string& name, const std::string& text, proof::Unreadable unreadable) {
    std::vector<proof::Proof> proofs = proof::read_proofs(name, text, unreadable);
    std::erase_if(proofs, [](const proof::Proof& p) { return !p.has_forward(); });
    if (proofs.size() != 1) value_error("{}: it holds {} derivations, expected one", printable(name, 80), proofs.size());
    return std::move(proofs.front());
}

KernelCall made_call(const std::string& name, const std::vector<std::optional<AnyArray>>& x, const AnyArray& y, const AnyArray& u,
                     bool added) {
    KernelCall call{.name = name, .attrs = named_attributes(), .x = {}, .u = to_tensor(u)};
    for (const auto& a : x) call.x.push_back(a ? to_tensor(*a) : Tensor<double>());
    call.is_added = added;
    if (added) call.rounding = check::rounding_far_out(call.x, to_tensor(y), call.u);
    return call;
}

}  // namespace gradproof::python
