// The equations of a formula: one a line, or several; lines that go on with an operator or a further = belong to the one before.
//
//   for (const Equation& e : equations_of(source, part)) e.left, e.right ...
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/latex/document.hpp"

namespace gradproof::proof::latex {

/// left = right, and of a chain left = ... = right.
struct Equation {
    std::shared_ptr<const Tokens> left;  ///< one for all of a chain
    Tokens right;
    Span span;                 ///< of the text that is shown as its line
    bool chained = false;      ///< its left side was written further up
    Tokens range{};            ///< behind it, what it is said to hold for: t = 1, \dots, T
    bool in_line = false;      ///< it stands within a sentence, and defines what no displayed formula does
    bool alternative = false;  ///< "or $y = ...$"
    bool restates = false;     ///< "since $p = ...$": the words before it say that this is so, and give no new value
    bool repeats = false;      ///< "that is, $L = ...$": the same as the formula before it
    bool solves = false;       ///< a name is said to be where a gradient is 0
    bool of_optimum = false;   ///< \\min_w F(w) = ..., which says what F is, or what the least of it is
    bool demanded = false;     ///< it says what is sought, as \nabla L \overset{!}{=} 0, and claims nothing
    /// Its range stands before it, or is said there in words alone: of a hinge on which side it is.
    enum class Led { no, where, at, words, active, inactive } led = Led::no;
    bool anew = false;             ///< words before it say that a name gets a new value
    bool in_general = false;       ///< it is claimed without what is assumed before: "in general", "for general $A$"
    std::vector<Tokens> of_any{};  ///< "for every $A$": names of which it is claimed, whatever they are
    bool called_jacobian = false;  ///< by the words before it
    bool called_gradient = false;  ///< by them, though its name says nothing of it
    bool of_numbers = false;       ///< it is claimed of a function of one number
    Tokens added{};                ///< to what its left side is of, as the words before it say
    Token note{};                  ///< of kind note: not an equation, but a comment that stands between them
};

/// Errors: ProofError for braces that do not match.
std::vector<Equation> equations_of(const Source& source, const Part& part);

/// What stands there in one line, without what only lays it out: &, \\, \label{...}.
std::string shown(const Source& source, Span span);

}  // namespace gradproof::proof::latex
