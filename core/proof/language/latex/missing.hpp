// A LaTeX text that says nothing of its sizes and inputs is told what to write.
#pragma once

#include <vector>

#include "gradproof/core/proof/language/latex/equations.hpp"

namespace gradproof::proof::latex {

bool has_annotations(const Source& source, Span text);
/// Never returns. Names what the equations use and none defines, nor one of these within a sentence, as the annotation that would
/// declare it.
[[noreturn]] void fail_without_annotations(const Source& source, Span text, const std::vector<Equation>& asides);

}  // namespace gradproof::proof::latex
