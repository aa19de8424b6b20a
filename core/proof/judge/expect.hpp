// Numeric expectations: a printed number is right when it agrees to half a unit of its last digit.
//
//   judge_expectation(draw, proof, line, report);     // Q[0] = [0.4, ...]
#pragma once

#include "gradproof/core/proof/judge/check.hpp"

namespace gradproof::proof {

/// Errors: ProofError for a right side that is neither numbers nor an expression of the shape of the left.
void judge_expectation(Instance& draw, const Proof& proof, const JudgedLine& line, LineReport& report);

}  // namespace gradproof::proof
