// Lines about differentials: dS = dQ K^T + Q dK^T, df = tr(B A dX), where dX is the differential (the tangent) of X.
//
//   if (is_differential(line, proof)) check_proof(*moving(proof, {line}));
#pragma once

#include <functional>
#include <optional>

#include "gradproof/core/proof/evaluate/bind.hpp"
#include "gradproof/core/proof/judge/check.hpp"
#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof {

/// Whether the line is about differentials: every d on its right is of a value that the one on its left is computed from. In a
/// line about gradients, those on the right are of later values.
bool is_differential(const JudgedLine& line, const Proof& proof);

/// The shape of an input as declared, or as its numbers have it; none if it has to be computed.
std::optional<std::vector<ExprPtr>> declared_shape(const Given& g);
/// The proof with its inputs moving along a straight line, and with these lines: every d in them is a derivative by the distance
/// moved. None if the shape of an input is not known.
using ShapeOf = std::function<std::optional<std::vector<ExprPtr>>(const Given&)>;
std::optional<Proof> moving(const Proof& proof, const std::vector<JudgedLine>& lines, const ShapeOf& shape_of = declared_shape);
/// Whether a text contains a name that only such a proof has, and no author can write.
bool names_what_moves(std::string_view text);
/// Arrays bound to inputs become their starting points.
Bindings moving(const Bindings& bound);
/// Lines that are not right of gradients may be so of differentials; `judged` is how a proof is judged by itself, and `is_told`
/// whether a wrong line needs no explanation.
void judge_differentials(const Proof& proof, const CheckOptions& options, ProofReport& report, const JudgeOnce& judged,
                         const std::function<bool(std::size_t)>& is_told);

}  // namespace gradproof::proof
