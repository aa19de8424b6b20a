// Draws in which the curved functions of a proof are met where they are curved. A sigmoid of 1e4 (x + 50) is 1 in all usual draws.
//
//   Branches curves(proof, plan, Branches::What::curves);
//   draws = with_curved_draws(std::move(draws), proof, plan, options, branches, curves);
//   curves.unsure_on(line)                                    // a function that is saturated in these draws too
#pragma once

#include "gradproof/core/proof/judge/boundaries.hpp"

namespace gradproof::proof {

/// The draws, and more where a function has one slope in all of them: wider and narrower ones, and some with one entry of an input
/// moved until its argument is small. `curves` sees them all; in none of those added does rounding decide one of the `branches`.
std::vector<std::unique_ptr<Instance>> with_curved_draws(std::vector<std::unique_ptr<Instance>> draws, const Proof& proof,
                                                         const Plan& plan, const InstanceOptions& options,
                                                         const Branches& branches, Branches& curves);

}  // namespace gradproof::proof
