// Lists of all entries, as the arrays that they are: of \mathrm{diag}(s_1, \dots, s_n) the argument is s.
#pragma once

#include "gradproof/core/proof/language/latex/tokens.hpp"

namespace gradproof::proof::latex {

/// Of \mathrm{diag} only.
Tokens with_lists_as_arrays(const Source& source, const Tokens& tokens);

}  // namespace gradproof::proof::latex
