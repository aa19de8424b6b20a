// Row form: expressions whose indices leave axes, h[t] = tanh(U h[t-1] + b), in matrix form at one step after the other.
//
//   RowForm<double> rows(evaluator, scope);
//   if (rows.stands_in(*e)) rows.all(*e, {"t"}, {5});                // of U h[t]: [5, n]
//   rows.reduced(*sum);                                              // of Σ_t outer(g[t], x[t]): [n, m]
#pragma once

#include <set>

#include "gradproof/core/proof/evaluate/evaluate.hpp"

namespace gradproof::proof {

/// The most steps: combinations of indices, each an expression in matrix form.
inline constexpr Index kMostRows = Index{1} << 16;

template <class T>
class RowForm {
  public:
    RowForm(Evaluator<T>& evaluator, const Scope<T>& scope) : evaluator_(evaluator), scope_(scope) {}
    /// `bound`: names that are indices around it, whatever else is called so.
    bool stands_in(const Expr& e, const std::vector<std::string>& bound = {});
    /// One row for each combination of indices: [shape, that of a row]. Errors: EvaluationError, where rows differ in shape too.
    Var<T> all(const Expr& e, const std::vector<std::string>& indices, const Shape& shape);
    /// A sum, product, mean or maximum over indices, of rows.
    Var<T> reduced(const Expr& e);
    /// The recurrence into an array of its own, `sizes` of its indices; `added` to each row before later ones use it.
    Tensor<T> recurrence(const std::string& name, const Expr& e, const std::vector<std::string>& indices, const Shape& sizes,
                         const Tensor<T>& added);
    /// The shapes that a row may have that is made of these values.
    std::vector<Shape> possible_rows(const std::set<std::string>& names) const;
    /// Of ∂y[t]/∂x[s], what stands at each axis of the whole Jacobian; nullptr where nothing does.
    std::vector<const Expr*> axes_of(const Expr& jacobian) const;
    /// Of a recurrence in rows, y at some indices: only rows that are computed may be used. Errors: EvaluationError.
    void expect_computed(const Expr& e, const Shape& shape);
    /// where by indices that stand for numbers: only the branch that holds is computed, the other one may lie out of range.
    std::optional<Var<T>> chosen_by_steps(const Expr& e);

  private:
    std::optional<Shape> shape_of_part(const Expr& e);
    bool uses_index(const Expr& e, const std::vector<std::string>& bound) const;
    Var<T> at(const Expr& e, const Scope<T>& scope);
    template <class F>
    void each_step(const Expr& e, const std::vector<std::string>& indices, const Shape& shape, F f);
    Shape row_of(const std::string& name, const Expr& e, const std::vector<std::string>& indices, const Shape& sizes);

    Evaluator<T>& evaluator_;
    const Scope<T>& scope_;
};

extern template class RowForm<double>;
extern template class RowForm<Tracked>;
extern template class RowForm<TrackedQuad>;
extern template class RowForm<Modular>;

}  // namespace gradproof::proof
