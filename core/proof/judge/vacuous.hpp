// Lines that cannot be wrong, or that use what they claim: they agree and say nothing.
#pragma once

#include "gradproof/core/check/report.hpp"
#include "gradproof/core/proof/judge/claim.hpp"

namespace gradproof::proof {

/// Why a line that agrees would say nothing, by how it is written; "" where it does.
///   dX = 2 dX - dX   0 = 0   expect X = [1, 2] of an input
std::string why_vacuous(const JudgedLine& line, const Proof& proof);
/// The same of a claim that holds whatever the gradients are that stand on both sides of it: dX^T = dX^T, 2 dX = dX + dX.
std::string why_it_holds_of_any(const Claim& claim);

/// A gradient of a value that no path leads from, which the line uses, or claims to be more than 0: where no loss is stated the
/// author may mean one that uses the value too. "" where there is none.
std::string why_zero_by_no_path(const JudgedLine& line, const Proof& proof, Instance& draw, check::Verdict so_far);
/// Whether a number this large stands in the line or in the forward. One of a million may hide a difference, and one of 100 in an
/// exp, as of a mask, makes a term too small to count.
constexpr double kHides = 1e6, kVanishes = 30;
bool has_large_number(const JudgedLine& line, const Proof& proof, double least);
/// Whether a number of ten digits or more stands there: one that is rounded, as 0.3333333333, and meant as another.
bool has_long_number(const JudgedLine& line, const Proof& proof);

}  // namespace gradproof::proof
