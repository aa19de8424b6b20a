// The value of one assignment.
#include "gradproof/core/proof/evaluate/assignment.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "gradproof/core/proof/evaluate/row_form.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {

template <class T>
Shape shape_by_indices(Evaluator<T>& evaluator, const Assignment& a, const Expr& value, std::size_t first) {
    const std::map<std::string, Index> sizes = evaluator.index_sizes(value, evaluator.stated_sizes(a.extents));
    Shape shape;
    for (std::size_t i = first; i < a.indices.size(); ++i) {
        const auto found = sizes.find(a.indices[i]);
        if (found == sizes.end()) refuse(*a.value, "index {} is not used at an axis: its size is unknown", a.indices[i]);
        shape.push_back(found->second);
    }
    return shape;
}
template Shape shape_by_indices(Evaluator<double>&, const Assignment&, const Expr&, std::size_t);
template Shape shape_by_indices(Evaluator<Tracked>&, const Assignment&, const Expr&, std::size_t);
template Shape shape_by_indices(Evaluator<TrackedQuad>&, const Assignment&, const Expr&, std::size_t);
template Shape shape_by_indices(Evaluator<Modular>&, const Assignment&, const Expr&, std::size_t);

namespace {

bool is_own(const Expr& e, const Assignment& a) { return e.kind == Kind::index && e.children[0]->name == a.name; }
/// With 0 for entries of what it computes.
ExprPtr without_own(const Assignment& a) {
    return rewritten(a.value, [&](const Expr& e) { return is_own(e, a) ? number(0) : nullptr; });
}
bool goes_backwards(const Assignment& a) {
    return any_part(*a.value, [&](const Expr& e) {
        const std::optional<IndexStep> step = is_own(e, a) ? step_of(*e.children[1]) : std::nullopt;
        return step && step->index == a.indices[0] && step->by > 0;
    });
}
/// The rows from the last to the first.
template <class T>
Tensor<T> reversed(const Tensor<T>& x) {
    Tensor<T> y(x.shape());
    const Index steps = x.shape()[0], size = steps == 0 ? 0 : x.size() / steps;
    for (Index t = 0; t < steps; ++t) std::copy_n(x.data() + (steps - 1 - t) * size, size, y.data() + t * size);
    return y;
}

template <class T>
Var<T> run_recurrence(const Assignment& a, const Scope<T>& scope, double* work, const Tensor<T>& added) {
    const ExprPtr others = without_own(a);
    Evaluator<T> of_others(scope);
    const Shape sizes = shape_by_indices(of_others, a, *others);
    if (of_others.in_rows(*others)) {
        const Tensor<T> rows = RowForm<T>(of_others, scope).recurrence(a.name, *a.value, a.indices, sizes, added);
        if (work) *work = of_others.work() + static_cast<double>(rows.size());
        return rows;
    }
    Tensor<T> y(sizes, T(0));
    Scope<T> own = scope;
    own.values.insert_or_assign(a.name, y);
    Evaluator<T> evaluator(own);
    evaluator.recur(*a.value, a.indices, y, added);
    if (work) *work = evaluator.work() + static_cast<double>(y.size());
    return y;
}

/// Behind the last entry of what goes backwards stands nothing, unless a where says it.
void expect_end(const Expr& e, const Assignment& a) {
    if (e.kind == Kind::call && e.name == "where") return;
    if (is_own(e, a))
        refuse(e, "{}: nothing says what stands behind the last entry: write where({} < ... - 1, {}, 0)", text_of(e),
               a.indices[0], text_of(e));
    for (const ExprPtr& c : e.children) expect_end(*c, a);
}

/// Of u[t] = ... u[t+1] ...: the same from the last to the first, by t for (steps - 1) - t.
template <class T>
Var<T> run_backwards(const Assignment& a, const Scope<T>& scope, double* work, const Tensor<T>& added) {
    expect_end(*a.value, a);
    const std::string& index = a.indices[0];
    Evaluator<T> of_others(scope);
    const Index steps = shape_by_indices(of_others, a, *without_own(a))[0];
    const ExprPtr last = number(static_cast<double>(steps - 1));
    Assignment turned = a;
    turned.extents = {{index, number(static_cast<double>(steps)), {}}};
    turned.value = rewritten(a.value, [&](const Expr& e) -> ExprPtr {
        if (e.kind == Kind::name && e.name == index) return sum(last, '-', name(index));
        if (!is_own(e, a)) return nullptr;
        const std::optional<IndexStep> step = step_of(*e.children[1]);
        return with_child(e, 1, stepped(index, -step->by));
    });
    const Tensor<T> rows = run_recurrence(turned, scope, work, added.defined() ? reversed(added) : added).value();
    return reversed(rows);
}

template <class T>
Var<T> evaluated(const Assignment& a, const Scope<T>& scope, double* work, const Tensor<T>& added) {
    if (!a.indices.empty() && mentions(*a.value, a.name))
        return goes_backwards(a) ? run_backwards(a, scope, work, added) : run_recurrence(a, scope, work, added);
    Evaluator<T> evaluator(scope);
    const Var<T> y = a.indices.empty() ? evaluator.matrix(*a.value)
                                       : evaluator.indexed(*a.value, a.indices, shape_by_indices(evaluator, a, *a.value));
    if (work) *work = evaluator.work() + static_cast<double>(y.value().size());
    return y;
}

}  // namespace

template <class T>
Var<T> evaluate(const Assignment& a, const Scope<T>& scope, double* work, const Tensor<T>& added) {
    return placed(a, [&] { return evaluated(a, scope, work, added); });
}

template Var<double> evaluate(const Assignment&, const Scope<double>&, double*, const Tensor<double>&);
template Var<Tracked> evaluate(const Assignment&, const Scope<Tracked>&, double*, const Tensor<Tracked>&);
template Var<TrackedQuad> evaluate(const Assignment&, const Scope<TrackedQuad>&, double*, const Tensor<TrackedQuad>&);
template Var<Modular> evaluate(const Assignment&, const Scope<Modular>&, double*, const Tensor<Modular>&);

}  // namespace gradproof::proof
