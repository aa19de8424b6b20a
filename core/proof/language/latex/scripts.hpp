// Scripts put where formulas are read with them: \overline{h}_{t-1} of \overline{h_{t-1}}, \|x\|_2^2 of \|x\|^2_2,
// p_{\text{t}} of p_\text{t}.
//
//   Tokens out = with_scripts_in_order(source, tokens);
#pragma once

#include "gradproof/core/proof/language/latex/tokens.hpp"

namespace gradproof::proof::latex {

Tokens with_scripts_in_order(const Source& source, const Tokens& tokens);

}  // namespace gradproof::proof::latex
