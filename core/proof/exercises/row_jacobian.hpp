// A Jacobian that is asked for by rows, ∂A[i,j]/∂S[i,k], and answers that are the matrix of one row: diag(a) - a a^T.
//
//   const auto of = row_jacobian(*asked);               // value A, row a, letters i, j, k
//   entries_of_row(*of, e);                             // of diag(a) - a a^T: A[i,j] δ[j,k] - A[i,j] A[i,k]
#pragma once

#include <optional>
#include <string>

#include "gradproof/core/proof/language/expression.hpp"

namespace gradproof::proof {

struct RowJacobian {
    std::string value, row;   ///< "A", and what a row of it is called: "a"
    std::string batch, j, k;  ///< the letters
};
/// Nothing of what is asked otherwise.
std::optional<RowJacobian> row_jacobian(const Expr& asked);
/// The entry at (j, k) of a matrix made of rows, diag, outer and eye; nullptr of anything else.
ExprPtr entries_of_row(const RowJacobian& of, const ExprPtr& matrix);

}  // namespace gradproof::proof
