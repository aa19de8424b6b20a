// Quotients behind functions without brackets: \log p / q, which may be (\log p) / q or \log (p / q).
#pragma once

#include "gradproof/core/proof/language/expression.hpp"
#include "gradproof/core/proof/language/source.hpp"

namespace gradproof::proof::latex {

/// Whether factor i of a product is a function in front of a /, and no bracket says what it is of.
bool may_be_of_quotient(const Source& source, const Expr& product, std::size_t i);

}  // namespace gradproof::proof::latex
