// A derivation as the reference for an op: its forward says what the op should compute, and its derivatives are the true ones.
//
//   check_kernel(check::black_box(op), calls, reference_of(read_proofs("swish.proof", text).front(), op));
#pragma once

#include "gradproof/core/check/black_box.hpp"
#include "gradproof/core/proof/evaluate/plan.hpp"

namespace gradproof::proof {

/// The inputs of the derivation are matched with those of the op by name, ignoring case, or else by their order. A call with
/// attributes other than the defaults, or with inputs that the derivation does not have, is not comparable. Errors: ValueError if
/// the inputs do not match, if the derivation computes nothing, or if its forward calls the op itself.
check::Against reference_of(const Proof& proof, const OpEntry& op);

}  // namespace gradproof::proof
