// Softmax along one axis: formula, forward, backward, samples, registration.
#include "gradproof/ops/softmax.hpp"

#include "gradproof/core/algebra.hpp"

namespace gradproof {
namespace {

struct Softmax {
    static constexpr OpInfo info{
        .name = "softmax",
        .inputs = "x",
        .forward = "y = exp(x/t - max(x/t)) / sum(exp(x/t - max(x/t)))",
        .backward = "dx = y * (dy - sum(dy * y)) / t",
        .saves = "y",
        .source = "Bridle 1990",
    };
    using Attrs = SoftmaxAttrs;
    template <Scalar T>
    using Saved = SavedOutput<T>;

    static int axis(const Attrs& a, const Shape& x) {
        if (!(a.temperature > 0) || !std::isfinite(a.temperature))
            value_error("softmax: temperature is {}, expected a positive finite number", a.temperature);
        return normal_axis("softmax", a.axis, x.rank());
    }

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 1);
        const int along = axis(a, in[0].shape());
        const Tensor<T> e = exp((in[0] - exp_shift(in[0], along)) / a.temperature);
        return saved.y = divide_or_zero(e, sum(e, along));  // a row of -inf has no weight: 0, not NaN
    }

    // y = softmax(x / t):  dy_i/dx_j = y_i (delta_ij - y_j) / t, so  dx = y * (dy - sum(dy * y)) / t.
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        if (dx.needs(0)) dx.add(0, saved.y * (dy - sum(dy * saved.y, a.axis)) / a.temperature);
    }

    static std::vector<Sample<Softmax>> samples() {
        return {
            {"rows", {}, {{3, 5}}},
            {"first axis", {.axis = 0}, {{4, 3}}},
            {"middle axis with temperature", {.axis = 1, .temperature = 0.7}, {{2, 3, 4}}},
            {"one row", {}, {{6}}},
            {"size 1", {}, {{3, 1}}, {.zero_gradient = true, .why = "a softmax of one score is constant"}},
            {"size 0", {}, {{0, 4}}, {.zero_gradient = true, .why = "no entries"}},
            {"masked row",
             {},
             {Tensor<double>::from({2, 3}, {0.3, -INFINITY, 1.1, -INFINITY, -INFINITY, -INFINITY})},
             {.finite_differences = true, .why = "scores of -inf have no neighbourhood"}},
            {"huge scores",
             {},
             {Tensor<double>::from({2, 3}, {1e30, 1e30, -1e30, -1e30, -1e30, 1e30})},
             {.finite_differences = true, .why = "a step of relative size 1e-3 moves a score of 1e30 by 1e27"}},
        };
    }
    static std::vector<ErrorSample<Softmax>> error_samples() {
        return {
            {"axis out of range", {.axis = 2}, {{2, 3}}, "softmax: axis is 2"},
            {"scalar", {}, {Arg(Shape{})}, "softmax: axis is -1"},
            {"zero temperature", {.temperature = 0}, {{3}}, "softmax: temperature is 0"},
            {"two inputs", {}, {{3}, {3}}, "softmax: takes 1 input (x), got 2"},
        };
    }
};

}  // namespace

GRADPROOF_OP(Softmax);
GRADPROOF_FUNCTION_1(softmax, Softmax);

template <Scalar T>
Tensor<T> softmax_jacobian(const Tensor<T>& p) {
    if (p.rank() != 1) shape_error("softmax_jacobian: p is {}, expected one row [n]", p.shape());
    const Index n = p.size();
    Tensor<T> j({n, n});
    for (Index i = 0; i < n; ++i)
        for (Index k = 0; k < n; ++k) j[i * n + k] = p[i] * (T(i == k ? 1 : 0) - p[k]);
    return j;
}
#define GRADPROOF_JACOBIAN(T) template Tensor<T> softmax_jacobian(const Tensor<T>&);
GRADPROOF_FOR_SCALARS(GRADPROOF_JACOBIAN)
#undef GRADPROOF_JACOBIAN

}  // namespace gradproof
