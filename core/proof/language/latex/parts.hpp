// The derivations of a paper: where a section gives a letter another meaning, the next one begins.
#pragma once

#include <vector>

#include "gradproof/core/proof/language/source.hpp"

namespace gradproof::proof::latex {

/// One after the other, together the whole text. Only one where comments declare inputs: these go for all of it.
/// Errors: ProofError for what never ends.
std::vector<Span> derivations_in(const Source& source, Span text);

}  // namespace gradproof::proof::latex
