// Elementary functions on elements: exp, log, sqrt, erf, sin, cos, abs.
#pragma once

#include "gradproof/core/registry.hpp"

namespace gradproof {

/// Exponential.
///   y = exp(x);  dx = y dy
/// Shapes  x any -> y as x.   Units  x in nats, y dimensionless.   Saves  y.   Source  elementary calculus.
template <Operand X>
X exp(const X& x, const NoFields& attrs = {});

/// Natural logarithm.
///   y = log(x);  dx = dy / x
/// Shapes  x any -> y as x.   Units  x dimensionless, y in nats.   Saves  x.   Source  elementary calculus.
/// log 0 is -inf with an infinite slope, a negative x is NaN (IEEE 754), no error.
template <Operand X>
X log(const X& x, const NoFields& attrs = {});

/// Square root.
///   y = sqrt(x);  dx = dy / (2 y)
/// Shapes  x any -> y as x.   Units  the root of those of x.   Saves  y.   Source  elementary calculus.
/// The slope at 0 is infinite, a negative x is NaN (IEEE 754), no error.
template <Operand X>
X sqrt(const X& x, const NoFields& attrs = {});

/// Error function.
///   y = erf(x) = 2 / sqrt(pi) integral of exp(-t^2) from 0 to x;  dx = 2 / sqrt(pi) exp(-x^2) dy
/// Shapes  x any -> y as x.   Units  x, y dimensionless.   Saves  x.   Source  Abramowitz and Stegun 1964, 7.1.1.
template <Operand X>
X erf(const X& x, const NoFields& attrs = {});

/// Sine.
///   y = sin(x);  dx = cos(x) dy
/// Shapes  x any -> y as x.   Units  x in radians, y dimensionless.   Saves  x.   Source  elementary calculus.
template <Operand X>
X sin(const X& x, const NoFields& attrs = {});

/// Cosine.
///   y = cos(x);  dx = -sin(x) dy
/// Shapes, Units, Saves, Source  as sin.
template <Operand X>
X cos(const X& x, const NoFields& attrs = {});

/// Absolute value.
///   y = |x|;  dx = sign(x) dy
/// Shapes  x any -> y as x.   Units  as x.   Saves  x.   Slope 0 at x = 0 (as PyTorch and JAX).
/// Source  elementary calculus.
template <Operand X>
X abs(const X& x, const NoFields& attrs = {});

}  // namespace gradproof
