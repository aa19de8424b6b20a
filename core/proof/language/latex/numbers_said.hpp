// Numbers that sentences name without a set: "regularization strength $\lambda$", "$T$ is a temperature", "a small constant
// $\epsilon$", "$\alpha$ and $\beta$ are hyperparameters".
//
//   for (const Stated& s : numbers_said(source, text)) s.name, s.positive ...
#pragma once

#include <vector>

#include "gradproof/core/proof/language/latex/sentences.hpp"

namespace gradproof::proof::latex {

/// In the order of the text. Nothing of names with letters below, which may be entries.
std::vector<Stated> numbers_said(const Source& source, Span text);

}  // namespace gradproof::proof::latex
