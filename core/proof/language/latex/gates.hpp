// Letters that name a part of a cell and stand below its weights: z of z = \sigma(W_z x + U_z h). They are no indices.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/latex/tokens.hpp"

namespace gradproof::proof::latex {

/// Of the equations of a text, each as its left and its right side.
std::set<std::string, std::less<>> gates_in(const Source& source, const std::vector<std::pair<Tokens, Tokens>>& all);

}  // namespace gradproof::proof::latex
