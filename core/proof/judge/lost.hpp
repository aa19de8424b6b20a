// A line of the forward that has no value, and what is lost with it.
#pragma once

#include <optional>

#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof {

/// Which assignment of the forward stands at that place of the text.
std::optional<std::size_t> forward_at(const Proof& proof, std::size_t offset);

/// Takes the assignment out of the proof and makes it a line that is wrong, or that is not read; lines that need its value, and
/// gradients whose loss does, are open.
void lose_forward(Proof& proof, std::size_t assignment, const ProofError& e);

}  // namespace gradproof::proof
