// Derivatives of elementwise expressions, written in the notation: what a chain rule multiplies by.
//
//   slope(*e, "X", is_scalar);        // of e = X ⊙ σ(X): σ(X) + X ⊙ σ(X) ⊙ (1 - σ(X))
#pragma once

#include "gradproof/core/proof/language/expression.hpp"

namespace gradproof::proof {

/// f'(x) of a call of one argument whose value is written y; nullptr where the function has no derivative entry by entry.
ExprPtr slope_of_call(const Expr& call, const ExprPtr& y);

/// The derivative of e, entry by entry, by the value named x: nullptr where e is not elementwise in x, and the number 0 where x
/// does not stand in it. `is_scalar` says of an expression whether a product with it is elementwise.
ExprPtr slope(const Expr& e, const std::string& x, const std::function<bool(const Expr&)>& is_scalar);

}  // namespace gradproof::proof
