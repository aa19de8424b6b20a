// What is wrong in an answer, told with the solution at hand: a diagnosis alone may name a change that makes the line right, and is
// not what a student would take for the mistake.
#pragma once

#include "gradproof/core/proof/judge/claim.hpp"

namespace gradproof::proof {

struct Told {
    check::Mistake mistake{};
    ExprPtr repaired;  ///< the right side that would be right; nullptr where the diagnosis says it
};
/// What was said where nothing simpler makes the answer right: another power, another name or two exchanged, one term of the solution
/// more or less, a part of the solution in the place of a name.
Told told_by_solution(const Claim& answer, const ExprPtr& solution, check::Mistake said);

}  // namespace gradproof::proof
