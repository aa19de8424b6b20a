// A derivation as a Python program that needs NumPy alone: the forward, the gradients, and a comparison with finite differences.
//
//   fmt::print("{}", to_numpy(proof, derive(proof)));
#pragma once

#include "gradproof/core/proof/derive/derive.hpp"

namespace gradproof::proof {

/// Errors: ValueError for a function that has no counterpart.
std::string to_numpy(const Proof& proof, const Derivation& d);

/// One expression in NumPy.
class NumpyText {
  public:
    explicit NumpyText(const Known& known) : known_(known) {}
    /// `indices`: those of the left side and the sizes they run over, none in matrix form.
    std::string text(const ExprPtr& e, const std::map<std::string, std::string>& indices = {});
    /// (n, d) or (n,)
    std::string tuple(const std::vector<ExprPtr>& sizes);
    /// The name as Python takes it: W₁ is W1.
    static std::string identifier(const std::string& name);
    /// Functions that were used and stand in no module.
    const std::set<std::string>& used() const { return used_; }
    void also(const std::set<std::string>& functions) { used_.insert(functions.begin(), functions.end()); }
    /// The indices of a sum and the sizes they run over.
    std::map<std::string, std::string> index_sizes(const Expr& e) const;

  private:
    std::string bracketed(const ExprPtr& e);
    std::string product(const Expr& e);
    std::string call(const Expr& e);
    std::string reduction(const Expr& e, std::string_view function, bool rows, bool columns);
    std::string entry(const Expr& e);
    std::string option(const Expr& e, std::string_view name, const std::string& otherwise);
    bool by_entries() const { return !indices_.empty() || sums_ > 0; }
    const Known& known_;
    std::map<std::string, std::string> indices_;
    int sums_ = 0;
    std::set<std::string> used_;
};

}  // namespace gradproof::proof
