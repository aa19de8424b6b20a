// The line that stands beside a wrong one that nothing simple repairs: what the gradient is, derived from the forward.
//
//   add_derived(proof, options, report);      // report.lines[3].derived == "∂L/∂S = A ⊙ (∂L/∂A - rowsum(∂L/∂A ⊙ A))"
#pragma once

#include "gradproof/core/proof/judge/check.hpp"

namespace gradproof::proof {

/// Of wrong claims about the gradient of a value, or an entry of it, whose diagnosis has no repair. Each is judged right before
/// it is shown, by the draws of the options. Nothing is added to the report of a forward that is longer than kPartsToDeriveBeside
/// or holds a line that is not read, nor where gradients are taken as they were claimed. Errors: Stopped.
void add_derived(const Proof& proof, const CheckOptions& options, ProofReport& report);

/// Repairs of lines in NumPy are written in NumPy, as far as it has words for them.
void write_repairs(const Proof& proof, ProofReport& report);

}  // namespace gradproof::proof
