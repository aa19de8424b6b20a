// Layer normalisation: formula, forward, backward, samples, registration.
#include "gradproof/ops/layer_norm.hpp"

#include <cmath>

#include "gradproof/core/algebra.hpp"

namespace gradproof {
namespace {

struct LayerNorm {
    static constexpr OpInfo info{
        .name = "layer_norm",
        .inputs = "x gain? bias?",
        .forward = "xhat = (x - mean(x)) * rstd; rstd = 1/sqrt(var(x) + eps); y = xhat * gain + bias",
        .backward =
            "dxhat = dy * gain; dx = rstd * (dxhat - mean(dxhat) - xhat * mean(dxhat * xhat)); "
            "dgain = sum(dy * xhat); dbias = sum(dy)",
        .saves = "xhat rstd gain",
        .source = "Ba et al. 2016",
    };
    using Attrs = LayerNormAttrs;
    template <Scalar T>
    struct Saved {
        Tensor<T> xhat, rstd, gain;
    };

    template <Scalar T>
    static void check(const Attrs& a, const Inputs<T>& in) {
        if (in.size() < 1 || in.size() > 3 || !in.has(0))
            shape_error("layer_norm: takes 1 to 3 inputs ({}), got {}", info.inputs, in.size());
        const Shape& x = in[0].shape();
        if (x.rank() == 0) shape_error("layer_norm: x is {}, expected rank 1 or more", x);
        for (int i = 1; i < 3; ++i)
            if (in.has(i) && !(in[i].shape() == Shape{x.last()}))
                shape_error("layer_norm: {0} does not fit x: {0} is {1}, x is {2}, expected [{3}]", i == 1 ? "gain" : "bias",
                            in[i].shape(), x, x.last());
        if (!(a.eps >= 0) || !std::isfinite(a.eps)) value_error("layer_norm: eps is {}, expected a finite number >= 0", a.eps);
    }

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        check(a, in);
        Tensor<T> d = in[0] - mean(in[0], -1);
        d = d - mean(d, -1);  // far from 0 the first mean was rounded; what is left of it is not
        saved.rstd = divide_or_zero(1, sqrt(mean(d * d, -1) + a.eps));  // a row without variance, and eps = 0: xhat is 0
        saved.xhat = d * saved.rstd;
        if (in.has(1)) saved.gain = in[1];
        Tensor<T> y = in.has(1) ? saved.xhat * in[1] : saved.xhat;
        return in.has(2) ? y + in[2] : y;
    }

    // xhat = (x - mean(x)) * rstd: the mean and rstd depend on every x of the row; each gives one of the subtracted terms.
    template <Scalar T>
    static void backward(const Attrs&, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const Tensor<T>& xhat = saved.xhat;
        if (dx.needs(0)) {
            const Tensor<T> dxhat = saved.gain.defined() ? dy * saved.gain : dy;
            dx.add(0, saved.rstd * (dxhat - mean(dxhat, -1) - xhat * mean(dxhat * xhat, -1)));
        }
        // y = xhat * gain + bias, both broadcast over the rows
        if (dx.needs(1)) dx.add(1, dy * xhat);
        if (dx.needs(2)) dx.add(2, dy);
    }

    static std::vector<Sample<LayerNorm>> samples() {
        return {
            {"plain", {}, {{3, 5}}},
            {"gain and bias", {}, {{2, 3, 4}, {4}, {4}}},
            {"gain only", {.eps = 0.1}, {{3, 4}, {4}}},
            {"bias only", {}, {{3, 4}, Arg::absent(), {4}}},
            {"one row of more than eight", {}, {{19}, {19}, {19}}},
            {"size 1", {}, {{3, 1}, {1}, {1}}},
            {"size 1, plain", {}, {{3, 1}}, {.zero_gradient = true, .why = "one value is its own mean"}},
            {"no rows", {}, {{0, 4}, {4}, {4}}, {.zero_gradient = true, .why = "no entries"}},
            {"no columns", {}, {{3, 0}, {0}, {0}}, {.zero_gradient = true, .why = "no entries"}},
            {"far from 0",
             {},
             {Tensor<double>::from({2, 3}, {1000.3, 1000.1, 999.2, -500.5, -499.9, -500.2})},
             {.finite_differences = true, .why = "a step of relative size 1e-3 is larger than the deviation"}},
            {"no variance",
             {.eps = 0},
             {Tensor<double>::from({2, 3}, {2, 2, 2, 1, -1, 3})},
             {.finite_differences = true, .why = "0/0: xhat is 0 by convention"}},
        };
    }
    static std::vector<ErrorSample<LayerNorm>> error_samples() {
        return {
            {"scalar", {}, {Arg(Shape{})}, "layer_norm: x is [], expected rank 1"},
            {"gain of another size", {}, {{2, 3}, {2}}, "layer_norm: gain does not fit x: gain is [2], x is [2, 3]"},
            {"bias of another rank", {}, {{2, 3}, {3}, {1, 3}}, "layer_norm: bias does not fit x: bias is [1, 3]"},
            {"negative eps", {.eps = -1e-5}, {{2, 3}}, "layer_norm: eps is -1e-05"},
            {"four inputs", {}, {{2, 3}, {3}, {3}, {3}}, "layer_norm: takes 1 to 3 inputs"},
        };
    }
};

}  // namespace

GRADPROOF_OP(LayerNorm);
GRADPROOF_FUNCTION_1(layer_norm, LayerNorm);
GRADPROOF_FUNCTION_2(layer_norm, LayerNorm);
GRADPROOF_FUNCTION_3(layer_norm, LayerNorm);

}  // namespace gradproof
