// Arrays in the place of drawn and stated values, and what the names in a file of results stand for.
//
//   const Bindings b = bind_arrays({{"Q", from_tensor(q)}, {"mask", from_tensor(mask)}}, proofs);
//   explain(proofs[0], {.bind = b});
#pragma once

#include "gradproof/core/io/array.hpp"
#include "gradproof/core/proof/evaluate/instance.hpp"

namespace gradproof::proof {

/// Arrays that are named as the inputs and constants they stand for; names of forward values and of gradients are passed over.
/// Errors: ValueError for a name the proofs do not know, one bound twice, arrays none of which is one of an input or constant,
/// an element type that is no number, and numbers that are not finite (a constant may hold infinities, as masks do).
/// A wrong shape is found when the sizes are solved: ProofError of Instance.
Bindings bind_arrays(const std::vector<NamedArray>& arrays, const std::vector<Proof>& proofs);

/// What a name in a file of results stands for: "Q" the value, "dQ", "grad_Q", "Q_grad", "Q.grad" and "∂L/∂Q" its gradient.
struct Meaning {
    std::string value;
    bool gradient = false;
};
std::optional<Meaning> meaning_of(const std::string& name, const Proof& proof);

}  // namespace gradproof::proof
