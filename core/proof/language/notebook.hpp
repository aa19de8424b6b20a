// A Jupyter notebook as text: its Markdown cells, and its code.
//
//   const Text t = notebook_text(json);
//   t.origins[2].of;                                  // "cell 3", as counted from 1
#pragma once

#include "gradproof/core/proof/language/text.hpp"

namespace gradproof::proof {

/// Raw cells and outputs are left out; in code, lines that are magic (%time, !ls) become comments.
/// Errors: std::invalid_argument for what is no notebook of format 4.   Source  nbformat 4.
Text notebook_text(const std::string& json);

}  // namespace gradproof::proof
