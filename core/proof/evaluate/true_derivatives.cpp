// The true derivatives of a draw: by dual numbers, or by the tape where those take too long, confirmed by differences.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "gradproof/core/check/oracles.hpp"
#include "gradproof/core/proof/evaluate/instance.hpp"

namespace gradproof::proof {

Scope<Dual<double>>& Instance::duals() {
    if (!duals_) {
        duals_ = std::make_unique<Scope<Dual<double>>>(Scope<Dual<double>>{{}, scope_.sizes, {}, {}});
        for (const auto& [name, x] : scope_.values) duals_->values[name] = cast<Dual<double>>(x.value());
    }
    return *duals_;
}

double Instance::seeded_loss(const Scope<Dual<double>>& scope) const {
    const Tensor<Dual<double>>& y = scope.values.find(last_)->second.value();
    if (!has_cotangent()) return y[0].tangent;
    double total = 0;
    for (Index i = 0; i < y.size(); ++i) total += cotangent_[i] * y[i].tangent;
    return total;
}

/// read() of the forward with a tangent at each entry of x in turn: [size of x, what read gives].
Tensor<double> Instance::columns(const std::string& x, const std::vector<std::size_t>& assignments,
                                 const std::function<Tensor<double>(const Scope<Dual<double>>&)>& read, double& magnitude) {
    Scope<Dual<double>>& scope = duals();
    const Tensor<double>& at = scope_.values.at(x).value();
    Tensor<Dual<double>> seeded = cast<Dual<double>>(at);
    const Var<Dual<double>> before = std::exchange(scope.values.at(x), Var<Dual<double>>(seeded));
    std::vector<Var<Dual<double>>> values;
    for (const std::size_t i : assignments) values.push_back(scope.values.at(proof_.forward[i].name));
    Tensor<double> out;
    try {
        for (Index e = 0; e < at.size(); ++e) {
            seeded[e].tangent = 1;
            run(scope, assignments, magnitude);
            const Tensor<double> column = read(scope);
            if (!out.defined()) out = Tensor<double>(Shape{at.size(), column.size()});
            std::copy(column.begin(), column.end(), out.data() + e * column.size());
            seeded[e].tangent = 0;
        }
    } catch (const EvaluationError& e) {
        fail(proof_, e);
    }
    scope.values.at(x) = before;
    for (std::size_t i = 0; i < assignments.size(); ++i) scope.values.at(proof_.forward[assignments[i]].name) = values[i];
    return out.defined() ? out : Tensor<double>(Shape{0, 0});
}

/// An error at the definition of a value whose derivatives are asked for.
template <class... A>
void Instance::refuse(const std::string& name, fmt::format_string<A...> text, A&&... a) const {
    const auto given = std::find_if(proof_.given.begin(), proof_.given.end(), [&](const Given& g) { return g.name == name; });
    const Assignment* assigned = proof_.find(name);
    throw ProofError(*proof_.source, assigned ? assigned->statement.span.begin : given->span.begin,
                     fmt::format(text, std::forward<A>(a)...));
}

const TrueGradient& Instance::gradient(const std::string& name) {
    if (const auto found = gradients_.find(name); found != gradients_.end()) return found->second;
    TrueGradient g;
    const Shape& shape = scope_.values.at(name).shape();
    if (name == last_) {
        g.value = has_cotangent() ? cotangent_ : Tensor<double>(shape, 1.0);
    } else if (!plan_.reaches(name, last_)) {
        g.value = zeros<double>(shape);
        g.confirmed = false;
        g.doubt = fmt::format("no path leads from {} to {}", name, last_);
    } else if (const double work = static_cast<double>(scope_.values.at(name).value().size()) * work_of(plan_.reached_by(name));
               work > kMostEntryWork) {
        const std::optional<Tensor<double>> taped = tape_gradient(name);
        if (!taped) refuse(name, "∂L/∂{}: about {:.0e} steps in index form, at most {:.0e}", name, work, kMostEntryWork);
        g.value = *taped;
        confirm(name, g);
    } else {
        g.value = columns(
                      name, plan_.reached_by(name),
                      [&](const Scope<Dual<double>>& s) { return Tensor<double>::scalar(seeded_loss(s)); }, g.magnitude)
                      .reshape(shape);
        double largest = 1;
        if (has_cotangent())
            for (const double u : cotangent_) largest = std::max(largest, std::abs(u));
        g.magnitude *= largest;
        confirm(name, g);
    }
    for (const double v : g.value)
        if (!std::isfinite(v) && g.confirmed) {
            g.confirmed = false;
            g.doubt = fmt::format("the true gradient of {} is not finite", name);
        }
    return gradients_.emplace(name, std::move(g)).first->second;
}

double Instance::work_of(const std::vector<std::size_t>& assignments) const {
    double total = 0;
    for (const std::size_t i : assignments) total += work_[i];
    return total;
}

std::optional<Tensor<double>> Instance::tape_gradient(const std::string& name) const {
    Tape<double> tape;
    Scope<double> scope{scope_.values, scope_.sizes, {}, {}};
    const Var<double> x = tape.leaf(scope_.values.at(name).value());
    scope.values.at(name) = x;
    double magnitude = 0;
    for (const std::size_t i : plan_.reached_by(name))
        if (!proof_.forward[i].indices.empty() || contains(*proof_.forward[i].value, Kind::reduce)) return std::nullopt;
    try {
        run(scope, plan_.reached_by(name), magnitude);
    } catch (const EvaluationError& e) {
        fail(proof_, e);
    }
    const Var<double>& y = scope.values.at(last_);
    if (!y.on_tape()) return zeros<double>(x.shape());
    if (has_cotangent())
        tape.backward(y, cotangent_);
    else
        tape.backward(y);
    return tape.grad(x);
}

/// <u, J v> by dual numbers.
double Instance::along_by_duals(const std::string& name, const Tensor<double>& direction) {
    Scope<Dual<double>> scope{duals().values, scope_.sizes, {}, {}};
    scope.values.at(name) = dual(scope_.values.at(name).value(), direction);
    double magnitude = 0;
    run(scope, plan_.reached_by(name), magnitude);
    return seeded_loss(scope);
}

double Instance::loss_value(const Scope<double>& scope) const {
    const Tensor<double>& y = scope.values.find(last_)->second.value();
    return has_cotangent() ? dot(cotangent_, y) : y[0];
}

/// The derivative along a random direction by fourth-order differences: the witness that shares nothing with dual numbers.
void Instance::confirm(const std::string& name, TrueGradient& g) {
    const Tensor<double>& x = scope_.values.at(name).value();
    if (x.size() == 0) return;
    Random random = random_.stream(7 + gradients_.size());
    const Tensor<double> v = random.normal<double>(x.shape());
    Scope<double> moved{scope_.values, scope_.sizes, {}, {}};
    double met = std::abs(loss_value(scope_));
    // Of the one number t: the loss at x + t v.
    const check::Function along = [&](const Tensors& t) {
        Tensor<double> at = x.clone();
        for (Index i = 0; i < at.size(); ++i) at[i] += t[0][0] * v[i];
        moved.values.at(name) = at;
        run(moved, plan_.reached_by(name), met);
        return Tensor<double>::scalar(loss_value(moved));
    };
    const Tensors here{Tensor<double>::scalar(0)};
    const double expected = dot(g.value, v), scale = norm(g.value) * norm(v);
    try {
        if (const double exact = along_by_duals(name, v); std::abs(exact - expected) > 1e-10 * scale + 1e-12 * g.magnitude) {
            g.confirmed = false;
            g.doubt =
                fmt::format("the two oracles disagree about {}: dual numbers say {:.6g}, the backward passes of the ops {:.6g}",
                            name, exact, expected);
            return;
        }
        using enum check::Stencil;
        for (const double shrink : {1.0, 0x1p-6, 0x1p-10, 0x1p-14}) {  // near a pole or a kink only small steps stay on one side
            const double found = check::difference(along, here, {}, fourth_order, shrink)[0];
            const double noise = 64 * std::numeric_limits<double>::epsilon() * met / (check::step(fourth_order, 0) * shrink);
            if (std::abs(found - expected) <= 1e-7 * scale + noise) return;
        }
        const check::OneSided sides = check::one_sided(along, here, {});
        const double right = sides.right[0], left = sides.left[0];
        g.confirmed = false;
        g.doubt =
            std::abs(right - left) > 1e-3 * std::max(std::abs(right), std::abs(left))
                ? fmt::format("a kink or tie: the derivative by {} is {:.4g} on one side, {:.4g} on the other", name, right, left)
                : fmt::format("the two oracles disagree about {}: dual numbers say {:.4g}, differences {:.4g}", name, expected,
                              right);
    } catch (const EvaluationError& e) {
        fail(proof_, e);
    }
}

/// [shape of y, shape of x] through those assignments, of which the last computes y.
Tensor<double> Instance::jacobian_through(const std::string& y, const std::string& x,
                                          const std::vector<std::size_t>& assignments) {
    const Shape &of = scope_.values.at(y).shape(), &by = scope_.values.at(x).shape();
    Shape shape = of;
    for (const Index n : by) {
        if (shape.rank() == kMaxRank) refuse(x, "∂{}/∂{}: more than {} axes", y, x, kMaxRank);
        shape.push_back(n);
    }
    double size = 1;
    for (const Index n : shape) size *= static_cast<double>(n);
    if (size > static_cast<double>(kMostElements)) refuse(x, "∂{}/∂{} is {}: at most {} entries", y, x, shape, kMostElements);
    if (const double work = static_cast<double>(by.size()) * work_of(assignments); work > kMostWork)
        refuse(x, "∂{}/∂{}: about {:.0e} steps, at most {:.0e}", y, x, work, kMostWork);
    Tensor<double> out = zeros<double>(shape);
    if (assignments.empty() || out.size() == 0) return out;
    double magnitude = 0;
    const Tensor<double> c = columns(
        x, assignments, [&](const Scope<Dual<double>>& s) { return tangent_of(s.values.find(y)->second.value()); }, magnitude);
    const Index n = of.size(), m = by.size();
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < m; ++j) out[i * m + j] = c[j * n + i];
    return out;
}

const Tensor<double>& Instance::jacobian(const std::string& y, const std::string& x) {
    const std::string key = y + "/" + x;
    if (const auto found = jacobians_.find(key); found != jacobians_.end()) return found->second;
    std::vector<std::size_t> needed;
    for (const std::size_t i : plan_.reached_by(x)) {
        needed.push_back(i);
        if (proof_.forward[i].name == y) break;
    }
    if (!plan_.reaches(x, y)) needed.clear();
    return jacobians_.emplace(key, jacobian_through(y, x, needed)).first->second;
}

Tensor<double> Instance::step_jacobian(const std::string& x, std::size_t consumer) {
    return jacobian_through(proof_.forward[consumer].name, x, {consumer});
}

Scope<double> Instance::moved(const std::string& name, const Tensor<double>& x) const {
    Scope<double> out{scope_.values, scope_.sizes, {}, {}};
    out.values.at(name) = x;
    double magnitude = 0;
    try {
        run(out, plan_.reached_by(name), magnitude);
    } catch (const EvaluationError& e) {
        fail(proof_, e);
    }
    return out;
}

Tensor<double> Instance::path(const std::string& x, std::size_t consumer, const ExprPtr& value) {
    // d(value of the consumer)/d(one use of x), every other use held, times the gradient of that value.
    Assignment a = proof_.forward[consumer];
    a.value = value;
    const Tensor<double> g = gradient(a.name).value;
    const Tensor<double>& at = scope_.values.at(x).value();
    Scope<Dual<double>> scope{duals().values, scope_.sizes, {}, {}};
    Tensor<Dual<double>> seeded = cast<Dual<double>>(at);
    scope.values[kOneUse] = seeded;
    Tensor<double> out(at.shape());
    double magnitude = 0;
    for (Index e = 0; e < at.size(); ++e) {
        seeded[e].tangent = 1;
        out[e] = dot(g, tangent_of(evaluate(a, scope, magnitude).value()));
        seeded[e].tangent = 0;
    }
    return out;
}

}  // namespace gradproof::proof
