// How many axes a name is likely to have: as its letter makes it, and as sentences say.
//
//   axes_said(source, text).at("w")          // 1 of "the weight vector $w$"
//   costs_of_axes(unsaid)                    // {1, 0, 4, 9} of a small letter: a vector, else a number
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>

#include "gradproof/core/proof/language/latex/unsaid.hpp"

namespace gradproof::proof::latex {

/// How unlikely it is that an author means a number, a vector, a matrix or a stack of matrices by that letter.
std::array<double, 4> costs_of_axes(const Unsaid& name);

/// Of "the vector $w$", "a matrix $A$", "where $b$ is a scalar" the axes, by key.
std::map<std::string, std::size_t> axes_said(const Source& source, Span text);

/// B of \mathcal{N}(m, B) and \mathcal{N}(x \mid m, B): covariances, by key.
std::set<std::string> covariances_in(const Source& source, Span text);

}  // namespace gradproof::proof::latex
