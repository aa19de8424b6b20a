// Lines that cannot be wrong, or that use what they claim: they agree and say nothing.
#pragma once

#include "gradproof/core/proof/judge/claim.hpp"

namespace gradproof::proof {

/// Why a line that agrees would say nothing, by how it is written; "" where it does.
///   dX = 2 dX - dX   0 = 0   expect X = [1, 2] of an input
std::string why_vacuous(const JudgedLine& line, const Proof& proof);
/// The same of a claim that holds whatever the gradients are that stand on both sides of it: dX^T = dX^T, 2 dX = dX + dX.
std::string why_it_holds_of_any(const Claim& claim);

/// A gradient that the line uses of a value that no path leads from: where no loss is stated the author may mean one that uses it
/// too. "" where there is none.
std::string why_zero_by_no_path(const JudgedLine& line, const Proof& proof, Instance& draw);
/// Whether a number of a million or more stands in the line or in the forward: it may hide a difference.
bool has_large_number(const JudgedLine& line, const Proof& proof);

}  // namespace gradproof::proof
