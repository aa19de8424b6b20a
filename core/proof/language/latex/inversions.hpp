// Names that a text says the other way round than it goes on with them: of s = \log \sigma^2, where derivatives are taken by s,
// \sigma = e^{s/2}; of \sigma_j^2 = ..., where \sigma_j stands too, \sigma_j = \sqrt{\sigma_j^2}; of \log \mu = \eta and of
// \log \frac{p}{1 - p} = \eta, \mu = e^\eta and p = \sigma(\eta).
//
//   const Inversions inversions(source, text);
//   inversions.turn(equations);
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/latex/equations.hpp"

namespace gradproof::proof::latex {

class Inversions {
  public:
    Inversions(const Source& source, Span text);
    /// Turns those of them that are to be, and adds roots behind what they are taken of.
    void turn(std::vector<Equation>& all) const;
    /// The base of the one name that stands as what derivatives are of and nowhere else, as an unnamed loss does; "" of others.
    const std::string& unnamed_loss() const { return unnamed_loss_; }
    bool is_differentiated_by(const std::string& base) const { return by_.contains(base); }
    /// How matrices depend on parameters of which the text says nothing.
    const std::vector<Equation>& parametric() const { return parametric_; }
    /// Whether it is the inverse of a covariance matrix, as the text goes on with it.
    bool is_precision(const std::string& key) const { return precisions_.contains(key); }

  private:
    void see(const Equation& e);
    void find_unnamed_loss(const std::set<std::string>& of, const std::vector<Tokens>& formulas);
    std::optional<Equation> turned(const Equation& e) const;
    std::optional<Equation> root(const Equation& e) const;
    std::optional<Equation> unlinked(const Equation& e) const;

    const Source& source_;
    std::set<std::string> by_, plain_, precisions_;  ///< keys: of what derivatives are taken by; of names without a square
    std::vector<Equation> parametric_;
    std::string unnamed_loss_;
    std::map<std::string, int> lefts_;  ///< bases, and how often equations say what they are
};

}  // namespace gradproof::proof::latex
