// Contracts 4 and 9: float against double, and the second order.
#include <fmt/format.h>

#include "gradproof/core/check/contract_result.hpp"

namespace gradproof::check {
namespace {

/// How far rounding each input by its last bit can move each result, to first order: |y| + sum |J x| for the value,
/// |g| + sum |H x| + sum |Jᵀ u| for the gradient.
struct Sensitivity {
    Tensor<double> y;
    Tensors g;
};

void add_magnitudes(Tensor<double>& total, const Tensor<double>& terms, double times) {
    for (Index i = 0; i < total.size(); ++i)
        if (std::isfinite(terms[i])) total[i] += std::abs(times * terms[i]);
}

Sensitivity sensitivity(const Subject& s, const Tensors& x, const Tensor<double>& u, const Tensor<double>& y, const Tensors& g,
                        Random random) {
    constexpr Index kProbes = 64;
    Sensitivity out{zeros_like(y), {}};
    add_magnitudes(out.y, y, 1);
    for (const auto& t : g) {
        out.g.push_back(t.defined() ? zeros_like(t) : Tensor<double>());
        if (t.defined()) add_magnitudes(out.g.back(), t, 1);
    }
    const Index all = s.entries();
    const std::vector<Index> order = random.permutation(all);
    const Index probes = std::min(all, kProbes);
    const double share = static_cast<double>(all) / static_cast<double>(std::max<Index>(probes, 1));
    const DualTensors duals = cast_all<Dual<double>>(x);
    const Tensor<Dual<double>> dy = cast<Dual<double>>(u);
    for (Index p = 0; p < probes; ++p) {
        Index k = order[static_cast<std::size_t>(p)];
        std::size_t input = 0;
        while (!x[input].defined() || k >= x[input].size()) k -= x[input].defined() ? x[input].size() : 0, ++input;
        const double at = x[input][k];
        if (!std::isfinite(at)) continue;
        DualTensors moved = duals;
        moved[input] = moved[input].clone();
        moved[input][k].tangent = 1;
        const GradientResult<Dual<double>> run = differentiate(s, moved, dy);
        const Tensor<double> column = tangent_of(run.y);
        add_magnitudes(out.y, column, share * at);
        double terms = 0;
        for (Index i = 0; i < u.size(); ++i) terms += std::isfinite(column[i]) ? std::abs(u[i] * column[i]) : 0;
        out.g[input][k] += terms;
        const auto gradients = run.gradients(moved);
        for (std::size_t i = 0; i < gradients.size(); ++i)
            if (gradients[i].defined()) add_magnitudes(out.g[i], tangent_of(gradients[i]), share * at);
    }
    return out;
}

/// Holds one tensor computed in float to the same in double, in units of the reference's error.
void hold_to_double(const std::string& tensor, const Tensor<float>& narrow, const Tensor<double>& wide, double reference,
                    ContractResult& f) {
    Tensor<double> truth = wide.clone();
    for (double& v : truth)
        if (std::abs(v) > std::numeric_limits<float>::max()) v = kInfinity;  // no float says it
    const Comparison c = compare(cast<double>(narrow), truth, {.relative = f.bound, .scale = reference});
    f.entries += c.compared();
    take_worst(f, tensor, c);
}

}  // namespace

// The plain float reference is a model, so that it cannot share a mistake with the op:
// the same formula in float where every input and the
// result are rounded once.
// To first order its error is one float eps of |y| + sum |J x| (of |g| + sum |H x| + sum |Jᵀ u| for a gradient);
// J and H come from dual numbers.
// It is taken norm-wise, per tensor, since an intermediate may cancel in single entries; and a gradient
// is allowed its natural size |u| |y| / max(1, |x|) besides, since 1 - y^2 cancels in a saturated tanh however it is written.
ContractResult check_float_error(const Case& c) {
    ContractResult f = start(Contract::float_error, c, 4);
    const Subject& s = c.subject;
    const std::vector<Tensor<float>> narrow = cast_all<float>(s.x);
    const Tensor<float> narrow_u = cast<float>(s.u);
    const Tensors x = [&] {  // both types get the same numbers: those a float can hold
        Tensors out;
        for (const auto& t : narrow) out.push_back(t.defined() ? cast<double>(t) : Tensor<double>());
        return out;
    }();
    for (std::size_t i = 0; i < x.size(); ++i)
        for (Index k = 0; s.has(static_cast<int>(i)) && k < x[i].size(); ++k)
            if (std::isfinite(s.x[i][k]) && !std::isfinite(x[i][k])) return excused(f, "an input is too large for a float");
    const Tensor<double> u = cast<double>(narrow_u);
    const GradientResult<double> wide = differentiate(s, x, u);
    const GradientResult<float> run = differentiate(s, narrow, narrow_u);
    const Tensors g = wide.gradients(x);
    const auto narrow_g = run.gradients(narrow);
    const Sensitivity move = sensitivity(s, x, u, wide.y, g, c.random.stream(5));
    constexpr double kSmallest = std::numeric_limits<float>::min();
    hold_to_double("y", run.y, wide.y, kFloatEps * finite_largest(move.y) + kSmallest, f);
    const double top = finite_largest(move.g), natural = finite_largest(u) * finite_largest(wide.y);
    for (std::size_t i = 0; i < g.size(); ++i) {
        if (!g[i].defined()) continue;
        // A gradient that is 0 by cancellation (a shift before a softmax) is left with rounding of the size of the others.
        const double floor = finite_largest(g[i]) <= 1e-6 * top ? top : top / 100;
        const double size = std::max(finite_largest(move.g[i]), floor) + natural / std::max(1.0, finite_largest(x[i]));
        hold_to_double(s.gradient_name(static_cast<int>(i)), narrow_g[i], g[i], kFloatEps * size + kSmallest, f);
    }
    if (f.error > f.bound) {
        f.verdict = Verdict::wrong;
        f.reason = fmt::format("float (claimed) is off from double (true) by {:.1f} times the error of a plain float reference",
                               f.error);
    }
    return f;
}

namespace {

struct Hessian {
    Tensors value;    ///< the gradient the backward gives over duals
    Tensors product;  ///< H v
};
Hessian hessian_product(const Subject& s, const Tensors& v) {
    DualTensors x;
    for (std::size_t i = 0; i < s.x.size(); ++i) x.push_back(s.x[i].defined() ? dual(s.x[i], v[i]) : Tensor<Dual<double>>());
    Hessian out;
    for (const auto& g : differentiate(s, x, cast<Dual<double>>(s.u)).gradients(x)) {
        out.value.push_back(g.defined() ? value_of(g) : Tensor<double>());
        out.product.push_back(g.defined() ? tangent_of(g) : Tensor<double>());
    }
    return out;
}

double inner(const Tensors& a, const Tensors& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i].defined() && b[i].defined()) sum += weigh(a[i], b[i]);
    return sum;
}

/// Tangents in random directions, 0 at entries that are not finite: -inf has no neighbourhood.
Tensors directions(const Tensors& x, Random& random) {
    Tensors v = normal_like(x, random);
    for (std::size_t i = 0; i < x.size(); ++i)
        for (Index k = 0; x[i].defined() && k < x[i].size(); ++k)
            if (!std::isfinite(x[i][k])) v[i][k] = 0;
    return v;
}

/// All inputs' gradients as one vector, a function of x.
Tensor<double> packed(const Tensors& g) {
    Index n = 0;
    for (const auto& t : g) n += t.defined() ? t.size() : 0;
    Tensor<double> out({n});
    Index at = 0;
    for (const auto& t : g)
        if (t.defined()) at = std::copy(t.begin(), t.end(), out.begin() + at) - out.begin();
    return out;
}

/// Puts the worst entry of packed gradients where it lies.
void unpack_worst(const Subject& s, const Comparison& c, ContractResult& f) {
    if (!c.worst) return;
    Index at = c.worst->index[0];
    for (int i = 0; i < s.inputs(); ++i) {
        if (!s.has(i)) continue;
        const Tensor<double>& x = s.x[static_cast<std::size_t>(i)];
        if (at < x.size()) {
            f.worst = c.worst;
            f.worst->tensor = "H v of " + s.gradient_name(i);
            f.worst->index = unravel(at, x.shape());
            return;
        }
        at -= x.size();
    }
}

/// H v by the backward over duals beside differences of the backward over doubles, in units of the largest entry.
Comparison second_order(const Case& c, const Tensors& v, double shrink) {
    constexpr double kBound = 1e-7;
    const Subject& s = c.subject;
    const Along along = difference_along([&](const Tensors& x) { return packed(differentiate(s, x, s.u).gradients(x)); }, s.x, v,
                                         Stencil::fourth_order, shrink);
    const Tensor<double> claimed = packed(hessian_product(s, along.direction).product);
    const double scale = std::max({finite_largest(claimed), finite_largest(c.claimed) / 100, std::numeric_limits<double>::min()});
    return compare(claimed, along.derivative, {.relative = kBound, .scale = scale}, NotFinite::compared);
}

void compare_with_differences(const Case& c, const Tensors& v, ContractResult& f) {
    const Subject& s = c.subject;
    const auto agrees = [](const Comparison& with) { return with.right() && with.skipped == 0; };
    if (agrees(second_order(c, v, 1))) return;
    // A step may cross a kink and jump to another branch of the gradient. A much shorter one says whether it did.
    const Comparison shorter = second_order(c, v, 1.0 / 32);
    if (agrees(shorter)) return;
    f.verdict = Verdict::wrong;
    f.reason = "the backward over duals (claimed) is not the derivative of the backward over doubles (true, by differences)";
    unpack_worst(s, shorter, f);
    for (int i = 0; i < s.inputs(); ++i)
        for (Index k = 0; s.has(i) && k < s.x[static_cast<std::size_t>(i)].size(); ++k)
            if (find_kink(s, {i, k}).is_kink) {
                f.verdict = Verdict::cannot_tell;
                f.reason = fmt::format("kink at {}{}: the gradient has no derivative", s.gradient_name(i),
                                       unravel(k, s.x[static_cast<std::size_t>(i)].shape()));
                return;
            }
}

}  // namespace

ContractResult check_second_order(const Case& c) {
    ContractResult f = start(Contract::second_order, c, 1e-11);
    const Subject& s = c.subject;
    if (c.empty()) return excused(f, "no entries");
    Random random = c.random.stream(6);
    const Tensors v = directions(s.x, random), w = directions(s.x, random);
    const Hessian hv = hessian_product(s, v), hw = hessian_product(s, w);
    f.entries = s.entries();
    for (std::size_t i = 0; i < hv.value.size(); ++i) {
        if (!hv.value[i].defined()) continue;
        Tolerance both_round = c.dual.tolerance(static_cast<int>(i));
        both_round.relative *= 2;
        const Comparison values = compare(hv.value[i], c.claimed[i], both_round, NotFinite::compared);
        if (values.right()) continue;
        f.verdict = Verdict::wrong;
        f.reason = "the backward over duals (claimed) and over doubles (true) give different gradients";
        take_worst(f, s.gradient_name(static_cast<int>(i)), values);
        return f;
    }
    const double left = inner(w, hv.product), right = inner(v, hw.product);
    if (!std::isfinite(left) || !std::isfinite(right)) {
        f.excused = c.excuse().finite_differences;
        f.verdict = f.excused ? Verdict::right : Verdict::cannot_tell;
        f.reason = "a second derivative is not finite";
        return f;
    }
    const auto size = [](const Tensors& t) { return std::sqrt(inner(t, t)); };
    // The last term is for a Hessian that is 0 by cancellation.
    const double scale = std::max(
        {size(hv.product) * size(w), size(hw.product) * size(v), 1e-3 * finite_largest(c.dual.scale) * size(v) * size(w)});
    f.error = left == right ? 0 : std::abs(left - right) / std::max(scale, std::numeric_limits<double>::min());
    if (f.error > f.bound) {
        f.verdict = Verdict::wrong;
        f.reason = fmt::format("the Hessian is not symmetric: <w, H v> = {:.10g}, <v, H w> = {:.10g}", left, right);
        return f;
    }
    if (!c.excuse().finite_differences) compare_with_differences(c, v, f);
    return f;
}

}  // namespace gradproof::check
