// Why a claim is wrong: the simplest change of the line that makes it right, or the simplest pattern in its numbers.
//
//   const Diagnosis d = diagnose(claim, plan, {.draw = options.draw, .prover = &prover}).why;
//   d.mistake                                       // Mistake::factor, d.repair "∂L/∂S K / sqrt(d_k)"
#pragma once

#include <chrono>

#include "gradproof/core/proof/judge/check.hpp"

namespace gradproof::proof {

/// What a repair has to pass besides the draws of the claim.
struct FurtherEvidence {
    const InstanceOptions& draw;  ///< how further draws are made
    Prover* prover = nullptr;     ///< nullptr: without residues
    /// Whether a right side with this result by residues also passes the further draws of right lines; none: not checked.
    std::function<bool(const ExprPtr&, const ByResidues&)> stands{};
    bool branches = false;  ///< whether the forward or a line has branches
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();  ///< of the search
};

/// Said where the deadline has passed.
inline constexpr const char* kOutOfTime = "no explanation: the time for explaining wrong lines of this derivation is used up";

struct Diagnosed {
    Diagnosis why;   ///< Mistake::none if nothing simple explains it
    ExprPtr repair;  ///< what why.repair prints; nullptr if there is none
};
Diagnosed diagnose(const Claim& claim, const Plan& plan, const FurtherEvidence& further);

}  // namespace gradproof::proof
