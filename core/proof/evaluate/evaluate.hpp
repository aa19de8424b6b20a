// Evaluating expressions: matrix form through the registered ops, index form entry by entry, for double and for dual numbers.
//
//   Scope<double> scope;  scope.values["A"] = a;  scope.sizes["n"] = 3;
//   const Var<double> y = Evaluator<double>(scope).matrix(*e);                        // A^T B
//   const Var<double> z = Evaluator<double>(scope).indexed(*e, {"i", "j"}, {3, 4});   // Σ_k A[i,k] B[k,j]
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "gradproof/core/proof/language/conventions.hpp"
#include "gradproof/core/proof/language/functions.hpp"
#include "gradproof/core/proof/language/source.hpp"
#include "gradproof/core/quad.hpp"

namespace gradproof::proof {

/// The numbers that true values and claims are computed with: dual numbers with bounds of their rounding errors. The second type,
/// some tens of times slower, is used if the bounds of the first are too wide to decide.
using Tracked = Dual<Bounded<double>>;
using TrackedQuad = Dual<Bounded<Quad>>;

/// A recurrence while it is computed row by row: of its first axes, `computed` combinations are.
struct RowsDone {
    std::string name;
    int axes = 0;
    Index computed = 0;
};

/// The values of names while an expression is evaluated.
template <class T>
struct Scope {
    std::map<std::string, Var<T>, std::less<>> values;
    std::map<std::string, Index, std::less<>> sizes;
    /// The gradient of the loss with respect to a value, and the Jacobian [shape of y, shape of x]; empty where there are none.
    std::function<Tensor<T>(const Expr&)> gradient, jacobian;
    /// Applied to each value that is computed, to round it to a narrower type; empty: values stay as they are.
    std::function<Var<T>(const Var<T>&)> rounded{};
    /// Indices that stand for one number now, while an expression is evaluated row by row.
    std::map<std::string, Index, std::less<>> steps{};
    const std::vector<RowsDone>* progress = nullptr;
    /// What is defined among the claims, while an expression is evaluated row by row: it is the same for each row.
    std::shared_ptr<std::map<const Expr*, Var<T>>> helpers{};
    Conventions conventions{};
    /// Of a recurrence that is computed now; nullptr of all else.
    const RowsDone* rows_of(const std::string& name) const {
        const auto is_it = [&](const RowsDone& r) { return r.name == name; };
        const auto found =
            progress ? std::find_if(progress->begin(), progress->end(), is_it) : std::vector<RowsDone>::const_iterator{};
        return progress && found != progress->end() ? &*found : nullptr;
    }
    /// Its values and sizes, without derivatives.
    Scope values_alone() const {
        return {.values = values, .sizes = sizes, .gradient = {}, .jacobian = {}, .conventions = conventions};
    }
};

/// A message about shapes or values, with the part of the text it is about.
class EvaluationError : public std::invalid_argument {
  public:
    EvaluationError(Span span, bool shape, const std::string& message)
        : std::invalid_argument(message), span_(span), shape_(shape) {}
    Span span() const { return span_; }
    bool is_shape() const { return shape_; }

  private:
    Span span_;
    bool shape_;
};

/// Throws it, at e.
template <class... A>
[[noreturn]] void refuse(const Expr& e, fmt::format_string<A...> text, A&&... a) {
    throw EvaluationError(e.span, false, fmt::format(text, std::forward<A>(a)...));
}
template <class... A>
[[noreturn]] void refuse_shape(const Expr& e, fmt::format_string<A...> text, A&&... a) {
    throw EvaluationError(e.span, true, fmt::format(text, std::forward<A>(a)...));
}

/// The most steps an index form may take: entries times the sizes of its sums.
inline constexpr Index kMostSteps = Index{1} << 22;

/// π, e, inf.
std::optional<double> constant_named(std::string_view name);
/// "[n, d_k]" where the sizes have names, else the numbers.
std::string named_shape(const Shape& shape, const std::map<std::string, Index, std::less<>>& sizes);

template <class T>
class Evaluator {
  public:
    explicit Evaluator(const Scope<T>& scope) : scope_(scope) {}

    /// Errors: EvaluationError.
    Var<T> matrix(const Expr& e);
    /// One entry for each combination of `indices`, whose sizes are those of `shape`; of what stands in rows, one row.
    Var<T> indexed(const Expr& e, const std::vector<std::string>& indices, const Shape& shape);
    Var<T> entries(const Expr& e, const std::vector<std::string>& indices, const Shape& shape);
    /// The same for a recurrence: writes the entries into y in row-major order, and e may use those already computed. `added`, if
    /// defined, is added to each.
    void recur(const Expr& e, const std::vector<std::string>& indices, Tensor<T>& y, const Tensor<T>& added);
    /// Whether the value x stands in an index form only with its indices, as pulled_back() takes it.
    bool goes_back(const ExprPtr& e, const std::string& x);
    /// Reverse mode for dual numbers without tangents: what g, of the shape of all entries, gives for those of x.
    Tensor<T> pulled_back(const Expr& e, const std::vector<std::string>& indices, const Tensor<T>& g, const std::string& x);
    /// Whether it has a value only row by row: an index takes some axes of what it stands at, U h[t-1], or an array stands whole
    /// beside indices. `bound`: indices around it, whatever else is called so.
    bool in_rows(const Expr& e, const std::vector<std::string>& bound = {});
    /// The sizes of the indices of an index form, from the axes they are used at. `known` are the ones given by a left side.
    /// Errors: those of IndexSizes.
    std::map<std::string, Index> index_sizes(const Expr& e, std::map<std::string, Index> known);
    /// A whole number that has no indices in it.
    Index index_value(const Expr& e);
    /// How far indices run that say it themselves.
    std::map<std::string, Index> stated_sizes(const std::vector<Option>& extents);
    /// About how many arithmetic operations were done so far.
    double work() const { return work_; }
    void add_work(double operations) { work_ += operations; }
    /// The value of a part without indices, computed once.
    const Var<T>& closed(const Expr& e);
    bool is_index(const std::string& name) const {
        return !scope_.values.contains(name) && !scope_.sizes.contains(name) && !scope_.steps.contains(name);
    }

  private:
    Var<T> value_of(const Expr& e);
    Var<T> product_of(const Expr& e);
    Var<T> sum_of(const Expr& e);
    Var<T> power_of(const Expr& e);
    Var<T> call_of(const Expr& e);
    Var<T> array_of(const Expr& e);
    Var<T> entry_of(const Expr& e);
    Var<T> jacobian_of(const Expr& e);
    bool is_outer(const Expr& product, std::size_t i, const Var<T>& left, const Var<T>& right) const;
    Var<T> part_of(const Expr& e, Var<T> x, const std::vector<const Expr*>& at);
    Var<T> reduce_of(const Expr& e);
    Var<T> helper_of(const Expr& e);
    Var<T> transpose_of(const Expr& e, const Var<T>& x);
    /// Takes an option that follows from a value out of the call where the op can be written with it as an input:
    /// scale(X, factor=m) = X m, pow(X, exponent=p) = X^p, softmax(S, temperature=t) = softmax(S / t), log_softmax alike.
    std::optional<Var<T>> with_computed_option(const Expr& e, const std::vector<Var<T>>& arguments);
    template <class F>
    void each_entry(const Expr& e, const std::vector<std::string>& indices, const Shape& shape, const Tensor<T>& own, F f);
    template <class F>
    auto located(const Expr& e, F f);

    const Scope<T>& scope_;
    std::unordered_map<const Expr*, Var<T>> closed_;
    double work_ = 0;
};

extern template class Evaluator<double>;
extern template class Evaluator<Tracked>;
extern template class Evaluator<TrackedQuad>;
extern template class Evaluator<Modular>;

}  // namespace gradproof::proof
