// Step after step.
#include "gradproof/core/proof/evaluate/steps.hpp"

#include <utility>

#include "gradproof/core/proof/evaluate/assignment.hpp"
#include "gradproof/core/proof/evaluate/plan.hpp"
#include "gradproof/core/proof/evaluate/row_form.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {

/// At a step each may use those before it, and all of them at earlier steps.
template <class T>
void Steps<T>::expect_order() const {
    for (std::size_t k = 0; k < all_.size(); ++k)
        for_each(*all_[k]->value, [&](const Expr& part) {
            if (part.kind != Kind::index) return;
            for (std::size_t later = k; later < all_.size(); ++later) {
                if (part.children[0]->name != all_[later]->name) continue;
                const std::optional<IndexStep> step = step_of(*part.children[1]);
                if (!step || step->index != all_[k]->indices[0] || step->by >= 0)
                    refuse(part, "{} is not computed yet: steps go from the first to the last, and at each from line to line",
                           text_of(part));
            }
        });
}

/// With 0 for entries of what the block computes, but for those that are known.
template <class T>
ExprPtr Steps<T>::without_own(const Assignment& a, const std::function<bool(const std::string&)>& is_known) const {
    return rewritten(a.value, [&](const Expr& part) -> ExprPtr {
        if (part.kind != Kind::index) return nullptr;
        const std::string& of = part.children[0]->name;
        return std::ranges::find(all_, of, &Assignment::name) != all_.end() && !is_known(of) ? number(0) : nullptr;
    });
}

/// The number of steps, by the axes that the index is used at of values from elsewhere.
template <class T>
Index Steps<T>::count() const {
    const std::string& index = all_[0]->indices[0];
    Evaluator<T> evaluator(scope_);
    std::map<std::string, Index> stated;
    ExprPtr others = number(0);
    for (const Assignment* a : all_) {
        stated.merge(evaluator.stated_sizes(a->extents));
        others = sum(others, '+', without_own(*a, [](const std::string&) { return false; }));
    }
    const std::map<std::string, Index> sizes = evaluator.index_sizes(*others, stated);
    const auto found = sizes.find(index);
    if (found == sizes.end()) refuse(*all_[0]->value, "index {} is not used at an axis: its size is unknown", index);
    if (found->second > kMostRows) refuse(*all_[0]->value, "more than {} rows (kMostRows)", kMostRows);
    return found->second;
}

/// The shape of the rows of one by its further indices, h[t,i]; nullopt of one without.
template <class T>
std::optional<Shape> Steps<T>::row_by_indices(const Assignment& a, const Scope<T>& scope) const {
    if (a.indices.size() == 1) return std::nullopt;
    Evaluator<T> evaluator(scope);
    const ExprPtr known = without_own(a, [&](const std::string& name) { return scope.values.contains(name); });
    return shape_by_indices(evaluator, a, *known, 1);
}

/// With rows of that shape; without one, of the shapes that the first step gives. nullopt where rows turn out to have another.
template <class T>
std::optional<typename Steps<T>::Values> Steps<T>::try_rows(const std::optional<Shape>& row, Index steps, double* work,
                                                            const std::string& moved, const Tensor<T>& added) const {
    constexpr double kWorkOfAStep = 16;  // as in index form
    Values out;
    std::vector<RowsDone> progress;
    Scope<T> scope = scope_;
    scope.helpers = std::make_shared<std::map<const Expr*, Var<T>>>();
    scope.progress = &progress;
    const auto begin = [&](const Assignment& a, const Shape& shape) {
        Shape whole{steps};
        for (const Index n : shape) whole.push_back(n);
        out[a.name] = Tensor<T>(whole, T(0));
        scope.values.insert_or_assign(a.name, out[a.name]);
    };
    for (const Assignment* a : all_) {
        progress.push_back({a->name, 1, 0});
        scope.values.erase(a->name);
    }
    std::map<std::string, Shape> by_indices;
    for (const Assignment* a : all_) {
        const std::optional<Shape> shape = row_by_indices(*a, scope);
        if (shape) by_indices.emplace(a->name, *shape);
        if (shape || row) begin(*a, shape ? *shape : *row);
    }
    double done = 0;
    for (Index t = 0; t < steps; ++t)
        for (std::size_t k = 0; k < all_.size(); ++k) {
            const Assignment& a = *all_[k];
            scope.steps[a.indices[0]] = t;
            const auto shape = by_indices.find(a.name);
            scope.progress = shape == by_indices.end() ? &progress : nullptr;  // of entries, expect_order() has seen to it
            Evaluator<T> evaluator(scope);
            const Var<T> x = shape == by_indices.end()
                                 ? evaluator.matrix(*a.value)
                                 : evaluator.entries(*a.value, {a.indices.begin() + 1, a.indices.end()}, shape->second);
            done += evaluator.work() + kWorkOfAStep;
            if (!out.contains(a.name)) begin(a, x.shape());
            Tensor<T>& y = out.at(a.name);
            const Index size = y.size() / steps;
            const bool fills = x.shape().empty();
            if (!fills && (x.shape().size() != size || x.shape().rank() + 1 != y.shape().rank())) return std::nullopt;
            for (Index i = 0; i < size; ++i) {
                y[t * size + i] = x.value()[fills ? 0 : i];
                if (a.name == moved && added.defined()) y[t * size + i] += added[t * size + i];
            }
            progress[k].computed = t + 1;
            if (done > kWorkOfAStep * static_cast<double>(kMostSteps)) refuse(*a.value, "more than {} steps", kMostSteps);
        }
    if (work) *work += done;
    return out;
}

/// What stands before the first step tells the shapes of rows; where that is only 0, the shape that all fit.
template <class T>
typename Steps<T>::Values Steps<T>::run(double* work, const std::string& moved, const Tensor<T>& added) const {
    expect_order();
    const Index steps = count();
    std::set<std::string> names;
    for (const Assignment* a : all_) names.merge(names_in(*a->value));
    Evaluator<T> evaluator(scope_);
    std::vector<std::optional<Shape>> rows;
    if (steps > 0) rows.emplace_back(std::nullopt);
    for (const Shape& s : RowForm<T>(evaluator, scope_).possible_rows(names))
        if (static_cast<double>(steps) * static_cast<double>(s.size()) <= static_cast<double>(kMostElements))
            rows.emplace_back(s);
    std::optional<EvaluationError> refused;
    for (const std::optional<Shape>& row : rows) {
        try {
            if (std::optional<Values> out = try_rows(row, steps, work, moved, added)) return *std::move(out);
        } catch (const EvaluationError& e) {
            if (!refused || (row && row->rank() == 1)) refused = e;
        }
    }
    if (refused) throw *refused;
    refuse_shape(*all_[0]->value,
                 "no shape of their rows fits {}: state what stands before the first step as an input or constant",
                 all_[0]->left());
}

template class Steps<double>;
template class Steps<Tracked>;
template class Steps<TrackedQuad>;
template class Steps<Modular>;

}  // namespace gradproof::proof
