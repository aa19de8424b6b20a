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
///   y = mean((x - target)^2)
///   dx = 2 (x - target) dy/N;  dtarget = -dx
/// Shapes  x any, target as x (no broadcasting) -> y [] (mean, sum) or as x (none).
/// Units   the square of x's unit.   Saves  x - target.
/// Errors  ShapeError if the shapes differ.
/// Source  Legendre 1805; the mean of no elements is 0.
template <Operand X>
X mse(const X& x, const X& target, const MseAttrs& attrs = {});

}  // namespace gradproof
