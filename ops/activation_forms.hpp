// Activations as formulas: value and derivative (slope) of each, shared by the pages of activations and of linear.
//
//   forms::Silu::value(x);                      // x s(x)
//   forms::Silu::slope(x);                      // s (1 + x (1 - s)); where kOfOutput, slope takes the output
#pragma once

#include "gradproof/core/scalar.hpp"

namespace gradproof::forms {

/// Standard normal distribution function and density.
template <Scalar T>
T normal_cdf(const T& x) {
    return T(0.5) * erfc(x * T(-0.70710678118654752440L));
}
template <Scalar T>
T normal_density(const T& x) {
    return T(0.39894228040143267794L) * exp(T(-0.5) * x * x);
}

struct Tanh {
    static constexpr bool kOfOutput = true;
    template <Scalar T>
    static T value(const T& x) {
        return tanh(x);
    }
    template <Scalar T>
    static T slope(const T& y) {
        return T(1) - y * y;
    }
};

struct Sigmoid {
    static constexpr bool kOfOutput = true;
    template <Scalar T>
    static T value(const T& x) {
        return gradproof::sigmoid(x);
    }
    template <Scalar T>
    static T slope(const T& y) {
        return y * (T(1) - y);
    }
};

struct Relu {
    static constexpr bool kOfOutput = true;
    // max takes its first argument on a tie, the constant 0: slope 0 at the kink. A NaN stays NaN.
    template <Scalar T>
    static T value(const T& x) {
        return max(T(0), x);
    }
    template <Scalar T>
    static T slope(const T& y) {
        return where(y > T(0), T(1), T(0));
    }
};

// y = x P(x)  =>  y' = P(x) + x p(x)
struct Gelu {
    static constexpr bool kOfOutput = false;
    template <Scalar T>
    static T value(const T& x) {
        return x * normal_cdf(x);
    }
    template <Scalar T>
    static T slope(const T& x) {
        return normal_cdf(x) + x * normal_density(x);
    }
};

// y = x (1 + tanh(u)) / 2  =>  y' = (1 + t) / 2 + x (1 - t^2) u' / 2
struct GeluTanh {
    static constexpr bool kOfOutput = false;
    static constexpr double kSlope = 0.79788456080286535588, kCube = 0.044715;  // sqrt(2 / pi), and the paper's fit
    // From |u(20)| = 301 on tanh(u) is 1: beyond 20 nothing but an overflow of x^3 could change.
    template <Scalar T>
    static T clipped(const T& x) {
        return max(min(x, T(20)), T(-20));
    }
    template <Scalar T>
    static T u(const T& x) {
        return T(kSlope) * (x + T(kCube) * x * x * x);
    }
    template <Scalar T>
    static T value(const T& x) {
        return T(0.5) * x * (T(1) + tanh(u(clipped(x))));
    }
    template <Scalar T>
    static T slope(const T& x) {
        const T z = clipped(x), t = tanh(u(z));
        const T du = T(kSlope) * (T(1) + T(3 * kCube) * z * z);
        return T(0.5) * (T(1) + t + z * (T(1) - t * t) * du);
    }
};

struct Silu {
    static constexpr bool kOfOutput = false;
    template <Scalar T>
    static T value(const T& x) {
        return x * gradproof::sigmoid(x);
    }
    template <Scalar T>
    static T slope(const T& x) {
        const T s = gradproof::sigmoid(x);
        return s * (T(1) + x * (T(1) - s));
    }
};

}  // namespace gradproof::forms
