// The true derivatives of a draw, confirmed by differences along random directions.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gradproof/core/check/compare.hpp"
#include "gradproof/core/check/oracles.hpp"
#include "gradproof/core/proof/evaluate/instance.hpp"
#include "gradproof/core/transforms.hpp"

namespace gradproof::proof {
namespace {

/// x + t v.
Tensor<double> stepped(const Tensor<double>& x, const Tensor<double>& v, double t) {
    Tensor<double> out = x.clone();
    for (Index i = 0; i < out.size(); ++i) out[i] += t * v[i];
    return out;
}

std::string kink(const std::string& name, double left, double right) {
    return fmt::format(
        "a kink or tie: the derivative by {} is {:.4g} on one side, {:.4g} on the other: state inputs away from it", name, right,
        left);
}

/// Whether the slopes on both sides differ, however near they are taken: symmetric differences do not see that. "" where not, and
/// where rounding of `noise` in a value hides it.
std::string kink_at_zero(const std::string& name, const check::Function& along, double scale, double noise) {
    const Tensors here{Tensor<double>::scalar(0)};
    double gap = 0;
    for (const double shrink : {1.0, 0x1p-10}) {
        const double doubtful = noise / (1e-5 * shrink);
        if (!(doubtful <= 1e-4 * scale)) return "";
        const check::OneSided s = check::one_sided(along, here, {}, shrink);
        const double found = s.right[0] - s.left[0];
        if (!(std::abs(found) > 1e-6 * scale + 8 * doubtful) || (gap != 0 && !(std::abs(found - gap) <= 0.1 * std::abs(gap))))
            return "";
        if (gap != 0) return kink(name, s.left[0], s.right[0]);
        gap = found;
    }
    return "";
}

/// What differences say where they do not say `expected`: two slopes at a kink, or another one.
std::string disagreement(const std::string& name, const check::Function& along, double expected, double shrink) {
    const Tensors here{Tensor<double>::scalar(0)};
    const check::OneSided wide = check::one_sided(along, here, {}, 16 * shrink), near = check::one_sided(along, here, {}, shrink);
    const double right = near.right[0], left = near.left[0], size = std::max(std::abs(right), std::abs(left));
    const bool steady = std::abs(wide.right[0] - right) <= 0.05 * size && std::abs(wide.left[0] - left) <= 0.05 * size;
    if (steady && std::abs(right - left) > 1e-3 * size) return kink(name, left, right);
    return fmt::format(
        "the two oracles disagree about {}: dual numbers say {:.4g}, differences {:.4g}: draw the inputs from a smaller range",
        name, expected, right);
}

}  // namespace

std::string Instance::doubt_of_slope(const std::string& name, const std::function<double(double)>& f, const Slope& slope) {
    const check::Function along = [&](const Tensors& t) { return Tensor<double>::scalar(f(t[0][0])); };
    const Tensors here{Tensor<double>::scalar(0)};
    if (!std::isfinite(f(0))) return "";  // too large for a double: differences tell nothing
    using enum check::Stencil;
    double last = 0, settled = 0;  // steps, of the difference before and of one that smaller steps do not change
    std::optional<double> before;
    for (const double shrink : {1.0, 0x1p-6, 0x1p-10, 0x1p-14, 0x1p-20, 0x1p-26}) {  // near a pole or a kink steps must be small
        const double noise = 8 * slope.noise / (check::step(fourth_order, 0) * shrink) + 4 * slope.bound;
        if (!(noise <= 1e-2 * slope.scale)) break;
        const double found = check::difference(along, here, {}, fourth_order, shrink)[0], off = std::abs(found - slope.expected);
        if (off <= 1e-7 * slope.scale + noise) return kink_at_zero(name, along, slope.scale, 8 * slope.noise);
        if (before && std::abs(found - *before) <= 1e-3 * off + noise) settled = last;
        if (settled > 0) break;
        before = found;
        last = shrink;
    }
    if (!before) return "";  // differences tell nothing here: the bounds of the dual numbers have to
    return disagreement(name, along, slope.expected, settled > 0 ? settled : last);
}

/// By the derivative along a random direction: fourth-order differences share nothing with dual numbers.
void Instance::confirm(const std::string& name, TrueGradient& g) {
    const Tensor<double>& x = scope_.values.at(name).value();
    if (x.size() == 0) return;
    Random random = random_.stream(7 + gradients_.size());
    const double largest = check::finite_largest(x), reach = largest > 0 ? std::min(1.0, largest) : 1;
    const Tensor<double> v = random.normal<double>(x.shape(), 0, reach);
    Slope slope{.expected = dot(g.value, v)};
    for (Index i = 0; i < v.size(); ++i) {
        slope.scale += std::abs(v[i] * g.value[i]);
        slope.bound += std::abs(v[i]) * g.error[i];
    }
    try {
        const Tracked loss = derivatives().along(name, v);
        const auto& exact = loss.tangent;
        slope.noise = loss.value.error;
        if (std::abs(exact.value - slope.expected) > 1e-10 * slope.scale + 4 * (slope.bound + exact.error))
            g.doubt =
                fmt::format("the two oracles disagree about {}: dual numbers say {:.6g}, the backward passes of the ops {:.6g}",
                            name, exact.value, slope.expected);
        else  // the loss at x + t v, by kernels where ops have them
            g.doubt = doubt_of_slope(
                name, [&](double t) { return loss_value(moved(name, stepped(x, v, t))); }, slope);
        g.confirmed = g.doubt.empty();
    } catch (const EvaluationError& e) {
        fail(proof_, e);
    }
}

const std::string& Instance::doubt_of_jacobian(const std::string& y, const std::string& x) {
    const auto [found, fresh] = jacobian_doubts_.emplace(y + "/" + x, "");
    std::string& doubt = found->second;
    const Tensor<double>&from = scope_.values.at(x).value(), &to = scope_.values.at(y).value();
    if (!fresh || from.size() == 0 || to.size() == 0 || (x != y && !plan_.reaches(x, y))) return doubt;
    const Tensor<Tracked>& jacobian = derivatives().jacobian(y, x);
    Random random = random_.stream(1000 + jacobian_doubts_.size());
    const Tensor<double> u = random.normal<double>(to.shape()), v = random.normal<double>(from.shape());
    Slope slope;
    for (Index i = 0; i < to.size(); ++i) {
        slope.noise += std::abs(u[i]) * derivatives().scope().values.at(y).value()[i].value.error;
        for (Index j = 0; j < from.size(); ++j) {
            const auto& entry = jacobian[i * from.size() + j].value;
            slope.expected += u[i] * entry.value * v[j];
            slope.scale += std::abs(u[i] * entry.value * v[j]);
            slope.bound += std::abs(u[i] * v[j]) * entry.error;
        }
    }
    if (!std::isfinite(slope.expected)) {
        const Tensor<double> precise = values_of(more_precise().jacobian(y, x));
        if (std::any_of(precise.begin(), precise.end(), [](double e) { return !std::isfinite(e); }))
            doubt = fmt::format("the true ∂{}/∂{} is not finite: keep the inputs away from where it is not", y, x);
    } else {
        doubt = doubt_of_slope(
            x, [&](double t) { return dot(u, moved(x, stepped(from, v, t)).values.at(y).value()); }, slope);
    }
    return doubt;
}

}  // namespace gradproof::proof
