// Matrices that a text differentiates by a parameter without a word on how they depend on it: K of \partial K / \partial \theta.
// What is right of every such matrix is right of K = A + \theta B, as only first derivatives are taken.
//
//   for (Equation& e : said_of_parameters(source, text, equations)) e.left, e.right ...
#pragma once

#include <vector>

#include "gradproof/core/proof/language/latex/equations.hpp"

namespace gradproof::proof::latex {

/// Their formulas, of names that the text has not.
std::vector<Equation> said_of_parameters(const Source& source, Span text, const std::vector<Equation>& all);
bool is_base_of_parameters(std::string_view key);
bool is_slope_of_parameters(std::string_view key);

}  // namespace gradproof::proof::latex
