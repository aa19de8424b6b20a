// Planted bugs: changes to the cotangents that an op returns, or to what it saved, like those that a slip would cause.
//
//   for (const Mutant& m : mutants(s)) { const auto planted = plant(s, honest, m); ... }      // honest: the gradients of s
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gradproof/core/check/subject.hpp"

namespace gradproof::check {

/// One planted bug. The kinds are listed in mutation.cpp with what each stands for.
struct Mutant {
    std::string name;  ///< "sign of d(x)", "saved y negated"
    int kind = 0;
    int input = 0;  ///< the input whose cotangent is changed; for a bug in a saved tensor, the position of that tensor
    int other = 0;  ///< the second input of a swap
};

/// The bugs that can be planted in a call of the subject's shape.
std::vector<Mutant> mutants(const Subject& s);

/// The gradient that the subject's backward claims with the bug in it; none if the bug changes nothing beyond rounding on this
/// sample.
std::optional<Tensors> plant(const Subject& s, const Tensors& honest, const Mutant& mutant);

}  // namespace gradproof::check
