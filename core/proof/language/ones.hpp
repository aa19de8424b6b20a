// Vectors of ones whose size the text leaves out: \mathbf{1} of X^\top \mathbf{1}.
#pragma once

#include <functional>

#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof {

/// Each with the size that what stands beside it has, or the left side of the line; `left` may be nullptr. What has none is told
/// to `lost`, which throws.
ExprPtr with_ones(const ExprPtr& e, const Expr* left, const Proof& proof, const Names& names,
                  const std::function<void(const Expr&)>& lost);

}  // namespace gradproof::proof
