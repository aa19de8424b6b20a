// A derivation as what is known of an op: its forward is what the op should compute, and its derivatives are the op's.
//
//   check_kernel(check::black_box(op), calls, reference_of(read_proofs("swish.proof", text).front(), op));
#pragma once

#include "gradproof/core/check/black_box.hpp"
#include "gradproof/core/proof/evaluate/plan.hpp"

namespace gradproof::proof {

/// The inputs of the derivation are those of the op by their names, in capitals or not, or else in their order. A call with
/// other attributes than the default ones, or with inputs that the derivation does not have, is not comparable. Errors:
/// ValueError where the inputs are others, where nothing is computed, and where the forward calls the op itself.
check::Against reference_of(const Proof& proof, const OpEntry& op);

}  // namespace gradproof::proof
