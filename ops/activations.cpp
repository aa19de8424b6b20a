// Activations: formula, slope, samples, registration of tanh, sigmoid, relu, gelu, silu, softplus.
#include "ops/activations.hpp"

#include "ops/map.hpp"

namespace gradproof {
namespace {

struct Tanh : Unary<Tanh, Keep::output> {
    static constexpr OpInfo info{.name = "tanh", .inputs = "x", .forward = "y = tanh(x)", .backward = "dx = (1 - y^2) dy",
                                 .saves = "y", .source = "elementary calculus"};
    template <Scalar T> static T value(const T& x) { return tanh(x); }
    template <Scalar T> static T slope(const T& y) { return T(1) - y * y; }
    static auto fast_value(const Attrs&, const auto& k) { return k.tanh; }
    static auto fast_slope(const Attrs&, const auto& k) { return k.tanh_backward; }
    static std::vector<Sample<Tanh>> samples() {
        auto out = unary_samples<Tanh>();
        out.push_back({"saturated", {}, {Tensor<double>::from({2, 3}, {1e30, -1e30, 40, -40, INFINITY, -INFINITY})},
                       {.finite_differences = true, .zero_gradient = true, .why = "the slope is 0 to rounding"}});
        return out;
    }
};

/// -|x|, with the slope of -x at 0: exp(-|x|) must not lose it there.
template <Scalar T>
T minus_abs(const T& x) {
    return where(x >= T(0), -x, x);
}
/// With e = exp(-|x|): 1 / (1 + e) for x >= 0, and e / (1 + e) for x < 0.
template <Scalar T>
T logistic(const T& x) {
    const T e = exp(minus_abs(x));
    return where(x >= T(0), T(1), e) / (T(1) + e);
}

struct Sigmoid : Unary<Sigmoid, Keep::output> {
    static constexpr OpInfo info{.name = "sigmoid", .inputs = "x", .forward = "y = 1 / (1 + exp(-x))", .backward = "dx = y (1 - y) dy",
                                 .saves = "y", .source = "elementary calculus"};
    template <Scalar T> static T value(const T& x) { return logistic(x); }
    template <Scalar T> static T slope(const T& y) { return y * (T(1) - y); }
    static auto fast_value(const Attrs&, const auto& k) { return k.sigmoid; }
    static auto fast_slope(const Attrs&, const auto& k) { return k.sigmoid_backward; }
    static std::vector<Sample<Sigmoid>> samples() {
        auto out = unary_samples<Sigmoid>();
        out.push_back({"zeros", {}, {Tensor<double>::from({2}, {0.0, -0.0})}});
        out.push_back({"saturated", {}, {Tensor<double>::from({2, 3}, {1e30, -1e30, 1e3, -1e3, INFINITY, -INFINITY})},
                       {.finite_differences = true, .zero_gradient = true, .why = "the slope is 0 to rounding"}});
        return out;
    }
};

struct Relu : Unary<Relu, Keep::output> {
    static constexpr OpInfo info{.name = "relu", .inputs = "x", .forward = "y = max(x, 0)", .backward = "dx = dy where y > 0, else 0",
                                 .saves = "y", .source = "Nair and Hinton 2010"};
    // max takes its first argument on a tie, the constant 0: slope 0 at the kink. A NaN stays NaN.
    template <Scalar T> static T value(const T& x) { return max(T(0), x); }
    template <Scalar T> static T slope(const T& y) { return where(y > T(0), T(1), T(0)); }
    static auto fast_value(const Attrs&, const auto& k) { return k.relu; }
    static auto fast_slope(const Attrs&, const auto& k) { return k.relu_backward; }
    static std::vector<Sample<Relu>> samples() {
        auto out = unary_samples<Relu>(Draw::nonzero);
        out.push_back({"kink", {}, {Tensor<double>::from({4}, {0, 1.5, -0.0, -2})},
                       {.finite_differences = true, .why = "slopes to the left and right of 0 differ"}});
        return out;
    }
};

/// Standard normal distribution function and density.
template <Scalar T>
T normal_cdf(const T& x) {
    return T(0.5) * erfc(x * T(-0.70710678118654752440L));
}
template <Scalar T>
T normal_density(const T& x) {
    return T(0.39894228040143267794L) * exp(T(-0.5) * x * x);
}

struct Gelu : Unary<Gelu, Keep::input, GeluAttrs> {
    static constexpr OpInfo info{.name = "gelu", .inputs = "x", .forward = "y = x P(x), or x (1 + tanh(u)) / 2",
                                 .backward = "dx = (P(x) + x p(x)) dy, or (1 + t + x (1 - t^2) u') / 2 dy, t = tanh(u)", .saves = "x",
                                 .source = "Hendrycks and Gimpel 2016"};
    static constexpr double kSlope = 0.79788456080286535588, kCube = 0.044715;  // sqrt(2 / pi), and the paper's fit
    // From |u(20)| = 301 on tanh(u) is 1: beyond 20 nothing but an overflow of x^3 could change.
    template <Scalar T> static T clipped(const T& x) { return max(min(x, T(20)), T(-20)); }
    template <Scalar T> static T u(const T& x) { return T(kSlope) * (x + T(kCube) * x * x * x); }
    template <Scalar T>
    static T value(const Attrs& a, const T& x) {
        if (a.form == GeluForm::exact) return x * normal_cdf(x);
        return T(0.5) * x * (T(1) + tanh(u(clipped(x))));
    }
    // y = x P(x)               =>  y' = P(x) + x p(x)
    // y = x (1 + tanh(u)) / 2  =>  y' = (1 + t) / 2 + x (1 - t^2) u' / 2
    template <Scalar T>
    static T slope(const Attrs& a, const T& x) {
        if (a.form == GeluForm::exact) return normal_cdf(x) + x * normal_density(x);
        const T z = clipped(x), t = tanh(u(z));
        const T du = T(kSlope) * (T(1) + T(3 * kCube) * z * z);
        return T(0.5) * (T(1) + t + z * (T(1) - t * t) * du);
    }
    static auto fast_value(const Attrs& a, const auto& k) { return a.form == GeluForm::tanh ? k.gelu_tanh : k.gelu; }
    static auto fast_slope(const Attrs& a, const auto& k) { return a.form == GeluForm::tanh ? k.gelu_tanh_backward : k.gelu_backward; }
    static std::vector<Sample<Gelu>> samples() {
        auto out = unary_samples<Gelu>();
        out.push_back({"tanh form", {.form = GeluForm::tanh}, {{3, 4}}});
        out.push_back({"far out", {}, {Tensor<double>::from({2, 2}, {30, -30, 6, -6})}});
        out.push_back({"far out, tanh form", {.form = GeluForm::tanh}, {Tensor<double>::from({2, 2}, {30, -30, 6, -6})}});
        return out;
    }
};

struct Silu : Unary<Silu, Keep::input> {
    static constexpr OpInfo info{.name = "silu", .inputs = "x", .forward = "y = x s, s = 1 / (1 + exp(-x))",
                                 .backward = "dx = s (1 + x (1 - s)) dy", .saves = "x", .source = "Elfwing et al. 2017"};
    template <Scalar T> static T value(const T& x) { return x * logistic(x); }
    template <Scalar T>
    static T slope(const T& x) {
        const T s = logistic(x);
        return s * (T(1) + x * (T(1) - s));
    }
    static auto fast_value(const Attrs&, const auto& k) { return k.silu; }
    static auto fast_slope(const Attrs&, const auto& k) { return k.silu_backward; }
    static std::vector<Sample<Silu>> samples() {
        auto out = unary_samples<Silu>();
        out.push_back({"zeros and far out", {}, {Tensor<double>::from({2, 2}, {0.0, -0.0, 50, -50})}});
        return out;
    }
};

struct Softplus : Unary<Softplus, Keep::output> {
    static constexpr OpInfo info{.name = "softplus", .inputs = "x", .forward = "y = log(1 + exp(x))",
                                 .backward = "dx = (1 - exp(-y)) dy", .saves = "y", .source = "Dugas et al. 2001"};
    template <Scalar T> static T value(const T& x) { return where(x >= T(0), x, T(0)) + log1p(exp(minus_abs(x))); }
    // exp(y) = 1 + exp(x), so  y' = exp(x) / (1 + exp(x)) = 1 - exp(-y).
    template <Scalar T> static T slope(const T& y) { return -expm1(-y); }
    static std::vector<Sample<Softplus>> samples() {
        auto out = unary_samples<Softplus>();
        out.push_back({"zeros and far out", {}, {Tensor<double>::from({2, 2}, {0.0, -0.0, 50, -50})}});
        out.push_back({"infinite", {}, {Tensor<double>::from({2, 2}, {1e30, -1e30, INFINITY, -INFINITY})},
                       {.finite_differences = true, .why = "a step of relative size 1e-3 moves 1e30 by 1e27"}});
        return out;
    }
};

}  // namespace

GRADPROOF_OP(Tanh);
GRADPROOF_OP(Sigmoid);
GRADPROOF_OP(Relu);
GRADPROOF_OP(Gelu);
GRADPROOF_OP(Silu);
GRADPROOF_OP(Softplus);
GRADPROOF_FUNCTION_1(tanh, Tanh);
GRADPROOF_FUNCTION_1(sigmoid, Sigmoid);
GRADPROOF_FUNCTION_1(relu, Relu);
GRADPROOF_FUNCTION_1(gelu, Gelu);
GRADPROOF_FUNCTION_1(silu, Silu);
GRADPROOF_FUNCTION_1(softplus, Softplus);

}  // namespace gradproof
