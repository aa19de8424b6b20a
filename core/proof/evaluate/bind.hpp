// Arrays from files in the place of drawn and stated values.
//
//   const Bindings b = read_bindings({"Q=q.npy", "rest.npz"}, read_proofs("a.proof", text));
//   Instance draw(proof, Plan(proof, b), {.bind = b}, 0);
#pragma once

#include "gradproof/core/io/array.hpp"
#include "gradproof/core/proof/evaluate/instance.hpp"

namespace gradproof::proof {

/// The arrays of an .npz or .safetensors file, or the one of an .npy file under the file's name. Errors: IoError.
std::vector<NamedArray> read_arrays(const std::string& path);

/// NAME=FILE.npy, or a file of arrays that are named as the inputs and constants they stand for; in such a file, names of
/// forward values and of gradients are passed over. Errors: IoError; ValueError for a name the proofs do not know, one bound
/// twice, an element type that is no number, and numbers that are not finite (a constant may hold infinities, as masks do).
/// A wrong shape is found when the sizes are solved: ProofError of Instance.
Bindings read_bindings(const std::vector<std::string>& words, const std::vector<Proof>& proofs);

/// What a name in a file of results stands for: "Q" the value, "dQ", "grad_Q", "Q_grad", "Q.grad" and "∂L/∂Q" its gradient.
struct Meaning {
    std::string value;
    bool gradient = false;
};
std::optional<Meaning> meaning_of(const std::string& name, const Proof& proof);

}  // namespace gradproof::proof
