// Inputs and sizes that a LaTeX text without annotations states in its sentences: "for $X \in \mathbb{R}^{n \times d}$".
#pragma once

#include "gradproof/core/proof/language/latex/reading.hpp"
#include "gradproof/core/proof/language/statements.hpp"

namespace gradproof::proof::latex {

/// Declares every name that is said to lie in \mathbb{R}^{...} and that no equation defines, and the sizes in the exponents;
/// whether there was any. Errors: ProofError for a name that has two shapes.
bool declare_from_prose(const Source& source, Span text, Reading& reading, Statements& to);

}  // namespace gradproof::proof::latex
