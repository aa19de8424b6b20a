// What comments behind % gradproof: say: sizes, inputs and constants, and which equations are what.
#pragma once

#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/statements.hpp"

namespace gradproof::proof::latex {

/// How equations are taken.
enum class Section { any, forward, claim, expect };

struct Mode {
    Section section = Section::any;
    bool passing = false;                       ///< off: equations are not read
    bool skip_next = false;                     ///< the next equation is not read
    std::string why;                            ///< it is shown as skipped; "" where it is ignored
    std::set<std::string, std::less<>> losses;  ///< keys of names that are declared to be the loss
};

/// Takes in one comment. Errors: ProofError for what is no statement of the notation.
void annotate(const Token& note, Reading& reading, Statements& to, Mode& mode);

}  // namespace gradproof::proof::latex
