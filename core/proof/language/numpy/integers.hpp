// Arrays of whole numbers, in which NumPy cuts off what is put into them.
//
//   holds_integers(*value, proof);      // of np.where(x > 0, 1, 0), 1 * (x > 0), np.arange(n)
#pragma once

#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof::numpy {

/// As far as the text says no type.
bool holds_integers(const Expr& e, const Proof& proof, int depth = 0);

}  // namespace gradproof::proof::numpy
