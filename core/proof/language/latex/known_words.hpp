// Sentences of which every word is known to leave formulas as they are.
//
//   leaves_formulas(" by the chain rule # ");                    // true
//   leaves_formulas(" in addition we use weight decay ");        // false
#pragma once

#include <string>

namespace gradproof::proof::latex {

/// Of words as sentences_in() has them. What it does not know may change what formulas mean.
bool leaves_formulas(const std::string& words);

}  // namespace gradproof::proof::latex
