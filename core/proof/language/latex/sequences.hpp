// Sequences that are defined by their entries: how far they go, and what stands before their first ones.
#pragma once

#include <string>

#include "gradproof/core/proof/language/latex/equations.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/statements.hpp"

namespace gradproof::proof::latex {

/// Of h_t = ..., whose name has this key, into the equality. Errors: ProofError where nothing says what stands before the first.
void say_where_it_holds(const Equation& e, const std::string& key, const IndexRanges& ranges, Equality& to,
                        const Reading& reading, const Statements& statements);

/// h_{T+1} = 0, and gradients by it.
bool is_of_the_end(const Equation& e);

}  // namespace gradproof::proof::latex
