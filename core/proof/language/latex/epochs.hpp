// The parts of a text in which its names mean one thing.
//
//   for (const Span epoch : epochs_of(source, text)) read(source, text, epoch, statements);
#pragma once

#include <vector>

#include "gradproof/core/proof/language/source.hpp"

namespace gradproof::proof::latex {

/// The parts of a text up to and from where its sentences say anew what something is, "with a gate, $Y = s H$ instead".
std::vector<Span> epochs_of(const Source& source, Span text);

}  // namespace gradproof::proof::latex
