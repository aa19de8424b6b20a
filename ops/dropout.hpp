// Dropout with a given mask, which the caller draws, so that a step can be repeated.
//
//   dropout(x, {.mask = keep, .p = 0.1});     // about 10 % of keep is false
#pragma once

#include "gradproof/core/registry.hpp"

namespace gradproof {

struct DropoutAttrs {
    Tensor<bool> mask{};  ///< true where x is kept
    double p = 0.5;       ///< the probability with which the mask was drawn false
    static void fields(auto& a, auto&& f) {
        f("mask", a.mask);
        f("p", a.p);
    }
};

/// Drops entries and scales up the others, so that the mean over masks is x.
/// Shapes  x any, mask as x -> y as x.   Units  p probability.
/// Nothing is multiplied by 0: a NaN or infinity in a dropped entry does not show.
/// Errors  ShapeError if the mask is not of the shape of x; ValueError for a missing mask or p outside [0, 1).
template <Operand X>
X dropout(const X& x, const DropoutAttrs& attrs);

}  // namespace gradproof
