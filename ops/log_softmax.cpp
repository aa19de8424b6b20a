// Log-softmax along one axis: formula, forward, backward, samples, registration.
#include "gradproof/ops/log_softmax.hpp"

#include <cmath>

#include "gradproof/core/algebra.hpp"

namespace gradproof {
namespace {

struct LogSoftmax {
    static constexpr OpInfo info{
        .name = "log_softmax",
        .inputs = "x",
        .forward = "y = (x - max(x))/t - log(sum(exp((x - max(x))/t)))",
        .backward = "dx = (dy - exp(y) * sum(dy)) / t",
        .saves = "y",
        .source = "Bridle 1990",
    };
    using Attrs = LogSoftmaxAttrs;
    template <Scalar T>
    using Saved = SavedOutput<T>;

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 1);
        if (!(a.temperature > 0) || !std::isfinite(a.temperature))
            value_error("log_softmax: temperature is {}, expected a positive finite number", a.temperature);
        const int axis = normal_axis("log_softmax", a.axis, in[0].rank());
        const Tensor<T> z = (in[0] - exp_shift(in[0], axis)) / a.temperature;
        const Tensor<T> total = log(sum(exp(z), axis));
        // A score of -inf is a constant: y = -inf whatever the others are, unless one is NaN or +inf and takes the row.
        return saved.y = where(isneginf(z + total), -INFINITY, z - total);
    }

    // y_i = x_i/t - log(sum_j exp(x_j/t)):  dy_i/dx_j = (delta_ij - exp(y_j)) / t.
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        if (!dx.needs(0)) return;
        const Tensor<T> d = where(isneginf(saved.y), 0, dy);  // where y is a constant its dy leads nowhere
        dx.add(0, (d - exp(saved.y) * sum(d, a.axis)) / a.temperature);
    }

    static std::vector<Sample<LogSoftmax>> samples() {
        return {
            {"rows", {}, {{3, 5}}},
            {"first axis", {.axis = 0}, {{4, 3}}},
            {"middle axis with temperature", {.axis = -2, .temperature = 0.7}, {{2, 3, 4}}},
            {"more than eight scores", {.temperature = 2.5}, {{2, 19}}},
            {"size 1", {}, {{3, 1}}, {.zero_gradient = true, .why = "a softmax of one score is constant"}},
            {"size 0", {}, {{4, 0}}, {.zero_gradient = true, .why = "no entries"}},
            {"masked rows",
             {},
             {Tensor<double>::from({2, 3}, {0.3, -INFINITY, 1.1, -INFINITY, -INFINITY, -INFINITY})},
             {.finite_differences = true, .why = "scores of -inf have no neighbourhood"}},
            {"huge scores",
             {},
             {Tensor<double>::from({2, 3}, {1e30, 1e30, -1e30, -1e30, -1e30, 1e30})},
             {.finite_differences = true, .why = "a step of relative size 1e-3 moves a score of 1e30 by 1e27"}},
        };
    }
    static std::vector<ErrorSample<LogSoftmax>> error_samples() {
        return {
            {"axis out of range", {.axis = -3}, {{2, 3}}, "log_softmax: axis is -3"},
            {"scalar", {}, {Arg(Shape{})}, "log_softmax: axis is -1"},
            {"negative temperature", {.temperature = -1}, {{3}}, "log_softmax: temperature is -1"},
            {"infinite temperature", {.temperature = INFINITY}, {{3}}, "log_softmax: temperature is inf"},
            {"two inputs", {}, {{3}, {3}}, "log_softmax: takes 1 input"},
        };
    }
};

}  // namespace

GRADPROOF_OP(LogSoftmax);
GRADPROOF_FUNCTION_1(log_softmax, LogSoftmax);

}  // namespace gradproof
