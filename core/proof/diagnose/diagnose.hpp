// Why a claim is wrong: the simplest change of the line that makes it right, or the simplest pattern in its numbers.
//
//   const Diagnosis d = diagnose(claim, plan);      // d.mistake is Mistake::factor, d.repair "∂L/∂S K / sqrt(d_k)"
#pragma once

#include "gradproof/core/proof/judge/check.hpp"

namespace gradproof::proof {

/// Mistake::none where nothing simple explains it.
Diagnosis diagnose(const Claim& claim, const Plan& plan);

}  // namespace gradproof::proof
