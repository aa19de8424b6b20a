// Other common ways to read a right-hand side. A line that is right under one of them is judged right, and the report says so.
//
//   for (const Reading& r : other_readings(claim)) claim.holds(r.right);      // r.name is "vectors as columns"
#pragma once

#include "gradproof/core/proof/judge/claim.hpp"

namespace gradproof::proof {

struct Reading {
    std::string name;
    ExprPtr right;
};
/// Vectors as columns (u v^T is a matrix) or as rows (u^T v is), matrix products before ⊙, Jacobians transposed, 1/2n as 1/(2n),
/// A^2 of a square matrix as A A, and combinations of these; only those that give another expression.
std::vector<Reading> other_readings(const Claim& claim);
/// A derivation whose forward is read in another way.
struct OtherForward {
    std::string how;      ///< "vectors as columns"
    std::string clearly;  ///< "put brackets there, or state the convention"
    int line = 0;         ///< the first line that is read differently
    Proof proof;
};
/// For a forward written in LaTeX, where a text may mean u v^T as a matrix, A ⊙ B C as A ⊙ (B C), and A^2 as A A, and does not
/// say so: the same derivation read so. `claim` is any of its claims.
std::vector<OtherForward> other_forwards(const Claim& claim);
/// The reading in which matrix products come first; nullptr if there is no ⊙ beside one.
ExprPtr products_first(const Claim& claim, const ExprPtr& e);

}  // namespace gradproof::proof
