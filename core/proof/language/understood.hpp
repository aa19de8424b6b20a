// What was understood of a derivation, line by line in the notation, so that its author can see how it was read.
//
//   understood(read_proofs("paper.tex", text))      // "   12  forward  S = Q K^T / sqrt(d_k)\n..."
#pragma once

#include <string>
#include <vector>

#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof {

/// A line each for sizes, values that are given, the forward and what is judged, with the number of its line in the file.
std::string understood(const std::vector<Proof>& proofs);

}  // namespace gradproof::proof
