// Changes of one place of an expression: what a planted bug makes, and what a repair undoes.
//
//   for (const Place& p : places(e)) p.with(negate(p.node));       // e with the sign of one part flipped
#pragma once

#include <optional>

#include "gradproof/core/proof/language/expression.hpp"

namespace gradproof::proof {

/// One node of an expression that may be replaced: not an index, an option or the inside of a literal.
struct Place {
    ExprPtr node;
    bool in_reduction = false;  ///< below a sum or mean over an axis or an index
    bool in_row_term = false;   ///< below a reduction that is a term, or part of a term, of a sum
    bool below_term = false;    ///< a child of a sum, or below one
    bool is_term = false;       ///< a child of a sum
    bool is_factor = false;     ///< a child of a product
    bool is_argument = false;   ///< of a call of several arguments
    std::function<ExprPtr(const ExprPtr&)> with;
};
/// The root first, then what is below it, in reading order.
std::vector<Place> places(const ExprPtr& e);

/// The tree with every node for which f gives another one exchanged, the outermost first.
ExprPtr rewritten(const ExprPtr& e, const std::function<ExprPtr(const Expr&)>& f);

/// ∂L/∂value, [a, b], x[i, j], δ[a,b], x^y, x^2, 1 - x, and Σ_index body.
ExprPtr gradient_of(std::string value);
bool is_gradient_of(const Expr& e, std::string_view value);
ExprPtr array_of(std::vector<ExprPtr> entries);
ExprPtr entry(const ExprPtr& of, const std::vector<ExprPtr>& indices);
/// x[i, j] by the names of the indices; x where there are none.
ExprPtr entry_at(const ExprPtr& of, const std::vector<std::string>& indices);
/// x of x[i, j], a part of e; e itself where there are no indices.
const Expr& without_indices(const Expr& e);
ExprPtr delta(const ExprPtr& a, const ExprPtr& b);
ExprPtr power_of(const ExprPtr& base, const ExprPtr& exponent);
ExprPtr squared(const ExprPtr& x);
ExprPtr one_minus(const ExprPtr& x);
ExprPtr ceiling(const ExprPtr& x);  ///< by floor, as all that rounds
/// A product or quotient, which is x of 1 x.
ExprPtr times(const ExprPtr& a, char joint, const ExprPtr& x);
/// a + b with the signs of b: a - y where b is -y.
ExprPtr plus_term(const ExprPtr& a, const ExprPtr& b);
/// -e; of a (x - y), the a (y - x).
ExprPtr with_opposite_sign(const ExprPtr& e);
ExprPtr summed_over(const std::string& index, const ExprPtr& body);
/// keep=true of a sum: the axis stays.
Option keep_option();
/// A call with options.
ExprPtr call(std::string function, const ExprPtr& argument, std::vector<Option> options);
/// A call along one axis: sum(x, axis=k).
ExprPtr over_axis(std::string function, const ExprPtr& x, double axis);
/// Of a call; nullptr where it has none of that name.
const Option* find_option(const Expr& call, std::string_view name);
/// Whether it is this number, as it is written: 1 of 1 - x.
bool is_number(const Expr& e, double value);
/// 1 - x.
bool is_one_minus(const Expr& e);
/// 2 or -2, as a number is written; nullopt of anything else.
std::optional<double> signed_number(const Expr& e);
/// t, t + 1 and t - 1 as an index.
struct IndexStep {
    std::string index;
    double by = 0;
};
std::optional<IndexStep> step_of(const Expr& index);
ExprPtr stepped(const std::string& index, double by);
/// n of n - 1, the last entry of an axis of size n; nullptr of others.
ExprPtr size_of_last(const Expr& index);
/// Every such name exchanged for an expression, or for another name.
ExprPtr with_name_as(const ExprPtr& e, const std::string& from, const ExprPtr& to);
ExprPtr renamed(const ExprPtr& e, const std::string& from, const std::string& to);

/// A sum or a product without its i-th child.
ExprPtr without(const Expr& e, std::size_t i);
/// The tree with one factor of one product left out: each in turn.
std::vector<ExprPtr> without_a_factor(const ExprPtr& e);
/// A sum or a product with another i-th child, or joined another way.
ExprPtr with_child(const Expr& e, std::size_t i, const ExprPtr& child);
ExprPtr with_joint(const Expr& e, std::size_t i, char joint);
/// Calls that reduce: sum, rowmean, logsumexp ...
bool is_reduction(const Expr& e);
/// Whether it, or a part of it, does.
bool has_reduction(const Expr& e);
/// A number, a dim, or a function of such.
bool is_plain_scalar(const Expr& e, const std::function<bool(const std::string&)>& is_scalar_name);

}  // namespace gradproof::proof
