// Sequences that use each other, a[t] = W h[t-1] + U x[t] and h[t] = tanh(a[t]): all of them at a step, then at the next one.
//
//   Steps<double>(proof.together_with(h), scope).run(&work);         // {"a": [T, n], "h": [T, n]}
#pragma once

#include "gradproof/core/proof/evaluate/evaluate.hpp"
#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof {

template <class T>
class Steps {
  public:
    using Values = std::map<std::string, Tensor<T>>;
    /// All of a block, in the order of a step.
    Steps(std::vector<const Assignment*> all, const Scope<T>& scope) : all_(std::move(all)), scope_(scope) {}
    /// `added`, if defined, is added to each row of `moved` before later rows use it; `work` grows by about the number of
    /// operations. Errors: EvaluationError, also where a row is used before its step.
    Values run(double* work = nullptr, const std::string& moved = {}, const Tensor<T>& added = {}) const;

  private:
    void expect_order() const;
    Index count() const;
    ExprPtr without_own(const Assignment& a, const std::function<bool(const std::string&)>& is_known) const;
    std::optional<Shape> row_by_indices(const Assignment& a, const Scope<T>& scope) const;
    std::optional<Values> try_rows(const std::optional<Shape>& row, Index steps, double* work, const std::string& moved,
                                   const Tensor<T>& added) const;

    std::vector<const Assignment*> all_;
    const Scope<T>& scope_;
};

extern template class Steps<double>;
extern template class Steps<Tracked>;
extern template class Steps<TrackedQuad>;
extern template class Steps<Modular>;

}  // namespace gradproof::proof
