// Contracts 1 to 3: the claimed gradient against dual numbers and differences, and the two forwards against each other.
#include <cmath>

#include <fmt/format.h>

#include "gradproof/core/check/black_box.hpp"
#include "gradproof/core/check/contract_result.hpp"

namespace gradproof::check {
namespace {

std::string where(const Case& c, Entry e) {
    return c.subject.gradient_name(e.input) + unravel(e.index, c.subject.x[static_cast<std::size_t>(e.input)].shape()).str();
}

double at(const Tensors& x, Entry e) { return x[static_cast<std::size_t>(e.input)][e.index]; }

std::string kink_at(const Case& c, Entry e, const Kink& kink) { return kink_text(where(c, e), kink, at(c.claimed, e)); }

/// Whether `value` agrees with the oracle at an entry it was asked about.
bool agrees(const Truth& truth, Entry e, double value) {
    return std::abs(value - at(truth.value, e)) <= truth.tolerance(e.input).bound(e.index);
}

/// Whether both the claim and dual numbers are 0 but for what rounding leaves at the page: of a gradient that cancels neither
/// they nor differences say more.
bool is_rounding_alone(const Case& c) {
    constexpr double kSmall = 1e-10, kSlack = 4;
    const Subject& s = c.subject;
    if (s.op == nullptr || !(c.dual.norm > 0) || c.dual.norm > kSmall) return false;
    const Against page = against_page(*s.op);
    if (!page.rounding) return false;
    const KernelCall call{.name = s.sample->name, .attrs = s.sample->attrs, .x = s.x, .u = s.u};
    for (int n = 0; n < s.inputs(); ++n)
        for (Index k = 0; s.has(n) && k < s.x[static_cast<std::size_t>(n)].size(); ++k) {
            const double dual = at(c.dual.value, {n, k});
            if (std::isnan(dual)) continue;  // not asked
            if (!(std::max(std::abs(dual), std::abs(at(c.claimed, {n, k}))) <= kSlack * page.rounding(call, {n, k})))
                return false;
        }
    return true;
}
constexpr const char* kRoundingAlone = "vacuous here: the true gradient is 0 for these numbers, but for rounding";

/// Why entries are off where the claim and dual numbers differ.
void explain_adjoint(const Case& c, const std::vector<Entry>& off, ContractResult& f) {
    std::size_t admitted = 0;
    for (const Entry e : off) {
        const double claimed = at(c.claimed, e), dual = at(c.dual.value, e);
        const Kink kink = find_kink(c.subject, e);
        if (kink.is_kink && kink.admits(claimed)) {
            ++admitted;
            if (f.reason.empty()) f.reason = kink_at(c, e, kink);
            continue;
        }
        const double d = c.excuse().finite_differences ? kNaN : at(c.difference.value, e);
        if (!kink.is_kink && std::isfinite(d) && agrees(c.difference, e, claimed) && !agrees(c.difference, e, dual)) {
            f.verdict = std::max(f.verdict, Verdict::cannot_tell);
            f.reason =
                fmt::format("the oracles disagree at {}: dual numbers say {:.10g}, differences say {:.10g}, claimed {:.10g}",
                            where(c, e), dual, d, claimed);
            continue;
        }
        f.verdict = Verdict::wrong;
        f.reason = "the claimed gradient is not the one dual numbers give";
        return;
    }
    // A sample that declares its kinks asks only that the claim lies between the two sides there.
    if (admitted > 0 && !c.excuse().finite_differences) f.verdict = std::max(f.verdict, Verdict::cannot_tell);
}

/// Shortens the step until two differences agree, without a look at the claim: where a derivative jumps beside x the first may be
/// off by more than it says.
void settle(const Case& c, Entry e, Truth& truth) {
    const Subject& s = c.subject;
    const Function forward = forward_of(s);
    const auto i = static_cast<std::size_t>(e.input);
    double first = 0.125, last = at(c.difference.value, e);
    for (int k = 0; k < 3; ++k, first /= 8) {
        const Measured m = measure(forward, s.x, e, s.u, c.difference.rounded, first);
        const double next = weigh(s.u, m.column), moved = std::abs(next - last);
        const double error = m.truncation + rounding_of_difference(c.difference.rounded, m.step);
        truth.value[i][e.index] = next;
        truth.error[i][e.index] = error + moved;
        truth.scale[i][e.index] = at(c.difference.scale, e) + (error + moved - at(c.difference.error, e)) / truth.bound;
        if (moved <= 2 * (error + at(c.difference.error, e))) return;
        last = next;
    }
}

/// Whether dual numbers give what is claimed at an entry; those of a large call were asked about a part of its entries only.
bool dual_agrees(const Case& c, Entry e, double claimed) {
    const double asked = at(c.dual.value, e);
    const double dual = std::isnan(asked) ? weigh(c.subject.u, dual_column(dual_forward_of(c.subject), c.subject.x, e)) : asked;
    return std::abs(claimed - dual) <= c.dual.tolerance(e.input).bound(e.index);
}

/// The adjoint identity along a direction; what rounding the inputs costs is allowed here too.
Adjoint along(const Case& c, const Case::Direction& d, const Tensors& claimed) {
    Adjoint a = adjoint(c.subject.u, d.jv, claimed, d.v);
    double squares = 0;
    for (const auto& v : d.v)
        if (v.defined()) squares += dot(v, v);
    a.scale = std::max(a.scale, c.dual.noise * std::sqrt(squares) / c.dual.bound);
    return a;
}

}  // namespace

ContractResult check_adjoint(const Case& c) {
    ContractResult f = start(Contract::adjoint, c, c.dual.bound);
    if (c.empty()) return excused(f, "no entries");
    if (is_rounding_alone(c)) return excused(std::move(f), kRoundingAlone);
    const std::vector<Entry> off = judge(c.subject, c.claimed, c.dual, f);
    if (!off.empty()) explain_adjoint(c, off, f);
    if (f.verdict != Verdict::right) return f;
    if (f.entries == 0) {
        f.verdict = Verdict::cannot_tell;
        f.reason = "no entry has a finite derivative";
        return f;
    }
    // A claim of 0 was compared with 0. That shows little: over all samples the driver asks for a gradient that is not 0.
    if (!c.excuse().zero_gradient && !(c.dual.norm > 0))
        return excused(std::move(f), "vacuous here: the true gradient is 0 for these numbers");
    for (const Case::Direction& d : c.directions) {
        const Adjoint a = along(c, d, c.claimed);
        const double error = a.error();
        f.error = std::max(f.error, std::isnan(error) ? kInfinity : error);
        if (error <= f.bound || !off.empty()) continue;
        f.verdict = Verdict::wrong;
        f.reason = fmt::format("<u, J v> = {:.10g} but <claimed, v> = {:.10g} along a random direction", a.forward, a.backward);
    }
    return f;
}

bool refused(const Case& c, const Tensors& claimed) {
    ContractResult f;
    if (!judge(c.subject, claimed, c.dual, f).empty()) return true;
    for (const Case::Direction& d : c.directions)
        if (!(along(c, d, claimed).error() <= c.dual.bound)) return true;
    return !c.excuse().finite_differences && !judge(c.subject, claimed, c.difference, f).empty();
}

namespace {

/// How far y moves when every input moves by itself, up or down: |J x|, the number of eps that rounding the inputs costs.
double rounding_reach(const Case& c) {
    Random random = c.random.stream(8);
    double out = 0;
    for (int k = 0; k < 3; ++k) {
        Tensors v;
        for (const auto& x : c.subject.x) {
            v.push_back(x.defined() ? x.clone() : Tensor<double>());
            if (!x.defined()) continue;
            for (double& d : v.back()) d = !std::isfinite(d) ? 0 : random.uniform() < 0.5 ? -d : d;
        }
        out = std::max(out, finite_largest(dual_along(dual_forward_of(c.subject), c.subject.x, v)));
    }
    return out;
}

}  // namespace

ContractResult check_dual_value(const Case& c) {
    // Units of eps times |y| or, where the inputs are large beside what comes of them, |J x|: both taken over the whole tensor.
    ContractResult f = start(Contract::dual_value, c, 32);
    const Subject& s = c.subject;
    const Tensor<double> dual_y = value_of(dual_forward_of(s)(cast_all<Dual<double>>(s.x)));
    if (!(dual_y.shape() == s.y.shape())) {
        f.verdict = Verdict::wrong;
        f.reason = fmt::format("the value over duals is {}, over doubles {}", dual_y.shape(), s.y.shape());
        return f;
    }
    const double top = std::max(finite_largest(s.y), rounding_reach(c));
    f.entries = s.y.size();
    const Comparison values =
        compare(dual_y, s.y, {.relative = f.bound, .scale = kEps * std::max(top, std::numeric_limits<double>::min())},
                NotFinite::compared);
    take_worst(f, "y", values);
    if (!values.right() || values.skipped > 0) {
        f.verdict = Verdict::wrong;
        f.reason = "the forward over duals (claimed) and over doubles (true) differ by more than a few units in the last place";
    }
    for (Index k = 0; values.right() && values.skipped > 0 && k < s.y.size(); ++k)  // the entry that is to blame
        if (std::isnan(s.y[k])) f.worst = Worst{"y", unravel(k, s.y.shape()), dual_y[k], s.y[k], f.error = kInfinity};
    return f;
}

ContractResult check_difference(const Case& c) {
    ContractResult f = start(Contract::difference, c, c.difference.bound);
    if (c.empty()) return excused(f, "no entries");
    if (c.excuse().finite_differences) return excused(f, c.excuse().why);
    if (is_rounding_alone(c)) return excused(std::move(f), kRoundingAlone);
    Truth settled = c.difference;  // with tensors of its own: those of a copy are shared
    for (Tensors* of : {&settled.value, &settled.scale, &settled.error})
        for (Tensor<double>& t : *of)
            if (t.defined()) t = t.clone();
    ContractResult first;
    for (const Entry e : judge(c.subject, c.claimed, c.difference, first)) settle(c, e, settled);
    for (const Entry e : judge(c.subject, c.claimed, settled, f)) {
        const Kink kink = find_kink(c.subject, e);
        const double claimed = at(c.claimed, e), found = at(settled.value, e), error = at(settled.error, e);
        f.verdict = Verdict::cannot_tell;
        if (kink.is_kink && kink.admits(claimed)) {
            f.reason = kink_at(c, e, kink);
        } else if (!kink.is_kink && error >= 0.1 * std::abs(claimed - found)) {
            f.reason = fmt::format("differences do not settle at {}: {:.10g}, give or take {:.1e}, claimed {:.10g}", where(c, e),
                                   found, error, claimed);
        } else if (dual_agrees(c, e, claimed)) {
            f.reason = fmt::format(
                "the oracles disagree at {}: differences say {:.10g}, give or take {:.1e}; dual numbers say what is claimed, "
                "{:.10g}: the forward follows its inputs where dual numbers do not",
                where(c, e), found, error, claimed);
        } else {
            f.verdict = Verdict::wrong;
            f.reason = kink.is_kink ? kink_at(c, e, kink) : "the claimed gradient is not the one differences give";
            return f;
        }
    }
    // A symmetric quotient may agree at a kink by chance: |x| at 0.
    for (int n = 0; n < c.subject.inputs() && f.verdict == Verdict::right; ++n)
        for (Index k = 0; c.subject.has(n) && k < c.subject.x[static_cast<std::size_t>(n)].size(); ++k) {
            if (std::isnan(at(c.difference.value, {n, k}))) continue;
            const Kink kink = find_kink(c.subject, {n, k});
            if (!kink.is_kink) continue;
            f.verdict = Verdict::cannot_tell;
            f.reason = kink_at(c, {n, k}, kink);
        }
    if (f.verdict == Verdict::right && !c.excuse().zero_gradient && c.dual.norm > 0 && c.difference.noise > 1e-3)
        return excused(std::move(f), fmt::format("saturated or ill-conditioned: differences are off by {:.1e} of the gradient",
                                                 c.difference.noise));
    return f;
}

}  // namespace gradproof::check
