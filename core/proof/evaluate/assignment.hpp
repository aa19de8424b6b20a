// The value of one assignment, H = tanh(X W), also of a recurrence, H[t] = ... H[t-1] ... .
//
//   const Var<double> y = evaluate(proof.forward[0], scope);
#pragma once

#include "gradproof/core/proof/evaluate/evaluate.hpp"
#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof {

/// `work` becomes about the number of operations it took. A recurrence is computed entry by entry or row by row, and `added` is
/// added to each before later ones use it; one whose entries use those behind them, u[t+1], goes from the last to the first.
/// Errors: EvaluationError.
template <class T>
Var<T> evaluate(const Assignment& a, const Scope<T>& scope, double* work = nullptr, const Tensor<T>& added = {});
/// The shape of what an assignment by entries computes, by the axes that its indices are used at, from the index `first` on.
/// Errors: EvaluationError for one that is used at none.
template <class T>
Shape shape_by_indices(Evaluator<T>& evaluator, const Assignment& a, const Expr& value, std::size_t first = 0);
/// f(); an error of a part that stands nowhere in the text is one of the whole statement.
template <class F>
auto placed(const Assignment& a, F f) {
    try {
        return f();
    } catch (const EvaluationError& e) {
        if (e.span().end > e.span().begin) throw;
        throw EvaluationError(a.statement.span, e.is_shape(), e.what());
    }
}

}  // namespace gradproof::proof
