// Where a text without headings goes on to another case: "Tanh: \\[ y = \\tanh(x) \\]" behind "Sigmoid: \\[ y = \\sigma(x) \\]".
//
//   other_cases_in(source, text);                   // where these sentences begin
#pragma once

#include <cstddef>
#include <vector>

#include "gradproof/core/proof/language/source.hpp"

namespace gradproof::proof::latex {

/// Where sentences begin whose words before a display lead to another case: "for the MAE", "consider next", "the hinge loss is".
std::vector<std::size_t> other_cases_in(const Source& source, Span text);

}  // namespace gradproof::proof::latex
