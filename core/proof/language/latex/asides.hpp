// Definitions within sentences: of "where $D = \sum_j A_j$ is the row sum" the equation.
//
//   for (const Equation& e : defined_within_sentences(source, text)) e.left, e.right ...
#pragma once

#include <vector>

#include "gradproof/core/proof/language/latex/equations.hpp"

namespace gradproof::proof::latex {

/// In the order of the text. What stands behind if, for, at and their like states a case, and a number no value, but for h_0 = 0;
/// what cannot be read, or has two right sides, defines nothing.
std::vector<Equation> defined_within_sentences(const Source& source, Span text);
/// All equations there, but for those that state a case.
std::vector<Equation> equations_within_sentences(const Source& source, Span text);
/// Those of sentences that say where something holds, "if $V = W^\top$": they define nothing for the rest.
std::vector<Equation> equations_of_cases(const Source& source, Span text);

/// Of "if $z = W x + b$" the equation: what follows may go on from there.
std::vector<Equation> suppositions_within_sentences(const Source& source, Span text);

/// Gradients that a sentence concludes: of "so $\nabla_x L = 2 x$" the equation.
std::vector<Equation> claims_within_sentences(const Source& source, Span text);

/// G = \partial L / \partial Y: it calls a derivative by a name.
bool names_derivative(const Source& source, const Equation& e);

/// 2, -0.5.
bool is_number(const Tokens& t);

}  // namespace gradproof::proof::latex
