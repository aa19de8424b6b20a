// Signs in the text around formulas that belong to what is meant: the = of "$w$ = $x$".
//
//   sign_beside(source, sentence)      // "\"=\" stands between formulas"
#pragma once

#include <string>

#include "gradproof/core/proof/language/latex/mentions.hpp"

namespace gradproof::proof::latex {

/// The first that is found, in words; "" where none is.
std::string sign_beside(const Source& source, const Sentence& s);

}  // namespace gradproof::proof::latex
