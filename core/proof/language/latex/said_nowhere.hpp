// What lines are judged for though no sentence says it: that w_i is row i of W, that a softmax is one of each row,
// that \partial f / \partial x of an f(x, y) goes through y, too.
//
//   for (std::string& text : said_nowhere(reading, proof)) to.holds_for(std::move(text));       // "rows w_i of W"
#pragma once

#include <string>
#include <vector>

#include "gradproof/core/proof/language/latex/reading.hpp"
#include "gradproof/core/proof/language/statements.hpp"

namespace gradproof::proof::latex {

std::vector<std::string> said_nowhere(const Reading& reading, const Proof& proof);

/// Of \partial f / \partial x of an f(x, y), where y follows from x, it cannot be told whether y is held fixed.
void doubt_partials(const Reading& reading, Statements& to);

}  // namespace gradproof::proof::latex
