// The reader of the notation.
#pragma once

#include <functional>

#include "gradproof/core/proof/language/statements.hpp"

namespace gradproof::proof {

/// Reads the blocks it is given, in their order, as one derivation. Both must outlive it. Errors: ProofError.
std::function<void(const ProofBlock&)> notation_reader(const Source& source, Statements& to);

}  // namespace gradproof::proof
