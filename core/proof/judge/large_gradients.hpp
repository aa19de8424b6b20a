// Lines that choose by the size of a gradient, as clip(dS, -65504, 65504) does: those of the usual size show one choice alone.
#pragma once

#include "gradproof/core/proof/judge/check.hpp"

namespace gradproof::proof {

/// Such lines that are right are judged again with much larger gradients that come in, and with much larger inputs, and become
/// `cannot tell` where they are wrong then.
void judge_large_gradients(const Proof& proof, const CheckOptions& options, const JudgeOnce& judge, ProofReport& report);

}  // namespace gradproof::proof
