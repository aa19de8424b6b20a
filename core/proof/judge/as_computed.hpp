// Lines of a program that are right as it computes them: dW = dZ @ A.T / m below dZ = P - Y, which is m times the gradient.
#pragma once

#include <functional>

#include "gradproof/core/proof/judge/check.hpp"

namespace gradproof::proof {

/// Of wrong lines of a program, those are right that equal the true gradient with what the wrong lines above compute in the place
/// of the true gradients: what was off there is made up for. `judge` runs a check.
void judge_as_computed(const Proof& proof, const CheckOptions& options, ProofReport& report,
                       const std::function<ProofReport(const Proof&, const CheckOptions&)>& judge);

}  // namespace gradproof::proof
