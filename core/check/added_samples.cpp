// Samples beyond those of a page, and what is said of them.
#include "gradproof/core/check/added_samples.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "gradproof/core/check/contract_result.hpp"

namespace gradproof::check {
namespace {

/// How the values of an argument that is drawn are changed.
struct Change {
    std::string_view name;
    double (*value)(const Tensor<double>& x, Index k);
};
constexpr Change kChanges[] = {
    {"times 30", [](const Tensor<double>& x, Index k) { return 30 * x[k]; }},
    {"times 1e3", [](const Tensor<double>& x, Index k) { return 1e3 * x[k]; }},
    {"times 1e4", [](const Tensor<double>& x, Index k) { return 1e4 * x[k]; }},
    {"times 1e5", [](const Tensor<double>& x, Index k) { return 1e5 * x[k]; }},
    {"plus 1e4", [](const Tensor<double>& x, Index k) { return 1e4 + x[k]; }},
    {"zeros", [](const Tensor<double>&, Index) { return 0.0; }},
    {"some zeros", [](const Tensor<double>& x, Index k) { return k % 3 == 1 ? 0.0 : x[k]; }},
    {"ties", [](const Tensor<double>& x, Index k) { return x[k - k % 2]; }},
    {"one value", [](const Tensor<double>& x, Index) { return x[0]; }},
};

bool is_drawn(const Arg& arg) { return arg.present && !arg.values.defined(); }

Index drawn_inputs(const SampleCase& sample) { return std::count_if(sample.args.begin(), sample.args.end(), is_drawn); }

bool can_be_changed(const Case& c) {
    const bool has_gradient = c.dual.norm > 0 || (c.dual.value.empty() && finite_largest(c.claimed) > 0);
    return !c.empty() && !c.excuse().finite_differences && !c.excuse().zero_gradient && has_gradient &&
           drawn_inputs(*c.subject.sample) > 0;
}

std::string_view word(double v) { return std::isnan(v) ? "nan" : v > 0 ? "inf" : "-inf"; }

/// "y[0, 1] is inf", "the derivative by x[2] is nan", "" where all is finite.
std::string why_not_finite(const Case& c) {
    const Subject& s = c.subject;
    for (Index k = 0; k < s.y.size(); ++k)
        if (!std::isfinite(s.y[k])) return fmt::format("y{} is {}", unravel(k, s.y.shape()), word(s.y[k]));
    for (int i = 0; i < s.inputs(); ++i) {
        const auto n = static_cast<std::size_t>(i);
        for (Index k = 0; s.has(i) && k < s.x[n].size(); ++k) {
            const double claimed = c.claimed[n].defined() ? c.claimed[n][k] : 0;
            if (std::isfinite(claimed)) continue;
            const double slope = weigh(s.u, dual_column(dual_forward_of(s), s.x, {i, k}));
            if (!std::isfinite(slope))
                return fmt::format("the derivative by {}{} is {}", s.names[n], unravel(k, s.x[n].shape()), word(slope));
        }
    }
    return {};
}

/// Allows for rounding that what was added brings with it.
void widen(Truth& truth, double by) {
    for (Tensor<double>& scale : truth.scale)
        if (scale.defined())
            for (double& v : scale) v += by / truth.bound;
}

void judge_added(const OpEntry& op, const SampleCase& sample, std::uint64_t seed, OpReport& report, std::vector<Case>& judged) {
    constexpr Index kDuals = 48, kDifferences = 24;
    const auto add = [&](ContractResult f) {
        if (f.verdict == Verdict::cannot_tell) {
            f.verdict = Verdict::right;
            f.excused = true;
        }
        f.added = true;
        report.findings.push_back(std::move(f));
    };
    const auto not_judged = [&](const std::string& why) {
        add(excused(finding(Contract::adjoint, sample.name, Verdict::right, {}), why));
    };
    Case c;
    try {
        c = begin_case(op, sample, seed);
    } catch (const std::invalid_argument& e) {
        return not_judged(fmt::format("it is refused: {}", e.what()));
    }
    if (const std::string why = why_not_finite(c); !why.empty()) return not_judged(why);
    c.dual = dual_truth(c.subject, c.random.stream(3), kDuals);
    if (c.dual.answered < c.dual.probed) return not_judged("a derivative is not finite");
    c.difference = difference_truth(c.subject, forward_of(c.subject), c.random.stream(4), kDifferences);
    const double rounding = rounding_far_out(c.subject.x, c.subject.y, c.subject.u);
    widen(c.dual, rounding);
    widen(c.difference, rounding);
    add(check_adjoint(c));
    add(check_dual_value(c));
    add(check_difference(c));
    judged.push_back(std::move(c));
}

}  // namespace

double rounding_far_out(const Tensors& x, const Tensor<double>& y, const Tensor<double>& u) {
    const double inputs = finite_largest(x), values = std::max(inputs, finite_largest(y));
    return 16 * std::numeric_limits<double>::epsilon() * finite_largest(u) * values * std::max(1.0, inputs);
}

std::vector<SampleCase> added_samples(const std::vector<Case>& cases) {
    std::map<std::string, const Case*> chosen;  // one for each set of attributes
    for (const Case& c : cases) {
        if (!can_be_changed(c)) continue;
        const Case*& best = chosen[c.subject.sample->attrs.text()];
        if (best == nullptr || drawn_inputs(*c.subject.sample) > drawn_inputs(*best->subject.sample)) best = &c;
    }
    std::vector<SampleCase> out;
    for (const auto& [attrs, c] : chosen)
        for (const Change& change : kChanges) {
            SampleCase sample = *c->subject.sample;
            sample.name += fmt::format(", {}", change.name);
            for (std::size_t i = 0; i < sample.args.size(); ++i) {
                if (!is_drawn(sample.args[i])) continue;
                const Tensor<double>& x = c->subject.x[i];
                Tensor<double>& values = sample.args[i].values = Tensor<double>(x.shape());
                for (Index k = 0; k < x.size(); ++k) values[k] = change.value(x, k);
            }
            out.push_back(std::move(sample));
        }
    return out;
}

std::vector<Case> check_added(const OpEntry& op, const std::vector<SampleCase>& samples, std::uint64_t seed, OpReport& report) {
    std::vector<Case> judged;
    expect_parts(static_cast<Index>(samples.size()));
    for (const SampleCase& sample : samples) {
        ContractResult f = guarded(Contract::adjoint, sample.name, [&] {
            judge_added(op, sample, seed, report, judged);
            return ContractResult{};
        });
        if (f.verdict == Verdict::right) continue;
        f.added = true;
        report.findings.push_back(std::move(f));
    }
    return judged;
}

}  // namespace gradproof::check
