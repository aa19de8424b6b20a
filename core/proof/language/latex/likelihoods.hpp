// Values that a text writes as the logarithm of a function: of \log p(y \mid x) = ..., where nothing says what p is, \log p is
// one name.
//
//   const Likelihoods likelihoods(source);
//   likelihoods.joined(source, tokens, expanded);     // \log p(y \mid x) as one token
#pragma once

#include <functional>
#include <vector>

#include "gradproof/core/proof/language/latex/tokens.hpp"

namespace gradproof::proof::latex {

class Likelihoods {
  public:
    explicit Likelihoods(const Source& source);
    bool empty() const { return all_.empty(); }
    /// With other arguments than in its definition it is another value, and stays as it is. `expanded`: what macros make of
    /// tokens.
    Tokens joined(const Source& source, const Tokens& tokens, const std::function<Tokens(const Tokens&)>& expanded) const;

  private:
    struct Likelihood {
        Tokens function, arguments;
        std::string_view text;  ///< \log p
    };
    std::vector<Likelihood> all_;
};

}  // namespace gradproof::proof::latex
