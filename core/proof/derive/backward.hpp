// From a line of the forward back to one value in it: the gradient of the line, carried down its expression rule by rule.
//
//   Backward backward(matrices, entries, "Q");
//   for (const Contribution& c : backward.through(s)) c.term;        // of S = Q K^T / √d: ∂L/∂S K / √d
#pragma once

#include "gradproof/core/proof/derive/term.hpp"

namespace gradproof::proof {

/// The most parts of a line of the forward that is derived through, and the most factors of a product in it.
inline constexpr std::size_t kMostPartsToDerive = 1024, kMostFactorsToDerive = 64;

/// How a gradient goes through one kind of expression.
struct DerivativeRule {
    std::string_view pattern, name, sentence;
};
/// All of them, by name.
const std::vector<DerivativeRule>& derivative_rules();

/// One rule applied: what it was applied to, and the gradient of the part that the path goes on with.
struct RuleStep {
    const DerivativeRule* rule = nullptr;
    ExprPtr of, to;
    ExprPtr gradient;
};

/// What reaches a value through one place where it stands.
struct Contribution {
    Term term;
    bool by_entries = false;           ///< the term is of numbers; else of arrays, or of rows of them
    std::vector<ExprPtr> at;           ///< the indices of that place
    std::vector<std::string> letters;  ///< that the term is to be summed over but for those of the value
    bool by_rows() const { return !by_entries && (!letters.empty() || !at.empty()); }
    std::vector<RuleStep> steps;
};

/// Sums, means and the like: over which axis of how many, and whether it stays.
struct AxisOfCall {
    bool all = false, keep = false;
    std::size_t axis = 0;
    bool last = false;  ///< it is the last one
};

class Backward {
  public:
    Backward(const Algebra& matrices, const Algebra& entries, std::string target)
        : matrices_(matrices), entries_(entries), target_(std::move(target)) {}
    /// Errors: NoRule.
    std::vector<Contribution> through(const Assignment& a);

  private:
    using Call = void (Backward::*)(const ExprPtr& e, const Term& g);
    struct CallRule {
        std::string_view function;
        Call apply;
    };
    static const std::vector<CallRule>& calls();

    const Known& known() const { return matrices_.known(); }
    const Algebra& algebra() const { return by_entries_ ? entries_ : matrices_; }
    bool concerns(const ExprPtr& e) const { return mentions(*e, target_); }
    Term at_indices(const Term& g, const Assignment& a) const;
    /// The value of a part, under its name where it has one.
    Term value(const ExprPtr& e) const;
    RuleStep step(std::string_view rule, const ExprPtr& whole, const ExprPtr& part, const Term& g) const;
    /// Goes on with a part of `whole`, whose gradient the rule says is g.
    void go_on(std::string_view rule, const ExprPtr& whole, const ExprPtr& part, const Term& g);
    void visit(const ExprPtr& e, const Term& g);
    void arrive(const Term& g, std::vector<ExprPtr> at);

    void sum(const ExprPtr& e, const Term& g);
    void product(const ExprPtr& e, const Term& g);
    Term columns(const Term& g, Axes of) const;
    Term left_of_product(const ExprPtr& whole, const ExprPtr& left, const ExprPtr& right, const Term& g) const;
    Term right_of_product(const ExprPtr& whole, const ExprPtr& left, const ExprPtr& right, const Term& g) const;
    void power(const ExprPtr& e, const Term& g);
    bool goes_by_rows(const Expr& base) const;
    void index(const ExprPtr& e, const Term& g);
    void part_of_array(const ExprPtr& e, const Term& g);
    void reduce(const ExprPtr& e, const Term& g);
    void call(const ExprPtr& e, const Term& g);
    bool slope(const ExprPtr& e, const Term& g);

    AxisOfCall axis_of(const Expr& e) const;
    /// What stands for one number of each row stands for the row.
    Term expanded(const Term& g, const ExprPtr& e, const AxisOfCall& axis) const;
    /// By how many entries a mean is of.
    Term divided_by_count(Term t, const Axes& of, const AxisOfCall& axis) const;
    Term summed_along(const Term& g, const Axes& of, const AxisOfCall& axis) const;
    ExprPtr kept(const std::string& reduction, const ExprPtr& x, const AxisOfCall& axis) const;
    ExprPtr softmax_of(const ExprPtr& x, const AxisOfCall& axis) const;
    void summation(const ExprPtr& e, const Term& g);
    void mean(const ExprPtr& e, const Term& g);
    void maximum(const ExprPtr& e, const Term& g);
    void variance(const ExprPtr& e, const Term& g);
    void log_sum_exp(const ExprPtr& e, const Term& g);
    void norm(const ExprPtr& e, const Term& g);
    void softmax(const ExprPtr& e, const Term& g);
    void log_softmax(const ExprPtr& e, const Term& g);
    void diagonal(const ExprPtr& e, const Term& g);
    Term of_diagonal(const Term& g, const ExprPtr& e) const;
    void trace(const ExprPtr& e, const Term& g);
    void outer(const ExprPtr& e, const Term& g);
    void inverse(const ExprPtr& e, const Term& g);
    void determinant(const ExprPtr& e, const Term& g);
    void running_sum(const ExprPtr& e, const Term& g);
    void running_product(const ExprPtr& e, const Term& g);
    Term from_there_on(const Term& gradient, const Expr& e) const;
    void kronecker(const ExprPtr& e, const Term& g);
    void concat(const ExprPtr& e, const Term& g);
    void choice(const ExprPtr& e, const Term& g);
    void larger(const ExprPtr& e, const Term& g);
    void modulo(const ExprPtr& e, const Term& g);
    void reshape(const ExprPtr& e, const Term& g);
    void permute(const ExprPtr& e, const Term& g);
    void as_operator(const ExprPtr& e, const Term& g);
    void nothing(const ExprPtr&, const Term&) {}

    const Algebra &matrices_, &entries_;
    std::string target_;
    bool by_entries_ = false;
    const Expr* root_ = nullptr;  ///< of an assignment in index form: the whole right side
    ExprPtr root_value_;
    std::vector<std::string> letters_;
    std::vector<RuleStep> steps_;
    std::vector<Contribution> found_;
};

/// The first factors of a product, as one.
ExprPtr first_factors(const Expr& e, std::size_t count);
/// The slope of a function of one argument whose value is given, with exp(-(X / √2)^2) as exp(-X^2 / 2); nullptr where it has
/// none.
ExprPtr simple_slope(const Algebra& a, const ExprPtr& call, const Term& value);
/// The outer product of two vectors, numbers taken out.
Term outer_of(const Algebra& a, const Term& u, const Term& v);

}  // namespace gradproof::proof
