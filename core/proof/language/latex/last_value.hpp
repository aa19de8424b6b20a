// \nabla f on the left of a claim, where f is the last value and has one input: its gradient, with what comes in from behind it
// given.
#pragma once

#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {

/// `left` is what the tokens were read as. Errors: ProofError where f has several inputs.
ExprPtr of_last_value(const Tokens& tokens, const ExprPtr& left, const Reading& reading);

/// The one input that a value is a function of, as its arguments say or because there is no other; "" where there are more.
std::string only_input_of(const std::string& f, const Reading& reading);

}  // namespace gradproof::proof::latex
