// What sentences say of how derivatives are written and of what they do not run through: "we use denominator layout", "gradients
// are row vectors", "we do not backpropagate through $y$", "$t$ is treated as a constant".
//
//   const ConventionsSaid said = conventions_said(source, text);
#pragma once

#include <string>
#include <vector>

#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {

struct ConventionsSaid {
    Layout layout = Layout::unsaid;
    Vectors gradients = Vectors::unsaid;
    std::vector<Tokens> stopped;  ///< names that no gradient runs through
};
/// Nothing of what is denied, said under a condition or of others.
ConventionsSaid conventions_said(const Source& source, Span text);

}  // namespace gradproof::proof::latex
