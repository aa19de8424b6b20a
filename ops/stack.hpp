// Tensors of one shape joined along a new axis.
//
//   stack(std::vector{a, b, c}, {.axis = 0});     // three [T, C] -> [3, T, C]
#pragma once

#include <vector>

#include "gradproof/core/registry.hpp"

namespace gradproof {

struct StackAttrs {
    Index axis = 0;  ///< where the new axis stands in y
    static void fields(auto& a, auto&& f) { f("axis", a.axis); }
};

/// Tensors of one shape, each an entry of a new axis.
/// Shapes  N inputs of one shape -> y with an axis of size N more.
/// Errors  ShapeError for no inputs, shapes that differ, or rank 8; ValueError for an axis out of range.
template <Operand X>
X stack(const std::vector<X>& x, const StackAttrs& attrs = {});

}  // namespace gradproof
