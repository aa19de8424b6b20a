// What a text assumes of its inputs and the draws do not have.
#pragma once

#include "gradproof/core/proof/judge/check.hpp"

namespace gradproof::proof {

/// Lines that are wrong, and that may be right where it is so, become `cannot tell`.
void judge_assumptions(const Proof& proof, const CheckOptions& options, ProofReport& report);

}  // namespace gradproof::proof
