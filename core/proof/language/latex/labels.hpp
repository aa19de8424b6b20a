// Labels: letters and names that say which entry is meant, y of p_y, y_i of p_{i, y_i} and c of k = c.
#pragma once

#include <set>
#include <string>

#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {

/// y and c, which are labels where nothing runs over them, also in \sum_{j \ne c}.
bool is_letter_of_label(std::string_view letter);
/// y of p_y, where nothing runs over y.
bool may_be_label_below(const NameParts& p, const std::set<std::string>& indices);
/// y of p_{i, y_i} and w_{y_i}, where i is an index: labels, one for each i; empty where there is none.
NameParts labels_below(const Source& source, const NameParts& p, const std::set<std::string>& indices);
/// c of k = c and y_i of k \ne y_i, where k and i are indices and c is none.
bool is_compared_with_index(const Tokens& tokens, const NameParts& p, const std::set<std::string>& indices);

}  // namespace gradproof::proof::latex
