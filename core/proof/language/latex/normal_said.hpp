// The standard normal distribution in sentences: "$\Phi$ and $\phi$ are its distribution function and its density".
#pragma once

#include <optional>
#include <span>

#include "gradproof/core/proof/language/latex/mentions.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {

/// What the sentence of the first of these formulas says of it, where it is Φ or φ and the sentence speaks of a distribution; of
/// another distribution, and of one that is not `asserted`, that it is not read. Nothing of all others.
std::optional<FunctionMeaning> said_of_normal(const Source& source, std::span<const Mention> formulas, bool asserted);

}  // namespace gradproof::proof::latex
