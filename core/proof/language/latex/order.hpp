// The equations of one formula in the order in which they follow from each other.
//
//   put_in_order(equations, reading);      // L = \sum_i \log p_i, where p_i = ...: p first
#pragma once

#include <vector>

#include "gradproof/core/proof/language/latex/equations.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {

/// What is defined behind its use goes before it, where nothing in between hinders it. Chains, notes between equations, and formulas
/// of many are left as they are.
void put_in_order(std::vector<Equation>& equations, const Reading& reading);

}  // namespace gradproof::proof::latex
