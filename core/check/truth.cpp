// True gradients by two oracles, kinks, and the comparison with a claim.
#include "gradproof/core/check/contract_result.hpp"

#include <algorithm>
#include <cmath>

namespace gradproof::check {
namespace {

/// All entries of all inputs, or `limit` random ones.
std::vector<Entry> probes(const Subject& s, Random& random, Index limit) {
    std::vector<Entry> out;
    for (int i = 0; i < s.inputs(); ++i)
        if (s.has(i))
            for (Index k = 0; k < s.x[static_cast<std::size_t>(i)].size(); ++k) out.push_back({i, k});
    if (static_cast<Index>(out.size()) <= limit) return out;
    const std::vector<Index> order = random.permutation(static_cast<Index>(out.size()));
    std::vector<Entry> part;
    for (Index i = 0; i < limit; ++i) part.push_back(out[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])]);
    return part;
}

Truth unasked(const Subject& s, double bound) {
    Truth t;
    t.bound = bound;
    for (const auto& x : s.x) {
        t.value.push_back(x.defined() ? Tensor<double>(x.shape(), kNaN) : Tensor<double>());
        t.scale.push_back(x.defined() ? zeros_like(x) : Tensor<double>());
    }
    return t;
}

/// How far the true gradient moves, at most, when every input moves up or down by `by` of itself.
double largest_move(const Subject& s, const std::vector<Entry>& asked, const Truth& truth, Random random, double by) {
    const DualFunction f = dual_forward_of(s);
    Tensors moved;
    for (const auto& x : s.x) {
        moved.push_back(x.defined() ? x.clone() : Tensor<double>());
        if (!x.defined()) continue;
        for (double& v : moved.back()) v *= random.uniform() < 0.5 ? 1 + by : 1 - by;
    }
    double out = 0;
    for (const Entry e : asked) {
        const double gap =
            std::abs(weigh(s.u, dual_column(f, moved, e)) - truth.value[static_cast<std::size_t>(e.input)][e.index]);
        if (std::isfinite(gap)) out = std::max(out, gap);
    }
    return out;
}

/// What rounding the inputs by a few eps costs the gradient, to first order.
/// 0 where it jumps instead: at a tie no rounding is excused.
double rounding_cost(const Subject& s, const std::vector<Entry>& asked, const Truth& truth, const Random& random) {
    constexpr double kFar = 0x1p-36, kNear = 0x1p-40;
    const double far = largest_move(s, asked, truth, random, kFar), near = largest_move(s, asked, truth, random, kNear);
    return near > far / 8 ? 0 : 16 * kEps * near / kNear;
}

}  // namespace

double weigh(const Tensor<double>& u, const Tensor<double>& column) {
    bool finite = true;
    for (const double c : column) finite = finite && std::isfinite(c);
    if (finite) return dot(u, column);
    double sum = 0;
    for (Index i = 0; i < u.size(); ++i) sum += u[i] * column[i];
    return sum;
}

Truth dual_truth(const Subject& s, Random random, Index limit) {
    Truth t = unasked(s, 1e-12);
    const DualFunction f = dual_forward_of(s);
    const std::vector<Entry> asked = probes(s, random, limit);
    double squares = 0;
    for (const Entry e : asked) {
        const auto i = static_cast<std::size_t>(e.input);
        const Tensor<double> column = dual_column(f, s.x, e);
        const double g = weigh(s.u, column);
        double terms = 0;
        for (Index k = 0; k < column.size(); ++k) terms += std::abs(s.u[k] * column[k]);
        ++t.probed;
        t.value[i][e.index] = g;
        t.scale[i][e.index] = terms;
        if (!std::isfinite(g)) continue;
        ++t.answered;
        squares += g * g;
    }
    double top = 0;
    for (const auto& g : t.value)
        if (g.defined()) top = std::max(top, finite_largest(g));
    t.noise = std::min(rounding_cost(s, asked, t, random), 1e-9 * top);
    for (std::size_t i = 0; i < t.value.size(); ++i) {
        if (!t.value[i].defined()) continue;
        // The hundredth of the largest gradient of all is for inputs whose true gradient
        // is exactly 0 by cancellation (a shift before
        // a softmax): a right backward is left with rounding there.
        const double floor = std::max({finite_largest(t.value[i]), top / 100, t.noise / t.bound});
        for (double& scale : t.scale[i]) scale = std::max(scale, floor);
    }
    t.norm = std::sqrt(squares);
    return t;
}

Truth difference_truth(const Subject& s, const Function& f, Random random, Index limit) {
    Truth t = unasked(s, 1e-9);
    for (const auto& x : s.x) t.error.push_back(x.defined() ? zeros_like(x) : Tensor<double>());
    // |y| + |J x| at each entry of y: what is rounded to eps of itself on the way to it, at least.
    Tensor<double> reach(s.y.shape(), 0.0);
    const auto size = [&] {
        double squares = 0;
        for (Index i = 0; i < reach.size(); ++i) squares += s.u[i] * s.u[i] * reach[i] * reach[i];
        return std::sqrt(squares);
    };
    const auto add = [&](double by, const Tensor<double>& column) {
        for (Index i = 0; i < reach.size(); ++i)
            if (std::isfinite(column[i])) reach[i] += std::abs(by * column[i]);
    };
    add(1, s.y);
    const double value_size = size();
    double squares = 0;
    struct Step {
        Entry at;
        double length;
    };
    std::vector<Step> steps;
    for (const Entry e : probes(s, random, limit)) {
        const auto i = static_cast<std::size_t>(e.input);
        const double x = s.x[i][e.index];
        if (!std::isfinite(x)) continue;
        ++t.probed;
        const Measured m = measure(f, s.x, e, s.u, value_size);
        const double g = t.value[i][e.index] = weigh(s.u, m.column);
        if (!std::isfinite(g)) continue;
        t.error[i][e.index] = m.truncation;
        steps.push_back({e, m.step});
        add(x, m.column);
        ++t.answered;
        squares += g * g;
    }
    t.rounded = size();
    std::vector<double> errors;
    for (const Step& step : steps) {
        const double noise = rounding_of_difference(t.rounded, step.length);
        errors.push_back(t.error[static_cast<std::size_t>(step.at.input)][step.at.index] += noise);
    }
    const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
    std::nth_element(errors.begin(), middle, errors.end());
    if (!errors.empty()) t.noise = *middle;
    double top = 0;
    for (std::size_t i = 0; i < t.value.size(); ++i) {
        if (!t.value[i].defined()) continue;
        const double input_top = finite_largest(t.value[i]);
        top = std::max(top, input_top);
        for (Index k = 0; k < t.scale[i].size(); ++k) t.scale[i][k] = input_top + t.error[i][k] / t.bound;
    }
    t.norm = std::sqrt(squares);
    t.noise = top > 0 ? t.noise / top : t.noise;
    return t;
}

std::vector<Entry> judge(const Subject& s, const Tensors& claimed, const Truth& truth, ContractResult& f) {
    std::vector<Entry> off;
    for (int n = 0; n < s.inputs(); ++n) {
        if (!s.has(n)) continue;
        const auto i = static_cast<std::size_t>(n);
        const Comparison c = compare(claimed[i], truth.value[i], truth.tolerance(n), NotFinite::compared);
        for (const Index k : c.off_at) off.push_back({n, k});
        take_worst(f, s.gradient_name(n), c);
        f.entries += c.compared();
        f.census.push_back(census_of(s.gradient_name(n), c));
    }
    return off;
}

bool Kink::admits(double claimed) const {
    const double slack = 1e-6 * std::max({std::abs(left), std::abs(right), 1e-12});
    return claimed >= std::min(left, right) - slack && claimed <= std::max(left, right) + slack;
}

std::string kink_text(const std::string& where, const Kink& kink, double claimed) {
    return fmt::format("kink at {}: the derivative is {:.6g} from the left, {:.6g} from the right; claimed {:.6g}", where,
                       kink.left, kink.right, claimed);
}

Kink find_kink(const Subject& s, Entry e, const Function& f) {
    Kink kink;
    const double x = s.x[static_cast<std::size_t>(e.input)][e.index];
    if (!std::isfinite(x)) return kink;
    double size = 0;
    for (Index i = 0; i < s.y.size(); ++i) size += std::isfinite(s.y[i]) ? std::abs(s.u[i] * s.y[i]) : 0;
    // Where f is smooth the two sides agree to second order in the step, and to their rounding. A gap is a kink only if it stays
    // while the step shrinks.
    double before = 0;  // none
    for (const double shrink : {1.0, 0x1p-3, 0x1p-6, 0x1p-9}) {
        const OneSided sides = one_sided(f, s.x, e, shrink);
        kink.left = weigh(s.u, sides.left);
        kink.right = weigh(s.u, sides.right);
        const double gap = std::abs(kink.left - kink.right), slope = std::max(std::abs(kink.left), std::abs(kink.right));
        const double rounding =
            4 * rounding_of_difference(size + std::abs(x) * slope, 1e-5 * std::max(1.0, std::abs(x)) * shrink);
        if (shrink < 0.1 && rounding > before / 4) break;  // as far down as it shows
        if (!(gap > 1e-5 * slope + rounding) || std::isinf(gap) || (before > 0 && gap <= before / 2)) return kink;
        before = gap;
    }
    kink.is_kink = true;
    return kink;
}

}  // namespace gradproof::check
