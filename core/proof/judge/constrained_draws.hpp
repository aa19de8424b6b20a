// Draws in which equations hold that a text assumes of its inputs: \mathbf 1^\top x = 0, x^\top y = 0, A x = b.
//
//   if (const auto drawn = draw_under(equations, proof, plan, options, 0)) drawn->draw, drawn->normals
#pragma once

#include <map>

#include "gradproof/core/proof/evaluate/instance.hpp"

namespace gradproof::proof {

/// Vectors of length one, at right angles, that span what leaves the equations, all other inputs held.
using Normals = std::vector<std::vector<double>>;

struct ConstrainedDraw {
    std::unique_ptr<Instance> draw;
    std::map<std::string, Normals, std::less<>> normals;  ///< of each input that was moved
};

/// The draw of this number, moved to where all equations hold; nullopt where none is found, as of x^\top x = -1.
std::optional<ConstrainedDraw> draw_under(const std::vector<const Assumption*>& equations, const Proof& proof, const Plan& plan,
                                          const InstanceOptions& options, int number);

}  // namespace gradproof::proof
