// What formulas of sentences say of a name: A = A^\top, \Sigma \succ 0, \|x\|_2 = 1, Q^\top Q = I, A^\top = -A, x_i > 0.
//
//   if (const auto said = said_by_formula(source, formula)) said->fill ...
#pragma once

#include <optional>

#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {

struct ByFormula {
    Fill fill = Fill::symmetric;
    std::vector<Tokens> names;  ///< several of \|x\| = \|y\| = 1
};
std::optional<ByFormula> said_by_formula(const Source& source, const Tokens& formula);

/// A of A = A^\top and A^\top = A; an empty one of other formulas.
Tokens own_transpose(const Source& source, const Tokens& formula);
Tokens own_transpose(const Source& source, const Tokens& left, const Tokens& right);

/// Of x_i > 0 and x \ge 0 the name; of x_i < 0 and other comparisons with 0 as well, with `above` false.
struct ComparedWithZero {
    Tokens name;
    bool above = false;
    bool of_pairs = false;  ///< A_{ij} > 0
};
/// " for ", " if " between x_i > 0 and another formula, and not " for all ": it is not said of all entries.
bool is_said_of_some(std::string_view behind);
std::optional<ComparedWithZero> compared_with_zero(const Source& source, const Tokens& formula);

}  // namespace gradproof::proof::latex
