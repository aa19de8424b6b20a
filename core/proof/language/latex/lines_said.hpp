// Of which matrices the text says that vectors are their rows or columns: "the $x_i$ as rows of $X$", "the columns $u_w$ of $U$".
#pragma once

#include <set>
#include <string>

#include "gradproof/core/proof/language/latex/tokens.hpp"

namespace gradproof::proof::latex {

/// Bases of matrices: x_i is row i of those of which rows are said, column i of the others.
struct LinesSaid {
    std::set<std::string> rows, columns;
    bool are_of(const std::string& matrix) const { return rows.contains(matrix) || columns.contains(matrix); }
};
LinesSaid lines_said(const Source& source, Span text);

/// Whether a formula is X = [x_1, \dots, x_n], with the space that it lies in or without.
bool lists_lines(const Source& source, const Tokens& formula);

}  // namespace gradproof::proof::latex
