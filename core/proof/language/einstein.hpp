// Implied sums: an index that stands twice in a product, and not on the left, is summed over.
//
//   with_implied_sums(e, {"i"}, is_index);        // of A[i,j] x[j]: Σ_j A[i,j] x[j]
#pragma once

#include "gradproof/core/proof/language/expression.hpp"

namespace gradproof::proof {

/// `free` are the indices of the left side; `is_index` tells letters that name nothing else.
ExprPtr with_implied_sums(const ExprPtr& e, const std::vector<std::string>& free,
                          const std::function<bool(const std::string&)>& is_index);

}  // namespace gradproof::proof
