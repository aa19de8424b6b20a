// Indices of a claim that are written as a size is: k of \partial Y_{ij} / \partial W_{kl} beside W \in \mathbb{R}^{d \times k}.
//
//   own_indices(chain, reading);       // k is another letter from here on
#pragma once

#include <vector>

#include "gradproof/core/proof/language/latex/equations.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {

/// Of a letter from i to l that stands with another index below a name on the left, and nowhere else than below names: as a letter
/// of its own. The last entry, x_k of k entries, stays.
void own_indices(const Source& source, const Reading& reading, std::vector<Equation>& chain);

}  // namespace gradproof::proof::latex
