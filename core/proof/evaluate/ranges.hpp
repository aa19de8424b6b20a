// What the declared domains of the inputs say of the range of an expression.
//
//   range_of(*parse("abs(x) + 1"), proof).low;       // 1
#pragma once

#include <limits>

#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof {

struct Range {
    double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
};

/// Every entry of e lies in it, for all inputs as they are declared: of x ~ positive x is above 0.
Range range_of(const Expr& e, const Proof& proof);

}  // namespace gradproof::proof
