// Arrays of whole numbers that pick entries: those of p[np.arange(n), t].
#pragma once

#include "gradproof/core/proof/language/axis_names.hpp"

namespace gradproof::proof::numpy {

/// Whether it is an array of whole numbers, declared as ~ index(n) or an argmax.
bool are_places(const Expr& e, const Proof& proof);
/// Whether `rows` is np.arange over the first of the axes, and `places` has an entry for each of its entries.
bool each_row(const Expr& rows, const Expr& places, const AxisNames& axes, const Proof& proof);

/// Whether it is np.arange(n).
bool is_range(const Expr& e, const Proof& proof);
/// Whether it is one of such places, y[i].
bool is_place(const Expr& e, const Proof& proof);
/// How many entries an axis of `of` has, whose size is called so.
ExprPtr size_of(const std::string& size, const ExprPtr& of, double axis, const Names& names);
/// A row that is 1 at the place y[i] and 0 elsewhere, along an axis of `of`.
ExprPtr one_at(const Expr& place, const std::string& size, const ExprPtr& of, double axis, const Names& names);

}  // namespace gradproof::proof::numpy
