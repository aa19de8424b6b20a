// Numeric expectations: a printed number is right when it agrees to half a unit of its last digit.
//
//   judge_expectation(draw, proof, line, report);     // Q[0] = [0.4, ...],   S[1,1] = 2 erratum 1
#pragma once

#include "gradproof/core/proof/judge/check.hpp"

namespace gradproof::proof {

/// A number with an erratum is held to both: the printed one must be wrong, and the one of the erratum right.
/// Errors: ProofError for a right side that is neither numbers nor an expression of the shape of the left, and for an erratum
/// that does not stand against printed numbers.
void judge_expectation(Instance& draw, const Proof& proof, const JudgedLine& line, LineReport& report);

}  // namespace gradproof::proof
