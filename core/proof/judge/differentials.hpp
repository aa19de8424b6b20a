// Lines about how values move: dS = dQ K^T + Q dK^T, df = tr(B A dX), where dX is the differential (the tangent) of X.
//
//   if (is_differential(line, proof)) check_proof(*moving(proof, {line}));
#pragma once

#include <functional>
#include <optional>

#include "gradproof/core/proof/evaluate/bind.hpp"
#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof {

/// Whether every d on its right is of what the value on its left is computed from: gradients come from later values.
bool is_differential(const JudgedLine& line, const Proof& proof);

/// The shape of an input as it is declared, or as its numbers stand; nothing where it has to be computed.
std::optional<std::vector<ExprPtr>> declared_shape(const Given& g);
/// The proof whose inputs move along a line, with these lines: every d in them is a derivative by how far they have moved.
/// Nothing where an input's shape is not known.
using ShapeOf = std::function<std::optional<std::vector<ExprPtr>>(const Given&)>;
std::optional<Proof> moving(const Proof& proof, const std::vector<JudgedLine>& lines, const ShapeOf& shape_of = declared_shape);
/// Whether a text names what that proof has and no author can write.
bool names_what_moves(std::string_view text);
/// What is bound to an input is where it starts.
Bindings moving(const Bindings& bound);

}  // namespace gradproof::proof
