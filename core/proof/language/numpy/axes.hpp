// The axes of values by the sizes that their declarations say, where these can be told without computing anything.
//
//   axes_of(*parsed("x @ W"), proof);              // {"n", "m"} of input x [n, d], W [d, m]; nothing where it is not known
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof::numpy {

using Axes = std::vector<std::string>;
std::optional<Axes> axes_of(const Expr& e, const Proof& proof);
/// n of x.shape[0], where x has n rows; another size as it is written. "" where it is not known.
std::string size_name(const Expr& e, const Proof& proof);
/// Whether it is an array of whole numbers, declared as ~ index(n) or an argmax.
bool are_places(const Expr& e, const Proof& proof);
/// Whether `rows` is np.arange over the first of the axes, and `places` has an entry for each of its entries.
bool each_row(const Expr& rows, const Expr& places, const Axes& axes, const Proof& proof);

}  // namespace gradproof::proof::numpy
