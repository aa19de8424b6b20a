// Softmax along any axis, with temperature, and its Jacobian as a matrix. log_softmax is in log_softmax.hpp.
#pragma once

#include "gradproof/core/registry.hpp"

namespace gradproof {

struct SoftmaxAttrs {
    Index axis = -1;
    double temperature = 1;
    static void fields(auto& a, auto&& f) {
        f("axis", a.axis);
        f("temperature", a.temperature);
    }
};

/// Softmax along one axis.
/// Shapes  x any, rank >= 1 -> y as x.
/// Units   y dimensionless, sums to 1 along the axis.
/// Errors  ValueError for an axis out of range or a temperature that is not positive and finite.
template <Operand X>
X softmax(const X& x, const SoftmaxAttrs& attrs = {});

/// diag(p) - p pᵀ: the Jacobian of the softmax of one row, from its output p.
/// Shapes  p [n] -> [n, n].   Errors  ShapeError unless p has rank 1.
template <Scalar T>
Tensor<T> softmax_jacobian(const Tensor<T>& p);

}  // namespace gradproof
