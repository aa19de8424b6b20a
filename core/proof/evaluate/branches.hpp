// The places of a proof where a value decides which formula applies, and which sides of them the draws have met.
//
//   Branches branches(proof, plan);
//   branches.see(draw, Branches::Keep::always);
//   if (const Branch* b = branches.unsure_on(line)) b->text();      // "min(X, 6) was never met with X > 6"
#pragma once

#include <optional>

#include "gradproof/core/proof/evaluate/instance.hpp"

namespace gradproof::proof {

/// A branch: relu, abs, sign, step, max and min of two, where, floor or mod. It holds the expression that is compared with 0, and
/// how many entries lay on either side. A root counts as a branch, because it has no derivative at 0; and so does the condition
/// of a claim, which has to be met somewhere. So does a curved function, as sigmoid: where it has one slope in every draw, nothing
/// tells it from a straight line. And so does a factor of whole numbers, which has to be other than 0 somewhere. A fold, where a
/// function has two sides of what it folds, need not be met.
struct Branch {
    enum class By { sign, mask, whole, root, condition, slope, factor, fold };
    const Expr* at = nullptr;  ///< the call, or the condition
    ExprPtr compared;  ///< what decides: by its sign, by whether it is 0, by its whole part, or, a slope, by where it differs
    By by = By::sign;
    const Expr* whole = nullptr;   ///< the side of a line that contains it, whose axes give the sizes of indices ...
    const Expr* left = nullptr;    ///< ... and the left side of that line, if there is one
    const Expr* helper = nullptr;  ///< what it stands in, defined among the claims by entries: its indices are its own
    const std::vector<Option>* extents = nullptr;  ///< sizes of indices that are stated
    enum class Of { drawn, sizes, constants };
    Of of = Of::drawn;  ///< what the branch depends on: inputs, or constants that are drawn; or only drawn sizes and indices; or
                        ///< numbers that are given
    bool of_wholes = false;  ///< whole numbers are compared, floor(x) == 2, which may pass from one side to the other at once
    Index equal = 0;         ///< of an equality: entries, also counted below
    Index above = 0,
          below = 0;    ///< entries; for a root, `below` counts those that are 0; for floor and slopes, those with the first one
    double first = 0;   ///< that whole part or slope
    double second = 0;  ///< of floor the next whole part that was met ...
    Index third = 0;    ///< ... and entries with neither
    bool by_domain = false;  ///< the declared domain of the inputs leaves a side out, of floor a third whole part
    Index by_rounding = 0;   ///< entries so close to the branch that rounding decides
    int looked_at = 0;       ///< draws, also those that were not kept
    double nearest = 0;      ///< in the first of them, the entry that is nearest to the side that was not met
    bool always_so = true;   ///< in the others too
    /// Whether no index reaches a side, whatever the sizes: that above 0 of i - n, as of where(i = n, ...). Then as many draws as
    /// tell had the same nearest entry.
    bool is_never_met() const;
    void look(const std::vector<double>& values);
    bool has_two_parts_by_size() const;  ///< (i + 1) mod n
    /// a == b as it is made: step(a - b) + step(b - a).
    bool is_equality() const;
    bool has_sides() const { return by != By::root && by != By::factor && by != By::fold; }
    /// Both sides are met; of a condition, that where it holds; of an equality, that where it holds and that where it does not, or,
    /// of numbers that are not whole, both signs; of floor three whole parts, for with two a comparison is as good.
    bool met() const;
    bool sure() const;
    /// What is written there: "relu(X)", "y[i] == 1".
    std::string name() const;
    /// Why the draws are not enough: a side was never met, rounding decides, or there is no derivative; "" if they are enough.
    std::string text() const;
    /// "relu(X): 12 above 0, 8 below 0"; "" for a root and for a condition.
    std::string counts() const;
};

class Branches {
  public:
    enum class What { sides, curves };
    /// The branches of the forward and of the lines; or the functions there that are curved.
    Branches(const Proof& proof, const Plan& plan, What what = What::sides);
    /// Counts the sides that a draw meets. `with_news`: only if it meets a new side and rounding decides no branch. Returns
    /// whether they were counted.
    enum class Keep { always, with_news };
    bool see(Instance& draw, Keep keep);
    /// Whether rounding may decide on which side of a branch, or of those of one kind, an entry lies.
    bool any_by_rounding(Instance& draw, std::optional<Branch::By> of = {}) const;
    /// Where other values might meet a side that was not: the inputs that decide it, for each such branch.
    std::set<std::set<std::string>> asks_for_draws() const;
    /// Whether larger sizes might meet a side that was not.
    bool asks_for_larger_sizes() const;
    /// Whether two draws, of other sizes, differ in what sizes decide.
    bool follow_sizes(const Instance& a, const Instance& b) const;
    const std::vector<Branch>& all() const { return branches_; }
    /// Where a function may fold what stands in it, sqrt((a - 60)^2): no draw has to meet them.
    const std::vector<Branch>& folds() const { return folds_; }
    /// A branch that matters to the line and has a side that was never met, or that rounding decides: in the line itself, in the
    /// forward between what it claims and what it uses, or in values there that the line does not use. nullptr if there is none.
    const Branch* unsure_on(const JudgedLine& line) const;
    /// The condition behind the line, where no draw has an entry that meets it; nullptr if one has, or there is no condition.
    const Branch* unmet_condition_of(const JudgedLine& line) const;

  private:
    void collect(const Expr& e, const Expr* left = nullptr, const std::vector<Option>* extents = nullptr);
    void collect_at(const Expr& part, const Branch& place);
    bool is_of_thresholds(const Expr& e) const;
    ExprPtr whole_factor_of(const Expr& e) const;
    void add(const Expr& part, const ExprPtr& compared, Branch::By by, const Branch& place);
    void collect_curves(const Expr& e, const Expr* left = nullptr);
    bool is_value(const std::string& name) const;
    bool is_whole(const Expr& e, int depth = 0) const;
    bool follows_drawn_size(const std::set<std::string>& names) const;
    bool follows_any_function(const Expr& e, std::set<std::string>& seen) const;
    Branch::Of what_decides(const Expr& e) const;
    const Branch* unsure_in(const Expr& e) const;
    const Branch* unsure_above(std::set<std::string> names, const std::set<std::string>& held) const;
    const Proof& proof_;
    const Plan& plan_;
    const What what_;
    std::vector<Branch> branches_, folds_;
};

/// Whether it chooses by something with a gradient in it, as min(dY, 1) does.
bool chooses_by_a_gradient(const Expr& part);
/// The condition behind a line, which has one, as a branch.
Branch condition_of(const JudgedLine& line);
/// softmax and its like: what they compute of an entry hangs on its whole row.
bool is_of_rows(const Expr& call);

/// Whether the line is claimed of an entry of this draw.
bool is_claimed_in(const Instance& draw, const JudgedLine& line);

/// The entries of the compared expression.   Errors  std::invalid_argument if it has no value apart from its line.
std::vector<double> values_compared(const Instance& draw, const Branch& branch);
/// The same with bounds of their rounding errors.
std::vector<Bounded<double>> bounded_values_compared(Instance& draw, const Branch& branch);
/// On which side of the branch each entry lies: 1 or 0, of floor its whole part, of an equality the sign, NaN where it is NaN.
/// Errors: std::invalid_argument if the compared expression has no value apart from its line.
std::vector<double> sides_met(const Instance& draw, const Branch& branch);

}  // namespace gradproof::proof
