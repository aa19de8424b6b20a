// Equations in the order in which they follow from each other.
//
//   put_in_order(equations, reading);      // L = \sum_i \log p_i, where p_i = ...: p first
#pragma once

#include <vector>

#include "gradproof/core/proof/language/latex/equations.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {

/// What is defined behind its use goes before it, with what it uses itself. Sequences that use each other stay as they are, and so
/// does a list with notes in it.
void put_in_order(std::vector<Equation>& equations, const Reading& reading);

}  // namespace gradproof::proof::latex
