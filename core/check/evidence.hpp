// The evidence that a diagnosis uses about a call of an op: its values, Jacobians and attributes, and alternative gradients.
//
//   Evidence e = evidence_of(c);  e.claimed = ...;
//   explain_calls({&e}, 0).at(0)->text;
#pragma once

#include "gradproof/core/check/contracts.hpp"
#include "gradproof/core/check/diagnosis.hpp"

namespace gradproof::check {

/// The evidence of a case, with the gradients that its op claims. Jacobians are left out for large calls.
Evidence evidence_of(const Case& c);

/// Adds to each wrong finding of contract 1 in `report`, the report of these cases, why it is wrong: one diagnosis for each
/// input, from all samples on which it is wrong.
void diagnose(const std::vector<Case>& cases, OpReport& report);

}  // namespace gradproof::check
