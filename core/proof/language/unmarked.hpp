// What stands in no marked block of Markdown, or of a notebook's Markdown cells, and claims gradients all the same.
#pragma once

#include <vector>

#include "gradproof/core/proof/language/statements.hpp"

namespace gradproof::proof {

/// Formulas between $$ with a derivative.
std::vector<Passed> formulas_not_marked(const Source& source);

}  // namespace gradproof::proof
