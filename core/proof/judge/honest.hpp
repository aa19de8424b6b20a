// What an honest computation in a narrower type makes of a proof: every value and every gradient on the way rounded to that type.
// How far that is from the truth is what somebody's results in that type may be off by.
//
//   const auto honest = honest_results(proof, draw, DType::bf16);
//   honest->gradients.at("Q");                // as a kernel in bf16 may have it
#pragma once

#include <optional>

#include "gradproof/core/io/array.hpp"
#include "gradproof/core/proof/evaluate/instance.hpp"

namespace gradproof::proof {

struct HonestResults {
    std::map<std::string, Tensor<double>> values, gradients;
};

/// At the values of the draw. nullopt where an assignment is in index form, through which no tape leads.   Errors  ProofError.
std::optional<HonestResults> honest_results(const Proof& proof, const Instance& draw, DType dtype);

}  // namespace gradproof::proof
