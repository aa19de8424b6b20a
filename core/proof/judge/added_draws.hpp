// Draws that were added for the sake of a branch, and overflow in lines that have nothing to do with it.
//
//   const AddedDraws added(proof, plan, draws, 5);      // of the draws, all but the first five
//   if (added.overflows_in(claim, 5)) ...               // it says nothing of the line, ...
//   added.unsure_without({5}, claim.line());            // "" unless the line needs what was met in it
#pragma once

#include <algorithm>

#include "gradproof/core/proof/evaluate/branches.hpp"
#include "gradproof/core/proof/judge/claim.hpp"

namespace gradproof::proof {

class AddedDraws {
  public:
    using Draws = std::vector<std::unique_ptr<Instance>>;
    /// All three must outlive it. Draws that are added later, which show that a line is wrong, are none of them.
    AddedDraws(const Proof& proof, const Plan& plan, const Draws& draws, int usual)
        : proof_(proof), plan_(plan), draws_(draws), usual_(static_cast<std::size_t>(std::max(usual, 1))), all_(draws.size()) {}

    /// Whether a value of an added draw is infinite or NaN, none of the usual ones is, and with it a side of the line is not finite.
    bool overflows_in(const Claim& claim, std::size_t draw) const;
    /// A branch that the line needs and the other draws do not meet on both sides, in a sentence; "" if there is none.
    std::string unsure_without(const std::vector<std::size_t>& left_out, const JudgedLine& line) const;

  private:
    const Proof& proof_;
    const Plan& plan_;
    const Draws& draws_;
    const std::size_t usual_, all_;
};

}  // namespace gradproof::proof
