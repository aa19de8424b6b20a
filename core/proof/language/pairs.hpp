// Sums over pairs: in Σ_{i<j} of what has both, and where nothing else gives j a value, both are summed over.
//
//   with_pairs_bound(e, {"k"}, is_index);        // of Σ_{i<j} f(x[i], x[j]): Σ_{i,j} where(i < j, f(x[i], x[j]), 0)
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/expression.hpp"

namespace gradproof::proof {

/// `free` are the indices of the left side; `is_index` tells letters that name nothing else.
ExprPtr with_pairs_bound(const ExprPtr& e, const std::vector<std::string>& free,
                         const std::function<bool(const std::string&)>& is_index);

}  // namespace gradproof::proof
