// Entries that a text writes as functions of their index, as of probabilities: of "\ell = -\sum_k q(k) \log p(k)" q(k) is q_k.
//
//   const EntriesCalled called(source);
//   if (!called.empty()) tokens = called.with_indices_below(tokens);
#pragma once

#include <set>
#include <string>

#include "gradproof/core/proof/language/latex/tokens.hpp"

namespace gradproof::proof::latex {

class EntriesCalled {
  public:
    explicit EntriesCalled(const Source& source);
    bool empty() const { return names_.empty(); }
    Tokens with_indices_below(const Tokens& tokens) const;

  private:
    void find_indices(const Tokens& all);
    void find_names(const Tokens& all);
    bool are_indices(const Tokens& inside) const;

    const Source& source_;
    std::set<std::string, std::less<>> indices_;  ///< letters that sums run over or that stand alone below a name
    std::set<std::string, std::less<>> names_;
};

}  // namespace gradproof::proof::latex
