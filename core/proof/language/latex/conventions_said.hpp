// What sentences say of how derivatives are written and of what they do not run through: "we use denominator layout", "gradients
// are row vectors", "we do not backpropagate through $y$", "$t$ is treated as a constant".
//
//   const ConventionsSaid said = conventions_said(source, text);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {

/// A value that no gradient runs through, or perhaps none: "with $W$ fixed".
struct SaidFixed {
    Tokens name;
    std::optional<Span> where;  ///< for which lines; none: for all
    bool stopped = false;       ///< it is sure that none does
};
struct ConventionsSaid {
    Layout layout = Layout::unsaid;
    Vectors gradients = Vectors::unsaid;
    std::vector<SaidFixed> fixed;
};
/// Nothing of what is denied, said under a condition or of others.
ConventionsSaid conventions_said(const Source& source, Span text);

}  // namespace gradproof::proof::latex
