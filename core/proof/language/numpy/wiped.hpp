// Calls of methods that set gradients to zero behind what computes them, before anything uses them: self.zero_grad() behind
// self.dW = ..., layer.zero_grad() between layer.backward(dY) and return layer.dW.
//
//   statements.pass_over(wiped_in(source, parts));
#pragma once

#include <vector>

#include "gradproof/core/proof/language/numpy/scoped_lines.hpp"
#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof::numpy {

/// `parts`: all of the program, in the order of the text.
std::vector<Passed> wiped_in(const Source& source, const std::vector<ProgramPart>& parts);

}  // namespace gradproof::proof::numpy
