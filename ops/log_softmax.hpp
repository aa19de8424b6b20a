// Log-softmax along any axis, with temperature.
#pragma once

#include "gradproof/core/registry.hpp"

namespace gradproof {

struct LogSoftmaxAttrs {
    Index axis = -1;
    double temperature = 1;
    static void fields(auto& a, auto&& f) {
        f("axis", a.axis);
        f("temperature", a.temperature);
    }
};

/// Logarithm of the softmax along one axis, without ever taking the logarithm of a small weight.
/// Shapes  x any, rank >= 1 -> y as x.
/// Units   y in nats, exp(y) sums to 1 along the axis.
/// Errors  ValueError for an axis out of range or a temperature that is not positive and finite.
template <Operand X>
X log_softmax(const X& x, const LogSoftmaxAttrs& attrs = {});

}  // namespace gradproof
