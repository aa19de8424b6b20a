// Means that sentences name: of "a sample $x_1, \dots, x_n$ with mean $\bar x$" the equation
// \bar x = \frac{1}{n} \sum_{i=1}^n x_i.
#pragma once

#include <vector>

#include "gradproof/core/proof/language/latex/equations.hpp"

namespace gradproof::proof::latex {

/// Where the text says how many there are, by x_1, \dots, x_n or by a sum over them.
std::vector<Equation> means_said(const Source& source, Span text);

}  // namespace gradproof::proof::latex
