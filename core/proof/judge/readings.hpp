// Other common ways to read a right-hand side. A line that is right under one of them is judged right, and the report says so.
//
//   for (const Reading& r : other_readings(claim)) claim.holds(r.right);      // r.name() is "vectors as columns"
#pragma once

#include <array>
#include <functional>

#include "gradproof/core/proof/judge/claim.hpp"

namespace gradproof::proof {

/// Vectors as columns (u v^T is a matrix) or as rows (u^T v is), matrix products before ⊙, Jacobians transposed, 1/2n as 1/(2n),
/// A^2 of a square matrix as A A.
enum class Way { products_first, columns, rows, denominator, whole_divisor, matrix_powers };
inline constexpr std::array kWays{Way::products_first, Way::columns,       Way::rows,
                                  Way::denominator,    Way::whole_divisor, Way::matrix_powers};
/// "vectors as columns"
const char* name(Way way);

struct Reading {
    std::vector<Way> ways;
    ExprPtr right;
    std::string name() const;  ///< of its ways
};
/// Every way, and combinations; only those that give another expression.
std::vector<Reading> other_readings(const Claim& claim);
/// The right side read so; itself if there is nothing to read so, or if the text says how it is meant.
ExprPtr read_in(Way way, const Claim& claim, const ExprPtr& right);
/// Whether, read from left to right, v ⊙ A B spreads a vector over a matrix before that is multiplied.
bool widens_before_a_product(const Claim& claim, const ExprPtr& right);
/// Whether its forward is written in LaTeX, and whether in the notation, not as a program.
bool is_typeset(const Proof& proof);
bool is_in_notation(const Proof& proof);
/// A derivation whose forward is read in another way.
struct OtherForward {
    std::string how;      ///< "vectors as columns"
    std::string clearly;  ///< "put brackets there, or state the convention"
    int line = 0;         ///< the first line that is read differently
    Proof proof;
    /// Which lines may mean it, by whether they are right as they are read here; all where it is empty.
    std::function<bool(const JudgedLine&, bool right)> may_mean{};
};
/// Where a text may mean A ⊙ B C as A ⊙ (B C) and a / 2b as a / (2b), in LaTeX also a / b c as a / (b c), u v^T as a matrix, A^2
/// as A A, \log p / q as \log (p / q) and "with W fixed" as W without a gradient, and does not say so: the same derivation read
/// so. `claim` is any of its claims.
std::vector<OtherForward> other_forwards(const Claim& claim);

}  // namespace gradproof::proof
