// Letters that stand twice in a product and are summed by nobody: A_{ij} x_i x_j, which some texts mean as a sum.
#pragma once

#include "gradproof/core/proof/language/latex/equations.hpp"

namespace gradproof::proof::latex {

/// Errors: ProofError for a definition with such a letter, one of two below a name, that neither its left side nor a sum has.
void expect_summed(const Equation& e, const Source& source);

}  // namespace gradproof::proof::latex
