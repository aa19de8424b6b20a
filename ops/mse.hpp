// Mean squared error.
#pragma once

#include "gradproof/core/registry.hpp"
#include "gradproof/ops/reduction.hpp"

namespace gradproof {

struct MseAttrs {
    Reduction reduction = Reduction::mean;
    static void fields(auto& a, auto&& f) { f("reduction", a.reduction); }
};

/// Squared error of x against a target, both differentiable.
/// Shapes  x any, target as x (no broadcasting) -> y [] (mean, sum) or as x (none).
/// Units   the square of x's unit.
/// Errors  ShapeError if the shapes differ.
template <Operand X>
X mse(const X& x, const X& target, const MseAttrs& attrs = {});

}  // namespace gradproof
