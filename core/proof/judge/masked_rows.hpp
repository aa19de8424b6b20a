// Rows of scores of a program that are -inf only: NumPy, PyTorch and JAX make NaN of their softmax, and here it is 0.
#pragma once

#include "gradproof/core/proof/judge/check.hpp"

namespace gradproof::proof {

/// Where a softmax, log_softmax or logsumexp of the forward of a program is of such a row, its right lines become `cannot tell`.
void judge_masked_rows(const Proof& proof, const CheckOptions& options, ProofReport& report);

}  // namespace gradproof::proof
