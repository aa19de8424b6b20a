// Whole derivations printed in the notation or in LaTeX; derive/numpy_proof.hpp writes NumPy.
//
//   written(p, Notation::latex)        // annotations in comments, then align environments
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/proof.hpp"
#include "gradproof/core/proof/language/write.hpp"

namespace gradproof::proof {

/// X [n, d] ~ uniform(0, 1), or X = [[1, 2]]: sizes and numbers as `text` writes them.
std::string given_text(const Given& g, const std::string& name, const std::function<std::string(const ExprPtr&)>& text);

/// "convention rows", "layout denominator": a statement for each convention that is said.
std::vector<std::string> convention_statements(const Conventions& said);

/// What LaTeX says beyond the proof.
struct LatexPrint {
    std::vector<std::string> notes{};  ///< text beside the lines that are judged, one each
    /// How names are written, numbers of entries from 0; that of the proof where it was read from LaTeX.
    std::shared_ptr<const LatexSpelling> spelling{};
};

/// A file that is read as the same proof. Errors: ValueError for errata, which LaTeX has no words for.
std::string written(const Proof& p, Notation n, const LatexPrint& latex = {});

/// A heading, and the notation in a fenced block that is read.
std::string in_markdown(const Proof& p);

/// A formula of the notation, an expression or an equation, in LaTeX. Errors: ProofError.
std::string in_latex(const std::string& formula, const Names& names);

/// The same, but where an entry looks like another value: where h_{0} stands as an entry of h, the value h_0 is h_{\mathrm{init}}.
LatexSpelling told_apart(LatexSpelling spelling, const Proof& p);

/// How the LaTeX that it was read from writes its names; nullptr where it was not.
std::shared_ptr<const LatexSpelling> spelling_of(const Proof& p);

}  // namespace gradproof::proof
