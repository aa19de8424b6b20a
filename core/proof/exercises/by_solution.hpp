// What is wrong in an answer, told with the solution at hand: a diagnosis alone may name a change that makes the line right, and is
// not what a student would take for the mistake.
#pragma once

#include "gradproof/core/proof/judge/claim.hpp"

namespace gradproof::proof {

/// `said` where nothing simpler makes the answer right: another power, another name or two exchanged, one term of the solution more
/// or less, a part of the solution in the place of a name.
check::Mistake mistake_of(const Claim& answer, const ExprPtr& solution, check::Mistake said);

}  // namespace gradproof::proof
