// Second derivatives: the gradient of a value, derived line by line and judged, is a value like others, and what it is by another
// one is its Jacobian.
//
//   const Proof first = with_gradients_as_values(proof);      // ∂²f/∂x∂y in its lines is the Jacobian of ∂f/∂x by y
#pragma once

#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof {

/// The proof with the gradients that second derivatives in its lines are of, and those in what a derivative is taken of, as in
/// ∂(g^T g)/∂x where g = ∂L/∂x; lines whose gradient cannot be derived are open, and say why.
Proof with_gradients_as_values(const Proof& proof);

}  // namespace gradproof::proof
