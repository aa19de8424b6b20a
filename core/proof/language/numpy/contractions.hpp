// Sums of products over letters as matrix products of whole arrays, where these are many times faster than entry by entry.
//
//   contracted("bhid,bhjd->bhij", {Q, K});         // Q K^T of each b and h; nullptr of what is no such product
#pragma once

#include <string>
#include <vector>

#include "gradproof/core/proof/language/expression.hpp"

namespace gradproof::proof::numpy {

ExprPtr contracted(const std::string& letters, const std::vector<ExprPtr>& arrays);
/// The letters of np.dot of arrays with so many axes: the last of a by the one before the last of b.
std::string letters_of_dot(std::size_t axes_of_a, std::size_t axes_of_b);

}  // namespace gradproof::proof::numpy
