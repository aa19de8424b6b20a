// When a claim holds, as the sentence around it says: "for $x_i > 1$ or $x_i < -1$ we have", "..., if $-1 < x_i < 1$".
//
//   ConditionsOfClaims conditions(source);
//   conditions.add_to(claim, {begin, formula.begin}, {formula.end, end});   // in their order
#pragma once

#include <vector>

#include "gradproof/core/proof/language/latex/equations.hpp"

namespace gradproof::proof::latex {

/// One relation or several, as x_i > 0, -1 < x_i < 1 and x_i \in (0, 1), and no list of an index.
bool is_condition(const Tokens& formula);

struct ConditionsSaid {
    /// The conditions, and between them the words "and" and "or"; before them "if" or "unless", or neither. Empty where nothing
    /// is said.
    Tokens where{};
    bool at_point = false;   ///< "at $b = 0$"
    bool nested = false;     ///< "if $y = 0$, there are two cases: if $d < m$": the first goes on for what follows
    bool unclear = false;    ///< whether it is said of the formula before or of the one behind
    bool otherwise = false;  ///< where what was said before does not hold
    Tokens other{};          ///< 0 of "if $x_i > 0$ and $0$ otherwise": the value elsewhere
    std::size_t end = 0;     ///< of the last formula of it
};

/// `text`: up to the formula. What stands directly behind a formula, "..., for $x_i > 0$", is said of that one, unless `free`.
ConditionsSaid conditions_before(const Source& source, Span text, bool free = false);
/// `text`: from the end of the formula on. `led`: conditions stand before it, too.
ConditionsSaid conditions_behind(const Source& source, Span text, bool led = false);

class ConditionsOfClaims {
  public:
    explicit ConditionsOfClaims(const Source& source) : source_(&source) {}
    /// Adds to a claim what is said of when it holds. `before`: from the last claim, or further up, to its formula; `behind`: from
    /// that on. Both may be empty.
    void add_to(Equation& claim, Span before, Span behind);
    /// Whether there what is said behind the last claim ends.
    bool stands_behind_taken(std::size_t at) const { return taken_ > last_ && at == taken_; }

  private:
    void add_otherwise(Equation& claim, const ConditionsSaid& before);
    /// What was said of claims with the same left side, which "otherwise" denies.
    struct Said {
        Tokens left, range;
        bool alone = false;  ///< nothing of it goes on for others
    };
    const Source* source_;
    std::vector<Said> said_;
    std::size_t last_ = 0, taken_ = 0;          ///< the ends of the last claim, and of what is said behind it
    bool is_nested_ = false, unclear_ = false;  ///< of the last claim
};

/// Where the conditions of the claims of a text stand.
std::vector<Span> conditions_of_claims(const Source& source, Span text);

}  // namespace gradproof::proof::latex
