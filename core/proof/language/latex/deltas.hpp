// \delta h of gradients, where a text says so: "we write $\delta v = \partial E / \partial v$", "let $\delta h$ be the gradient".
#pragma once

#include "gradproof/core/proof/language/latex/tokens.hpp"

namespace gradproof::proof::latex {

bool deltas_mark_gradients(const Source& source);
/// With \mathrm{d} for each \delta that stands before a name.
Tokens with_marked_gradients(const Tokens& tokens);

}  // namespace gradproof::proof::latex
