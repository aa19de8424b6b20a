// A program that is run beside its reading: what its lines compute, held to what they were read as.
//
//   options.run = [](const std::string& asked) { return answer_of_python(asked); };
//   run_beside(proof, options, report);            // a right line that computes something else cannot be told
//
// Nothing is run here: CheckOptions::run does it, in a process of its own. What it is asked and answers is in run_exchange.hpp.
#pragma once

#include "gradproof/core/proof/judge/check.hpp"

namespace gradproof::proof {

/// Runs the program in twelve draws and compares each value of the forward, and each gradient, with what its line was read as.
/// Where one differs, right lines get `cannot tell`, with the first line that differs; so does a wrong line that computes the
/// true gradient and was read as another. Errors: what options.run throws; IoError where what it answers cannot be read.
void run_beside(const Proof& proof, const CheckOptions& options, ProofReport& report);

}  // namespace gradproof::proof
