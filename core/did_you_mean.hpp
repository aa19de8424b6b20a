// The end of an error line about a name that is not known.
//
//   value_error("no op named {}{}", name, did_you_mean(name, known));      // no op named sofmax; did you mean softmax
#pragma once

#include <string>

#include "gradproof/core/errors.hpp"

namespace gradproof {

/// "; did you mean X", or `otherwise` if no candidate is near.
template <class Range>
std::string did_you_mean(const std::string& word, const Range& candidates, const std::string& otherwise = "") {
    const std::string near = nearest(word, candidates);
    return near.empty() ? otherwise : "; did you mean " + near;
}

}  // namespace gradproof
