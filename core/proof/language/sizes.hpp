// Sizes of the I and the 1 of the notation, which what stands beside them shows: I - u u^T, Y 1, b 1^T.
#pragma once

#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof {

/// An expression as it was parsed, with eye(n) and ones(n) in the place of I and 1, and outer(b, ones(n)) in that of b 1^T.
/// `left`: the left side of its equation; nullptr where that says nothing. Errors: ProofError where nothing shows a size.
ExprPtr sized(const Source& source, const ExprPtr& e, const Expr* left, const Proof& proof, const Names& names);

}  // namespace gradproof::proof
