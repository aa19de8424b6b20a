// Arrays of whole numbers, in which NumPy cuts off what is put into them.
//
//   holds_integers(*value, proof);      // of np.where(x > 0, 1, 0), 1 * (x > 0), np.arange(n)
//   has_whole_type(*value, proof);      // of these, and of x > 0 and labels: what zeros_like() and .dtype take over
#pragma once

#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof::numpy {

/// As far as the text says no type.
bool holds_integers(const Expr& e, const Proof& proof);
/// The same where labels are whole numbers, and of x > 0, in which nothing else than true and false stands.
bool may_hold_integers(const Expr& e, const Proof& proof);
/// Whether an array that is made like it holds whole numbers or truth values.
bool has_whole_type(const Expr& e, const Proof& proof);

}  // namespace gradproof::proof::numpy
