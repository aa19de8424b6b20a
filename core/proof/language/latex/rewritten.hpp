// Equations put another way before they are read.
#pragma once

#include <vector>

#include "gradproof/core/proof/language/latex/equations.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {

/// Of p = \mathrm{softmax}(z), where the text defines softmax by its entries, p_i = ...; others as they are.
Equation by_entries_of_function(Equation e, const Reading& reading);

/// Of J_f(x), and of J_f where the text writes f(x), \frac{\partial f}{\partial x}: f is a value, and J no name otherwise.
void with_jacobians(std::vector<Equation>& all, const Reading& reading);

/// Of L = \|X w - t\|^2 and r = X w - t, where a derivative is taken by r, L = \|r\|^2: else L would not follow from r.
void with_named_parts(std::vector<Equation>& all, const Reading& reading);

/// Q_{ij} = q_{ij} of Q = (q_{ij}); others stay as they are.
Equation by_entries_of_matrix(Equation e, const Source& source);

}  // namespace gradproof::proof::latex
