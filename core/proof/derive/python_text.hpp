// Expressions in the words of NumPy, PyTorch or JAX.
//
//   PythonText python(known, names, PythonTarget::torch);
//   python.text(*e)                              // "Q @ K.T / math.sqrt(d_k)"
//   python.entries(*e, {"i"})                    // index form: an array with an axis for each index, those of sums behind
#pragma once

#include "gradproof/core/proof/derive/identifiers.hpp"
#include "gradproof/core/proof/derive/known.hpp"
#include "gradproof/core/proof/derive/python.hpp"

namespace gradproof::proof {

class PythonText {
  public:
    PythonText(const Known& known, Identifiers& names, PythonTarget target)
        : known_(known), names_(names), target_(static_cast<std::size_t>(target)) {}
    /// In matrix form. Errors: ValueError for what has no counterpart.
    std::string text(const ExprPtr& e);
    /// All entries at once: each index is an array along an axis of its own, `looped` ones are numbers of a loop around it.
    struct Entries {
        std::string grid;  ///< of the indices: "i, j = grid(n, m)\n", or nothing
        std::string value;
    };
    Entries entries(const ExprPtr& e, const std::vector<std::string>& free, const std::vector<std::string>& looped,
                    const Axes& of, const std::string& indent);
    /// A row, in matrix form: the indices are numbers of loops around it.
    std::string row(const ExprPtr& e, const std::vector<std::string>& looped);
    /// (n, d) or (n,)
    std::string tuple(const std::vector<ExprPtr>& sizes);
    std::string tuple(const Axes& axes);
    /// np.zeros(shape), of the type that the arrays have.
    std::string made(std::string_view function, const std::string& arguments);
    std::string function(std::string_view name, const std::string& arguments) { return word(name) + "(" + arguments + ")"; }

    /// The values, gradients and sizes that were written since the last call.
    std::set<std::string> take_used() { return std::exchange(used_, {}); }
    const std::set<std::string>& helpers() const { return helpers_; }
    /// Whether arrays were made since the last call.
    bool take_uses_type() { return std::exchange(uses_type_, false); }

  private:
    std::string any(const ExprPtr& e);
    std::string bracketed(const ExprPtr& e);
    std::string filled(const ExprPtr& e);
    std::string name(const Expr& e);
    std::string product(const Expr& e);
    std::string call(const Expr& e);
    std::optional<std::string> reduction(const Expr& e);
    std::string entry(const Expr& e);
    std::string place(const ExprPtr& at, const AxisSize& size);
    std::string summed(const Expr& e);
    std::string summed_rows(const Expr& e);
    std::string option(const Expr& e, std::string_view name, const std::string& otherwise);
    std::string over(const std::string& axis, bool keep);
    std::string helper(const std::string& name, const std::string& arguments);
    std::string word(std::string_view name);
    bool is_number(const ExprPtr& e) const;
    bool is_torch() const { return target_ == 1; }
    void collect(const ExprPtr& e);

    const Known& known_;
    Identifiers& names_;
    std::size_t target_;
    std::set<std::string> used_, helpers_;
    bool uses_type_ = false, by_entries_ = false;
    std::vector<std::string> letters_, looped_;  ///< of the index form: with an axis each, and those of loops
    std::map<std::string, ExprPtr> sizes_;
};

/// Definitions of these helpers, for a target.
std::string python_helpers(const std::set<std::string>& names, PythonTarget target);

}  // namespace gradproof::proof
