// Vacuous lines: lines that cannot be wrong, or that use what they claim. Their sides agree, but this proves nothing.
#pragma once

#include "gradproof/core/check/report.hpp"
#include "gradproof/core/proof/judge/claim.hpp"

namespace gradproof::proof {

/// Why agreement of a line proves nothing, judged by how it is written; "" if it does prove something.
///   dX = 2 dX - dX   0 = 0   expect X = [1, 2] of an input
std::string why_vacuous(const JudgedLine& line, const Proof& proof);
/// The same for a claim that holds for any value of the gradients that are on both sides: dX^T = dX^T, 2 dX = dX + dX.
std::string why_it_holds_of_any(const Claim& claim);

/// Names a gradient that the line uses, or claims to be nonzero, of a value from which no path leads to the last one: as no loss is
/// stated, the author may mean a loss that uses this value too. "" if there is none.
std::string why_zero_by_no_path(const JudgedLine& line, const Proof& proof, Instance& draw, check::Verdict so_far);
/// Whether the line or the forward contains a number of at least this size. One of a million may hide a difference.
constexpr double kHides = 1e6;
bool has_large_number(const JudgedLine& line, const Proof& proof, double least);
/// Whether it is a function that may be flat somewhere, and no sum or arrangement of entries.
bool may_be_flat(const Expr& e);
/// Whether a number of hundreds stands beside an exp or another function, as in a mask, which may make a term too small to count.
bool may_vanish(const JudgedLine& line, const Proof& proof);
/// Whether they contain a number of ten digits or more: it may be rounded, as 0.3333333333, and stand for another.
bool has_long_number(const JudgedLine& line, const Proof& proof);
/// Whether a root of a product stands in them: of sqrt(a a) residues do not know whether it is a or -a.
bool has_root_of_product(const JudgedLine& line, const Proof& proof);
/// Whether a typeset line says that a gradient is 0, everywhere: its author may set it to 0.
bool says_zero(const JudgedLine& line);
/// Whether they choose by order, as argmax does, which residues do not have.
bool chooses_by_order(const JudgedLine& line, const Proof& proof);

}  // namespace gradproof::proof
