// The axes of what an expression gives, by the names of their sizes, as declarations and form show them: nothing is computed.
//
//   axis_names(*e, proof);       // {"n", "m"} of x W, of input x [n, d], W [d, m]; nothing where it is not known
//   size_name(*e, proof);        // "n" of x.shape[0]
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof {

/// Sizes as the notation writes them. "?" is one that an index runs over; "1" meets every size.
using AxisNames = std::vector<std::string>;

/// `names` adds what is defined among the claims; nullptr where only the forward counts.
std::optional<AxisNames> axis_names(const Expr& e, const Proof& proof, const Names* names = nullptr);
std::optional<AxisNames> axis_names(std::string_view name, const Proof& proof, const Names* names = nullptr);
/// Whether it is known to be one number.
bool has_no_axes(const Expr& e, const Proof& proof);
/// n of x.shape[0], where x has n rows; another size as it is written. "" where it is not known.
std::string size_name(const Expr& e, const Proof& proof);

/// Whether a function of one argument goes entry by entry; max and min, which are numbers of an array too, do not.
bool acts_on_entries(std::string_view function);

}  // namespace gradproof::proof
