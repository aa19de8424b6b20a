// Reductions over axes, as ops: sum, mean, max, var, logsumexp.
//
//   sum(x, {.axes = {1}});                       // [3, 5] -> [3]; with .keep_dims = true -> [3, 1]
//   sum(x, Axes{1});                             // core/algebra.hpp, not recorded on a tape: always [3, 1]
//
// The mean of no elements is an error here, and 0 in core/algebra.hpp.
#pragma once

#include "gradproof/core/registry.hpp"

namespace gradproof {

struct ReduceAttrs {
    Axes axes{};  ///< empty for all
    bool keep_dims = false;
    static void fields(auto& a, auto&& f) {
        f("axes", a.axes);
        f("keep_dims", a.keep_dims);
    }
};

/// Sum over axes.
/// Shapes  x any -> y without the axes, or with size 1 in their place.
/// Units   as x.   A row without elements sums to 0.
/// Errors  ValueError for an axis out of range or named twice.
template <Operand X>
X sum(const X& x, const ReduceAttrs& attrs = {});

/// Mean over axes.
/// Shapes, Units  as sum.
/// Errors  as sum; ShapeError for rows without elements.
template <Operand X>
X mean(const X& x, const ReduceAttrs& attrs = {});

/// Maximum over axes.
/// Shapes, Units  as sum.
/// Errors  as mean.   Equal largest elements share the gradient evenly (as amax of PyTorch and max of JAX). NaN wins.
template <Operand X>
X max(const X& x, const ReduceAttrs& attrs = {});

struct VarAttrs {
    Axes axes{};  ///< empty for all
    bool keep_dims = false;
    double correction = 0;  ///< 0 for the variance of the values, 1 for Bessel's estimate from a sample
    static void fields(auto& a, auto&& f) {
        f("axes", a.axes);
        f("keep_dims", a.keep_dims);
        f("correction", a.correction);
    }
};

/// Variance over axes, in two passes.
/// Shapes  as sum.   Units  those of x squared.
/// Errors  as sum; ShapeError unless n > correction; ValueError for a correction that is negative or not finite.
template <Operand X>
X var(const X& x, const VarAttrs& attrs = {});

/// Logarithm of the sum of exponentials over axes.
/// Shapes  as sum.   Units  nats.   Errors  as sum.
/// An infinite y (a row of -inf only, of no elements, or with +inf) is returned as it is, with a gradient of 0.
template <Operand X>
X logsumexp(const X& x, const ReduceAttrs& attrs = {});

}  // namespace gradproof
