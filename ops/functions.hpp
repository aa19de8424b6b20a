// Elementary functions on elements: exp, log, sqrt, erf, sin, cos, abs.
#pragma once

#include "gradproof/core/registry.hpp"

namespace gradproof {

/// Exponential.
/// Shapes  x any -> y as x.   Units  x in nats, y dimensionless.
template <Operand X>
X exp(const X& x, const NoFields& attrs = {});

/// Natural logarithm.
/// Shapes  x any -> y as x.   Units  x dimensionless, y in nats.
/// log 0 is -inf with an infinite slope, a negative x is NaN (IEEE 754), no error.
template <Operand X>
X log(const X& x, const NoFields& attrs = {});

/// Square root.
/// Shapes  x any -> y as x.   Units  the root of those of x.
/// The slope at 0 is infinite, a negative x is NaN (IEEE 754), no error.
template <Operand X>
X sqrt(const X& x, const NoFields& attrs = {});

/// Error function.
/// Shapes  x any -> y as x.   Units  x, y dimensionless.
template <Operand X>
X erf(const X& x, const NoFields& attrs = {});

/// Sine.
/// Shapes  x any -> y as x.   Units  x in radians, y dimensionless.
template <Operand X>
X sin(const X& x, const NoFields& attrs = {});

/// Cosine.
/// Shapes, Units  as sin.
template <Operand X>
X cos(const X& x, const NoFields& attrs = {});

/// Absolute value.
/// Shapes  x any -> y as x.   Units  as x.   Slope 0 at x = 0 (as PyTorch and JAX).
template <Operand X>
X abs(const X& x, const NoFields& attrs = {});

}  // namespace gradproof
