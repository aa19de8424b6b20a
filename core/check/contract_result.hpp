// Functions that the contracts share for making findings. Not for use outside core/check.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <string>

#include <fmt/format.h>

#include "gradproof/core/check/contracts.hpp"
#include "gradproof/core/check/limits.hpp"

namespace gradproof::check {

inline ContractResult start(Contract contract, const Case& c, double bound = 0) {
    ContractResult f;
    f.contract = contract;
    f.sample = c.sample();
    f.bound = bound;
    return f;
}

inline ContractResult excused(ContractResult f, std::string_view why) {
    f.excused = true;
    f.reason = why;
    return f;
}

/// Marks a finding wrong; the first reason given is kept.
inline void fail(ContractResult& f, std::string reason) {
    if (f.verdict == Verdict::wrong) return;
    f.verdict = Verdict::wrong;
    f.reason = std::move(reason);
}

inline ContractResult finding(Contract contract, const std::string& sample, Verdict verdict, std::string reason) {
    ContractResult f;
    f.contract = contract;
    f.sample = sample;
    f.verdict = verdict;
    f.reason = std::move(reason);
    return f;
}

inline std::string threw(const std::exception* e) {
    return e != nullptr ? fmt::format("threw \"{}\"", e->what()) : "threw something that is not an exception";
}

/// Runs one contract; an exception from the op becomes a finding too.
template <class Check>
ContractResult guarded(Contract contract, const std::string& sample, Check check) {
    begin_part(fmt::format("{}: {}", name(contract), sample));
    try {
        return check();
    } catch (const Stopped&) {
        throw;
    } catch (const std::exception& e) {
        return finding(contract, sample, Verdict::wrong, threw(&e));
    } catch (...) {
        return finding(contract, sample, Verdict::wrong, threw(nullptr));
    }
}

/// Null where nothing is wrong.
inline const ContractResult* first_wrong(const std::vector<ContractResult>& findings) {
    const auto at = std::find_if(findings.begin(), findings.end(), [](const auto& f) { return f.verdict == Verdict::wrong; });
    return at != findings.end() ? &*at : nullptr;
}

/// Marks each contract without a finding as not judged, because one that is checked first is broken.
inline void leave_out_the_rest(std::vector<ContractResult>& findings, std::span<const Contract> contracts) {
    const std::string why = fmt::format("not judged, for {} is broken", name(first_wrong(findings)->contract));
    for (const Contract c : contracts)
        if (std::none_of(findings.begin(), findings.end(), [&](const auto& f) { return f.contract == c; }))
            findings.push_back(excused(finding(c, "all samples", Verdict::right, {}), why));
}

/// Takes over the worst entry of a comparison if its error is larger than the finding's.
inline void take_worst(ContractResult& f, const std::string& tensor, const Comparison& c) {
    if (!c.worst || (f.worst && c.error <= f.error)) return;
    f.error = c.error;
    f.worst = c.worst;
    f.worst->tensor = tensor;
}

/// Fails where two tensors do not hold the same bits; the last entry that differs is given.
template <class T>
void expect_same_bits(const std::string& tensor, const Tensor<T>& now, const Tensor<T>& then, const std::string& reason,
                      ContractResult& f) {
    if (same_bits(now, then) || f.verdict == Verdict::wrong) return;
    if (now.defined() && then.defined() && now.shape() == then.shape()) {
        Index k = then.size() - 1;
        while (std::memcmp(now.data() + k, then.data() + k, sizeof(T)) == 0) --k;
        f.worst = Worst{tensor, unravel(k, then.shape()), primal(now[k]), primal(then[k]), kInfinity};
    }
    fail(f, reason);
}
/// The same of a value and its gradients.
template <class T>
void expect_same_bits(const Case& c, const GradientResult<T>& now, const GradientResult<T>& then, const std::string& when,
                      ContractResult& f) {
    expect_same_bits("y", now.y, then.y, "y has other bits " + when, f);
    const std::vector<Tensor<T>> x = cast_all<T>(c.subject.x), a = now.gradients(x), b = then.gradients(x);
    for (std::size_t i = 0; i < a.size(); ++i) {
        const std::string name = c.subject.gradient_name(static_cast<int>(i));
        expect_same_bits(name, a[i], b[i], name + " has other bits " + when, f);
    }
}

/// check(T()) for double and for float, if the op supports them.
template <class Check>
void for_types(const Case& c, Check check) {
    if (c.subject.op->has_table<double>()) check(double());
    if (c.subject.op->has_table<float>()) check(float());
}

/// The largest finite |x| of all, 0 if there is none.
inline double finite_largest(const Tensors& x) {
    double out = 0;
    for (const auto& t : x)
        if (t.defined()) out = std::max(out, finite_largest(t));
    return out;
}

}  // namespace gradproof::check
