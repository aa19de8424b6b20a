// Draws where what is compared is exactly 0: X > 0 and X >= 0 differ there and nowhere else.
//
//   const Ties t = ties(proof, plan, options, branches);
//   text_of(*t.branches[0]->compared);                    // an entry of it is 0 in t.draws[0]
#pragma once

#include "gradproof/core/proof/judge/boundaries.hpp"

namespace gradproof::proof {

struct Ties {
    std::vector<const Branch*> branches{};
    std::vector<std::unique_ptr<Instance>> draws{};  ///< one of each
};

/// One of each branch that is decided by a sign, as far as numbers of few digits and one entry of an input that is moved make
/// it 0 without rounding, and rounding decides no other branch. The branches outlive them.
Ties ties(const Proof& proof, const Plan& plan, const InstanceOptions& options, const Branches& branches);

}  // namespace gradproof::proof
