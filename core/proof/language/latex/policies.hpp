// Probabilities of which a text says nothing but what parameters they have: \pi_\theta(y \mid x), beside a \pi_{ref}(y \mid x)
// that does not. What is right of all of them is right of \exp(\theta^\top s), as only first derivatives are taken.
//
//   const Policies policies(source);
//   tokens = policies.named(tokens);                               // each call is a name of its own
//   for (Equation& e : policies.formulas()) ...                    // of those that depend on \theta
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gradproof/core/proof/language/latex/tokens.hpp"

namespace gradproof::proof::latex {

class Policies {
  public:
    explicit Policies(const Source& source);
    bool empty() const { return calls_.empty(); }
    /// With functions of them, \rho_\theta(y) = \log \pi_\theta(y \mid x), written out where they are called.
    Tokens named(const Tokens& tokens) const;
    /// A name, and \exp(\theta^\top s).
    struct Formula {
        Token name;
        Tokens right;
    };
    std::vector<Formula> formulas() const;
    /// Of each name the call that it stands for, as LaTeX writes it.
    std::vector<std::pair<std::string, std::string>> spelled() const;

  private:
    struct Call {
        std::string text;     ///< without blanks
        std::string spelled;  ///< with those that LaTeX needs
        Tokens parameter;     ///< \theta; none of a fixed one
        Span span;
    };
    struct Function {
        Tokens name;
        std::vector<Tokens> parameters;
        Tokens body;
    };
    void find(const Tokens& all);
    void find_functions(const Tokens& all);
    bool is_given(const Tokens& all) const;
    Tokens written_out(const Tokens& tokens) const;

    const Source& source_;
    std::vector<Call> calls_;
    std::vector<Function> functions_;
};

/// How many axes such a name has; nothing of other names.
std::optional<std::size_t> axes_in_policies(std::string_view key);

}  // namespace gradproof::proof::latex
