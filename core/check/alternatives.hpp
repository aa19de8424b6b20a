// The gradients that a backward may have been written for in the place of its own: with other attributes, at other inputs.
#pragma once

#include "gradproof/core/check/diagnosis.hpp"
#include "gradproof/core/check/subject.hpp"

namespace gradproof::check {

/// Each is the true gradient of the same op for the same cotangent; none is worked out before it is asked for.
std::vector<Alternative> alternatives(const Subject& s);

/// The attributes that are numbers other than 0.
std::vector<NamedNumber> numbers(const AnyAttrs& attrs);

}  // namespace gradproof::check
