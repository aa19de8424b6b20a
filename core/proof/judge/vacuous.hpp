// Lines that cannot be wrong, or that use what they claim: they agree and say nothing.
#pragma once

#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof {

/// Why a line that agrees would say nothing, by how it is written; "" where it does.
///   dX = 2 dX - dX   0 = 0   expect X = [1, 2] of an input
std::string why_vacuous(const JudgedLine& line, const Proof& proof);

}  // namespace gradproof::proof
