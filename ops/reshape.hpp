// The same values in another shape.
//
//   reshape(x, {.shape = {2, -1}});    // [4, 6] -> [2, 12]
#pragma once

#include "gradproof/core/registry.hpp"

namespace gradproof {

struct ReshapeAttrs {
    Axes shape{};  ///< sizes of y; one of them may be -1: whatever is left
    static void fields(auto& a, auto&& f) { f("shape", a.shape); }
};

/// The same values, in row-major order, in another shape. Nothing is copied: y shares the buffer of x.
/// Shapes  x any -> y `shape`, with as many elements.
/// Errors  ShapeError if the numbers of elements differ, a size is negative, or -1 stands twice or beside a size of 0.
template <Operand X>
X reshape(const X& x, const ReshapeAttrs& attrs);

}  // namespace gradproof
