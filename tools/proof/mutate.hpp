// Planted bugs in a right claim: the count of those that are seen says that the check is not vacuous.
//
//   const Score s = mutation_score(claim);      // s.caught of s.planted
#pragma once

#include "tools/proof/check.hpp"

namespace gradproof::proof {

/// A change of one place of an expression.
struct Edit {
    std::string kind;  ///< sign, factor, transpose, missing_term, missing_sum, ...
    std::string what;  ///< in words
    ExprPtr result;
};

/// Simple bugs: each changes what the expression means, unless it is symmetric there.
std::vector<Edit> planted_bugs(const ExprPtr& e);

struct Score {
    int planted = 0, caught = 0;
};
Score mutation_score(const Claim& claim);

/// Every expression that differs from e in one node, made by `change` (nullptr leaves a node alone).
std::vector<ExprPtr> at_every_node(const ExprPtr& e, const std::function<std::vector<ExprPtr>(const ExprPtr&)>& change);

}  // namespace gradproof::proof
