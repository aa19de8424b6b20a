// Products that numbers scale, q @ k.T / np.sqrt(d), and what a value was before a line gave its name another.
#pragma once

#include <set>
#include <string>

#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof::numpy {

/// A product as numbers with the sign before each, "/sqrt(d)", and what they scale.
struct Scaled {
    std::multiset<std::string> by;
    ExprPtr what, whole;  ///< the second with the first as one of its factors
};

/// What the name of the value stood for before, where the value is computed of that: (h of line 3); else "".
std::string earlier_value(const Assignment& a);

}  // namespace gradproof::proof::numpy
