// The places of a proof where a value decides which formula holds, and which sides of them the draws have seen.
//
//   Branches branches(proof, plan);
//   branches.see(draw);
//   if (const Branch* b = branches.unseen_on(line)) b->text();      // "min(X, 6) was never met with X > 6"
#pragma once

#include "gradproof/core/proof/evaluate/instance.hpp"

namespace gradproof::proof {

/// relu, abs, sign, step, max and min of two, where: what is compared with 0, and how many entries lay on either side. A root
/// is one too: at 0 it has no derivative.
struct Branch {
    enum class By { sign, mask, root };
    const Expr* at = nullptr;  ///< the call
    ExprPtr compared;          ///< its sign decides; of where: whether it is 0
    By by = By::sign;
    const Expr* whole = nullptr;  ///< the side that it stands in, whose axes say how far indices run ...
    const Expr* left = nullptr;   ///< ... and the left side of that, where it has one
    bool of_sizes = false;        ///< no input decides, but indices and sizes that are drawn
    Index above = 0, below = 0;   ///< entries; of a root, below counts those that are 0
    bool seen() const { return by == By::root ? below == 0 : above > 0 && below > 0; }
    /// Which side was never met, or what has no derivative. "" where the draws say enough.
    std::string text() const;
    /// "relu(X): 12 above 0, 8 below". "" of a root.
    std::string counts() const;
};

class Branches {
  public:
    /// Of the forward and of the lines. What depends on constants and stated sizes alone is left out.
    Branches(const Proof& proof, const Plan& plan);
    /// Counts the sides that a draw meets. Whether one of them was not met before.
    bool see(const Instance& draw);
    bool all_seen() const;
    /// Whether larger sizes might meet a side that was not.
    bool asks_for_larger_sizes() const;
    const std::vector<Branch>& all() const { return branches_; }
    /// A branch of which a side was never met, in the line, in the forward between what it claims and what it uses, or in what
    /// makes the values there, other than those that the line itself uses; nullptr where there is none.
    const Branch* unseen_on(const JudgedLine& line) const;

  private:
    void collect(const Expr& e, const Expr* left = nullptr);
    bool is_value(const std::string& name) const;
    bool follows_drawn_size(const std::set<std::string>& names) const;
    const Branch* unseen_in(const Expr& e) const;
    const Branch* unseen_above(std::set<std::string> names, const std::set<std::string>& held) const;
    const Proof& proof_;
    const Plan& plan_;
    std::vector<Branch> branches_;
};

}  // namespace gradproof::proof
