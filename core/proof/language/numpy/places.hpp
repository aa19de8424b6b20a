// Arrays of whole numbers that pick entries: those of p[np.arange(n), t].
#pragma once

#include "gradproof/core/proof/language/axis_names.hpp"

namespace gradproof::proof::numpy {

/// Whether it is an array of whole numbers, declared as ~ index(n) or an argmax.
bool are_places(const Expr& e, const Proof& proof);
/// Whether `rows` is np.arange over the first of the axes, and `places` has an entry for each of its entries.
bool each_row(const Expr& rows, const Expr& places, const AxisNames& axes, const Proof& proof);

}  // namespace gradproof::proof::numpy
