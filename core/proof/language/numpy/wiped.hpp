// Calls of methods that set gradients to zero behind what computes them, before anything uses them: self.zero_grad() behind
// self.dW = ..., layer.zero_grad() between layer.backward(dY) and return layer.dW.
//
//   statements.pass_over(wiped_in({source, parts}, statements));
#pragma once

#include <vector>

#include "gradproof/core/proof/language/numpy/scoped_lines.hpp"
#include "gradproof/core/proof/language/statements.hpp"

namespace gradproof::proof::numpy {

/// `program`: all of it, in the order of the text.
std::vector<Passed> wiped_in(const ScopedLines& program, const Statements& to);

}  // namespace gradproof::proof::numpy
