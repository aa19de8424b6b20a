// Papers: files of LaTeX, with the derivations that their sections hold.
//
//   for (const Proof& p : read_paper(source, text, Unreadable::loses_line)) ...
#pragma once

#include <memory>
#include <vector>

#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof::latex {

/// One derivation for each section, or one for all where a section needs what another says; one more from where a sentence gives
/// a name a new value, and for values of which each has a gradient of its own. Errors: ProofError.
std::vector<Proof> read_paper(const std::shared_ptr<const Source>& source, Span text, Unreadable unreadable);

}  // namespace gradproof::proof::latex
