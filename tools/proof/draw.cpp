// Draws of a proof and its true derivatives.
#include "tools/proof/draw.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/check/oracles.hpp"

namespace gradproof::proof {
namespace {

[[noreturn]] void fail(const Proof& proof, const EvaluationError& e) { throw ProofError(*proof.source, e.span().begin, e.what()); }

std::set<std::string> names_in(const Expr& e) {
    std::set<std::string> out;
    for_each(e, [&](const Expr& part) {
        if (part.kind == Kind::name) out.insert(part.name);
    });
    return out;
}

/// A dim may have the name of a constant, as e.
std::set<std::string> unknown_sizes(const Proof& proof, const Expr& e, const std::map<std::string, Index, std::less<>>& sizes) {
    std::set<std::string> out;
    for (const std::string& n : names_in(e)) {
        const bool is_dim = std::any_of(proof.dims.begin(), proof.dims.end(), [&](const Dim& d) { return d.name == n; });
        if (!sizes.contains(n) && (is_dim || (n != "pi" && n != "e" && n != "inf" && n != "π"))) out.insert(n);
    }
    return out;
}

/// A size as a number. Errors: ProofError.
Index size_value(const Proof& proof, const Expr& e, const std::map<std::string, Index, std::less<>>& sizes) {
    Scope<double> scope;
    scope.sizes = sizes;
    try {
        const Var<double> x = Evaluator<double>(scope).matrix(e);
        const double v = x.shape().empty() ? x.value()[0] : std::numeric_limits<double>::quiet_NaN();
        if (v >= 0 && v <= static_cast<double>(kMostElements) && v == std::floor(v)) return static_cast<Index>(v);
        throw ProofError(*proof.source, e.span.begin, fmt::format("the size {} is {}, expected a whole number from 0 to {} (kMostElements)", text_of(e), v, kMostElements));
    } catch (const EvaluationError& error) {
        fail(proof, error);
    }
}

}  // namespace

Plan::Plan(const Proof& proof, const Bindings& bound) : proof_(proof) {
    for (const Given& g : proof.given)
        if (g.fill != Fill::literal && !bound.contains(g.name)) drawn_.insert(g.name);
    drawn_any_ = !drawn_.empty();
    for (const Dim& d : proof.dims) drawn_any_ = drawn_any_ || !d.value;
    for (const Assignment& a : proof.forward) {
        used_.push_back(names_in(*a.value));
        if (std::any_of(used_.back().begin(), used_.back().end(), [&](const std::string& n) { return drawn_.contains(n); })) drawn_.insert(a.name);
    }
    const auto reach = [&](const std::string& name, std::size_t after) {
        std::set<std::string> touched{name};
        std::vector<std::size_t> out;
        for (std::size_t i = after; i < proof.forward.size(); ++i)
            if (std::any_of(used_[i].begin(), used_[i].end(), [&](const std::string& n) { return touched.contains(n); })) {
                touched.insert(proof.forward[i].name);
                out.push_back(i);
            }
        reached_[name] = std::move(out);
    };
    for (const Given& g : proof.given) reach(g.name, 0);
    for (std::size_t i = 0; i < proof.forward.size(); ++i) reach(proof.forward[i].name, i + 1);
}

bool Plan::reaches(const std::string& from, const std::string& to) const {
    const auto& r = reached_.at(from);
    return std::any_of(r.begin(), r.end(), [&](std::size_t i) { return proof_.forward[i].name == to; });
}

std::vector<std::size_t> Plan::consumers(const std::string& name) const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < used_.size(); ++i)
        if (used_[i].contains(name)) out.push_back(i);
    return out;
}

bool Plan::is_drawn(const Expr& e) const {
    const std::set<std::string> names = names_in(e);
    return std::any_of(names.begin(), names.end(), [&](const std::string& n) { return drawn_.contains(n); });
}

Draw::Draw(const Proof& proof, const Plan& plan, const DrawOptions& options, int number)
    : proof_(proof), plan_(plan), random_(Random(options.seed).stream(static_cast<std::uint64_t>(number) + 1)) {
    solve_sizes(options, random_.stream(1));
    fill(options, random_.stream(2));
    double magnitude = 0;
    try {
        for (const Assignment& a : proof.forward) {
            double work = 0;
            scope_.values[a.name] = evaluate(a, scope_, magnitude, &work);
            work_.push_back(work);
        }
    } catch (const EvaluationError& e) {
        fail(proof, e);
    }
    if (proof.forward.empty()) return;
    const Assignment& last = proof.forward.back();
    last_ = last.name;
    const Tensor<double>& y = scope_.values.at(last_).value();
    if (!last.is_loss) {
        Random r = random_.stream(3);
        cotangent_ = options.cotangent.defined() ? options.cotangent : r.normal<double>(y.shape());
        if (!(cotangent_.shape() == y.shape()))
            throw ProofError(*proof.source, last.value->span.begin, fmt::format("the cotangent of {} is {}, expected {}", last_, cotangent_.shape(), named_shape(y.shape(), scope_.sizes)));
    } else if (y.size() != 1) {
        throw ProofError(*proof.source, last.value->span.begin, fmt::format("the loss {} is {}, expected one number", last_, y.shape()));
    }
    scope_.gradient = [this](const Expr& e) { return gradient(e.name).value; };
    scope_.jacobian = [this](const Expr& e) { return jacobian(e.name, e.other); };
}

void Draw::solve_sizes(const DrawOptions& options, Random random) {
    auto& sizes = scope_.sizes;
    // From the arrays that are given: an axis of a size not yet known names it.
    for (const Given& g : proof_.given) {
        const auto bound = options.bind.find(g.name);
        if (bound == options.bind.end() || g.shape.empty()) continue;
        const Shape& shape = bound->second.shape();
        if (static_cast<std::size_t>(shape.rank()) != g.shape.size())
            throw ProofError(*proof_.source, g.span.begin, fmt::format("{}: the bound array is {}, expected {} axes", g.name, shape, g.shape.size()));
        for (std::size_t a = 0; a < g.shape.size(); ++a) {
            const std::set<std::string> open = unknown_sizes(proof_, *g.shape[a], sizes);
            const Index n = shape[static_cast<int>(a)];
            if (open.size() != 1 || proof_.dims.end() != std::find_if(proof_.dims.begin(), proof_.dims.end(), [&](const Dim& d) { return d.name == *open.begin() && d.value; })) continue;
            auto trial = sizes;
            bool solved = false;
            for (Index v = 0; v <= n && !solved; ++v) {
                trial[*open.begin()] = v;
                try {
                    solved = size_value(proof_, *g.shape[a], trial) == n;
                } catch (const ProofError&) {
                    continue;
                }
            }
            if (!solved)
                throw ProofError(*proof_.source, g.shape[a]->span.begin, fmt::format("{}: no size {} makes {} equal to {}, which the bound array has", g.name, *open.begin(), text_of(*g.shape[a]), n));
            sizes = trial;
        }
    }
    const auto compute = [&](std::map<std::string, Index, std::less<>>& into) {
        for (const Dim& d : proof_.dims)
            if (d.value) {
                const Index v = size_value(proof_, *d.value, into);
                if (const auto [at, fresh] = into.emplace(d.name, v); !fresh && at->second != v)
                    throw ProofError(*proof_.source, d.span.begin, fmt::format("{} is {}, and {} by the bound arrays", d.name, v, at->second));
            }
    };
    std::vector<const Dim*> drawn;
    for (const Dim& d : proof_.dims)
        if (!d.value && !sizes.contains(d.name)) drawn.push_back(&d);
    const Index highest = 4 + static_cast<Index>(drawn.size());
    constexpr int kTries = 200;
    for (int attempt = 0; attempt < kTries; ++attempt) {
        auto trial = sizes;
        const Index spread = highest + attempt / 20;  // wider where the first tries meet sizes that are taken
        const std::vector<Index> order = random.permutation(spread - 1);
        for (std::size_t i = 0; i < drawn.size(); ++i) trial[drawn[i]->name] = 2 + order[i];
        compute(trial);
        const bool distinct = std::all_of(drawn.begin(), drawn.end(), [&](const Dim* d) {
            return std::count_if(trial.begin(), trial.end(), [&](const auto& s) { return s.second == trial.at(d->name); }) == 1;
        });
        if (distinct || attempt + 1 == kTries) {
            sizes = std::move(trial);
            return;
        }
    }
}

Shape Draw::shape_of(const Given& g) const {
    Shape shape;
    for (const ExprPtr& e : g.shape) shape.push_back(size_value(proof_, *e, scope_.sizes));
    double size = 1;
    for (const Index n : shape) size *= static_cast<double>(n);
    if (size > static_cast<double>(kMostElements))
        throw ProofError(*proof_.source, g.span.begin, fmt::format("{} is {}: at most {} elements (kMostElements)", g.name, shape, kMostElements));
    return shape;
}

void Draw::fill(const DrawOptions& options, Random random) {
    std::uint64_t stream = 0;
    for (const Given& g : proof_.given) {
        const Shape shape = shape_of(g);
        Tensor<double> x;
        if (const auto bound = options.bind.find(g.name); bound != options.bind.end()) {
            x = bound->second;
            if (!g.shape.empty() && !(x.shape() == shape))
                throw ProofError(*proof_.source, g.span.begin, fmt::format("{}: the bound array is {}, expected {}", g.name, x.shape(), named_shape(shape, scope_.sizes)));
        } else {
            x = given(g, shape, random.stream(++stream));
        }
        if (!g.shape.empty() && g.fill == Fill::literal && !(x.shape() == shape))
            throw ProofError(*proof_.source, g.span.begin, fmt::format("{}: its value is {}, its shape is {}", g.name, x.shape(), named_shape(shape, scope_.sizes)));
        scope_.values[g.name] = x;
    }
}

Tensor<double> Draw::given(const Given& g, const Shape& shape, Random random) {
    const auto parameter = [&](std::size_t i) {
        try {
            const Var<double> x = Evaluator<double>(scope_).matrix(*g.parameters[i]);
            if (x.shape().empty() && std::isfinite(x.value()[0])) return x.value()[0];
        } catch (const EvaluationError& e) {
            fail(proof_, e);
        }
        throw ProofError(*proof_.source, g.parameters[i]->span.begin, "expected a finite number");
    };
    switch (g.fill) {
        case Fill::normal: return random.normal<double>(shape);
        case Fill::uniform: {
            const double low = parameter(0), high = parameter(1);
            if (!(low < high)) throw ProofError(*proof_.source, g.parameters[0]->span.begin, fmt::format("uniform({}, {}): the first is not below the second", low, high));
            return random.uniform<double>(shape, low, high);
        }
        case Fill::positive: return random.uniform<double>(shape, 0.5, 2);
        case Fill::index: {
            const auto n = static_cast<Index>(parameter(0));
            if (n < 1) throw ProofError(*proof_.source, g.parameters[0]->span.begin, fmt::format("index({}): expected at least 1", n));
            Tensor<double> x(shape);
            for (double& v : x) v = static_cast<double>(random.below(n));
            return x;
        }
        case Fill::onehot: {
            Tensor<double> x = zeros<double>(shape);
            const Index n = shape.rank() > 0 ? shape.last() : 0;
            for (Index row = 0; n > 0 && row < x.size() / n; ++row) x[row * n + random.below(n)] = 1;
            return x;
        }
        case Fill::literal: break;
    }
    try {
        Evaluator<double> evaluator(scope_);
        const Tensor<double> x = evaluator.matrix(*g.value).value();
        const bool mask = !g.differentiable;  // a mask may hold -inf
        for (const double v : x)
            if (!std::isfinite(v) && !mask) throw ProofError(*proof_.source, g.value->span.begin, fmt::format("{}: an input holds {}, expected finite numbers", g.name, v));
        return x;
    } catch (const EvaluationError& e) {
        fail(proof_, e);
    }
}

template <class T>
Var<T> Draw::evaluate(const Assignment& a, const Scope<T>& scope, double& magnitude, double* work) const {
    Evaluator<T> evaluator(scope);
    Var<T> y;
    if (a.indices.empty()) {
        y = evaluator.matrix(*a.value);
    } else {
        const std::map<std::string, Index> sizes = evaluator.index_sizes(*a.value, {});
        Shape shape;
        for (const std::string& i : a.indices) {
            const auto found = sizes.find(i);
            if (found == sizes.end()) throw EvaluationError(a.value->span, false, fmt::format("index {} is not used at an axis: its size is unknown", i));
            shape.push_back(found->second);
        }
        y = evaluator.indexed(*a.value, a.indices, shape);
    }
    magnitude = std::max(magnitude, evaluator.magnitude());
    if (work) *work = evaluator.work() + static_cast<double>(y.value().size());
    return y;
}

template <class T>
void Draw::run(Scope<T>& scope, const std::vector<std::size_t>& assignments, double& magnitude) const {
    for (const std::size_t i : assignments) {
        const Assignment& a = proof_.forward[i];
        scope.values.find(a.name)->second = evaluate(a, scope, magnitude);
    }
}

Scope<Dual<double>>& Draw::duals() {
    if (!duals_) {
        duals_ = std::make_unique<Scope<Dual<double>>>();
        duals_->sizes = scope_.sizes;
        for (const auto& [name, x] : scope_.values) duals_->values[name] = cast<Dual<double>>(x.value());
    }
    return *duals_;
}

double Draw::seeded_loss(const Scope<Dual<double>>& scope) const {
    const Tensor<Dual<double>>& y = scope.values.find(last_)->second.value();
    if (!has_cotangent()) return y[0].tangent;
    double total = 0;
    for (Index i = 0; i < y.size(); ++i) total += cotangent_[i] * y[i].tangent;
    return total;
}

/// read() of the forward with a tangent at each entry of x in turn: [size of x, what read gives].
Tensor<double> Draw::columns(const std::string& x, const std::vector<std::size_t>& assignments, const std::function<Tensor<double>(const Scope<Dual<double>>&)>& read, double& magnitude) {
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
void Draw::refuse(const std::string& name, fmt::format_string<A...> text, A&&... a) const {
    const auto given = std::find_if(proof_.given.begin(), proof_.given.end(), [&](const Given& g) { return g.name == name; });
    const Assignment* assigned = proof_.find(name);
    throw ProofError(*proof_.source, assigned ? assigned->statement.span.begin : given->span.begin, fmt::format(text, std::forward<A>(a)...));
}

const TrueGradient& Draw::gradient(const std::string& name) {
    if (const auto found = gradients_.find(name); found != gradients_.end()) return found->second;
    TrueGradient g;
    const Shape& shape = scope_.values.at(name).shape();
    if (name == last_) {
        g.value = has_cotangent() ? cotangent_ : Tensor<double>(shape, 1.0);
    } else if (!plan_.reaches(name, last_)) {
        g.value = zeros<double>(shape);
        g.confirmed = false;
        g.doubt = fmt::format("no path leads from {} to {}", name, last_);
    } else if (const double work = static_cast<double>(scope_.values.at(name).value().size()) * work_of(plan_.reached_by(name)); work > kMostEntryWork) {
        const std::optional<Tensor<double>> taped = tape_gradient(name);
        if (!taped) refuse(name, "∂L/∂{}: about {:.0e} steps in index form, at most {:.0e} (kMostEntryWork)", name, work, kMostEntryWork);
        g.value = *taped;
        confirm(name, g);
    } else {
        g.value = columns(name, plan_.reached_by(name), [&](const Scope<Dual<double>>& s) { return Tensor<double>::scalar(seeded_loss(s)); }, g.magnitude).reshape(shape);
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

double Draw::work_of(const std::vector<std::size_t>& assignments) const {
    double total = 0;
    for (const std::size_t i : assignments) total += work_[i];
    return total;
}

std::optional<Tensor<double>> Draw::tape_gradient(const std::string& name) const {
    Tape<double> tape;
    Scope<double> scope;
    scope.sizes = scope_.sizes;
    scope.values = scope_.values;
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
    if (has_cotangent()) tape.backward(y, cotangent_);
    else tape.backward(y);
    return tape.grad(x);
}

/// <u, J v> by dual numbers.
double Draw::along_by_duals(const std::string& name, const Tensor<double>& direction) {
    Scope<Dual<double>> scope;
    scope.sizes = scope_.sizes;
    scope.values = duals().values;
    scope.values.at(name) = dual(scope_.values.at(name).value(), direction);
    double magnitude = 0;
    run(scope, plan_.reached_by(name), magnitude);
    return seeded_loss(scope);
}

double Draw::loss_value(const Scope<double>& scope) const {
    const Tensor<double>& y = scope.values.find(last_)->second.value();
    return has_cotangent() ? dot(cotangent_, y) : y[0];
}

/// The derivative along a random direction by fourth-order differences: the witness that shares nothing with dual numbers.
void Draw::confirm(const std::string& name, TrueGradient& g) {
    const Tensor<double>& x = scope_.values.at(name).value();
    if (x.size() == 0) return;
    Random random = random_.stream(7 + gradients_.size());
    const Tensor<double> v = random.normal<double>(x.shape());
    Scope<double> moved;
    moved.sizes = scope_.sizes;
    moved.values = scope_.values;
    double largest = 1;
    for (const double e : x) largest = std::max(largest, std::abs(e));
    double met = 0;
    const auto along = [&](double h) {
        Tensor<double> at = x.clone();
        for (Index i = 0; i < at.size(); ++i) at[i] += h * v[i];
        moved.values.at(name) = at;
        run(moved, plan_.reached_by(name), met);
        return loss_value(moved);
    };
    const double expected = dot(g.value, v), scale = norm(g.value) * norm(v);
    try {
        if (const double exact = along_by_duals(name, v); std::abs(exact - expected) > 1e-10 * scale + 1e-12 * g.magnitude) {
            g.confirmed = false;
            g.doubt = fmt::format("the two oracles disagree about {}: dual numbers say {:.6g}, the backward passes of the ops {:.6g}", name, exact, expected);
            return;
        }
        for (const double shrink : {1.0, 1.0 / 64, 1.0 / 1024, 1.0 / 16384}) {  // near a pole or a kink only small steps stay on one side
            const double h = 7e-4 * shrink * std::min(largest, 4.0);
            const double found = (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h);
            const double noise = 64 * std::numeric_limits<double>::epsilon() * std::max(met, std::abs(loss_value(scope_))) / h;
            if (std::abs(found - expected) <= 1e-7 * scale + noise) return;
        }
        const double h = 1e-6, right = (along(h) - loss_value(scope_)) / h, left = (loss_value(scope_) - along(-h)) / h;
        g.confirmed = false;
        g.doubt = std::abs(right - left) > 1e-3 * std::max(std::abs(right), std::abs(left)) ? fmt::format("a kink or tie: the derivative by {} is {:.4g} on one side, {:.4g} on the other", name, right, left)
                                                                                          : fmt::format("the two oracles disagree about {}: dual numbers say {:.4g}, differences {:.4g}", name, expected, right);
    } catch (const EvaluationError& e) {
        fail(proof_, e);
    }
}

/// [shape of y, shape of x] through those assignments, of which the last computes y.
Tensor<double> Draw::jacobian_through(const std::string& y, const std::string& x, const std::vector<std::size_t>& assignments) {
    const Shape &of = scope_.values.at(y).shape(), &by = scope_.values.at(x).shape();
    Shape shape = of;
    for (const Index n : by) {
        if (shape.rank() == kMaxRank) refuse(x, "∂{}/∂{}: more than {} axes", y, x, kMaxRank);
        shape.push_back(n);
    }
    double size = 1;
    for (const Index n : shape) size *= static_cast<double>(n);
    if (size > static_cast<double>(kMostElements)) refuse(x, "∂{}/∂{} is {}: at most {} entries (kMostElements)", y, x, shape, kMostElements);
    if (const double work = static_cast<double>(by.size()) * work_of(assignments); work > kMostWork)
        refuse(x, "∂{}/∂{}: about {:.0e} steps, at most {:.0e} (kMostWork)", y, x, work, kMostWork);
    Tensor<double> out = zeros<double>(shape);
    if (assignments.empty() || out.size() == 0) return out;
    double magnitude = 0;
    const Tensor<double> c = columns(x, assignments, [&](const Scope<Dual<double>>& s) { return tangent_of(s.values.find(y)->second.value()); }, magnitude);
    const Index n = of.size(), m = by.size();
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < m; ++j) out[i * m + j] = c[j * n + i];
    return out;
}

const Tensor<double>& Draw::jacobian(const std::string& y, const std::string& x) {
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

Tensor<double> Draw::step_jacobian(const std::string& x, std::size_t consumer) { return jacobian_through(proof_.forward[consumer].name, x, {consumer}); }

Scope<double> Draw::moved(const std::string& name, const Tensor<double>& x) const {
    Scope<double> out;
    out.sizes = scope_.sizes;
    out.values = scope_.values;
    out.values.at(name) = x;
    double magnitude = 0;
    try {
        run(out, plan_.reached_by(name), magnitude);
    } catch (const EvaluationError& e) {
        fail(proof_, e);
    }
    return out;
}

Tensor<double> Draw::path(const std::string& x, std::size_t consumer, const ExprPtr& value) {
    // d(value of the consumer)/d(one use of x), every other use held, times the gradient of that value.
    Assignment a = proof_.forward[consumer];
    a.value = value;
    const Tensor<double> g = gradient(a.name).value;
    const Tensor<double>& at = scope_.values.at(x).value();
    Scope<Dual<double>> scope;
    scope.sizes = scope_.sizes;
    scope.values = duals().values;
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
