// What sentences say of functions and signs: "$\sigma$ denotes the softmax", "the softmax is taken over each column", "log is to
// base 2", "the layer convolves $x$ with $w$".
#pragma once

#include <string>
#include <vector>

#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {

/// Their `text` is what reports say. A sign that is not read is one of the name *, or \times.
std::vector<FunctionMeaning> said_of_functions(const Source& source, Span text);

/// Whether such words, as plain_words() has them, name a norm that a bare \|x\| is not: " the max norm ", and not " a norm ".
bool names_another_norm(const std::string& plain);

/// Whether such words name a product that goes entry by entry: "hadamard", "elementwise multiplication".
bool names_product_by_entry(const std::string& plain);

/// Whether such words speak of absolute values, or say of anything that it goes entry by entry.
bool speaks_of_entries(const std::string& plain);

/// Whether the text speaks of a sigmoid or of the logistic function anywhere.
bool speaks_of_sigmoid(const Source& source, Span text);

}  // namespace gradproof::proof::latex
