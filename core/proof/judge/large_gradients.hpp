// Lines that choose by the size of a gradient, as clip(dS, -65504, 65504) does: gradients of the usual size show one choice alone.
#pragma once

#include "gradproof/core/proof/judge/check.hpp"

namespace gradproof::proof {

/// Such lines that are right are judged again with gradients that come in much larger and much smaller, or with inputs that are,
/// and become `cannot tell` where they are wrong then.
void judge_large_gradients(const Proof& proof, const CheckOptions& options, const JudgeOnce& judge, ProofReport& report);

}  // namespace gradproof::proof
