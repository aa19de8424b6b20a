// A choice by a mask: `where` between two tensors, and `masked_fill` between a tensor and a number.
//
//   select(a, b, {.mask = mask});                               // the op `where`: a where the mask is true, else b
//   masked_fill(scores, {.mask = future, .value = -INFINITY});
#pragma once

#include "gradproof/core/registry.hpp"

namespace gradproof {

struct WhereAttrs {
    Tensor<bool> mask{};
    static void fields(auto& a, auto&& f) { f("mask", a.mask); }
};

/// The op `where`: a where the mask is true, b where it is false. (The name `where` is the scalars' own.)
/// Shapes  a, b and mask broadcast to y.
/// Nothing is multiplied by 0: a NaN or infinity on the side not taken, or in its cotangent, stays there.
/// Errors  ShapeError if the three do not broadcast; ValueError for a missing mask.
template <Operand X>
X select(const X& a, const X& b, const WhereAttrs& attrs);

struct MaskedFillAttrs {
    Tensor<bool> mask{};  ///< true where the value goes
    double value = 0;
    static void fields(auto& a, auto&& f) {
        f("mask", a.mask);
        f("value", a.value);
    }
};

/// A number in place of the masked entries.
/// Shapes  x any, mask broadcasts to x -> y as x.
/// Errors  ShapeError if the mask does not broadcast to x; ValueError for a missing mask.
template <Operand X>
X masked_fill(const X& x, const MaskedFillAttrs& attrs);

}  // namespace gradproof
