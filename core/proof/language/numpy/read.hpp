// Derivations as they stand in NumPy, PyTorch or JAX: assignments, and comments that say what is given.
//
//   # gradproof: dims n m d; input Q [n, d], K [m, d]
//   S = Q @ K.T / np.sqrt(Q.shape[-1])
//   dQ = dS @ K / np.sqrt(Q.shape[-1])
#pragma once

#include "gradproof/core/proof/language/statements.hpp"

namespace gradproof::proof::numpy {

/// An assignment to a new name is forward until the first gradient, and stands for its right side after it; one to dX, grad_X,
/// X_grad or X.grad is a claim, judged behind all of the forward. += adds to what was assigned before.
/// Errors: ProofError at what is not an assignment, is not understood, or assigns a name again.
void read(const std::shared_ptr<const Source>& source, Span text, Statements& to);

/// What stands between # gradproof: begin and # gradproof: end, each as one text, with the comments right above it where they say
/// what is given. Where neither stands in it, its parts as declared.
std::vector<Span> marked(const Source& source, Span text);

/// A part for each comment that declares again what another declared above other lines, as of several layers; the whole text
/// where there is no such comment, or where two parts bind one name.
std::vector<Span> parts_declared(const Source& source, Span text);

/// Whether a text says that sizes, inputs or a title follow, so that it is a proof of its own.
bool opens_proof(const Source& source, Span text);

}  // namespace gradproof::proof::numpy
