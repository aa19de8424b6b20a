// What is claimed of f'(x).
//
//   right = by_entry_of_slope(right, tokens_of_left, reading);   // \sigma(a) (1 + a) of \silu'(a), where a is a vector
#pragma once

#include "gradproof/core/proof/language/expression.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {

/// The formula of the slope of a function of numbers, taken of an array: products of arrays like it go entry by entry. `e` itself
/// where the left is no f'(x).
ExprPtr by_entry_of_slope(const ExprPtr& e, const Tokens& left, const Reading& reading);

}  // namespace gradproof::proof::latex
