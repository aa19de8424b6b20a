// What a text says of the entries that a formula leaves out: "$p_{ij} = e^{s_{ij}} / Z_i$ ($j \le i$), with $p_{ij} = 0$ for
// $j > i$".
//
//   const Elsewhere elsewhere(source, text);
//   elsewhere.complete(equation);             // by cases, with 0 in the others
#pragma once

#include <vector>

#include "gradproof/core/proof/language/latex/equations.hpp"

namespace gradproof::proof::latex {

class Elsewhere {
  public:
    Elsewhere(const Source& source, Span text);
    /// Of an equation with a condition on its indices whose opposite the text says to give 0.
    void complete(Equation& e) const;

  private:
    struct Zero {
        Tokens name, condition;
    };
    std::vector<Zero> all_;
};

}  // namespace gradproof::proof::latex
