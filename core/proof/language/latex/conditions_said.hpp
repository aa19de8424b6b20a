// When a formula holds, as the sentence around it says: "for $x_i > 1$ or $x_i < -1$ we have", "..., if $-1 < x_i < 1$".
//
//   const ConditionsSaid before = conditions_before(source, {begin, formula.begin});
//   const ConditionsSaid behind = conditions_behind(source, {formula.end, end});
#pragma once

#include <vector>

#include "gradproof/core/proof/language/latex/equations.hpp"

namespace gradproof::proof::latex {

struct ConditionsSaid {
    /// The conditions, and between them the words "and" and "or"; before them "if" or "unless", or neither. Empty where nothing
    /// is said.
    Tokens where{};
    bool at_point = false;   ///< "at $b = 0$"
    bool otherwise = false;  ///< where what was said before does not hold
    Tokens other{};          ///< 0 of "if $x_i > 0$ and $0$ otherwise": the value elsewhere
    std::size_t end = 0;     ///< of that formula
};

/// One relation or several, as x_i > 0, -1 < x_i < 1 and x_i \in (0, 1), and no list of an index.
bool is_condition(const Tokens& formula);

/// `text`: up to the formula. What stands directly behind a formula, "..., for $x_i > 0$", is said of that one.
ConditionsSaid conditions_before(const Source& source, Span text);
/// `text`: from the end of the formula on.
ConditionsSaid conditions_behind(const Source& source, Span text);

/// Adds to a claim what is said of when it holds; `claims`: those with the same left side before it, which "otherwise" denies.
void add_conditions(Equation& claim, const ConditionsSaid& before, const ConditionsSaid& behind, std::vector<Equation>& claims);

}  // namespace gradproof::proof::latex
