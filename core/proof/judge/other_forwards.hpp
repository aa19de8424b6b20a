// A forward that may be read in two ways, or a loss that may be meant: lines whose verdict depends on which.
#pragma once

#include "gradproof/core/proof/judge/check.hpp"
#include "gradproof/core/proof/judge/readings.hpp"

namespace gradproof::proof {

/// Of a proof whose forward has A ⊙ B C or a / 2b, in LaTeX also u v^T of two vectors and more, and that does not say how it is
/// read: lines that are right in one way and wrong in another become `cannot tell`.
void judge_other_forwards(const Proof& proof, const CheckOptions& options, ProofReport& report);

/// What the forward of a proof may mean, besides what it is read as; of a program nothing.
struct Reread {
    std::string doubt{};                 ///< of functions of matrices, which cannot be read in the other way
    std::vector<OtherForward> others{};  ///< read in other ways
};
/// "it is right with line 3 as it is read here, and wrong with vectors as columns: ..."
std::string told_of_reading(check::Verdict here, check::Verdict there, const OtherForward& other);
Reread reread_forward(const Proof& proof, const Bindings& bindings);

/// Of a typeset proof that ends in a recurrence and states no loss: lines that are wrong with a loss of all its rows and right with
/// one of the last row become `cannot tell`.
void judge_other_losses(const Proof& proof, const CheckOptions& options, ProofReport& report);

/// In place of a verdict.
void tell_nothing(LineReport& r, std::string reason);

}  // namespace gradproof::proof
