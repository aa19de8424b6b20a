// Activations: formula, slope, samples, registration of tanh, sigmoid, relu, gelu, silu, softplus.
#include "gradproof/ops/activations.hpp"

#include "gradproof/ops/activation_forms.hpp"
#include "gradproof/ops/map.hpp"

namespace gradproof {
namespace {

/// An op whose formula is in ops/activation_forms.hpp.
template <class Form, class Op>
struct ActivationOp : Unary<Op, Form::kOfOutput ? Keep::output : Keep::input> {
    template <Scalar T>
    static T value(const T& x) {
        return Form::value(x);
    }
    template <Scalar T>
    static T slope(const T& kept) {
        return Form::slope(kept);
    }
};

struct Tanh : ActivationOp<forms::Tanh, Tanh> {
    static constexpr OpInfo info{"tanh", "x", "y = tanh(x)", "dx = (1 - y^2) dy", "y", "elementary calculus"};
    static std::vector<Sample<Tanh>> samples() {
        auto out = unary_samples<Tanh>();
        out.push_back({"saturated",
                       {},
                       {Tensor<double>::from({2, 3}, {1e30, -1e30, 40, -40, INFINITY, -INFINITY})},
                       {.finite_differences = true, .zero_gradient = true, .why = "the slope is 0 to rounding"}});
        return out;
    }
};

struct Sigmoid : ActivationOp<forms::Sigmoid, Sigmoid> {
    static constexpr OpInfo info{"sigmoid", "x", "y = 1 / (1 + exp(-x))", "dx = y (1 - y) dy", "y", "elementary calculus"};
    static std::vector<Sample<Sigmoid>> samples() {
        auto out = unary_samples<Sigmoid>();
        out.push_back({"zeros", {}, {Tensor<double>::from({2}, {0.0, -0.0})}});
        out.push_back({"saturated",
                       {},
                       {Tensor<double>::from({2, 3}, {1e30, -1e30, 1e3, -1e3, INFINITY, -INFINITY})},
                       {.finite_differences = true, .zero_gradient = true, .why = "the slope is 0 to rounding"}});
        return out;
    }
};

struct Relu : ActivationOp<forms::Relu, Relu> {
    static constexpr OpInfo info{"relu", "x", "y = max(x, 0)", "dx = dy where y > 0, else 0", "y", "Nair and Hinton 2010"};
    static std::vector<Sample<Relu>> samples() {
        auto out = unary_samples<Relu>(Distribution::nonzero);
        out.push_back({"kink",
                       {},
                       {Tensor<double>::from({4}, {0, 1.5, -0.0, -2})},
                       {.finite_differences = true, .why = "slopes to the left and right of 0 differ"}});
        return out;
    }
};

struct Gelu : Unary<Gelu, Keep::input, GeluAttrs> {
    static constexpr OpInfo info{"gelu",
                                 "x",
                                 "y = x P(x), or x (1 + tanh(u)) / 2",
                                 "dx = (P(x) + x p(x)) dy, or (1 + t + x (1 - t^2) u') / 2 dy, t = tanh(u)",
                                 "x",
                                 "Hendrycks and Gimpel 2016"};
    template <Scalar T>
    static T value(const Attrs& a, const T& x) {
        return a.form == GeluForm::tanh ? forms::GeluTanh::value(x) : forms::Gelu::value(x);
    }
    template <Scalar T>
    static T slope(const Attrs& a, const T& x) {
        return a.form == GeluForm::tanh ? forms::GeluTanh::slope(x) : forms::Gelu::slope(x);
    }
    static std::vector<Sample<Gelu>> samples() {
        auto out = unary_samples<Gelu>();
        out.push_back({"tanh form", {.form = GeluForm::tanh}, {{3, 4}}});
        out.push_back({"far out", {}, {Tensor<double>::from({2, 2}, {30, -30, 6, -6})}});
        out.push_back({"far out, tanh form", {.form = GeluForm::tanh}, {Tensor<double>::from({2, 2}, {30, -30, 6, -6})}});
        return out;
    }
};

struct Silu : ActivationOp<forms::Silu, Silu> {
    static constexpr OpInfo info{
        "silu", "x", "y = x s, s = 1 / (1 + exp(-x))", "dx = s (1 + x (1 - s)) dy", "x", "Elfwing et al. 2017"};
    static std::vector<Sample<Silu>> samples() {
        auto out = unary_samples<Silu>();
        out.push_back({"zeros and far out", {}, {Tensor<double>::from({2, 2}, {0.0, -0.0, 50, -50})}});
        return out;
    }
};

struct Softplus : Unary<Softplus, Keep::output> {
    static constexpr OpInfo info{"softplus", "x", "y = log(1 + exp(x))", "dx = (1 - exp(-y)) dy", "y", "Dugas et al. 2001"};
    template <Scalar T>
    static T value(const T& x) {
        return where(x >= T(0), x, T(0)) + log1p(exp(minus_abs(x)));
    }
    // exp(y) = 1 + exp(x), so  y' = exp(x) / (1 + exp(x)) = 1 - exp(-y).
    template <Scalar T>
    static T slope(const T& y) {
        return -expm1(-y);
    }
    static std::vector<Sample<Softplus>> samples() {
        auto out = unary_samples<Softplus>();
        out.push_back({"zeros and far out", {}, {Tensor<double>::from({2, 2}, {0.0, -0.0, 50, -50})}});
        out.push_back({"infinite",
                       {},
                       {Tensor<double>::from({2, 2}, {1e30, -1e30, INFINITY, -INFINITY})},
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
