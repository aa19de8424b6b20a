// Draws of other sizes: where conditions on sizes hold together that no draw met so, and larger ones where sizes are counted with.
//
//   draws_of_sizes(proof, plan, options, branches, usual);      // (n > 5) (p < 3): of n = 6, p = 2
#pragma once

#include "gradproof/core/proof/evaluate/branches.hpp"

namespace gradproof::proof {

using SizeMap = std::map<std::string, Index, std::less<>>;

/// Drawn sizes with those that follow from them. Errors: EvaluationError for sizes that do not go together.
SizeMap all_sizes(const Proof& proof, const SizeMap& drawn);
/// The number of entries of all inputs and constants.
double entries_given(const Proof& proof, const Instance& draw);

/// One for each combination of sides of what sizes alone decide, as n > 5, that is found and that the usual draw has not; and one
/// of larger sizes where a sum is made of them, as n - 2, which may be 0 in all of the usual ones.
std::vector<std::unique_ptr<Instance>> draws_of_sizes(const Proof& proof, const Plan& plan, const InstanceOptions& options,
                                                      const Branches& branches, const Instance& usual);

}  // namespace gradproof::proof
