// The derivations of a paper: a section begins the next one that needs nothing of what is defined before it, or that gives a letter
// another meaning.
#pragma once

#include <vector>

#include "gradproof/core/proof/language/source.hpp"

namespace gradproof::proof::latex {

/// One after the other, together the whole text. Only one where comments declare inputs: these go for all of it.
/// Errors: ProofError for what never ends.
std::vector<Span> derivations_in(const Source& source, Span text);

}  // namespace gradproof::proof::latex
