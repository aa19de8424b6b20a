// Expressions in C++, in the words of core/algebra.hpp and of helpers that a page brings along.
//
//   CppText cpp(known, names);
//   cpp.matrix(*e).text                         // "matmul(Q, mT(K)) / std::sqrt(double(d_k))"
//   cpp.entry(*e, {{"i", "n"}}).text            // of index form: a number of type Element
#pragma once

#include "gradproof/core/proof/derive/identifiers.hpp"
#include "gradproof/core/proof/derive/known.hpp"

namespace gradproof::proof {

class CppText {
  public:
    enum Binds { kSum, kProduct, kSign, kWhole };
    /// `binds` is how tightly it holds together; a name or a call is whole. A number is a double.
    struct Piece {
        std::string text;
        Binds binds = kWhole;
        bool is_number = false;
    };
    CppText(const Known& known, Identifiers& names) : known_(known), names_(names) {}

    /// A tensor, or a number made of sizes. Errors: ValueError for what has no counterpart.
    Piece matrix(const ExprPtr& e);
    /// The same, a tensor.
    std::string tensor(const ExprPtr& e);
    /// An entry where these indices stand for numbers.
    std::string entry(const ExprPtr& e, const std::vector<std::string>& indices);
    /// The same of a row of arrays, a tensor: the indices are numbers of loops around it.
    std::string row(const ExprPtr& e, const std::vector<std::string>& indices);
    /// A whole number: a size or a place.
    std::string whole(const ExprPtr& e);
    /// Shape{n, d}
    std::string shape(const std::vector<ExprPtr>& sizes);
    std::string shape(const Axes& axes);

    /// The values, gradients, sizes and helpers that were written since the last call.
    std::set<std::string> take_used() { return std::exchange(used_, {}); }
    const std::set<std::string>& helpers() const { return helpers_; }
    void use_helper(const std::string& name) { helpers_.insert(name); }
    /// Values that are whole numbers each: attributes of the op.
    std::set<std::string> of_places{};

  private:
    Piece number_of(double value) const;
    Piece name_of(const Expr& e);
    Piece sum(const Expr& e);
    Piece product(const Expr& e);
    Piece power(const Expr& e);
    Piece call(const Expr& e);
    Piece call_of_entries(const Expr& e);
    std::optional<Piece> reduction(const Expr& e);
    std::optional<Piece> elementwise(const Expr& e);
    Piece builder(const Expr& e);
    Piece part(const Expr& e);
    Piece at(const Expr& e);
    Piece reduce(const Expr& e);
    Piece choice_of_rows(const Expr& e);
    Piece array(const Expr& e);
    Piece any(const ExprPtr& e);
    std::string factor(const ExprPtr& e, bool may_be_turned);
    std::string of_element(const ExprPtr& e);
    Piece helper(const std::string& name, const std::string& arguments);
    std::string option(const Expr& e, std::string_view name, const std::string& otherwise);
    Index axis_option(const Expr& e, Index otherwise) const;

    const Known& known_;
    Identifiers& names_;
    std::set<std::string> used_, helpers_;
    std::vector<std::string> indices_;
    bool by_entries_ = false;
};

/// The names of all of them, which nothing else on a page may have.
std::vector<std::string_view> cpp_helper_names();
/// The helpers of these names, and those that they use, in an order that compiles.
std::string cpp_helpers(const std::set<std::string>& names);

}  // namespace gradproof::proof
