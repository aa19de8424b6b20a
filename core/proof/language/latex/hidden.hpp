// What stands in a LaTeX file and is not printed, or is struck out: the arguments that a macro leaves out, \sout{...},
// \todo{...}, comment environments, branches of conditions that do not hold.
//
//   const Source printed = source.without(hidden_in(source));
#pragma once

#include <vector>

#include "gradproof/core/proof/language/source.hpp"

namespace gradproof::proof::latex {

/// In the order of the file. What cannot be read hides nothing.
std::vector<Span> hidden_in(const Source& source);
/// Where text begins that stands under a condition of which it is not known whether it holds: \iflong, \ifdefined.
std::vector<Span> undecided_in(const Source& source);

}  // namespace gradproof::proof::latex
