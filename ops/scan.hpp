// Running sums and products along an axis.
#pragma once

#include "gradproof/core/registry.hpp"

namespace gradproof {

struct ScanAttrs {
    Index axis = -1;
    static void fields(auto& a, auto&& f) { f("axis", a.axis); }
};

/// Running sum along one axis: entry i is the sum of entries 0 to i.
/// Shapes  x any but a scalar -> y as x.   Units  as x.   Errors  ValueError for an axis out of range.
template <Operand X>
X cumsum(const X& x, const ScanAttrs& attrs = {});

/// Running product along one axis: entry i is the product of entries 0 to i. Its gradient is exact even if entries are 0.
/// Shapes, Errors  as cumsum.   x is dimensionless.
template <Operand X>
X cumprod(const X& x, const ScanAttrs& attrs = {});

}  // namespace gradproof
