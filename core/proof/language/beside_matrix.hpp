// A vector beside a matrix, which goes with the matrix's rows where vectors are columns, and with its columns in NumPy.
//
//   column_beside_matrix(*e, proof, &names);      // s of (s ⊙ A) with s [n], A [n, m], and of A - s; none with s [m]
#pragma once

#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof {

/// Whether its factors are multiplied entry by entry.
bool is_elementwise_product(const Expr& e);

/// Of a sum, an elementwise product, max, min or where: the vector with an entry for each row of a matrix beside it. nullptr if
/// there is none. `names` adds what is defined among the claims; nullptr where only the forward counts.
const Expr* column_beside_matrix(const Expr& e, const Proof& proof, const Names* names);

}  // namespace gradproof::proof
