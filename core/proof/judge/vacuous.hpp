// Lines that cannot be wrong, or that use what they claim: they agree and say nothing.
#pragma once

#include "gradproof/core/proof/judge/claim.hpp"

namespace gradproof::proof {

/// Why a line that agrees would say nothing, by how it is written; "" where it does.
///   dX = 2 dX - dX   0 = 0   expect X = [1, 2] of an input
std::string why_vacuous(const JudgedLine& line, const Proof& proof);
/// The same of a claim that holds whatever the gradients are that stand on both sides of it: dX^T = dX^T, 2 dX = dX + dX.
std::string why_it_holds_of_any(const Claim& claim);

}  // namespace gradproof::proof
