// What a report says of a proof before its lines: its file and title, the sizes that are drawn, its domain and its branches.
#pragma once

#include "gradproof/core/proof/evaluate/branches.hpp"
#include "gradproof/core/proof/judge/check.hpp"

namespace gradproof::proof {

ProofReport heading_of(const Proof& proof, const Bindings& bound, const Branches& branches);

}  // namespace gradproof::proof
