// Arrays that replace drawn and given values, and the meaning of names in a file of results.
//
//   const Bindings b = bind_arrays({{"Q", from_tensor(q)}, {"mask", from_tensor(mask)}}, proofs);
//   explain(proofs[0], {.bind = b});
#pragma once

#include "gradproof/core/io/array.hpp"
#include "gradproof/core/proof/evaluate/instance.hpp"

namespace gradproof::proof {

/// Binds arrays to the inputs and constants whose names they have; arrays named as forward values or gradients are passed over.
/// Errors: ValueError for a name the proofs do not know, a name bound twice, no array for any input or constant, an element type
/// that is not a number, or numbers that are not finite (a constant may hold infinities, as masks do). A wrong shape is found
/// later, when sizes are solved: ProofError.
Bindings bind_arrays(const std::vector<NamedArray>& arrays, const std::vector<Proof>& proofs);

/// What a name in a file of results means: "Q" is the value; "dQ", "grad_Q", "Q_grad", "Q.grad" and "∂L/∂Q" are its gradient.
struct Meaning {
    std::string value;
    bool gradient = false;
};
std::optional<Meaning> meaning_of(const std::string& name, const Proof& proof);

}  // namespace gradproof::proof
