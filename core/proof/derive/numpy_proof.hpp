// A derivation in NumPy that `gradproof check` reads: what is given in comments, the forward and the claims as assignments.
#pragma once

#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof {

/// Values, and gradients of values, by arrays; entries become arrays by broadcasting. Lines that NumPy has no words for, such as
/// Jacobians and printed numbers, stand in comments. Names are made those of Python. Errors: ValueError where a line of the
/// forward has no words: steps in time, entries at computed places; ProofError.
std::string to_numpy(const Proof& proof);

}  // namespace gradproof::proof
