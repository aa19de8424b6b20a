// The right side of one derived line, before it is judged.
#pragma once

#include "gradproof/core/proof/derive/derive.hpp"

namespace gradproof::proof {

struct Draft {
    ExprPtr left, right;
    std::optional<Term> term;  ///< the right side, where it is made of arrays
    std::vector<DerivedPath> paths;
    std::size_t parts() const { return parts_of(*left) + parts_of(*right); }
};

/// Makes drafts of gradients, from the last value to the first.
class Drafter {
  public:
    explicit Drafter(const Known& known) : known_(known) {}
    /// The shortest form of the line, and after it a plainer one where there is another.
    /// Errors: NoRule.
    std::vector<Draft> drafts(const std::string& target);

  private:
    Draft draft(const std::string& target, const std::map<std::string, Term>& inlined) const;
    std::optional<Draft> without_gradients(const std::string& target, const std::vector<std::size_t>& uses) const;
    bool is_simpler(const Draft& closed, const std::vector<std::size_t>& uses) const;
    void remember(const std::string& target, const Draft& draft);
    const Known& known_;
    std::map<std::string, Term> constants_;  ///< gradients that are one number everywhere
    std::map<std::string, Term> short_;      ///< gradients that may be put in where that makes a line shorter
    std::map<std::string, Term> closed_;     ///< gradients in which no other stands
};

}  // namespace gradproof::proof
