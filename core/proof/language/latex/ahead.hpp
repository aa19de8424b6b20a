// What stands ahead of a token of a formula, worked out once for all of them: a formula of n tokens costs n steps.
//
//   const Ahead ahead(tokens);
//   ahead.range_begins(i);       // t = 1, \dots, T
//   ahead.equation_begins(i);    // x_0 = 0
#pragma once

#include <vector>

#include "gradproof/core/proof/language/latex/tokens.hpp"

namespace gradproof::proof::latex {

class Ahead {
  public:
    /// The tokens stay with the caller.
    explicit Ahead(const Tokens& all);
    /// Whether what an index runs over begins there: t = 1, \dots, T; (i, j = 1, \dots, n); t < T; 1 \le t < T; i \ne j.
    bool range_begins(std::size_t i) const;
    /// Whether behind a range another equation begins there: x_0 = 0.
    bool equation_begins(std::size_t i) const;

    /// Behind the separators that stand there.
    std::size_t behind(std::size_t i) const { return next_[i].behind; }

  private:
    /// Of each token, and of the end.
    struct Next {
        std::size_t behind = 0;  ///< the separators that stand there
        std::size_t last = 0;    ///< where the last of the indices i, j, k stands that begin there
        std::size_t equals = 0;  ///< of the equation whose left side goes on there; the end where there is none
        bool dots = false;       ///< stand before the next =
    };
    const Tokens& all_;
    std::vector<Next> next_;
};

}  // namespace gradproof::proof::latex
