// What sentences call the gradients of names: "we write $\bar x$ for $\partial L / \partial x$", "then $dX = ...$".
#pragma once

#include <string>

#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {

/// The accent that marks gradients: bar where the text writes adjoints as $\bar x = \partial L / \partial x$; "" where none does.
std::string said_of_adjoints(const Source& source, Span text);

/// Whether a formula of the text is dX, or begins with dX = ....
bool names_differentials(const Source& source, Span text);

}  // namespace gradproof::proof::latex
