// Terms of the forward that change nothing in the draws: 1 - exp(-exp(100 (x - 2))), which is 0 or 1 in all of them.
#pragma once

#include "gradproof/core/proof/judge/check.hpp"

namespace gradproof::proof {

/// Lines that are right and not proved, and right of the forward without such a term, too, become `cannot tell`.
void judge_vanishing_terms(const Proof& proof, const CheckOptions& options, const JudgeOnce& judge, ProofReport& report);

}  // namespace gradproof::proof
