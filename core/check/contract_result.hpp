// What the contracts share in writing a finding. Not for use outside core/check.
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "gradproof/core/check/contracts.hpp"

namespace gradproof::check {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

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

/// Marks a finding wrong; the first reason stands.
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

/// Runs one contract; what the op throws meanwhile is a finding too.
template <class Check>
ContractResult guarded(const Options& options, Contract contract, const std::string& sample, Check check) {
    if (options.progress) options.progress(contract, sample);
    try {
        return check();
    } catch (const std::exception& e) {
        return finding(contract, sample, Verdict::wrong, threw(&e));
    } catch (...) {
        return finding(contract, sample, Verdict::wrong, threw(nullptr));
    }
}

/// The largest finite |x|, 0 if there is none.
inline double finite_largest(const Tensor<double>& x) {
    double out = 0;
    for (const double v : x)
        if (std::isfinite(v)) out = std::max(out, std::abs(v));
    return out;
}
inline double finite_largest(const Tensors& x) {
    double out = 0;
    for (const auto& t : x)
        if (t.defined()) out = std::max(out, finite_largest(t));
    return out;
}

}  // namespace gradproof::check
