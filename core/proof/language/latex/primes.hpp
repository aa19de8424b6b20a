// Primes that are transposes, x'Qx, as econometrics and control write them.
#pragma once

#include "gradproof/core/proof/language/latex/tokens.hpp"

namespace gradproof::proof::latex {

/// Whether the primes of a text are transposes: it writes none in another way, and a prime stands behind a bracket, or behind a
/// name that stands again further right in the product.
bool primes_transpose(const Source& source);

/// With ^\top for each prime; that of a function, f'(x), stays.
Tokens with_transposes(const Tokens& tokens);

}  // namespace gradproof::proof::latex
