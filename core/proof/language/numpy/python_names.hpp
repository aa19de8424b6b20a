// Names that are one for Python and are written in two ways: it takes ℓ for l, ϕ for φ and 𝐱 for x.
#pragma once

#include <optional>

#include "gradproof/core/proof/language/source.hpp"

namespace gradproof::proof::numpy {

struct SameName {
    Span here;           ///< where the second writing stands
    std::string before;  ///< the first
};
/// The first name of the code that is written otherwise above.
/// Source  Python's reference, 2.3: names are compared by their NFKC.
std::optional<SameName> same_for_python(const Source& source, Span text);

}  // namespace gradproof::proof::numpy
