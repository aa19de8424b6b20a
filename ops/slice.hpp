// A range of one axis.
//
//   slice(x, {.axis = 1, .start = 2, .stop = -1, .step = 3});     // x[:, 2:-1:3]
#pragma once

#include <optional>

#include "gradproof/core/registry.hpp"

namespace gradproof {

struct SliceAttrs {
    Index axis = 0;
    Index start = 0;                 ///< first entry taken; negative counts from the end
    std::optional<Index> stop = {};  ///< first entry not taken any more; none: the end of the axis
    Index step = 1;                  ///< at least 1
    static void fields(auto& a, auto&& f) {
        f("axis", a.axis);
        f("start", a.start);
        f("stop", a.stop);
        f("step", a.step);
    }
};

/// Every step-th entry of one axis from start up to, not including, stop; a copy.
/// Shapes  x [..., N, ...] -> y [..., ceil((stop - start) / step), ...].
/// Errors  ValueError for a bound outside [-N, N], start after stop, or a step below 1. NumPy would clamp them without a word.
template <Operand X>
X slice(const X& x, const SliceAttrs& attrs);

}  // namespace gradproof
