// Planted bugs in a right claim: the number of those that are caught shows that the check is not vacuous.
//
//   const Score s = mutation_score(claim);      // s.caught of s.planted
#pragma once

#include "gradproof/core/proof/judge/claim.hpp"

namespace gradproof::proof {

/// Wrong versions of an expression. Each changes its meaning, unless the expression is symmetric at that place.
std::vector<ExprPtr> planted_bugs(const ExprPtr& e);

/// Only the versions that change a part of it; the others are multiples of the whole.
std::vector<ExprPtr> bugs_inside(const ExprPtr& e);

struct Score {
    int planted = 0, caught = 0;
    std::vector<ExprPtr> unseen{};  ///< bugs that are not caught
    ExprPtr unseen_transpose{};     ///< a transposed matrix whose values are stated; it is no planted bug
};
Score mutation_score(const Claim& claim);

}  // namespace gradproof::proof
