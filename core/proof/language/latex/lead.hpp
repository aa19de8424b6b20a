// What the words that lead to a displayed formula say of it: "For $i \ne j$, we get".
//
//   const Lead lead = lead_of(source, {end_of_the_last_formula, begin_of_this_one});
#pragma once

#include "gradproof/core/proof/language/latex/equations.hpp"

namespace gradproof::proof::latex {

struct Lead {
    Tokens added{};         ///< "adding $\mu \|W\|^2$ to $L$, we get": what derivatives behind it are of, too
    bool in_words = false;  ///< "when the cell is at rest"
    /// "when the loss is positive", "if the margin is violated", "whenever the loss is zero"
    enum class Hinge { unsaid, active, inactive } hinge = Hinge::unsaid;
    bool jacobian = false;   ///< "the Jacobian is"
    bool gradient = false;   ///< "its gradient is", "the Hessian in $x$ reads": of what follows, by whatever name
    bool gradients = false;  ///< "we obtain the gradients": of all that follows
    bool anew = false;       ///< "we now set instead": a name may get a new value
};

/// All that a text adds so.
std::vector<Tokens> added_in(const Source& source, Span text);

/// `between`: the text from the formula above it on.
Lead lead_of(const Source& source, Span between);
/// How words that it does not read as a formula lead to an equation.
Equation::Led led_by(const Lead& lead);

}  // namespace gradproof::proof::latex
