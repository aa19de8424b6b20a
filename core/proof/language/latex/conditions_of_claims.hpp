// When the claims of a text hold, as the sentences around them say.
//
//   ConditionsOfClaims conditions(source);
//   conditions.add_to(claim, {begin, formula.begin}, {formula.end, end});   // in their order
#pragma once

#include <vector>

#include "gradproof/core/proof/language/latex/conditions_said.hpp"
#include "gradproof/core/proof/language/latex/equations.hpp"

namespace gradproof::proof::latex {

class ConditionsOfClaims {
  public:
    explicit ConditionsOfClaims(const Source& source) : source_(&source) {}
    /// Adds to a claim what is said of when it holds. `before`: from the last claim, or further up, to its formula;
    /// `behind`: from that on. Both may be empty.
    void add_to(Equation& claim, Span before, Span behind);
    /// All conditions so far, also those that are taken back.
    const std::vector<Span>& seen() const { return seen_; }
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
    std::vector<Span> seen_;
    std::size_t last_ = 0, taken_ = 0;          ///< the ends of the last claim, and of what is said behind it
    bool is_nested_ = false, unclear_ = false;  ///< of the last claim
};

/// Where the conditions of the claims of a text stand.
std::vector<Span> conditions_of_claims(const Source& source, Span text);

}  // namespace gradproof::proof::latex
