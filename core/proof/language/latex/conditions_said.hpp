// When a formula holds, as the sentence around it says: "for $x_i > 1$ or $x_i < -1$ we have", "..., if $-1 < x_i < 1$".
//
//   const ConditionsSaid before = conditions_before(source, {begin, formula.begin});
//   const ConditionsSaid behind = conditions_behind(source, {formula.end, end});
#pragma once

#include <vector>

#include "gradproof/core/proof/language/latex/tokens.hpp"

namespace gradproof::proof::latex {

/// One relation or several, as x_i > 0, -1 < x_i < 1 and x_i \in (0, 1), and no list of an index.
bool is_condition(const Tokens& formula);

struct ConditionsSaid {
    /// The conditions, and between them the words "and" and "or"; before them "if" or "unless", or neither. Empty where nothing
    /// is said.
    Tokens where{};
    bool at_point = false;     ///< "at $b = 0$"
    bool nested = false;       ///< "if $y = 0$, there are two cases: if $d < m$": the first goes on for what follows
    bool unclear = false;      ///< whether it is said of the formula before or of the one behind
    bool otherwise = false;    ///< where what was said before does not hold
    Tokens other{};            ///< 0 of "if $x_i > 0$ and $0$ otherwise": the value elsewhere
    std::size_t end = 0;       ///< of the last formula of it
    std::vector<Span> seen{};  ///< all conditions, also those that are taken back: "and thus for every $i$"
};

/// What lifts an assumption: "in general", "for general $A$", "for every $A$".
struct WiderSaid {
    bool in_general = false;
    std::vector<Tokens> of_any{};  ///< the names
};
/// `before`: up to the formula; `behind`: from its end on.
WiderSaid wider_around(const Source& source, Span before, Span behind);

/// Whether it is an equation of a derivative.
bool is_claim(const Tokens& formula);

/// `text`: up to the formula. What stands directly behind a formula, "..., for $x_i > 0$", is said of that one, unless `free`.
ConditionsSaid conditions_before(const Source& source, Span text, bool free = false);
/// `text`: from the end of the formula on. `led`: conditions stand before it, too.
ConditionsSaid conditions_behind(const Source& source, Span text, bool led = false);

}  // namespace gradproof::proof::latex
