// Whether a formula says of a function what its name does: 1 / (1 + e^{-z}) of \sigma.
#pragma once

#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {

enum class Agreement { yes, no, unknown };
/// As far as numbers show. `unknown`: it is not read, or its value is not that of numbers alone.
Agreement agreement_with(const FunctionMeaning& m, const Reading& reading);
/// Whether a function of that name stands there.
bool function_stands_in(const Source& source, const Tokens& tokens, std::string_view function);

}  // namespace gradproof::proof::latex
