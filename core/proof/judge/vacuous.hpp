// Vacuous lines: lines that cannot be wrong, or that use what they claim. Their sides agree, but this proves nothing.
#pragma once

#include "gradproof/core/proof/judge/claim.hpp"

namespace gradproof::proof {

/// Why agreement of a line proves nothing, judged by how it is written; "" if it does prove something.
///   dX = 2 dX - dX   0 = 0   expect X = [1, 2] of an input
std::string why_vacuous(const JudgedLine& line, const Proof& proof);
/// The same for a claim that holds for any value of the gradients that are on both sides: dX^T = dX^T, 2 dX = dX + dX.
std::string why_it_holds_of_any(const Claim& claim);

/// Names a gradient in the line of a value from which no path leads to the last one: as no loss is stated, the author may mean a
/// loss that uses this value too. "" if there is none.
std::string why_zero_by_no_path(const JudgedLine& line, const Proof& proof, Instance& draw);
/// Whether the line or the forward contains a number of a million or more, which may hide a difference.
bool has_large_number(const JudgedLine& line, const Proof& proof);

}  // namespace gradproof::proof
