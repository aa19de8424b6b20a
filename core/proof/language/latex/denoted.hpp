// Sentences that give a value another meaning, or do to it what no formula does: "$L$ denotes the first term", "we apply $\sigma$
// to each entry of $z$", "we use the first of these as the loss".
//
//   denotes_other(sentence, {source, functions, is_of_a_line});        // "it says what L denotes"
#pragma once

#include <functional>
#include <set>
#include <string>

#include "gradproof/core/proof/language/latex/mentions.hpp"
#include "gradproof/core/proof/language/source.hpp"

namespace gradproof::proof::latex {

/// What has been read of a text.
struct MeaningsRead {
    const Source& source;
    const std::set<std::string, std::less<>>& functions;  ///< of its formulas, as models_of() calls them
    std::function<bool(Span)> is_of_a_line;               ///< whether a line of the derivation stands there
};
/// Of "$X$ denotes ...", "we write $X$ for ..." and "denote ... by $X$", where that is not plainly what something is called, "the
/// weights", "the $i$-th row of $X$", "the gradient of $L$": what to tell of it; "" of others.
std::string denotes_other(const Sentence& s, const MeaningsRead& read);

/// \sigma, \phi, \tanh, \operatorname{ReLU}, and nothing else.
bool is_name_of_function(const Source& source, const Tokens& formula);

/// "as the loss", "as our objective".
bool choose_loss(const std::string& words);

}  // namespace gradproof::proof::latex
