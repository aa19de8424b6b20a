// What every notation writes alike: brackets around a part that binds less than its place asks for, sums, and factors.
#pragma once

#include <string>

#include "gradproof/core/proof/language/expression.hpp"

namespace gradproof::proof {

class ExpressionWriter {
  public:
    virtual std::string text(const Expr& e) const = 0;

  protected:
    enum Binding { kComparison, kSum, kProduct, kUnary, kPostfix, kPrimary };
    ExpressionWriter() = default;
    ~ExpressionWriter() = default;

    virtual Binding binding(const Expr& e) const = 0;
    virtual std::string in_brackets(const std::string& inner) const { return "(" + inner + ")"; }
    /// In brackets where it binds less than `least`.
    std::string at_least(const Expr& e, Binding least) const;
    std::string sum(const Expr& e) const;
    /// The i-th factor of a product.
    std::string factor(const Expr& e, std::size_t i) const;
};

}  // namespace gradproof::proof
