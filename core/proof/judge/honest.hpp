// A correct computation of a proof in a narrower type: every value and every gradient on the way is rounded to that type. Its
// distance from the truth is the error that given results in that type may have.
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

/// At the values of the draw. nullopt if an assignment is in index form, since no tape leads through it.   Errors  ProofError.
std::optional<HonestResults> honest_results(const Proof& proof, const Instance& draw, DType dtype);

}  // namespace gradproof::proof
