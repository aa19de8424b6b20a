// Vectors beside matrices, numbers beside matrices and vectors beside vectors, which a text in columns and one in NumPy mean
// differently.
//
//   expect_one_meaning(*e, nullptr, statements);      // ProofError of (s \odot A) with s [n] and A [n, n]
#pragma once

#include <string>
#include <vector>

#include "gradproof/core/proof/language/statements.hpp"

namespace gradproof::proof::latex {

/// Errors: ProofError for a vector beside a matrix of as many rows, a column plus a row, a number plus a square matrix that is a
/// factor or what a Jacobian is, and u v + w of vectors. `left`: of a claim, else nullptr.
void expect_one_meaning(const Expr& e, const Expr* left, const Statements& to);

/// Of one node, what is said of how it was read: "w x as an inner product".
std::vector<std::string> said_of_side_by_side(const Expr& e, const Proof& proof);

}  // namespace gradproof::proof::latex
