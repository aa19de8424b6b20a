// The search for the repair of a wrong claim, and the patterns that it tries, one free function each, in the order of the table
// kPatterns in diagnose.cpp. Not for use outside core/proof/diagnose.
#pragma once

#include <optional>
#include <set>

#include <fmt/format.h>

#include "gradproof/core/proof/diagnose/strict.hpp"
#include "gradproof/core/proof/language/edits.hpp"

/// An expression among the arguments of a text is written out.
template <>
struct fmt::formatter<gradproof::proof::Expr> : fmt::formatter<std::string> {
    auto format(const gradproof::proof::Expr& e, fmt::format_context& to) const {
        return fmt::formatter<std::string>::format(text_of(e), to);
    }
};
template <>
struct fmt::formatter<gradproof::proof::ExprPtr> : fmt::formatter<gradproof::proof::Expr> {
    auto format(const gradproof::proof::ExprPtr& e, fmt::format_context& to) const {
        return fmt::formatter<gradproof::proof::Expr>::format(*e, to);
    }
};

namespace gradproof::proof {

/// The places of an expression where a repair may change something: within a = b, which holds each side twice, there is none.
std::vector<Place> places_of_repairs(const ExprPtr& e);

/// A constant and the expression that it is written as.
struct Constant {
    ExprPtr expression;
    double value = 0;
};

/// A wrong line, and the changes of it that were tried.
class RepairSearch {
  public:
    RepairSearch(const Claim& claim, const Plan& plan, const FurtherEvidence& further);
    Diagnosis run();
    /// What its repair prints; nullptr if there is none.
    const ExprPtr& repair() const { return repair_; }

    const Claim& claim;
    const Plan& plan;
    const Expr& left;
    const ExprPtr right;
    const std::vector<Place> places;  ///< of the right side
    std::vector<Sides> sides;         ///< one for each draw; none if shapes of the right side do not fit
    std::string of;                   ///< the value whose gradient is claimed; "" for other claims
    std::string by;                   ///< the value to differentiate by: the same, or X of ∂Y/∂X
    bool index_form = false;
    std::size_t forward_parts = 0;

    /// Tries a change of the line. If it makes the line right in every draw, the search ends, and control does not return to the
    /// pattern. The mistake is that of the table row, or the one given.
    template <class... A>
    void tries(const ExprPtr& changed, fmt::format_string<const A&...> text, const A&... a) {
        tries(mistake_, changed, text, a...);
    }
    template <class... A>
    void tries(Mistake mistake, const ExprPtr& changed, fmt::format_string<const A&...> text, const A&... a) {
        if (fits(changed)) found(mistake, changed, fmt::format(text, a...));
    }
    /// Whether the right side holds in every draw and may be offered.
    bool mends(const ExprPtr& changed) {
        look_at_clock();
        if (any_part(*changed, is_of_reader) && !any_part(*right, is_of_reader)) return false;
        return claim.holds(changed) && !strict_.is_long(*changed) && !strict_.is_circular(*changed) &&
               !strict_.compares_oddly(*changed) && strict_.accepts(changed);
    }
    ExprPtr writable(const ExprPtr& repair) const;
    static bool is_of_reader(const Expr& e);
    /// Ends the search. No repair: nullptr.
    [[noreturn]] void found(Mistake mistake, const ExprPtr& repair, std::string text, std::string factor = "");
    [[noreturn]] void found(const ExprPtr& repair, std::string text, std::string factor = "") {
        found(mistake_, repair, std::move(text), std::move(factor));
    }

    /// ∂L/∂X, or dX if the line is written so.
    ExprPtr gradient(const std::string& of) const;
    /// Whether it is the loss, whose gradient is 1 and in no line stands for that.
    bool is_loss(const std::string& value) const;
    /// A name as the text spells it.
    ExprPtr value(const std::string& name) const;
    bool is_scalar(const Expr& e) const { return claim.draw(0).is_scalar(e); }
    std::vector<std::string> value_names() const;
    /// The same without constants, which have no gradient.
    std::vector<std::string> differentiable_names() const;

    /// Resets the number of tries that one pattern may take, for patterns that come last and try many changes.
    void begin_anew() { most_tries_ = tried_ + allowed_; }
    /// Counts one more try, for something that was evaluated.
    void spend() {
        look_at_clock();
        ++tried_;
    }
    bool hurried() const { return hurried_; }
    bool exhausted() const { return tried_ > most_tries_; }

  private:
    struct Found {};
    struct Exhausted {};
    struct OutOfTime {};
    void look_at_clock() const {
        if (std::chrono::steady_clock::now() > deadline_) throw OutOfTime{};
    }
    bool fits(const ExprPtr& changed);
    /// Why a gradient is 0 in every draw; "" for others. Any change that gives 0 would mend such a line.
    std::string why_zero() const;
    /// The text if nothing explains the line.
    std::string census() const;
    Strict strict_;
    const std::chrono::steady_clock::time_point deadline_;
    int allowed_ = 12000, most_tries_ = 0, tried_ = 0;
    bool hurried_ = false;  ///< the line is long, or one of many: the search ends with its tries
    Mistake mistake_{};
    Diagnosis found_;
    ExprPtr repair_;
};
using Search = RepairSearch;

// diagnose.cpp
void sign(Search& s);
// diagnose_factor.cpp
void factor(Search& s);
void row_term_constants(Search& s);
void factors_inside(Search& s);
void wrong_scalars(Search& s);
void unnamed_factor(Search& s);
// diagnose_paths.cpp
void masks(Search& s);
void repeated_term(Search& s);
void extra_terms(Search& s);
void conditions(Search& s);
void paths(Search& s);
// diagnose_conditions.cpp
void comparisons(Search& s);
void wrong_axes(Search& s);
// diagnose_forward.cpp
void other_forward(Search& s);
// diagnose_order.cpp
void elementwise_products(Search& s);
void matrix_products(Search& s);
void orders(Search& s);
void everywhere(Search& s);
void two_orders(Search& s);
void reshapes(Search& s);
void wrong_names(Search& s);
void wrong_slopes(Search& s);
// diagnose_sums.cpp
void one_number(Search& s);
void reductions(Search& s);
void diagonal(Search& s);
void diagonal_of_jacobian(Search& s);
// diagnose_slips.cpp
void lost_axes(Search& s);
void upstream_forgotten(Search& s);
void wrong_indices(Search& s);
void wrong_exponents(Search& s);
void constant_terms_missing(Search& s);
void path_terms_missing(Search& s);
void leaf_terms_missing(Search& s);
void scaled_terms_missing(Search& s);
void more_tries(Search& s);
// diagnose_pairs.cpp
void two_slips(Search& s);
// diagnose_rows.cpp
void row_terms(Search& s);
// diagnose_chain.cpp
void row_term_factors(Search& s);
void local_slope(Search& s);
void chain_factors(Search& s);
void own_slope(Search& s);
void missing_terms(Search& s);

// What several patterns use.

/// Constants with a name: small numbers, sizes, their roots, inverses and products, and numbers among the values.
std::vector<Constant> constants(const Search& s, bool products);
/// Numbers and scalar parts of the forward: (n - 1), 0.044715.
std::vector<Constant> forward_scalars(const Search& s);
/// Tries each constant as a factor that is missing or too much at the places chosen.
void constants_at(Search& s, const std::function<bool(const Place&)>& chosen);
/// Below a sum over a row that is a term of a sum, or such a term itself.
bool in_row_term(const Place& p);
Mistake factor_mistake(const Place& p);
/// One place of the forward that uses the value, on a path to the loss.
struct Use {
    std::size_t consumer;
    ExprPtr value;               ///< of the consumer, with kOneUse there
    std::string label;           ///< where it runs
    bool row_statistic = false;  ///< a sum or mean over a row of it
};
/// None where there are more than can be told apart.
std::vector<Use> uses_on_paths(const Search& s);
/// The gradient that comes back through one use, in forms it may have as the line is written.
std::vector<ExprPtr> terms_through(const Search& s, const Use& use);
/// Slopes of the functions of the forward, and its values: what the chain rule multiplies by.
std::vector<ExprPtr> slopes(const Search& s);
std::map<std::string, Index> index_sizes(const Search& s);
/// In index form: values and gradients at every choice of the line's indices whose sizes fit ...
std::vector<ExprPtr> index_factors(const Search& s);
/// ... and what follows from them entry by entry, and their differences.
std::vector<ExprPtr> index_slopes(const Search& s);
/// x (r - Σ x r), in the form the line is written in.
std::vector<ExprPtr> row_forms(const Search& s, const ExprPtr& x, const ExprPtr& rest);
std::string fresh_index(const Search& s);

}  // namespace gradproof::proof
