// Draws where masks, signs and labels hold one value throughout, which a random draw of many entries never meets: a mask of
// ones, labels that are all the same. And draws where parameters are not what they are by default.
//
//   draws_of_constants(proof, plan, options, usual);
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gradproof/core/proof/evaluate/instance.hpp"

namespace gradproof::proof {

struct ConstantDraws {
    std::vector<std::unique_ptr<Instance>> draws;
    std::vector<std::string> texts;  ///< of each: "M is all 1", "t is all 5", "reg is 0.37"
};

/// In the sizes of the usual draw: for each constant of few values one with the first of them throughout, one with the last,
/// and of places and one-hot rows one with each number that stands as an index; then with all such constants at once.
ConstantDraws draws_of_constants(const Proof& proof, const Plan& plan, const InstanceOptions& options, const Instance& usual);

/// reg=0.0, T=1.0 and p=0.5, which hide what is done with them: one draw for each such default, then one with all of them
/// changed.
ConstantDraws draws_beside_defaults(const Proof& proof, const Plan& plan, const InstanceOptions& options, const Instance& usual);

}  // namespace gradproof::proof
