// The forward and its true derivatives: by dual numbers, or by the tape where those take too long.
#include "gradproof/core/proof/evaluate/derivatives.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gradproof/core/proof/evaluate/instance.hpp"
#include "gradproof/core/proof/evaluate/steps.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {

namespace {

template <class T>
void compute_block(const Proof& proof, const Assignment& a, Scope<T>& scope, double* work, const Tensor<T>& added) {
    auto values = placed(a, [&] { return Steps<T>(proof.together_with(a), scope).run(work, a.name, added); });
    for (auto& [name, value] : values) scope.values.insert_or_assign(name, std::move(value));
}

}  // namespace

template <class T>
void compute(const Proof& proof, const Assignment& a, Scope<T>& scope, double* work) {
    if (a.block.empty())
        scope.values.insert_or_assign(a.name, evaluate(a, scope, work));
    else if (a.block == a.name)
        compute_block(proof, a, scope, work, {});
}

template <class T>
void put(const Proof& proof, Scope<T>& scope, const std::string& name, const Tensor<T>& x, const Tensor<T>& before) {
    const Assignment* const a = proof.find(name);
    if (a == nullptr || !a->is_recurrence()) {
        scope.values.insert_or_assign(name, x);
        return;
    }
    Tensor<T> added = x.clone();
    for (Index i = 0; i < x.size(); ++i) added[i] -= before[i];
    if (!a->block.empty()) return compute_block<T>(proof, *a, scope, nullptr, added);
    scope.values.insert_or_assign(name, evaluate(*a, scope, nullptr, added));
}
template void put(const Proof&, Scope<double>&, const std::string&, const Tensor<double>&, const Tensor<double>&);

template <class T>
Tensor<T> exact(const Tensor<double>& x) {
    using Real = decltype(T::value);
    Tensor<T> y(x.shape());
    for (Index i = 0; i < x.size(); ++i) y[i] = T(Real::exactly(x[i]));
    return y;
}
template <class T>
Tensor<double> values_of(const Tensor<T>& x) {
    Tensor<double> y(x.shape());
    for (Index i = 0; i < x.size(); ++i) y[i] = primal(x[i]);
    return y;
}
template <class T>
Tensor<double> errors_of(const Tensor<T>& x) {
    Tensor<double> y(x.shape());
    for (Index i = 0; i < x.size(); ++i) y[i] = static_cast<double>(x[i].value.error);
    return y;
}

namespace {

/// The tangents, as constants.
template <class T>
Tensor<T> tangents(const Tensor<T>& x) {
    Tensor<T> y(x.shape());
    for (Index i = 0; i < x.size(); ++i) y[i] = T(x[i].tangent);
    return y;
}

/// Σ a b of whole tensors, by their values and tangents.   Errors  ShapeError.
template <class T>
T dot_of(const Tensor<T>& a, const Tensor<T>& b) {
    if (!(a.shape() == b.shape())) shape_error("dot: a is {}, b is {}", a.shape(), b.shape());
    T total(0);
    for (Index i = 0; i < a.size(); ++i) total += a[i] * b[i];
    return total;
}

}  // namespace

template <class T>
Derivatives<T>::Derivatives(const Proof& proof, const Plan& plan, Scope<T> given, const Tensor<T>& cotangent)
    : proof_(proof),
      plan_(plan),
      cotangent_(cotangent),
      last_(proof.forward.empty() ? "" : proof.forward.back().name),
      scope_(std::move(given)) {
    scope_.gradient = [this](const Expr& e) { return gradient(e.name); };
    scope_.jacobian = [this](const Expr& e) { return jacobian(e.name, e.other); };
    try {
        for (const Assignment& a : proof.forward) compute(proof, a, scope_, &work_.emplace_back());
    } catch (const EvaluationError& e) {
        fail(proof, e);
    }
}

template <class T>
void Derivatives<T>::run(Scope<T>& scope, const Assignments& assignments) const {
    for (const std::size_t i : assignments) compute(proof_, proof_.forward[i], scope);
}

template <class T>
T Derivatives<T>::loss_of(const Scope<T>& scope) const {
    const Tensor<T>& y = scope.values.find(last_)->second.value();
    return cotangent_.defined() ? dot_of(cotangent_, y) : y[0];
}

template <class T>
double Derivatives<T>::work_of(const Assignments& assignments) const {
    double total = 0;
    for (const std::size_t i : assignments) total += work_[i];
    return total;
}

/// read() of the forward with x in its place.
template <class T>
typename Derivatives<T>::Follows Derivatives<T>::through(const std::string& x, const Assignments& assignments,
                                                         std::function<Tensor<T>(const Scope<T>&)> read) {
    return [this, x, assignments, read = std::move(read)](Scope<T>& scope, const Tensor<T>& moved) {
        put(proof_, scope, x, moved, scope_.values.at(x).value());
        run(scope, assignments);
        return read(scope);
    };
}

/// What follows from a tangent at each entry of x in turn: [size of x, size of that].
template <class T>
Tensor<T> Derivatives<T>::columns(const std::string& x, const Follows& follows) {
    Scope<T> scope = scope_.values_alone();
    Tensor<T> seeded = scope_.values.at(x).value().clone();
    scope.values.at(x) = seeded;
    Tensor<T> out;
    try {
        for (Index e = 0; e < seeded.size(); ++e) {
            seeded[e].tangent = 1;
            const Tensor<T> column = follows(scope, seeded);
            if (!out.defined()) out = Tensor<T>(Shape{seeded.size(), column.size()});
            std::copy(column.begin(), column.end(), out.data() + e * column.size());
            seeded[e].tangent = 0;
        }
    } catch (const EvaluationError& e) {
        fail(proof_, e);
    }
    return out.defined() ? out : Tensor<T>(Shape{0, 0});
}

/// An error at the definition of a value whose derivatives are asked for.
template <class T>
template <class... A>
void Derivatives<T>::refuse(const std::string& name, fmt::format_string<A...> text, A&&... a) const {
    const auto given = std::find_if(proof_.given.begin(), proof_.given.end(), [&](const Given& g) { return g.name == name; });
    const Assignment* assigned = proof_.find(name);
    throw ProofError(*proof_.source, assigned ? assigned->statement.span.begin : given->span.begin,
                     fmt::format(text, std::forward<A>(a)...));
}

template <class T>
const Tensor<T>& Derivatives<T>::gradient(const std::string& name) {
    if (const auto found = gradients_.find(name); found != gradients_.end()) return found->second;
    const Tensor<T>& x = scope_.values.at(name).value();
    Tensor<T> g;
    const Assignment* const own = proof_.find(name);
    const bool moves_itself = own != nullptr && own->is_recurrence();
    if (name == last_ && !moves_itself) {
        g = cotangent_.defined() ? cotangent_ : Tensor<T>(x.shape(), T(1));
    } else if (name != last_ && !plan_.reaches(name, last_)) {
        g = Tensor<T>(x.shape(), T(0));
    } else if (std::optional<Tensor<T>> steps = stepwise_gradient(name)) {
        g = *steps;
    } else if (const double work = static_cast<double>(x.size()) * work_of(plan_.reached_by(name)); work > kMostEntryWork<T>) {
        const std::optional<Tensor<T>> taped = tape_gradient(name);
        if (!taped) refuse(name, "∂L/∂{}: about {:.0e} steps in index form, at most {:.0e}", name, work, kMostEntryWork<T>);
        g = *taped;
    } else {
        const auto slope = [this](const Scope<T>& s) { return Tensor<T>::scalar(T(loss_of(s).tangent)); };
        g = columns(name, through(name, plan_.reached_by(name), slope)).reshape(x.shape());
    }
    return gradients_.emplace(name, std::move(g)).first->second;
}

/// A value in index form is gone through backwards for about the price of going through it a few times.
constexpr double kBackwards = 8;
constexpr double kNever = std::numeric_limits<double>::infinity();

/// About the arithmetic of a gradient, and of those that it is made of.
template <class T>
double Derivatives<T>::cost_of(const std::string& name) {
    if (const auto found = costs_.find(name); found != costs_.end()) return found->second;
    const double entries = static_cast<double>(scope_.values.at(name).value().size());
    const double whole = entries * work_of(plan_.reached_by(name));
    const double steps = whole > kMuchEntryWork ? cost_of_steps(name) : kNever;
    const double least = whole > kMostEntryWork<T> ? steps : std::min(whole, steps);
    return costs_.emplace(name, least).first->second;
}

template <class T>
double Derivatives<T>::cost_of_steps(const std::string& name) {
    const auto is_entries = [&](std::size_t i) { return !proof_.forward[i].indices.empty(); };
    const auto goes_on = [&](const Assignment& a) { return a.is_recurrence() || !a.block.empty(); };
    const Assignment* const own = proof_.find(name);
    if ((own != nullptr && goes_on(*own)) || std::ranges::none_of(plan_.reached_by(name), is_entries)) return kNever;
    const double entries = static_cast<double>(scope_.values.at(name).value().size());
    double total = 0;
    for (const std::size_t i : plan_.consumers(name)) {
        const Assignment& a = proof_.forward[i];
        if (goes_on(a)) return kNever;
        if (a.name != last_ && !plan_.reaches(a.name, last_)) continue;
        total += work_[i] * (goes_back(name, a) ? kBackwards : entries) + (a.name == last_ ? 0 : cost_of(a.name));
    }
    return total > kMostEntryWork<T> ? kNever : total;
}

template <class T>
std::optional<Tensor<T>> Derivatives<T>::stepwise_gradient(const std::string& name) {
    const Tensor<T>& x = scope_.values.at(name).value();
    const double whole = static_cast<double>(x.size()) * work_of(plan_.reached_by(name));
    if (whole <= kMuchEntryWork || name == last_ || cost_of_steps(name) > whole / 2) return std::nullopt;
    Tensor<T> out(x.shape(), T(0));
    for (const std::size_t i : plan_.consumers(name)) {
        if (const std::string& y = proof_.forward[i].name; y != last_ && !plan_.reaches(y, last_)) continue;
        const Tensor<T> part = pulled_back(name, i);
        for (Index e = 0; e < out.size(); ++e) out[e] += part[e];
    }
    return out;
}

template <class T>
bool Derivatives<T>::goes_back(const std::string& x, const Assignment& consumer) const {
    return !consumer.indices.empty() && Evaluator<T>(scope_).goes_back(consumer.value, x);
}

/// What the gradient of one assignment gives for x.
template <class T>
Tensor<T> Derivatives<T>::pulled_back(const std::string& x, std::size_t consumer) {
    const Assignment& a = proof_.forward[consumer];
    const Tensor<T>& g = gradient(a.name);
    if (goes_back(x, a)) return Evaluator<T>(scope_).pulled_back(*a.value, a.indices, g, x);
    const auto slope = [&](const Scope<T>& s) {
        return Tensor<T>::scalar(dot_of(g, tangents(s.values.find(a.name)->second.value())));
    };
    return columns(x, through(x, {consumer}, slope)).reshape(scope_.values.at(x).shape());
}

template <class T>
std::optional<Tensor<T>> Derivatives<T>::tape_gradient(const std::string& name) const {
    Tape<double> tape;
    Scope<double> scope{{}, scope_.sizes, {}, {}};
    scope.conventions = scope_.conventions;
    for (const auto& [n, v] : scope_.values) scope.values[n] = values_of(v.value());
    if (const Assignment* own = proof_.find(name); own != nullptr && own->is_recurrence()) return std::nullopt;
    const Var<double> x = tape.leaf(scope.values.at(name).value());
    scope.values.at(name) = x;
    for (const std::size_t i : plan_.reached_by(name))
        if (!proof_.forward[i].indices.empty() || contains(*proof_.forward[i].value, Kind::reduce)) return std::nullopt;
    try {
        for (const std::size_t i : plan_.reached_by(name))
            scope.values.at(proof_.forward[i].name) = evaluate(proof_.forward[i], scope);
    } catch (const EvaluationError& e) {
        fail(proof_, e);
    }
    const Var<double>& y = scope.values.at(last_);
    if (!y.on_tape()) return Tensor<T>(x.shape(), T(0));
    if (cotangent_.defined())
        tape.backward(y, values_of(cotangent_));
    else
        tape.backward(y);
    // The backward passes of the ops carry no bounds: kTaped of the largest entry stands for them.
    constexpr double kTaped = 1e-12;
    const Tensor<double> g = tape.grad(x);
    double largest = 0;
    for (const double v : g) largest = std::max(largest, std::abs(v));
    Tensor<T> out = exact<T>(g);
    for (T& v : out) v.value.error = kTaped * largest;
    return out;
}

template <>
std::optional<Tensor<Modular>> Derivatives<Modular>::tape_gradient(const std::string&) const {
    return std::nullopt;
}

template <class T>
T Derivatives<T>::along(const std::string& name, const Tensor<double>& direction) const {
    Scope<T> scope = scope_.values_alone();
    Tensor<T> x = scope.values.at(name).value().clone();
    for (Index i = 0; i < x.size(); ++i) x[i].tangent = decltype(T::value)::exactly(direction[i]);
    put(proof_, scope, name, x, scope_.values.at(name).value());
    run(scope, plan_.reached_by(name));
    return loss_of(scope);
}

/// [shape of y, shape of x] through those assignments, of which the last computes y.
template <class T>
Tensor<T> Derivatives<T>::jacobian_through(const std::string& y, const std::string& x, const Assignments& assignments) {
    // A recurrence moves its later entries, and those of its block.
    const bool moves = (y == x && proof_.find(x) != nullptr) || plan_.are_together(x, y);
    if (assignments.empty() && !moves) return jacobian_by(y, x, 0, {});
    const auto read = [y](const Scope<T>& s) { return tangents(s.values.find(y)->second.value()); };
    return jacobian_by(y, x, work_of(assignments), through(x, assignments, read));
}

/// Zeros where nothing follows.
template <class T>
Tensor<T> Derivatives<T>::jacobian_by(const std::string& y, const std::string& x, double work_of_one, const Follows& follows) {
    const Shape &of = scope_.values.at(y).shape(), &by = scope_.values.at(x).shape();
    Shape shape = of;
    for (const Index n : by) {
        if (shape.rank() == kMaxRank) refuse(x, "∂{}/∂{}: more than {} axes", y, x, kMaxRank);
        shape.push_back(n);
    }
    double size = 1;
    for (const Index n : shape) size *= static_cast<double>(n);
    if (size > static_cast<double>(kMostElements)) refuse(x, "∂{}/∂{} is {}: at most {} entries", y, x, shape, kMostElements);
    if (const double work = static_cast<double>(by.size()) * work_of_one; work > kMostWork<T>)
        refuse(x, "∂{}/∂{}: about {:.0e} steps, at most {:.0e}", y, x, work, kMostWork<T>);
    Tensor<T> out(shape, T(0));
    if (!follows || out.size() == 0) return out;
    const Tensor<T> c = columns(x, follows);
    const Index n = of.size(), m = by.size();
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < m; ++j) out[i * m + j] = c[j * n + i];
    return out;
}

template <class T>
const Tensor<T>& Derivatives<T>::jacobian(const std::string& y, const std::string& x) {
    const std::string key = y + "/" + x;
    if (const auto found = jacobians_.find(key); found != jacobians_.end()) return found->second;
    Assignments needed;
    for (const std::size_t i : plan_.reached_by(x)) {
        needed.push_back(i);
        if (proof_.forward[i].name == y) break;
    }
    if (x == y || plan_.are_together(x, y) || !plan_.reaches(x, y)) needed.clear();
    return jacobians_.emplace(key, jacobian_through(y, x, needed)).first->second;
}

template <class T>
Tensor<T> Derivatives<T>::step_jacobian(const std::string& x, std::size_t consumer) {
    if (!plan_.are_together(x, proof_.forward[consumer].name))
        return jacobian_through(proof_.forward[consumer].name, x, {consumer});
    return jacobian_by(proof_.forward[consumer].name, x, work_[consumer], [&](Scope<T>& s, const Tensor<T>& moved) {
        s.values.insert_or_assign(x, moved);
        return tangents(evaluate(proof_.forward[consumer], s).value());
    });
}

template <class T>
Tensor<T> Derivatives<T>::path(const std::string& x, std::size_t consumer, const ExprPtr& value) {
    // d(value of the consumer)/d(one use of x), every other use held, times the gradient of that value.
    Assignment a = proof_.forward[consumer];
    a.value = value;
    const Tensor<T>& g = gradient(a.name);
    Scope<T> scope = scope_.values_alone();
    Tensor<T> seeded = scope_.values.at(x).value().clone();
    scope.values[kOneUse] = seeded;
    Tensor<T> out(seeded.shape());
    for (Index e = 0; e < seeded.size(); ++e) {
        seeded[e].tangent = 1;
        out[e] = dot_of(g, tangents(evaluate(a, scope).value()));
        seeded[e].tangent = 0;
    }
    return out;
}

template class Derivatives<Tracked>;
template class Derivatives<TrackedQuad>;
template class Derivatives<Modular>;
template Tensor<Modular> exact(const Tensor<double>&);
#define GRADPROOF_OF_TRACKED(T)                          \
    template Tensor<T> exact(const Tensor<double>&);     \
    template Tensor<double> values_of(const Tensor<T>&); \
    template Tensor<double> errors_of(const Tensor<T>&);
GRADPROOF_OF_TRACKED(Tracked)
GRADPROOF_OF_TRACKED(TrackedQuad)
#undef GRADPROOF_OF_TRACKED
template void compute(const Proof&, const Assignment&, Scope<double>&, double*);

}  // namespace gradproof::proof
