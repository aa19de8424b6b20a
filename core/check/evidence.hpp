// What a call of an op offers to a diagnosis: its values, Jacobians and attributes,
// and the true gradients of what may have been meant.
//
//   Evidence e = evidence_of(c);  e.claimed = ...;
//   explain_calls({&e}, 0).at(0)->text;
#pragma once

#include "gradproof/core/check/contracts.hpp"
#include "gradproof/core/check/diagnosis.hpp"

namespace gradproof::check {

/// Of a case, with what its op claims. Jacobians are left out where a call is large.
Evidence evidence_of(const Case& c);

/// Writes into the findings of contract 1 that are wrong why they are, for each input,
/// from all samples in which it is wrong together.
/// `report` holds the findings of these cases.
void diagnose(const std::vector<Case>& cases, OpReport& report);

}  // namespace gradproof::check
