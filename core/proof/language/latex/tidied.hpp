// A formula without what only lays it out.
//
//   const Tokens tokens = tidied(source, part.tokens);   // \left( x \right) \label{eq:x} is ( x )
#pragma once

#include "gradproof/core/proof/language/latex/document.hpp"

namespace gradproof::proof::latex {

/// The tokens without spacing, sizes and labels; \text{...} is one token.
/// Errors: ProofError for braces that do not match, or are nested too deep.
Tokens tidied(const Source& source, const Tokens& tokens);

/// Its rows, cut at each \\.
std::vector<Part> rows_of(const Part& part);

}  // namespace gradproof::proof::latex
