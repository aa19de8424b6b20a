// Whole derivations printed in any notation that is read.
//
//   written(p, Notation::latex)        // annotations in comments, then align environments
#pragma once

#include <string>

#include "gradproof/core/proof/language/proof.hpp"
#include "gradproof/core/proof/language/write.hpp"

namespace gradproof::proof {

/// A file that is read as the same proof. Errors: ValueError for errata, which LaTeX has no words for.
std::string written(const Proof& p, Notation n);

}  // namespace gradproof::proof
