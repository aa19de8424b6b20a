// Expressions in NumPy as `gradproof check` reads it: arrays as they are, entries by broadcasting.
//
//   NumpyText numpy(known, names, proof);
//   numpy.text(e);                                 // of Q K^T / √d: "Q @ K.T / np.sqrt(d)"
//   numpy.entries(e, {"i", "j"});                  // of Q[i,c] + K[j,c] summed: "np.sum(Q[:, None, :] + K, axis=-1)"
#pragma once

#include <optional>

#include "gradproof/core/proof/derive/identifiers.hpp"
#include "gradproof/core/proof/derive/known.hpp"

namespace gradproof::proof {

/// What NumPy has no words for that are read: the message is the part.
class NoWords : public NoRule {
    using NoRule::NoRule;
};

[[noreturn]] void no_numpy(const Expr& e);
/// np.sum of sum, "" of what reduces nothing.
std::string_view numpy_reduction(std::string_view name);

class NumpyText {
  public:
    NumpyText(const Known& known, Identifiers& names, const Proof& proof) : known_(known), names_(names), proof_(proof) {}
    /// Errors: NoWords; NoRule where sizes are not known.
    std::string text(const ExprPtr& e);
    /// The array whose entry at those indices it is.
    std::string entries(const ExprPtr& e, const std::vector<std::string>& indices);
    std::string gradient(const std::string& of);

  private:
    enum Level { kSum, kProduct, kUnary, kPower, kPrimary };
    std::string at_least(const ExprPtr& e, Level least);
    std::string any(const ExprPtr& e);
    std::string name(const Expr& e);
    std::string sum(const Expr& e);
    std::string product(const Expr& e);
    std::string index(const Expr& e);
    std::optional<std::string> einsum(const Expr& e);
    std::string aligned(std::string array, const std::vector<std::string>& letters) const;
    std::string reduction(const Expr& e);
    std::string call(const ExprPtr& e);
    std::string of_arrays(const ExprPtr& e);
    std::string with_axis(const std::string& function, const Expr& e, const std::string& otherwise);
    std::string made(const Expr& e);
    std::string list(const std::vector<ExprPtr>& items, std::string_view open, std::string_view close);
    std::string option(const Expr& e, std::string_view name);
    bool is_letter(const std::string& n) const;
    Level level(const ExprPtr& e) const;

    const Known& known_;
    Identifiers& names_;
    const Proof& proof_;
    std::vector<std::string> letters_;  ///< one an axis; none where arrays are meant
    std::map<std::string, ExprPtr> sizes_;
};

}  // namespace gradproof::proof
