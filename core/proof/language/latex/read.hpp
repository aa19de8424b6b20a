// Derivations as they stand in LaTeX.
//
//   % gradproof: dims n m d; input Q [n,d], K [m,d]
//   \begin{align} S &= Q K^\top / \sqrt{d}
//     \\ \frac{\partial L}{\partial Q} &= \frac{\partial L}{\partial S} K / \sqrt{d} \end{align}
#pragma once

#include "gradproof/core/proof/language/statements.hpp"

namespace gradproof::proof::latex {

/// An equation whose left side is a new name is forward, any other one a claim; claims are judged behind the whole forward.
/// Errors: ProofError at what is not understood; in a text without any annotation one that says what to write.
void read(const std::shared_ptr<const Source>& source, Span text, Statements& to);
/// The lines of a part of it, for what the text says up to its end.
void read(const std::shared_ptr<const Source>& source, Span text, Span epoch, Statements& to);

/// Whether a text says that sizes, inputs or a title follow, so that it is a proof of its own.
bool opens_proof(const Source& source, Span text);

}  // namespace gradproof::proof::latex
