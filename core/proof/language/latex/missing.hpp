// What a LaTeX text lacks: sizes and inputs, and files that it takes in and that are not there.
#pragma once

#include <vector>

#include "gradproof/core/proof/language/latex/equations.hpp"
#include "gradproof/core/proof/language/latex/inputs.hpp"

namespace gradproof::proof::latex {

bool has_annotations(const Source& source, Span text);
/// Never returns. Names what the equations use and none defines, nor one of these within a sentence, as the annotation that would
/// declare it.
[[noreturn]] void fail_without_annotations(const Source& source, Span text, const std::vector<Equation>& asides);

/// Never returns. Of a file that is not taken in.
[[noreturn]] void fail_for_file(const Source& source, const Input& input);

}  // namespace gradproof::proof::latex
