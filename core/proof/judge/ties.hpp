// Draws in which a compared expression is exactly 0: X > 0 and X >= 0 differ only there.
//
//   const Ties t = ties(proof, plan, options, branches);
//   text_of(*t.branches[0]->compared);                    // an entry of it is 0 in t.draws[0]
#pragma once

#include "gradproof/core/proof/judge/boundaries.hpp"

namespace gradproof::proof {

struct Ties {
    std::vector<const Branch*> branches{};
    std::vector<std::unique_ptr<Instance>> draws{};  ///< one for each branch
};

/// A draw for each branch that a sign decides, if moving one entry of an input, among numbers with few digits, makes the compared
/// expression 0 without rounding, while rounding decides no other branch. The branches must outlive them.
Ties ties(const Proof& proof, const Plan& plan, const InstanceOptions& options, const Branches& branches);

}  // namespace gradproof::proof
