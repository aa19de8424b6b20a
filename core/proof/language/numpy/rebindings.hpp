// Statements of a program that are passed over and bind a name anew which lines that are read use: a def under an if, an import
// as backward, k = 3 in a cell that is not marked, for k in [1, 3]: print(k) below k = 2.
//
//   statements.pass_over(rebindings_in(source, {source, parts}, statements));       // once all of the derivation is read
#pragma once

#include <vector>

#include "gradproof/core/proof/language/numpy/scoped_lines.hpp"
#include "gradproof/core/proof/language/statements.hpp"

namespace gradproof::proof::numpy {

/// `program`: all of it, in the order of the text. What is told already is not told again.
std::vector<Passed> rebindings_in(const Source& source, const ScopedLines& program, const Statements& to);

}  // namespace gradproof::proof::numpy
