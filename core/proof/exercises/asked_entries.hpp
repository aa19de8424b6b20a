// What an exercise asks for, at letters: ∂L/∂V[j,c], or ∂A[i,j]/∂S[i,k], which has three.
//
//   const AskedEntries entries(solved(exercise));
//   entries.letters();                     // 2
//   entries.at({"j", "c"});                // "∂L/∂V[j,c]"
#pragma once

#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof {

class AskedEntries {
  public:
    explicit AskedEntries(const Proof& solved);
    /// How many: its own, or one for each axis.
    std::size_t letters() const { return own_.empty() ? rank_ + rank_of_other_ : own_.size(); }
    std::string at(const std::vector<std::string>& letters) const;

  private:
    ExprPtr base_;                  ///< without the letters of an index form
    std::vector<std::string> own_;  ///< of a Jacobian that is asked for at entries
    std::size_t rank_ = 0, rank_of_other_ = 0;
};

}  // namespace gradproof::proof
