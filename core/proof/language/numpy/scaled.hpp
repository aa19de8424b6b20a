// Products that numbers scale, q @ k.T / np.sqrt(d), and what a value was before a line gave its name another.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof::numpy {

/// A product as numbers with the sign before each, "/sqrt(d)", and what they scale.
struct Scaled {
    std::multiset<std::string> by;
    ExprPtr what, whole;  ///< the second with the first as one of its factors
};
/// `written_out` says what names in a number stand for: 1 / np.sqrt(Q.shape[1]) of a scale.
Scaled scaled(const ExprPtr& e, const Proof& proof, const std::function<ExprPtr(const ExprPtr&)>& written_out);

/// What the name of the value stood for before, where the value is computed of that: (h of line 3); else "".
std::string earlier_value(const Assignment& a);

}  // namespace gradproof::proof::numpy
