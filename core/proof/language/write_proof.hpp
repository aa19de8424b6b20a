// Whole derivations printed in any notation that is read.
//
//   written(p, Notation::latex)        // annotations in comments, then align environments
#pragma once

#include <functional>
#include <string>

#include "gradproof/core/proof/language/proof.hpp"
#include "gradproof/core/proof/language/write.hpp"

namespace gradproof::proof {

/// X [n, d] ~ uniform(0, 1), or X = [[1, 2]]: sizes and numbers as `text` writes them.
std::string given_text(const Given& g, const std::string& name, const std::function<std::string(const ExprPtr&)>& text);

/// A file that is read as the same proof. Errors: ValueError for errata, which LaTeX has no words for.
std::string written(const Proof& p, Notation n);

}  // namespace gradproof::proof
