// A LaTeX file with what it takes in by \input and \include.
//
//   const Text all = with_inputs("paper.tex", text, [&](const std::string& name) { return files[name]; });
#pragma once

#include <functional>
#include <optional>

#include "gradproof/core/proof/language/latex/tokens.hpp"
#include "gradproof/core/proof/language/text.hpp"

namespace gradproof::proof::latex {

/// The text of a file by its name as seen from the folder of the first one, "parts/appendix.tex"; nullopt where there is none.
using ReadBeside = std::function<std::optional<std::string>(const std::string& name)>;

/// One that stands in the text: \input{parts/appendix}, \input parts/appendix, \include{parts/appendix}.
struct Input {
    Span span;
    std::string name;  ///< "parts/appendix.tex"

    /// Whether it lies in the folder of the first file or below.
    bool is_within() const;
};
/// Nothing of other commands, and of what is neither .tex nor .latex, as pictures are.
std::optional<Input> input_at(const Source& source, const Token& command);

/// Names are completed by .tex, and seen from the folder of the first file, as LaTeX does. What lies outside of that folder or is
/// not there is left as it stands. Errors: ProofError where a file takes in itself, nests deeper than kDeepestInputs, or where
/// all of it is longer than kLongestFile; those of Source.
Text with_inputs(const std::string& file, const std::string& text, const ReadBeside& read);

}  // namespace gradproof::proof::latex
