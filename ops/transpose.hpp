// Permutation of axes.
//
//   transpose(x);                          // [2, 3] -> [3, 2]
//   transpose(x, {.perm = {0, 2, 1, 3}});  // [B, T, H, D] -> [B, H, T, D]
#pragma once

#include "gradproof/core/registry.hpp"

namespace gradproof {

struct TransposeAttrs {
    Axes perm{};  ///< axis i of y is axis perm[i] of x; empty reverses the axes
    static void fields(auto& a, auto&& f) { f("perm", a.perm); }
};

/// The axes in another order; a contiguous copy.
/// Shapes  x any -> y with the sizes of x in the order of perm.
/// Errors  ValueError unless perm names every axis once (negative ones count from the end).
template <Operand X>
X transpose(const X& x, const TransposeAttrs& attrs = {});

}  // namespace gradproof
