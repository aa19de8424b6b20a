// A Jupyter notebook as text: its Markdown cells, and its code.
//
//   const Text t = notebook_text(json);
//   t.origins[2].of;                                  // "cell 3", as counted from 1
#pragma once

#include <string>
#include <string_view>

#include "gradproof/core/proof/language/text.hpp"

namespace gradproof::proof {

/// Whether a line is magic that runs code which stands elsewhere: %run, %load.
bool runs_other_code(std::string_view line);
/// Whether it is magic that runs what stands behind it, and measures that: %time f(x), %prun.
bool measures_line(std::string_view line);

/// Raw cells and outputs are left out. In code, lines that are magic (!ls) become comments, but for those that run code, and so
/// do cells in other languages (%%bash).
/// Errors: std::invalid_argument for what is no notebook of format 4.   Source  nbformat 4.
Text notebook_text(const std::string& json);

}  // namespace gradproof::proof
