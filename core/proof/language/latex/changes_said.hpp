// Sentences that change what formulas mean, and whose change is not read: "from now on the loss is averaged", "replacing $X$ by
// $2 X$", "all sums are over even $i$", "the author mistakenly writes". What they are said of gets no verdict.
//
//   for (const ChangeSaid& c : changes_said(source, text)) c.is_of(claim) ...
#pragma once

#include <string>
#include <vector>

#include "gradproof/core/proof/language/latex/mentions.hpp"

namespace gradproof::proof::latex {

struct ChangeSaid {
    Span of;           ///< where the lines stand that it changes
    std::string why;   ///< "line 3 changes what is said in formulas, ..."
    Tokens depends{};  ///< "$c$ depends on $x$": a change only if c is drawn like x
    bool is_of(std::size_t at) const { return of.begin <= at && at < of.end; }
};
/// In the order of the text.
std::vector<ChangeSaid> changes_said(const Source& source, Span text);

}  // namespace gradproof::proof::latex
