// Sentences of which something is passed over that may change what formulas mean: words that are not known to leave them as they
// are, "in addition we use weight decay", or a formula that no line of the derivation stems from, "then let $L \gets 2L$". Reports
// name their lines.
//
//   for (const Span s : passed_over(source, text, proof)) source.line(s.begin) ...
#pragma once

#include <vector>

#include "gradproof/core/proof/language/latex/lines_said.hpp"
#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof::latex {

/// Of whole sentences, in the order of the text. `proof`: what was read of it; `lines`: matrices whose rows or columns it names.
std::vector<Passed> passed_over(const Source& source, Span text, const Proof& proof, const LinesSaid& lines);

}  // namespace gradproof::proof::latex
