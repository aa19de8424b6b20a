// Differences, dual derivatives, the adjoint identity and the Taylor test.
#include "gradproof/core/check/oracles.hpp"

#include <algorithm>
#include <cmath>

namespace gradproof::check {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

double power_of_two_below(double h) { return std::ldexp(1.0, static_cast<int>(std::floor(std::log2(h)))); }

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

/// (f(h) - f(-h)) / 2h, or the five-point rule (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12h.
template <class At>
Tensor<double> apply(Stencil stencil, double h, const At& at) {
    const Tensor<double> plus = at(h), minus = at(-h);
    Tensor<double> d(plus.shape());
    if (stencil == Stencil::central) {
        for (Index i = 0; i < d.size(); ++i) d[i] = (plus[i] - minus[i]) / (2 * h);
        return d;
    }
    const Tensor<double> plus2 = at(2 * h), minus2 = at(-2 * h);
    for (Index i = 0; i < d.size(); ++i) d[i] = (8 * (plus[i] - minus[i]) - (plus2[i] - minus2[i])) / (12 * h);
    return d;
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
    // h is a power of two;
    // x is rounded to the spacing of doubles at |x| + 4h (its last bits at most), so that all four points are
    // exact: that moves the point by a rounding, and leaves no error in the step.
    const double here = x[static_cast<std::size_t>(e.input)][e.index];
    const double h = step(stencil, here) * shrink;
    const double grid = std::ldexp(1.0, std::ilogb(std::abs(here) + 4 * h) - 52);
    const double base = std::nearbyint(here / grid) * grid;
    return apply(stencil, h, [&](double t) { return with_entry(f, x, e, base + t); });
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
