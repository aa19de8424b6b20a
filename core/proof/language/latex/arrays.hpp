// Environments and boxes that lay equations out rather than hold a value: \begin{array}{rcl}, \begin{cases} around equations,
// \fbox{$...$}, the optional argument of empheq.
//
//   const Tokens rows = with_equations_of_arrays(source, tidied(source, with_formulas_of_boxes(source, tokens)));
#pragma once

#include <string_view>

#include "gradproof/core/proof/language/latex/tokens.hpp"

namespace gradproof::proof::latex {

/// split, aligned and the like, whose rows are always those of the formula around them.
bool is_see_through(std::string_view environment);

/// {A = B} of \fbox{$A = B$}, \text{$A = B$} and \colorbox{red}{$A = B$}.
Tokens with_formulas_of_boxes(const Source& source, const Tokens& tokens);

/// The rows of an array, of cases or of a matrix that stands alone and holds equations, and of what stands in the braces
/// \left\{ ... \right.; cases of an array with values behind \left\{, and of \begin{numcases}{f(x) =}.
/// `formula`: as it stands in the text, with its \begin.
Tokens with_equations_of_arrays(const Source& source, std::string_view formula, const Tokens& tokens);

}  // namespace gradproof::proof::latex
