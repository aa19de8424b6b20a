// A LaTeX text that says nothing of its sizes and inputs is told what to write.
#pragma once

#include "gradproof/core/proof/language/latex/tokens.hpp"

namespace gradproof::proof::latex {

bool has_annotations(const Source& source, Span text);
/// Never returns. Names what the equations use and no equation defines, as the annotation that would declare it.
[[noreturn]] void fail_without_annotations(const Source& source, Span text);

}  // namespace gradproof::proof::latex
