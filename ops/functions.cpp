// Elementary functions: formula, slope, samples, registration of exp, log, sqrt, erf, sin, cos, abs.
#include "gradproof/ops/functions.hpp"

#include "gradproof/ops/map.hpp"

namespace gradproof {
namespace {

struct Exp : Unary<Exp, Keep::output> {
    static constexpr OpInfo info{"exp", "x", "y = exp(x)", "dx = y dy", "y", "elementary calculus"};
    template <Scalar T>
    static T value(const T& x) {
        return exp(x);
    }
    template <Scalar T>
    static T slope(const T& y) {
        return y;
    }
    static std::vector<Sample<Exp>> samples() {
        auto out = unary_samples<Exp>();
        out.push_back({"vanishing",
                       {},
                       {Tensor<double>::from({2}, {-INFINITY, -1e30})},
                       {.finite_differences = true, .zero_gradient = true, .why = "exp(-inf) is 0 with slope 0"}});
        return out;
    }
};

struct Log : Unary<Log, Keep::input> {
    static constexpr OpInfo info{"log", "x", "y = log(x)", "dx = dy / x", "x", "elementary calculus"};
    template <Scalar T>
    static T value(const T& x) {
        return log(x);
    }
    template <Scalar T>
    static T slope(const T& x) {
        return T(1) / x;
    }
    static std::vector<Sample<Log>> samples() { return unary_samples<Log>(Distribution::positive); }
};

struct Sqrt : Unary<Sqrt, Keep::output> {
    static constexpr OpInfo info{"sqrt", "x", "y = sqrt(x)", "dx = dy / (2 y)", "y", "elementary calculus"};
    template <Scalar T>
    static T value(const T& x) {
        return sqrt(x);
    }
    template <Scalar T>
    static T slope(const T& y) {
        return T(0.5) / y;
    }
    static std::vector<Sample<Sqrt>> samples() { return unary_samples<Sqrt>(Distribution::positive); }
};

struct Erf : Unary<Erf, Keep::input> {
    static constexpr OpInfo info{
        "erf", "x", "y = erf(x)", "dx = 2 / sqrt(pi) exp(-x^2) dy", "x", "Abramowitz and Stegun 1964, 7.1.1"};
    template <Scalar T>
    static T value(const T& x) {
        return erf(x);
    }
    template <Scalar T>
    static T slope(const T& x) {
        return T(1.12837916709551257390) * exp(-x * x);
    }
    static std::vector<Sample<Erf>> samples() { return unary_samples<Erf>(); }
};

struct Sin : Unary<Sin, Keep::input> {
    static constexpr OpInfo info{"sin", "x", "y = sin(x)", "dx = cos(x) dy", "x", "elementary calculus"};
    template <Scalar T>
    static T value(const T& x) {
        return sin(x);
    }
    template <Scalar T>
    static T slope(const T& x) {
        return cos(x);
    }
    static std::vector<Sample<Sin>> samples() { return unary_samples<Sin>(); }
};

struct Cos : Unary<Cos, Keep::input> {
    static constexpr OpInfo info{"cos", "x", "y = cos(x)", "dx = -sin(x) dy", "x", "elementary calculus"};
    template <Scalar T>
    static T value(const T& x) {
        return cos(x);
    }
    template <Scalar T>
    static T slope(const T& x) {
        return -sin(x);
    }
    static std::vector<Sample<Cos>> samples() { return unary_samples<Cos>(); }
};

struct Abs : Unary<Abs, Keep::input> {
    static constexpr OpInfo info{"abs", "x", "y = |x|", "dx = sign(x) dy", "x", "elementary calculus"};
    template <Scalar T>
    static T value(const T& x) {
        return abs(x);
    }
    // At the kink 0 the slope is 0, in the middle of its two sides.
    template <Scalar T>
    static T slope(const T& x) {
        return where(x > T(0), T(1), where(x < T(0), T(-1), T(0)));
    }
    static std::vector<Sample<Abs>> samples() {
        auto out = unary_samples<Abs>(Distribution::nonzero);
        out.push_back({"kink",
                       {},
                       {Tensor<double>::from({3}, {0, 1.5, -2})},
                       {.finite_differences = true, .why = "slopes to the left and right of 0 differ"}});
        return out;
    }
};

}  // namespace

GRADPROOF_OP(Exp);
GRADPROOF_OP(Log);
GRADPROOF_OP(Sqrt);
GRADPROOF_OP(Erf);
GRADPROOF_OP(Sin);
GRADPROOF_OP(Cos);
GRADPROOF_OP(Abs);
GRADPROOF_FUNCTION_1(exp, Exp);
GRADPROOF_FUNCTION_1(log, Log);
GRADPROOF_FUNCTION_1(sqrt, Sqrt);
GRADPROOF_FUNCTION_1(erf, Erf);
GRADPROOF_FUNCTION_1(sin, Sin);
GRADPROOF_FUNCTION_1(cos, Cos);
GRADPROOF_FUNCTION_1(abs, Abs);

}  // namespace gradproof
