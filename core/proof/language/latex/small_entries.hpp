// Entries that a text writes in small letters beside the matrix that they are of: w_{ij} of W, "$A = (a_{ij})$".
//
//   const SmallEntries small(source);
//   if (!small.empty()) tokens = small.with_capitals(tokens);      // W_{ij}, and A of A = (a_{ij})
#pragma once

#include <set>
#include <string>

#include "gradproof/core/proof/language/latex/tokens.hpp"

namespace gradproof::proof::latex {

class SmallEntries {
  public:
    explicit SmallEntries(const Source& source);
    bool empty() const { return letters_.empty(); }
    Tokens with_capitals(const Tokens& tokens) const;

  private:
    /// w: always with two indices, and beside a W without any that is no size and no loss.
    void find_letters(const Tokens& formulas);
    std::size_t behind_list(const Tokens& tokens, std::size_t at) const;

    const Source& source_;
    std::set<std::string, std::less<>> letters_;
};

}  // namespace gradproof::proof::latex
