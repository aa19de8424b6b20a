// Derivatives written with d, as those with \partial: \frac{df}{dx}, \frac{\mathrm{d}^2 f}{\mathrm{d}x^2}, df/dx.
//
//   tokens = with_partial_signs(source, tokens);
#pragma once

#include "gradproof/core/proof/language/latex/tokens.hpp"

namespace gradproof::proof::latex {

/// With \partial in place of their d. A d that is a size does not stand before a name both above and below a fraction: it would
/// cancel.
Tokens with_partial_signs(const Source& source, const Tokens& tokens);

}  // namespace gradproof::proof::latex
