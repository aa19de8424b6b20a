// Other ways to read a right side than the notation's: a line that is right in one of them is told so.
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
/// and several of these at once. Only those
/// that make another expression.
std::vector<Reading> other_readings(const Claim& claim);
/// The reading that has the products of matrices first; nullptr where there is no ⊙ beside one.
ExprPtr products_first(const Claim& claim, const ExprPtr& e);

}  // namespace gradproof::proof
