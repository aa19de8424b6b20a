// One draw of a derivation as what its program is run with.
//
//   const RunCase given = run_case(proof, draw);       // inputs by name, the lines that are asked for
#pragma once

#include "gradproof/core/proof/evaluate/instance.hpp"
#include "gradproof/core/proof/judge/run_exchange.hpp"

namespace gradproof::proof {

/// Errors: ProofError, as those of an Instance.
RunCase run_case(const Proof& proof, Instance& draw);
/// Whether a comment of the program declares it.
bool is_declared(const Proof& proof, const Given& g);
/// The gradient as it is, not confirmed by differences, which a check has done.
Tensor<double> true_gradient(Instance& draw, const std::string& value);

}  // namespace gradproof::proof
