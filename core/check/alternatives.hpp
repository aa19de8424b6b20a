// Gradients that a wrong backward may compute instead of its own: for other attributes, or at other inputs.
#pragma once

#include "gradproof/core/check/diagnosis.hpp"
#include "gradproof/core/check/subject.hpp"

namespace gradproof::check {

/// Each is a true gradient of the same op for the same cotangent; it is computed only when it is asked for.
std::vector<Alternative> alternatives(const Subject& s);

/// The attributes that are numbers other than 0.
std::vector<NamedNumber> numbers(const AnyAttrs& attrs);

}  // namespace gradproof::check
