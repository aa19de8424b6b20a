// Dual numbers: exact derivatives, conventions at singular points, and xtensor's view of them.
#include "gradproof/core/scalar.hpp"

#include <gtest/gtest.h>

#include "gradproof/core/xt.hpp"

namespace gradproof {
namespace {

using Dd = Dual<double>;

/// The tangent of f at x against a central difference, to the difference's own accuracy.
template <class F>
void expect_derivative(const char* name, F&& f, double x) {
    const double h = std::cbrt(std::numeric_limits<double>::epsilon()) * std::max(1.0, std::abs(x));
    const double difference = (f(x + h) - f(x - h)) / (2 * h);
    const Dd y = f(Dd{x, 1.0});
    EXPECT_EQ(y.value, f(x)) << name;
    EXPECT_NEAR(y.tangent, difference, 1e-8 * std::max(1.0, std::abs(difference))) << name;  // 9e-10 at worst
}

TEST(Dual, EveryFunctionCarriesItsDerivative) {
    for (const double x : {0.3, 1.7, 2.9}) {
        expect_derivative(
            "exp", [](auto t) { return exp(t); }, x);
        expect_derivative(
            "expm1", [](auto t) { return expm1(t); }, x);
        expect_derivative(
            "log", [](auto t) { return log(t); }, x);
        expect_derivative(
            "log1p", [](auto t) { return log1p(t); }, x);
        expect_derivative(
            "sqrt", [](auto t) { return sqrt(t); }, x);
        expect_derivative(
            "sin", [](auto t) { return sin(t); }, x);
        expect_derivative(
            "cos", [](auto t) { return cos(t); }, x);
        expect_derivative(
            "tanh", [](auto t) { return tanh(t); }, x);
        expect_derivative(
            "erf", [](auto t) { return erf(t); }, x);
        expect_derivative(
            "abs", [](auto t) { return abs(t); }, -x);
        expect_derivative(
            "pow", [](auto t) { return pow(t, 2.5); }, x);
        expect_derivative(
            "quotient", [](auto t) { return (t * t - 2.0) / (t + 3.0) - 1.0 / t; }, x);
    }
}

TEST(Dual, OfDualsKeepsASlopeWhoseValueIsZero) {
    const Dual<Dd> x{{0, 1}, {1, 0}};
    EXPECT_EQ(exp(x * x).tangent.tangent, 2);  // exp(x^2)'' at 0, where the slope of x^2 is 0
    EXPECT_EQ(pow(x, 2.0).tangent.tangent, 2);
    EXPECT_EQ(tanh(x * x * x).tangent.tangent, 0);
    EXPECT_EQ(primal(exp(x)), 1);
}

TEST(Dual, SingularPointsFollowTheStatedConvention) {
    EXPECT_EQ(abs(Dd{0.0, 1.0}).tangent, 0.0);
    EXPECT_EQ(sqrt(Dd{0.0, 0.0}).tangent, 0.0);  // a constant stays one
    EXPECT_TRUE(std::isinf(sqrt(Dd{0.0, 1.0}).tangent));
    EXPECT_EQ(pow(Dd{2.0, 1.0}, 0.0).tangent, 0.0);
    EXPECT_EQ(max(Dd{1.0, 3.0}, Dd{1.0, 5.0}).tangent, 3.0);  // the first where they tie
}

TEST(Dual, IsAScalarToXtensor) {
    Tensor<Dd> x = Tensor<Dd>::from({2, 2}, {Dd{-5, 1}, Dd{-3, 2}, Dd{-4, 3}, Dd{-6, 4}});
    Tensor<Dd> m({2, 1});
    xt::noalias(array(m)) = xt::amax(array(x), {1}, kKeep);
    EXPECT_EQ(m[0].value, -3);  // 0 would show that the limits of a dual are wrong
    EXPECT_EQ(m[0].tangent, 2);
    EXPECT_EQ(m[1].value, -4);
    const Tensor<Dd> y = evaluate(xt::exp(array(x) - array(m)) * 2.0);
    EXPECT_NEAR(y[0].tangent, 2 * std::exp(-2.0) * (1 - 2), 1e-15);
}

}  // namespace
}  // namespace gradproof
