// The equations of one line: several with commas, semicolons or "and" between them, each without its number.
//
//   equations_in(source, span, names);      // of "dA = dO V^T, dV = A^T dO  (3)" two
#pragma once

#include "gradproof/core/proof/language/grammar.hpp"

namespace gradproof::proof {

/// What stands behind a comma is an equation of its own where it has an =, and is not what an index runs over (for i = 1, ..., n).
std::vector<Span> equations_in(const Source& source, Span statement, const Names& names);

}  // namespace gradproof::proof
