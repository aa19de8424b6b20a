// The places of a proof where a value decides which formula holds, and which sides of them the draws have seen.
//
//   Branches branches(proof, plan);
//   branches.see(draw, Branches::Keep::always);
//   if (const Branch* b = branches.unsure_on(line)) b->text();      // "min(X, 6) was never met with X > 6"
#pragma once

#include "gradproof/core/proof/evaluate/instance.hpp"

namespace gradproof::proof {

/// relu, abs, sign, step, max and min of two, where, floor and mod: what is compared with 0, and how many entries lay on either
/// side. A root is one too: at 0 it has no derivative.
struct Branch {
    enum class By { sign, mask, whole, root };
    const Expr* at = nullptr;  ///< the call
    ExprPtr compared;          ///< what decides, by its sign, by whether it is 0, or by its whole part, as `by` says
    By by = By::sign;
    const Expr* whole = nullptr;  ///< the side that it stands in, whose axes say how far indices run ...
    const Expr* left = nullptr;   ///< ... and the left side of that, where it has one
    enum class Of { inputs, sizes, constants };
    Of of = Of::inputs;          ///< what decides: the inputs, or only indices and sizes that are drawn, or not even these
    Index above = 0, below = 0;  ///< entries; of a root, below counts those that are 0; of floor, those with the first whole part
    double first = 0;            ///< that whole part
    Index by_rounding = 0;       ///< entries whose side is within the rounding of what is compared
    bool both_met() const { return above > 0 && below > 0; }
    bool sure() const;
    /// Which side was never met, what rounding decides, or what has no derivative. "" where the draws say enough.
    std::string text() const;
    /// "relu(X): 12 above 0, 8 below 0"; "" for a root.
    std::string counts() const;
};

class Branches {
  public:
    /// Of the forward and of the lines.
    Branches(const Proof& proof, const Plan& plan);
    /// Counts the sides that a draw meets. `with_news`: only where one of them was not met before, and rounding decides none.
    /// Whether they were counted.
    enum class Keep { always, with_news };
    bool see(Instance& draw, Keep keep);
    /// Whether rounding may decide on which side of a branch an entry lies.
    bool any_by_rounding(Instance& draw) const;
    /// Whether other values might meet a side that was not.
    bool asks_for_draws() const;
    /// Whether larger sizes might meet a side that was not.
    bool asks_for_larger_sizes() const;
    const std::vector<Branch>& all() const { return branches_; }
    /// A branch of which a side was never met or decided by rounding, in the line, in the forward between what it claims and what
    /// it uses, or in what makes the values there, other than those that the line itself uses; nullptr where there is none.
    const Branch* unsure_on(const JudgedLine& line) const;

  private:
    void collect(const Expr& e, const Expr* left = nullptr);
    bool is_value(const std::string& name) const;
    bool follows_drawn_size(const std::set<std::string>& names) const;
    const Branch* unsure_in(const Expr& e) const;
    const Branch* unsure_above(std::set<std::string> names, const std::set<std::string>& held) const;
    const Proof& proof_;
    const Plan& plan_;
    std::vector<Branch> branches_;
};

/// The entries of what is compared.   Errors  std::invalid_argument where it has no value apart from its line.
std::vector<double> values_compared(const Instance& draw, const Branch& branch);
/// The same with bounds of their rounding errors.
std::vector<Bounded<double>> bounded_values_compared(Instance& draw, const Branch& branch);
/// On which side of the branch each entry lies: 1 or 0, of floor its whole part, NaN where it is NaN.
/// Errors: std::invalid_argument where what is compared has no value apart from its line.
std::vector<double> sides_met(const Instance& draw, const Branch& branch);

}  // namespace gradproof::proof
