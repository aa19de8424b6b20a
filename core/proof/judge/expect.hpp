// Numeric expectations: a printed number is right if it agrees to within half a unit of its last digit.
//
//   judge_expectation(draw, proof, line, report);     // Q[0] = [0.4, ...],   S[1,1] = 2 erratum 1
#pragma once

#include "gradproof/core/proof/judge/check.hpp"

namespace gradproof::proof {

/// For a number with an erratum, the printed number must be wrong and the corrected one right.
/// Errors: ProofError for a right side that is neither numbers nor an expression with the shape of the left side, and for an
/// erratum whose printed side is not numbers.
void judge_expectation(Instance& draw, const Proof& proof, const JudgedLine& line, LineReport& report);

}  // namespace gradproof::proof
