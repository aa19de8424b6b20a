// The search for what a wrong claim needs: one class, its ways to look in several files.
#pragma once

#include <optional>
#include <set>

#include "gradproof/core/proof/diagnose/diagnose.hpp"
#include "gradproof/core/proof/judge/check.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {

/// A constant with the expression it is written as.
struct Constant {
    ExprPtr expression;
    double value = 0;
};

/// Tries changes of a wrong line, simplest first, until one makes it right in every draw.
class RepairSearch {
  public:
    RepairSearch(const Claim& claim, const Plan& plan);
    Diagnosis run();

  private:
    static bool contains_free_index(const Expr& l);
    bool report(std::string kind, std::string text, const ExprPtr& repair);
    /// Reports the change if it makes the line right.
    bool try_change(const char* kind, const std::string& text, const ExprPtr& changed);
    /// ∂L/∂X, or dX where the line is written so.
    ExprPtr gradient(const std::string& of) const;
    bool is_scalar_name(const std::string& n) const;
    bool is_scalar(const Expr& e) const;
    bool sign();
    /// Constants with a name: small numbers, sizes, their roots, inverses and products, and numbers among the values.
    std::vector<Constant> constants(bool products) const;
    /// Numbers and scalar parts of the forward: (n - 1), 0.044715.
    std::vector<Constant> forward_scalars() const;
    static ExprPtr scaled(const ExprPtr& e, const Constant& c, bool divide);
    bool factor();
    static std::string bracketed(const Expr& e);
    /// A repair that mends a factor which is there, if one does, else the given one.
    ExprPtr nicer(const ExprPtr& otherwise);
    bool unnamed_factor();
    /// A term that stands twice, or once too often.
    bool repeated_term();
    /// Paths from the value to the loss that are missing from the claim, or counted twice.
    bool paths();
    /// One place of the forward that uses the value, on a path to the loss.
    struct Use {
        std::size_t consumer;
        ExprPtr value;  ///< of the consumer, with kOneUse there
        std::string label;
        bool row_statistic = false;  ///< a sum or mean over a row of it
    };
    bool is_row_statistic(const Place& use, std::size_t consumer) const;
    std::vector<Use> uses_on_paths() const;
    bool differs_by(const std::vector<std::vector<Tensor<double>>>& parts, std::size_t subset, double weight) const;
    /// The claim with the term that comes through an assignment: for products and sums that use the value once.
    ExprPtr with_path(const ExprPtr& claimed, std::size_t consumer) const;
    /// The gradient that comes back through e, where it uses the value once: products and sums.
    std::vector<ExprPtr> path_terms(const Expr& e, const ExprPtr& dy) const;
    /// Sums over an axis that are missing, stand there for nothing, or go the wrong way.
    bool reductions();
    static ExprPtr summed(const ExprPtr& e, int axis);
    /// Only the diagonal of a softmax Jacobian: p (1 - p) where diag(p) - p pᵀ belongs.
    bool diagonal();
    static ExprPtr without_two(const Expr& n, std::size_t i, std::size_t j);
    /// x (r - Σ x r), in the form the line is written in.
    std::vector<ExprPtr> row_forms(const ExprPtr& x, const ExprPtr& rest) const;
    static ExprPtr renamed(const ExprPtr& e, const std::string& from, const std::string& to);
    std::string fresh_index() const;
    /// Of a Jacobian claim: right where the last indices of both sides are equal, and zero or alike elsewhere.
    bool jacobian_diagonal();
    std::vector<std::string> value_names() const;
    /// A term with a sum or mean over the row that is missing: softmax, normalisations.
    bool row_terms();
    static ExprPtr first_of_sum(const ExprPtr& e);
    /// Transposes, orders of factors, orders of indices.
    bool orders();
    using Reordered = std::pair<std::pair<const char*, std::string>, ExprPtr>;
    std::vector<Reordered> reordered(const Place& p) const;
    static std::vector<ExprPtr> other_orders(const Option& o);
    /// x in another layout: a reshape that lacks a transpose.
    bool reshapes();
    /// The same exchange at every place: rows for columns, one index for another.
    bool everywhere();
    /// Two changes of order at once, where one alone does not fit.
    bool two_orders();
    /// A constant that is missing or too much in one part of the line.
    bool factors_inside();
    bool row_term_constants();
    bool constants_at(const std::function<bool(const Place&)>& chosen);
    const char* kind_inside(const Place& p) const;
    static bool has_reduction(const Expr& e);
    /// Slopes of the functions of the forward, and its values: what the chain rule multiplies by.
    std::vector<ExprPtr> slopes() const;
    std::map<std::string, Index> index_sizes() const;
    /// A value and its gradient at every choice of the line's indices whose sizes fit.
    std::vector<ExprPtr> entries_of(const std::string& value, const std::map<std::string, Index>& sizes) const;
    /// What index_factors gives, what follows from them entry by entry, and their differences.
    std::vector<ExprPtr> index_slopes() const;
    /// Below a sum over a row that is a term of a sum, or such a term itself.
    static bool in_row_term(const Place& p);
    bool lacks_factor(const Place& p, char joint, const ExprPtr& f);
    bool chain_factors();
    /// The claim is the gradient of another forward: one that lacks a term, a factor or a function.
    bool other_forward();
    bool claims_gradient_with(std::size_t consumer, const std::vector<Tensor<double>>& now, const ExprPtr& other) const;
    static bool contains_name(const Expr& e, const std::string& of);
    /// The claim is the gradient of a value computed from this one computed from this one.
    bool local_slope();
    bool claims_gradient_of(const std::string& y) const;
    /// What is summed in a row term lacks a factor.
    bool row_term_factors();
    /// A factor of a matrix product that is not there: ∂L/∂O for ∂L/∂O V^T.
    bool missing_matrix_factor();
    /// Values and gradients at every choice of the line's indices whose sizes fit.
    std::vector<ExprPtr> index_factors() const;
    bool index_row_terms();
    bool index_row_terms(const std::string& over, Index n);
    bool lacks_log_sum(const Place& p);
    bool matrix_row_terms();
    bool softmax_row_forms();
    /// The outer product or the mean that a Jacobian lacks.
    bool jacobian_row_terms();
    /// A term that is missing: a value or its product with what stands there.
    bool missing_terms();
    /// In index form: a factor X[...] with the indices that another entry has.
    bool index_chain_factors();
    /// Wrong only where a mask forbids, or a mask put on after the softmax.
    bool masks();
    /// Every entry that is off lies where the mask is -inf or 0, and there the truth is 0.
    bool only_masked(const std::string& mask) const;
    static bool is_zero_one(const Tensor<double>& m);
    /// Another value or gradient stands where this one belongs.
    bool wrong_names();
    /// Another slope or value stands where one of those that a chain rule multiplies by belongs.
    bool wrong_slopes();
    /// Scalars that stand where another belongs: n for n - 1.
    bool wrong_scalars();
    /// What can be said where nothing explains it.
    std::string census() const;
    int most_tries_ = 12000;
    const Claim& claim_;
    const Plan& plan_;
    ExprPtr right_;
    std::vector<Place> places_;
    std::vector<Sides> sides_;  ///< of each draw; none where the right side does not fit together
    std::string of_;            ///< the value whose gradient is claimed, "" for anything else
    bool index_form_ = false;
    int tried_ = 0;
    Diagnosis found_;
};

}  // namespace gradproof::proof
