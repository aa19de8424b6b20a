// Lines about how values move: dS = dQ K^T + Q dK^T, df = tr(B A dX), where dX is the differential (the tangent) of X.
//
//   if (is_differential(line, proof)) check_proof(moving(proof, line));
#pragma once

#include <optional>

#include "gradproof/core/proof/evaluate/bind.hpp"
#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof {

/// Whether every d on its right is of what the value on its left is computed from: gradients come from later values.
bool is_differential(const JudgedLine& line, const Proof& proof);

/// The proof whose inputs move along a line, with that line as its only one: every d is a derivative by how far they have moved.
/// Nothing where an input's shape is not known.
std::optional<Proof> moving(const Proof& proof, const JudgedLine& line);
/// What is bound to an input is where it starts.
Bindings moving(const Bindings& bound);

}  // namespace gradproof::proof
