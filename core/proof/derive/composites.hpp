// Ops that are made of others, written out: layer_norm(X, g, b) is (X - rowmean(X)) / sqrt(rowvar(X) + 1e-5) ⊙ g + b.
#pragma once

#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof {

/// The forward with these ops written out, as far as rules are known for their parts; a call with other options stays.
Proof written_out(const Proof& proof);

}  // namespace gradproof::proof
