// What the left side of an equation names: a value that is new or known, with its arguments, or entries of one.
//
//   const NameParts name = name_at(reading, left, 0);             // of X_{ij} = ...
//   names_a_value(reading, name);                                 // whether X is known
//   indices_of(reading, name, right);                             // i, j
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {

/// An empty one where none begins there, or its scripts cannot be read.
NameParts name_at(const Reading& reading, const Tokens& tokens, std::size_t at);
/// The names that a name with its scripts may have.
std::vector<std::string> ids_of(const Reading& reading, const NameParts& p);
/// Where all that follows the name are names of values in brackets, f(x, \theta): these.
std::optional<Reading::Arguments> arguments_of(const Reading& reading, const Tokens& left, const NameParts& p);
/// P^{+} and W^{*}, which are no powers.
bool is_marked(const NameParts& p);
bool names_a_value(const Reading& reading, const NameParts& p);
/// Of z_q = z + ..., where z is an input: q is no index, and z_q a name.
bool has_name_of_its_own(const Reading& reading, const NameParts& p, const Tokens& right);
/// dX of a value X, where nothing is called dX.
bool is_gradient(const Reading& reading, const NameParts& p);
/// i, j of X_{ij} = ..., where the right side has them as indices too; none of a name such as W_h.
std::vector<std::string> indices_of(const Reading& reading, const NameParts& p, const Tokens& right);

/// Whether f' is the derivative of a value that is written f(x), and no name of its own; or will be, of one that comes later.
bool is_slope(const Reading& reading, const NameParts& p);
bool may_be_slope(const Reading& reading, const NameParts& p);

/// Letters of indices that no sum in it binds and that name nothing.
std::set<std::string> free_indices(const Expr& e, const Names& names);

}  // namespace gradproof::proof::latex
