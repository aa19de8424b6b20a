// Sentences of which something is passed over that may change what formulas mean: words that are not known to leave them as they
// are, "in addition we use weight decay", or a formula that no line of the derivation stems from, "then let $L \gets 2L$". Reports
// name their lines.
//
//   for (const Passed& p : passed_over(source, text, epoch, proof, lines)) source.line(p.span.begin) ...
#pragma once

#include <vector>

#include "gradproof/core/proof/language/latex/lines_said.hpp"
#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof::latex {

/// Of whole sentences of an epoch of a text, in their order. `proof`: what was read of it; `lines`: matrices whose rows or
/// columns it names.
std::vector<Passed> passed_over(const Source& source, Span text, Span epoch, const Proof& proof, const LinesSaid& lines);

}  // namespace gradproof::proof::latex
