// Inputs that are said to be of a form: unit vectors, orthogonal, diagonal, skew-symmetric and triangular matrices. Each becomes
// a value that is computed from an input of any form.
//
//   with_structured_values(proof);   // input x [n] ~ unit:  input free_x [n];  x = free_x / norm(free_x)
#pragma once

#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof {

bool is_structured(Fill fill);
/// Whether the axes of an input allow it: unit is of a vector, all others of a square matrix.
bool may_be_structured(const Given& given, Fill fill);
/// "unit vector", "orthogonal"; "" of others.
std::string_view word_of_structure(Fill fill);

/// In place of the inputs that are so; the report says for which its lines hold.
void with_structured_values(Proof& proof);

}  // namespace gradproof::proof
