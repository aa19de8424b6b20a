// What sentences say of functions and signs: "$\sigma$ denotes the softmax", "the softmax is taken over each column", "log is to
// base 2", "the layer convolves $x$ with $w$".
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {

/// Their `text` is what reports say. A sign that is not read is one of the name *, or \times.
std::vector<FunctionMeaning> said_of_functions(const Source& source, Span text);

/// The keys of matrices that are said to be symmetric, or positive definite, and how such are drawn.
std::map<std::string, Fill> said_of_matrices(const Source& source, Span text);
/// The keys of what is said to be one-hot, or a probability distribution.
std::map<std::string, Fill> said_of_labels(const Source& source, Span text);
/// The accent that marks gradients: bar where the text writes adjoints as $\bar x = \partial L / \partial x$; "" where none does.
std::string said_of_adjoints(const Source& source, Span text);

}  // namespace gradproof::proof::latex
