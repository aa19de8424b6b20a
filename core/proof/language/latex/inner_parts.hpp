// Derivatives by an expression that other formulas hold in brackets: by (W x + b) beside h = \tanh(W x + b).
#pragma once

#include <vector>

#include "gradproof/core/proof/language/latex/equations.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {

/// Gives such expressions a name and a formula of their own.
void with_inner_parts(std::vector<Equation>& all, const Reading& reading);

}  // namespace gradproof::proof::latex
