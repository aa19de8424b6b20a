// Row form, step by step.
#include "gradproof/core/proof/evaluate/row_form.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "gradproof/core/proof/evaluate/plan.hpp"

namespace gradproof::proof {
namespace {

/// The axes of both. Errors: EvaluationError at e for too many.
Shape one_behind_the_other(const Expr& e, Shape first, const Shape& second) {
    if (first.rank() + second.rank() > kMaxRank) refuse_shape(e, "more than {} axes", kMaxRank);
    for (const Index n : second) first.push_back(n);
    return first;
}

}  // namespace

template <class T>
bool RowForm<T>::uses_index(const Expr& e, const std::vector<std::string>& bound) const {
    if (e.kind == Kind::helper) return false;  // they are its own
    if (e.kind == Kind::name)
        return std::ranges::count(bound, e.name) > 0 || (evaluator_.is_index(e.name) && !constant_named(e.name));
    const auto below = [&](const auto& part) { return uses_index(*part, bound); };
    return std::ranges::any_of(e.children, below) || std::ranges::any_of(e.options, below, &Option::value);
}

namespace {

/// Whether : stands among its indices.
bool has_slice(const Expr& e) {
    return std::ranges::any_of(e.children, [](const ExprPtr& c) { return c->kind == Kind::slice; });
}
/// Whether so many indices leave axes, but for those that rowsum and its like keep.
bool leaves_axes(const Shape& shape, std::size_t indices) {
    for (int a = static_cast<int>(indices); a < shape.rank(); ++a)
        if (shape[a] != 1) return true;
    return false;
}

}  // namespace

/// Whether it has no value entry by entry: an array stands in it, or a row of one.
template <class T>
bool RowForm<T>::stands_in(const Expr& e, const std::vector<std::string>& bound) {
    const auto below = [&](std::size_t from) {
        return std::any_of(e.children.begin() + static_cast<std::ptrdiff_t>(from), e.children.end(),
                           [&](const ExprPtr& c) { return stands_in(*c, bound); });
    };
    switch (e.kind) {
        case Kind::number:
        case Kind::word:
        case Kind::slice:
        case Kind::ellipsis:
        case Kind::delta: return false;
        case Kind::name: {
            const auto value = scope_.values.find(e.name);
            return value != scope_.values.end() && value->second.shape().rank() > 0;
        }
        case Kind::gradient:
        case Kind::helper: return evaluator_.closed(e).shape().rank() > 0;
        case Kind::jacobian:
            return has_slice(e) || e.children.size() < static_cast<std::size_t>(evaluator_.closed(e).shape().rank());
        case Kind::index: {
            if (uses_index(*e.children[0], bound)) return stands_in(*e.children[0], bound);
            return has_slice(e) || leaves_axes(evaluator_.closed(*e.children[0]).shape(), e.children.size() - 1);
        }
        case Kind::reduce: {
            std::vector<std::string> inside = bound;
            inside.insert(inside.end(), e.bound.begin(), e.bound.end());
            return stands_in(*e.children[0], inside);
        }
        case Kind::call: return uses_index(e, bound) ? below(0) : evaluator_.closed(e).shape().rank() > 0;
        default: return below(0);
    }
}

template <class T>
std::vector<const Expr*> RowForm<T>::axes_of(const Expr& jacobian) const {
    std::vector<const Expr*> out;
    const auto rank = static_cast<std::size_t>(scope_.values.find(jacobian.name)->second.shape().rank());
    for (std::size_t i = 0; i < jacobian.children.size(); ++i) {
        if (i == jacobian.split) out.resize(std::max(out.size(), rank), nullptr);
        out.push_back(jacobian.children[i].get());
    }
    return out;
}

template <class T>
void RowForm<T>::expect_computed(const Expr& e, const Shape& shape) {
    const RowsDone& so_far = *scope_.rows_of(e.children[0]->name);
    Index row = 0;
    for (int a = 0; a < so_far.axes; ++a) {
        const Expr* at =
            static_cast<std::size_t>(a) + 1 < e.children.size() ? e.children[static_cast<std::size_t>(a) + 1].get() : nullptr;
        if (at == nullptr || at->kind == Kind::slice)
            refuse(e, "{} takes rows that are not computed yet: a recurrence uses earlier ones", text_of(e));
        row = row * shape[a] + evaluator_.index_value(*at);
    }
    if (row >= so_far.computed)
        refuse(e, "{} is not computed yet: a recurrence goes from the first entry to the last", text_of(e));
}

/// The shape of a row, or a part of a Jacobian, without its value.
template <class T>
std::optional<Shape> RowForm<T>::shape_of_part(const Expr& e) {
    std::vector<const Expr*> at;
    if (e.kind == Kind::jacobian)
        at = axes_of(e);
    else if (e.kind == Kind::index && e.children[0]->children.empty())
        for (std::size_t i = 1; i < e.children.size(); ++i) at.push_back(e.children[i].get());
    else
        return std::nullopt;
    const Shape whole = e.kind == Kind::jacobian ? scope_.jacobian(e).shape() : evaluator_.matrix(*e.children[0]).shape();
    Shape out;
    for (int a = 0; a < whole.rank(); ++a) {
        const Expr* here = static_cast<std::size_t>(a) < at.size() ? at[static_cast<std::size_t>(a)] : nullptr;
        if (here != nullptr && here->kind == Kind::slice && !here->children.empty()) return std::nullopt;
        if (here == nullptr || here->kind == Kind::slice) out.push_back(whole[a]);
    }
    return out;
}

template <class T>
std::optional<Var<T>> RowForm<T>::chosen_by_steps(const Expr& e) {
    if (scope_.steps.empty() || e.name != "where" || e.children.size() != 3 || !e.options.empty()) return std::nullopt;
    const Var<T> holds = evaluator_.matrix(*e.children[0]);
    if (!holds.shape().empty()) return std::nullopt;
    const bool first = !(holds.value()[0] == T(0));
    const Var<T> y = evaluator_.matrix(*e.children[first ? 1 : 2]);
    const std::optional<Shape> other = y.shape().empty() ? shape_of_part(*e.children[first ? 2 : 1]) : std::nullopt;
    return other && !other->empty() ? Var<T>(Tensor<T>(*other, y.value()[0])) : y;  // of a row, 0 is zeros
}

template <class T>
Var<T> RowForm<T>::at(const Expr& e, const Scope<T>& scope) {
    Evaluator<T> step(scope);
    const Var<T> y = step.matrix(e);
    evaluator_.add_work(step.work() + 16);
    return y;
}

/// f(number of the step, a scope with the indices as they are there).
template <class T>
template <class F>
void RowForm<T>::each_step(const Expr& e, const std::vector<std::string>& indices, const Shape& shape, F f) {
    const Index count = checked_size(shape);
    if (count > kMostRows) refuse(e, "more than {} rows (kMostRows)", kMostRows);
    constexpr double kWorkOfAStep = 16;  // as in index form
    const double before = evaluator_.work();
    Scope<T> scope = scope_;
    if (!scope.helpers) scope.helpers = std::make_shared<std::map<const Expr*, Var<T>>>();
    for (Index n = 0; n < count; ++n) {
        Index rest = n;
        for (std::size_t i = indices.size(); i-- > 0;) {
            const Index size = shape[static_cast<int>(i)];
            scope.steps[indices[i]] = rest % size;
            rest /= size;
        }
        f(n, scope);
        if (evaluator_.work() - before > kWorkOfAStep * static_cast<double>(kMostSteps))
            refuse(e, "more than {} steps", kMostSteps);
    }
}

template <class T>
Var<T> RowForm<T>::all(const Expr& e, const std::vector<std::string>& indices, const Shape& shape) {
    std::vector<Var<T>> rows;
    each_step(e, indices, shape, [&](Index, const Scope<T>& scope) { rows.push_back(at(e, scope)); });
    const auto array = std::find_if(rows.begin(), rows.end(), [](const Var<T>& r) { return !r.shape().empty(); });
    const Shape row = array == rows.end() ? Shape{} : array->shape();
    Tensor<T> y(one_behind_the_other(e, shape, row));
    T* out = y.data();
    for (const Var<T>& r : rows) {
        if (!r.shape().empty() && !(r.shape() == row))
            refuse_shape(e, "its rows differ: one is {}, another {}", named_shape(row, scope_.sizes),
                         named_shape(r.shape(), scope_.sizes));
        for (Index i = 0; i < row.size(); ++i) *out++ = r.value()[r.shape().empty() ? 0 : i];
    }
    return y;
}

template <class T>
Var<T> RowForm<T>::reduced(const Expr& e) {
    const std::map<std::string, Index> sizes = evaluator_.index_sizes(e, {});
    Shape shape;
    for (const std::string& b : e.bound) shape.push_back(sizes.at(b));
    std::optional<Var<T>> total;
    each_step(e, e.bound, shape, [&](Index, const Scope<T>& scope) {
        const Var<T> x = at(*e.children[0], scope);
        try {
            const bool matrices = total && total->shape().rank() == 2 && x.shape().rank() == 2;  // in the order of the index
            const char* const op = e.name != "prod" ? "add" : matrices ? "matmul" : "mul";
            total = !total ? x : e.name == "max" ? apply<T>("max", {*total, x}, {}) : apply_op<T>(op, {*total, x});
        } catch (const ShapeError& error) {
            refuse_shape(e, "{}", error.what());
        }
    });
    if (!total) return Tensor<T>::scalar(T(e.name == "prod" ? 1 : 0));
    const Var<T> count = Tensor<T>::scalar(T(static_cast<double>(shape.size())));
    return e.name == "mean" ? apply_op<T>("div", {*total, count}) : *total;
}

template <class T>
std::vector<Shape> RowForm<T>::possible_rows(const std::set<std::string>& names) const {
    std::set<Index> known;
    for (const std::string& n : names)
        if (const auto value = scope_.values.find(n); value != scope_.values.end())
            known.insert(value->second.shape().begin(), value->second.shape().end());
    std::vector<Shape> out{Shape{}};
    for (const Index n : known) out.push_back(Shape{n});
    for (const Index n : known)
        for (const Index m : known) out.push_back(Shape{n, m});
    return out;
}

/// The shape that a row has if all earlier ones have it: where nothing but 0 stands before the first, that alone tells it.
template <class T>
Shape RowForm<T>::row_of(const std::string& name, const Expr& e, const std::vector<std::string>& indices, const Shape& sizes) {
    std::set<std::string> names = names_in(e);
    for_each(e, [&](const Expr& part) {
        if (part.kind == Kind::gradient) names.insert(part.name);  // it is shaped like what it is by
    });
    const std::vector<Shape> candidates = possible_rows(names);
    std::optional<EvaluationError> refused;
    Shape first = sizes;  // the first step, and of one index the second too: before the first may stand a mere 0
    for (Index& n : first) n = std::min<Index>(n, sizes.rank() == 1 ? 2 : 1);
    for (const Shape& row : candidates) {
        if (static_cast<double>(sizes.size()) * static_cast<double>(row.size()) > static_cast<double>(kMostElements)) continue;
        Scope<T> own = scope_;
        own.values.insert_or_assign(name, Tensor<T>(one_behind_the_other(e, sizes, row), T(0)));
        std::vector<RowsDone> so_far{{name, sizes.rank(), 0}};
        own.progress = &so_far;
        try {
            bool fits = true, found = false;
            RowForm<T>(evaluator_, own).each_step(e, indices, first, [&](Index n, const Scope<T>& scope) {
                const Shape shape = at(e, scope).shape();
                found = found || shape == row;
                fits = fits && (shape == row || shape.empty());
                so_far[0].computed = n + 1;
            });
            if (fits && found) return row;
        } catch (const EvaluationError& error) {
            if (!refused || row.rank() == 1) refused = error;
        }
    }
    if (refused) throw *refused;
    refuse_shape(e, "{}: no shape of its rows fits: state what stands before the first one as an input or constant", name);
}

template <class T>
Tensor<T> RowForm<T>::recurrence(const std::string& name, const Expr& e, const std::vector<std::string>& indices,
                                 const Shape& sizes, const Tensor<T>& added) {
    const Shape row = row_of(name, e, indices, sizes);
    Tensor<T> y(one_behind_the_other(e, sizes, row), T(0));
    Scope<T> own = scope_;
    own.values.insert_or_assign(name, y);
    std::vector<RowsDone> so_far{{name, sizes.rank(), 0}};
    own.progress = &so_far;
    const Index size = row.size();
    RowForm<T>(evaluator_, own).each_step(e, indices, sizes, [&](Index n, const Scope<T>& scope) {
        const Var<T> x = at(e, scope);
        if (!x.shape().empty() && !(x.shape() == row))
            refuse_shape(e, "a row of {} is {}, the first one {}", name, named_shape(x.shape(), scope_.sizes),
                         named_shape(row, scope_.sizes));
        for (Index i = 0; i < size; ++i) {
            y[n * size + i] = x.value()[x.shape().empty() ? 0 : i];
            if (added.defined()) y[n * size + i] += added[n * size + i];
        }
        so_far[0].computed = n + 1;
    });
    return y;
}

template class RowForm<double>;
template class RowForm<Tracked>;
template class RowForm<TrackedQuad>;
template class RowForm<Modular>;

}  // namespace gradproof::proof
