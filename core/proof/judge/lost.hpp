// Removing a line of the forward that has no value, and the lines that are lost with it.
#pragma once

#include <optional>

#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof {

/// The assignment of the forward at a place of the text.
std::optional<std::size_t> forward_at(const Proof& proof, std::size_t offset);

/// Takes the assignment out of the proof and makes it a line that is wrong or not read. Lines that need its value become open,
/// and so do gradients if the loss needs it.
void lose_forward(Proof& proof, std::size_t assignment, const ProofError& e);

}  // namespace gradproof::proof
