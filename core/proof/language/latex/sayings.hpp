// Whether a sentence asserts what it says of a formula, or supposes it, or says it of others.
//
//   for (const Mention& m : mentions_in(source, text)) saying_of(m.led) ...
#pragma once

#include "gradproof/core/proof/language/latex/mentions.hpp"

namespace gradproof::proof::latex {

enum class Saying {
    asserted,
    supposed,     ///< assume, suppose, now: from there on
    conditional,  ///< if, in the case, often: of the rest of the sentence
    denied,       ///< not, without
};
/// Whether a sentence that begins so says what is so elsewhere: "usually", "previous work used", "unlike there".
bool speaks_of_others(const WordList& led);
/// What a sentence says that begins with these words and goes on with a formula, or a property of it: "we do not assume that".
/// "for" is where something holds, but for one that introduces the name: "for a symmetric $A \in \mathbb{R}^{n \times n}$, let".
Saying saying_of(const WordList& led, bool introduces = false);
/// Whether these words, or those that follow a property, leave open or take back what they speak of: "we pretend that", "unless",
/// "it is false that", "... is symmetric up to a permutation", "$A = A^\top$ does not hold".
bool is_in_doubt(const WordList& led, const WordList& behind);

}  // namespace gradproof::proof::latex
