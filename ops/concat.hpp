// Tensors joined along an axis they have.
//
//   concat(std::vector{past, now}, {.axis = 1});     // [B, 3, C], [B, 1, C] -> [B, 4, C]
#pragma once

#include <vector>

#include "gradproof/core/registry.hpp"

namespace gradproof {

struct ConcatAttrs {
    Index axis = 0;
    static void fields(auto& a, auto&& f) { f("axis", a.axis); }
};

/// Tensors one after the other along one axis.
/// Shapes  x_i [..., N_i, ...], equal but for the axis -> y [..., sum of N_i, ...].
/// Errors  ShapeError for no inputs or sizes that differ elsewhere; ValueError for an axis out of range.
template <Operand X>
X concat(const std::vector<X>& x, const ConcatAttrs& attrs = {});

}  // namespace gradproof
