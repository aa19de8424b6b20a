// Planted bugs in a right claim: the count of those that are seen says that the check is not vacuous.
//
//   const Score s = mutation_score(claim);      // s.caught of s.planted
#pragma once

#include "gradproof/core/proof/judge/claim.hpp"

namespace gradproof::proof {

/// Wrong versions of an expression: each changes what it means, unless it is symmetric there.
std::vector<ExprPtr> planted_bugs(const ExprPtr& e);

/// Those of them that change a part of it; the others are multiples of the whole.
std::vector<ExprPtr> bugs_inside(const ExprPtr& e);

struct Score {
    int planted = 0, caught = 0;
    ExprPtr unseen{};            ///< the first that is not caught
    ExprPtr unseen_transpose{};  ///< of a matrix whose values are stated, which is no planted bug
};
Score mutation_score(const Claim& claim);

}  // namespace gradproof::proof
