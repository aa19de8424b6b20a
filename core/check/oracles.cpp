// Differences, dual derivatives, the adjoint identity and the Taylor test.
#include "gradproof/core/check/oracles.hpp"

#include <algorithm>
#include <cmath>

#include "gradproof/core/check/limits.hpp"

namespace gradproof::check {
namespace {

double power_of_two_below(double h) {
    if (!(h > 0) || !std::isfinite(h)) return h;  // at what is infinite there is no step
    return std::ldexp(1.0, static_cast<int>(std::floor(std::log2(h))));
}

void check_entry(const Tensors& x, Entry e) {
    if (e.input < 0 || e.input >= static_cast<int>(x.size()) || !x[static_cast<std::size_t>(e.input)].defined())
        value_error("difference: no input {}, there are {}", e.input, x.size());
    if (e.index < 0 || e.index >= x[static_cast<std::size_t>(e.input)].size())
        value_error("difference: entry {} is out of range, input {} is {}", e.index, e.input,
                    x[static_cast<std::size_t>(e.input)].shape());
}

/// f at x with one entry set; the input it belongs to is copied.
Tensor<double> with_entry(const Function& f, const Tensors& x, Entry e, double value) {
    Tensors at = x;
    Tensor<double>& input = at[static_cast<std::size_t>(e.input)];
    input = input.clone();
    input[e.index] = value;
    return f(at);
}

Tensor<double> moved(const Function& f, const Tensors& x, const Tensors& v, double t) {
    Tensors at = x;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!x[i].defined()) continue;
        at[i] = x[i].clone();
        for (Index k = 0; k < x[i].size(); ++k) at[i][k] += t * v[i][k];
    }
    return f(at);
}

/// (f(h) - f(-h)) / 2h
template <class At>
Tensor<double> central(double h, const At& at) {
    const Tensor<double> plus = at(h), minus = at(-h);
    Tensor<double> d(plus.shape());
    for (Index i = 0; i < d.size(); ++i) d[i] = (plus[i] - minus[i]) / (2 * h);
    return d;
}

/// The five-point rule, from central quotients at h and 2h.
Tensor<double> fourth_order(const Tensor<double>& near, const Tensor<double>& far) {
    Tensor<double> d(near.shape());
    for (Index i = 0; i < d.size(); ++i) d[i] = (4 * near[i] - far[i]) / 3;
    return d;
}

template <class At>
Tensor<double> apply(Stencil stencil, double h, const At& at) {
    const Tensor<double> near = central(h, at);
    return stencil == Stencil::central ? near : fourth_order(near, central(2 * h, at));
}

/// x rounded to the spacing of doubles at |x| + 4h (its last bits at most), so that x, x + h and x + 2h are exact for h a power
/// of two: that moves the point by a rounding, and leaves no error in the step.
double exact_base(double x, double h) {
    const double grid = std::ldexp(1.0, std::ilogb(std::abs(x) + 4 * h) - 52);
    return std::nearbyint(x / grid) * grid;
}

/// |u x|
double weighted_norm(const Tensor<double>& u, const Tensor<double>& x) {
    double squares = 0;
    for (Index i = 0; i < u.size(); ++i) squares += u[i] * u[i] * x[i] * x[i];
    return std::sqrt(squares);
}

DualTensors constants(const Tensors& x) {
    DualTensors out;
    for (const auto& t : x) out.push_back(t.defined() ? cast<Dual<double>>(t) : Tensor<Dual<double>>());
    return out;
}

}  // namespace

double step(Stencil stencil, double x) {
    static const double fourth = std::pow(kEps, 0.2), central = std::cbrt(kEps);
    return power_of_two_below((stencil == Stencil::central ? central : fourth) * std::max(1.0, std::abs(x)) * 1.41421356);
}

Tensor<double> difference(const Function& f, const Tensors& x, Entry e, Stencil stencil, double shrink) {
    check_entry(x, e);
    const double here = x[static_cast<std::size_t>(e.input)][e.index];
    const double h = step(stencil, here) * shrink, base = exact_base(here, h);
    return apply(stencil, h, [&](double t) { return with_entry(f, x, e, base + t); });
}

namespace {

/// The fourth-order rule at one step. Where f changes on the scale L, the quotients at h and 2h differ by r = |f'| (h / L)^2 / 2,
/// and the rule is off by |f'| (h / L)^4 / 30 = 4 r^2 / (30 |f'|); twice that is said, and r where it is no small part.
Measured measure_at(const Function& f, const Tensors& x, Entry e, const Tensor<double>& u, double h) {
    const double base = exact_base(x[static_cast<std::size_t>(e.input)][e.index], h);
    const auto at = [&](double t) { return with_entry(f, x, e, base + t); };
    const Tensor<double> near = central(h, at), far = central(2 * h, at);
    Measured out{fourth_order(near, far), h};
    Tensor<double> gap(near.shape());
    for (Index i = 0; i < gap.size(); ++i) gap[i] = far[i] - near[i];
    const double r = weighted_norm(u, gap), size = weighted_norm(u, out.column);
    out.truncation = r > size / 8 ? r : r == 0 ? 0 : r * r * 8 / (30 * size);
    return out;
}

}  // namespace

Measured measure(const Function& f, const Tensors& x, Entry e, const Tensor<double>& u, double size, double first) {
    check_entry(x, e);
    constexpr double kFiner = 0.125, kSettled = 1e-10, kLarge = 8;
    constexpr int kMostSteps = 8;
    const double here = std::abs(x[static_cast<std::size_t>(e.input)][e.index]);
    const auto error = [&](const Measured& m) {
        return m.truncation + rounding_of_difference(size + here * weighted_norm(u, m.column), m.step);
    };
    Measured best;
    bool asked_again = here <= kLarge || first < 1;  // a step that is long because x is large may leap over all that f does
    double h = step(Stencil::fourth_order, here) * first;
    for (int k = 0; k < kMostSteps; ++k, h *= kFiner) {
        Measured now = measure_at(f, x, e, u, h);
        const double slope = dot(u, now.column), rounding = error(now) - now.truncation;
        if (!std::isfinite(slope)) return best.step > 0 ? best : now;
        const bool settled = now.truncation <= kSettled * weighted_norm(u, now.column) || now.truncation <= rounding;
        const bool leapt = best.step > 0 && std::abs(dot(u, best.column) - slope) > error(best) + error(now);
        if (best.step == 0 || leapt || error(now) < error(best)) best = std::move(now);
        if (settled && asked_again) return best;
        asked_again = asked_again || settled;
    }
    return best;
}

Along difference_along(const Function& f, const Tensors& x, const Tensors& v, Stencil stencil, double shrink) {
    double largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (x[i].defined())
            for (const double d : v[i]) largest = std::max(largest, std::abs(d));
    const double h = power_of_two_below(step(stencil, 0) / std::max(largest, 1e-300)) * shrink;
    Along out;
    for (std::size_t i = 0; i < x.size(); ++i) {
        out.direction.emplace_back();
        if (!x[i].defined()) continue;
        out.direction[i] = Tensor<double>(x[i].shape());
        for (Index k = 0; k < x[i].size(); ++k) {
            // The grid on which x, x + h d and x + 2 h d all lie has the spacing of doubles at |x| + 2 h |d|; d is rounded to it.
            const double reach = std::abs(x[i][k]) + 4 * h * std::abs(v[i][k]);
            const double grid = std::ldexp(1.0, std::ilogb(std::max(reach, 1e-300)) - 50) / h;
            out.direction[i][k] = std::isfinite(x[i][k]) ? std::nearbyint(v[i][k] / grid) * grid : 0.0;
        }
    }
    out.derivative = apply(stencil, h, [&](double t) { return moved(f, x, out.direction, t); });
    return out;
}

OneSided one_sided(const Function& f, const Tensors& x, Entry e, double shrink) {
    check_entry(x, e);
    const double at = x[static_cast<std::size_t>(e.input)][e.index];
    const double h = power_of_two_below(1e-5 * std::max(1.0, std::abs(at))) * shrink;
    const Tensor<double> here = f(x);
    const auto side = [&](double s) {  // (-3 f(0) + 4 f(s) - f(2s)) / 2s: error s^2
        const Tensor<double> one = with_entry(f, x, e, at + s), two = with_entry(f, x, e, at + 2 * s);
        Tensor<double> d(here.shape());
        for (Index i = 0; i < d.size(); ++i) d[i] = (4 * (one[i] - here[i]) - (two[i] - here[i])) / (2 * s);
        return d;
    };
    return {side(-h), side(h)};
}

Tensor<double> dual_column(const DualFunction& f, const Tensors& x, Entry e) {
    check_entry(x, e);
    DualTensors at = constants(x);
    at[static_cast<std::size_t>(e.input)][e.index].tangent = 1;
    return tangent_of(f(at));
}

Tensor<double> dual_along(const DualFunction& f, const Tensors& x, const Tensors& v) {
    DualTensors at = constants(x);
    for (std::size_t i = 0; i < x.size(); ++i)
        if (x[i].defined()) at[i] = dual(x[i], v[i]);
    return tangent_of(f(at));
}

Tensor<double> jacobian(const DualFunction& f, const Tensors& x, int input) {
    const Index n = x.at(static_cast<std::size_t>(input)).size();
    const Index m = f(constants(x)).size();
    Tensor<double> j({m, n});
    for (Index k = 0; k < n; ++k) {
        const Tensor<double> column = dual_column(f, x, {input, k});
        for (Index i = 0; i < m; ++i) j[i * n + k] = column[i];
    }
    return j;
}

double Adjoint::error() const {
    const double gap = std::abs(forward - backward);
    return gap == 0 ? 0 : gap / std::max(scale, std::numeric_limits<double>::min());
}

Adjoint adjoint(const Tensor<double>& u, const Tensor<double>& jv, const Tensors& g, const Tensors& v) {
    Adjoint out;
    out.forward = dot(u, jv);
    double gg = 0, vv = 0;
    for (std::size_t i = 0; i < g.size(); ++i) {
        if (!g[i].defined() || !v[i].defined()) continue;
        out.backward += dot(g[i], v[i]);
        gg += dot(g[i], g[i]);
        vv += dot(v[i], v[i]);
    }
    out.scale = std::max(std::sqrt(gg * vv), norm(u) * norm(jv));
    return out;
}

Tensors normal_like(const Tensors& x, Random& random) {
    Tensors out;
    for (const auto& t : x) out.push_back(t.defined() ? random.normal<double>(t.shape()) : Tensor<double>());
    return out;
}

Taylor taylor(const Function& f, const Tensors& x, const Tensor<double>& u, const Tensors& g, Random& random, int directions) {
    constexpr int kLevels = 6;
    const Tensor<double> here = f(x);
    double size = 0;
    for (Index i = 0; i < here.size(); ++i) size += std::abs(here[i] * u[i]);
    std::vector<double> orders;
    for (int d = 0; d < directions; ++d) {
        const Tensors v = normal_like(x, random);
        double slope = 0;
        for (std::size_t i = 0; i < g.size(); ++i)
            if (g[i].defined() && v[i].defined()) slope += dot(g[i], v[i]);
        double smallest = std::numeric_limits<double>::infinity(), before = 0;
        double h = 0.01;
        for (int k = 0; k < kLevels; ++k, h /= 4) {
            const Tensor<double> there = moved(f, x, v, h);
            double change = 0;
            for (Index i = 0; i < here.size(); ++i) change += u[i] * (there[i] - here[i]);
            const double remainder = std::abs(change - h * slope);
            if (remainder < 64 * kEps * std::max(size, std::abs(h * slope))) break;  // rounding: no rate to be had below it
            if (k > 0) smallest = std::min(smallest, std::log(before / remainder) / std::log(4.0));
            before = remainder;
        }
        orders.push_back(smallest);
    }
    std::nth_element(orders.begin(), orders.begin() + directions / 2, orders.end());
    const double median = orders[static_cast<std::size_t>(directions / 2)];
    if (std::isinf(median)) return {.order = 0, .exact = true};
    return {.order = median, .exact = false};
}

}  // namespace gradproof::check
