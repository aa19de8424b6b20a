// Planted bugs: changes to what an op hands back, or to what it saved, as a slip of the hand would make them.
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
    int input = 0;  ///< whose cotangent is changed; of `saved`, the position of the tensor
    int other = 0;  ///< the second input of a swap
};

/// The bugs that can be planted in a call of the subject's shape.
std::vector<Mutant> mutants(const Subject& s);

/// The gradient that the subject's backward claims with the bug in it. Empty where the bug changes nothing beyond rounding: it is
/// then no bug on this sample.
std::optional<Tensors> plant(const Subject& s, const Tensors& honest, const Mutant& mutant);

}  // namespace gradproof::check
