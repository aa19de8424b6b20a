// Scripts put where formulas are read with them: \overline{h}_{t-1} of \overline{h_{t-1}}, \|x\|_2^2 of \|x\|^2_2,
// p_{\text{t}} of p_\text{t}.
//
//   Tokens out = with_scripts_in_order(source, tokens);
#pragma once

#include <set>
#include <string>

#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {

Tokens with_scripts_in_order(const Source& source, const Tokens& tokens);

/// Whether i of x^{(i)} was read as an index below.
bool is_index_above(const NameParts& p, const Tokens& tokens);
/// "x_1" where a text has x_1 and x^{(1)}, which are two names.
std::set<std::string, std::less<>> names_spelled_twice(const Source& source, Span text);

}  // namespace gradproof::proof::latex
