// Contracts 1 to 3: the claimed gradient against dual numbers and differences, and the two forwards against each other.
#include <cmath>

#include <fmt/format.h>

#include "core/check/contracts.hpp"

namespace gradproof::check {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Finding start(Contract contract, const Case& c, double bound) {
    Finding f;
    f.contract = contract;
    f.sample = c.sample();
    f.bound = bound;
    return f;
}

Finding excused(Finding f, std::string_view why) {
    f.excused = true;
    f.reason = why;
    return f;
}

Finding fill(Finding f, Judgement j) {
    f.error = j.error;
    f.entries = j.compared;
    f.worst = std::move(j.worst);
    f.census = std::move(j.census);
    return f;
}

std::string where(const Case& c, const Off& off) {
    const auto i = static_cast<std::size_t>(off.entry.input);
    return c.subject.gradient_name(off.entry.input) + unravel(off.entry.index, c.subject.x[i].shape()).str();
}

double at(const Tensors& x, Entry e) { return x[static_cast<std::size_t>(e.input)][e.index]; }

/// Whether `value` agrees with the oracle at an entry it was asked about.
bool agrees(const Truth& truth, Entry e, double value) {
    const double t = at(truth.value, e);
    return std::abs(value - t) <= truth.bound * at(truth.scale, e);
}

/// Why entries are off where the claim and dual numbers differ.
void explain_adjoint(const Case& c, const std::vector<Off>& off, Finding& f) {
    std::size_t admitted = 0;
    for (const Off& o : off) {
        const Kink kink = find_kink(c.subject, o.entry);
        if (kink.is_kink && kink.admits(o.claimed)) {
            ++admitted;
            if (f.reason.empty())
                f.reason = fmt::format("kink at {}: the derivative is {:.6g} from the left, {:.6g} from the right; claimed {:.6g}", where(c, o),
                                       kink.left, kink.right, o.claimed);
            continue;
        }
        const double d = c.excuse().finite_differences ? kNaN : at(c.difference.value, o.entry);
        if (!kink.is_kink && std::isfinite(d) && agrees(c.difference, o.entry, o.claimed) && !agrees(c.difference, o.entry, o.truth)) {
            f.verdict = std::max(f.verdict, Verdict::cannot_tell);
            f.reason = fmt::format("the oracles disagree at {}: dual numbers say {:.10g}, differences say {:.10g}, claimed {:.10g}", where(c, o), o.truth, d,
                                   o.claimed);
            continue;
        }
        f.verdict = Verdict::wrong;
        f.reason = "the claimed gradient is not the one dual numbers give";
        return;
    }
    // A sample that declares its kinks asks only that the claim lies between the two sides there.
    if (admitted > 0 && !c.excuse().finite_differences) f.verdict = std::max(f.verdict, Verdict::cannot_tell);
}

}  // namespace

Finding check_adjoint(const Case& c) {
    Finding f = start(Contract::adjoint, c, c.dual.bound);
    if (c.empty()) return excused(f, "no entries");
    Judgement j = judge(c.subject, c.claimed, c.dual);
    const std::vector<Off> off = j.off;
    f = fill(std::move(f), std::move(j));
    if (!off.empty()) explain_adjoint(c, off, f);
    if (f.verdict != Verdict::right) return f;
    if (f.entries == 0) {
        f.verdict = Verdict::cannot_tell;
        f.reason = "no entry has a finite derivative";
        return f;
    }
    // A claim of 0 was compared with 0. That shows little: over all samples the driver asks for a gradient that is not 0.
    if (!c.excuse().zero_gradient && !(c.dual.norm > 0)) return excused(std::move(f), "vacuous here: the true gradient is 0 for these numbers");
    for (const Case::Direction& d : c.directions) {
        const Adjoint a = adjoint(c.subject.u, d.jv, c.claimed, d.v);
        const double error = a.error();
        f.error = std::max(f.error, std::isnan(error) ? kInfinity : error);
        if (error <= f.bound || !off.empty()) continue;
        f.verdict = Verdict::wrong;
        f.reason = fmt::format("<u, J v> = {:.10g} but <claimed, v> = {:.10g} along a random direction", a.forward, a.backward);
    }
    return f;
}

bool refused(const Case& c, const Tensors& claimed) {
    if (!judge(c.subject, claimed, c.dual).off.empty()) return true;
    for (const Case::Direction& d : c.directions)
        if (!(adjoint(c.subject.u, d.jv, claimed, d.v).error() <= c.dual.bound)) return true;
    return !c.excuse().finite_differences && !judge(c.subject, claimed, c.difference).off.empty();
}

Finding check_dual_value(const Case& c) {
    // A few ulp of the entry or, where terms cancelled in it, of the largest entry.
    Finding f = start(Contract::dual_value, c, 32);
    const Subject& s = c.subject;
    const Tensor<double> dual_y = value_of(dual_forward_of(s)(cast_all<Dual<double>>(s.x)));
    if (!(dual_y.shape() == s.y.shape())) {
        f.verdict = Verdict::wrong;
        f.reason = fmt::format("the value over duals is {}, over doubles {}", dual_y.shape(), s.y.shape());
        return f;
    }
    double top = 0;
    for (const double v : s.y)
        if (std::isfinite(v)) top = std::max(top, std::abs(v));
    f.entries = s.y.size();
    for (Index i = 0; i < s.y.size(); ++i) {
        const double a = dual_y[i], b = s.y[i];
        const bool finite = std::isfinite(a) && std::isfinite(b);
        const double ulps = a == b ? 0 : finite ? std::abs(a - b) / (kEps * std::max(top, std::numeric_limits<double>::min())) : kInfinity;
        if (ulps <= f.error && f.worst) continue;
        f.error = ulps;
        f.worst = Worst{"y", unravel(i, s.y.shape()), a, b, ulps};
    }
    if (f.error > f.bound) {
        f.verdict = Verdict::wrong;
        f.reason = "the forward over duals (claimed) and over doubles (true) differ by more than a few units in the last place";
    }
    return f;
}

Finding check_difference(const Case& c) {
    Finding f = start(Contract::difference, c, c.difference.bound);
    if (c.empty()) return excused(f, "no entries");
    if (c.excuse().finite_differences) return excused(f, c.excuse().why);
    Judgement j = judge(c.subject, c.claimed, c.difference);
    const std::vector<Off> off = j.off;
    f = fill(std::move(f), std::move(j));
    const Function forward = forward_of(c.subject);
    for (const Off& o : off) {
        f.verdict = Verdict::cannot_tell;
        const Kink kink = find_kink(c.subject, o.entry);
        if (kink.is_kink) {
            f.reason = fmt::format("kink at {}: the derivative is {:.6g} from the left, {:.6g} from the right; claimed {:.6g}", where(c, o),
                                   kink.left, kink.right, o.claimed);
            if (kink.admits(o.claimed)) continue;
            f.verdict = Verdict::wrong;
            return f;
        }
        // Half the step leaves a sixteenth of the truncation error: if the quotient stays and the claim is elsewhere, the claim is wrong.
        const double half = weigh(c.subject.u, difference(forward, c.subject.x, o.entry, Stencil::fourth_order, 0.5));
        if (std::isnan(o.claimed) || std::abs(half - o.truth) < 0.1 * std::abs(o.claimed - o.truth)) {
            f.verdict = Verdict::wrong;
            f.reason = "the claimed gradient is not the one differences give, at two step sizes";
            return f;
        }
        f.reason = fmt::format("differences are not settled at {}: {:.10g}, {:.10g} with half the step, claimed {:.10g}", where(c, o), o.truth, half, o.claimed);
    }
    if (f.verdict == Verdict::right && !c.excuse().zero_gradient && c.dual.norm > 0 && c.difference.noise > 1e-3) {
        f.verdict = Verdict::cannot_tell;
        f.reason = fmt::format("saturated or ill-conditioned: the rounding of differences is {:.1e} of the gradient", c.difference.noise);
    }
    return f;
}

}  // namespace gradproof::check
