// A LaTeX file with what it takes in by \input and \include.
//
//   const Text all = with_inputs("paper.tex", text, [&](const std::string& name) { return files[name]; });
#pragma once

#include <functional>
#include <optional>

#include "gradproof/core/proof/language/text.hpp"

namespace gradproof::proof::latex {

/// The text of a file by its name as seen from the folder of the first one, "parts/appendix.tex"; nullopt where there is none.
using ReadBeside = std::function<std::optional<std::string>(const std::string& name)>;

/// Names are completed by .tex, and seen from the folder of the first file, as LaTeX does; what is neither .tex nor .latex is
/// left alone, as pictures are. Errors: ProofError where a file is not there, lies outside of that folder, takes in itself, nests
/// deeper than kDeepestInputs, or where all of it is longer than kLongestFile; those of Source.
Text with_inputs(const std::string& file, const std::string& text, const ReadBeside& read);

}  // namespace gradproof::proof::latex
