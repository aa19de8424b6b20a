// Totals that are called as what they add up: of L = \sum_t L_t the summands are given a name of their own.
#pragma once

#include <vector>

#include "gradproof/core/proof/language/latex/equations.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {

void with_own_names_of_summands(std::vector<Equation>& all, const Reading& reading);

}  // namespace gradproof::proof::latex
