// What a derivation knows of the values of a proof: their sizes in several draws, their names, and rows that sum to one.
//
//   Known known(proof);
//   known.axes(*e);                  // of Q K^T: {n, m}, each as it is in every draw
//   known.size(known.axes(*e)[1]);   // the name m
#pragma once

#include <array>
#include <functional>
#include <memory>

#include "gradproof/core/proof/evaluate/instance.hpp"

namespace gradproof::proof {

/// The size of an axis in each of a few draws: sizes that are the same in all of them are the same.
inline constexpr std::size_t kSizeDraws = 3;
using AxisSize = std::array<Index, kSizeDraws>;
using Axes = std::vector<AxisSize>;
inline constexpr AxisSize kSizeOne{1, 1, 1};

/// The sizes of what axes make together, as NumPy has it; the longer list decides where they do not fit.
Axes broadcast(const Axes& a, const Axes& b);

/// What has no rule: the message says which part of which line.
class NoRule : public std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};
template <class... A>
[[noreturn]] void no_rule(fmt::format_string<A...> text, A&&... a) {
    throw NoRule(fmt::format(text, std::forward<A>(a)...));
}

class Known {
  public:
    /// Errors: ProofError.
    explicit Known(const Proof& proof);
    Known(const Known&) = delete;
    Known& operator=(const Known&) = delete;

    const Proof& proof() const { return proof_; }
    const Plan& plan() const { return plan_; }
    /// The assignments with what was written taken apart from how: no node has a source.
    const std::vector<Assignment>& forward() const { return forward_; }
    const Assignment* find(const std::string& name) const;

    /// Of an expression in matrix form, gradients and rows of arrays among it. Errors: NoRule where it cannot be evaluated.
    const Axes& axes(const ExprPtr& e) const;
    const Axes& axes_of(const std::string& value) const;
    /// Whether an array, or a row x[t] of one, stands in an expression with indices, which then is no matter of entries alone.
    bool is_by_rows(const Expr& e) const;
    /// How many of these lines of values, from one on, go through their steps with it: itself, and what follows of its block.
    std::size_t together_from(std::size_t first, std::size_t count, const std::function<std::string(std::size_t)>& name_of) const;
    bool is_number(const ExprPtr& e) const { return axes(e).empty(); }
    /// A number, a size, or made of such: the same at every entry and no gradient in it.
    bool is_plain(const Expr& e) const;
    /// A name or a formula of sizes that is as large. Errors: NoRule.
    ExprPtr size(const AxisSize& axis) const;
    /// The value whose formula this is, "" where there is none.
    std::string name_of(const Expr& e) const;
    /// Whether the last axis of the value sums to one: a softmax, a distribution that picks one.
    bool sums_to_one(const Expr& e) const;
    /// Whether it sums to zero along that axis: X - rowmean(X), also divided by one number of each row.
    bool sums_to_zero(const ExprPtr& e, std::size_t axis_from_last) const;
    bool is_value(const std::string& name) const { return scopes_[0].values.contains(name) || scopes_[0].sizes.contains(name); }
    /// Names that an index cannot have.
    bool is_taken(const std::string& name) const;

  private:
    Shape shape_in_draw(std::size_t draw, const Expr& e) const;

    const Proof& proof_;
    Plan plan_;
    std::vector<std::unique_ptr<Instance>> draws_;
    std::vector<Scope<double>> scopes_;
    std::vector<Assignment> forward_;
    std::map<std::string, std::string> named_;  ///< by the text of the formula
    std::vector<std::pair<ExprPtr, AxisSize>> sizes_;
    mutable std::map<const Expr*, std::pair<ExprPtr, Axes>> axes_;  ///< nodes are kept: what is known of one goes by its address
};

/// Of a formula that takes entries of what it computes: for each axis 1 where they are further on, X[t + 1], -1 where they are
/// further back, else 0; nothing where it takes none. `own` is X or ∂L/∂X.
std::vector<int> own_steps(const Expr& formula, const Expr& own);

/// X, or X[i,j] of what is assigned entry by entry.
ExprPtr left_of(const Assignment& a);
/// The indices of X[i,j], none of X.
std::vector<std::string> indices_of(const Expr& left);

/// The indices that a sum binds, or that stand in it, and the sizes of the axes they run over.
std::map<std::string, ExprPtr> sizes_of_indices(const Known& known, const Expr& e);

/// The same without what was written, and σ as sigmoid: text_of says it in one way.
ExprPtr unwritten(const ExprPtr& e);

}  // namespace gradproof::proof
