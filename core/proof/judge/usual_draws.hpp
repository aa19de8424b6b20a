// The draws in which every line of a proof is judged.
//
//   Branches branches(proof, plan);
//   const auto draws = usual_draws(proof, plan, options.draw, options.draws, branches);
#pragma once

#include "gradproof/core/proof/evaluate/branches.hpp"

namespace gradproof::proof {

/// So many draws, one where nothing is drawn, and more where a branch has a side that none has met, where larger sizes decide,
/// and where an option is beyond all sizes. The branches count the sides that they meet. All but the number outlive the draws.
std::vector<std::unique_ptr<Instance>> usual_draws(const Proof& proof, const Plan& plan, const InstanceOptions& options,
                                                   int draws, Branches& branches);

/// Why nothing is told of a forward with a window that is wider than every size of the draws; "" where there is none.
std::string why_no_window_is_left(const Proof& proof, const std::vector<std::unique_ptr<Instance>>& draws);

}  // namespace gradproof::proof
