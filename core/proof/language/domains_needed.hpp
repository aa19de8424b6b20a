// Where values are to be drawn so that a forward has a value: x of \log x positive, p of \log p + \log(1 - p) between 0 and 1.
//
//   domain_needed(proof, "p")               // Domain::unit
#pragma once

#include <string>

#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof {

enum class Domain {
    all,
    positive,     ///< it, or an entry of it, is a term, or a factor, of what a logarithm, a root or a power is taken of
    unit,         ///< of that, 1 minus it, too
    sums_to_one,  ///< it weights logarithms of a softmax: \sum_k y_k \log p_k
};
Domain domain_needed(const Proof& proof, const std::string& name);

}  // namespace gradproof::proof
