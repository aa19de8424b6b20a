// Root-mean-square normalisation: formula, forward, backward, samples, registration.
#include "gradproof/ops/rms_norm.hpp"

#include <cmath>

#include "gradproof/core/algebra.hpp"

namespace gradproof {
namespace {

struct RmsNorm {
    static constexpr OpInfo info{
        .name = "rms_norm",
        .inputs = "x gain?",
        .forward = "xhat = x * rrms; rrms = 1/sqrt(mean(x^2) + eps); y = xhat * gain",
        .backward = "dxhat = dy * gain; dx = rrms * (dxhat - xhat * mean(dxhat * xhat)); dgain = sum(dy * xhat)",
        .saves = "x rrms gain",
        .source = "Zhang and Sennrich 2019",
    };
    using Attrs = RmsNormAttrs;
    template <Scalar T>
    struct Saved {
        Tensor<T> x, rrms, gain;
    };

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        if (in.size() < 1 || in.size() > 2 || !in.has(0))
            shape_error("rms_norm: takes 1 or 2 inputs ({}), got {}", info.inputs, in.size());
        const Shape& x = in[0].shape();
        if (x.rank() == 0) shape_error("rms_norm: x is {}, expected rank 1 or more", x);
        if (in.has(1) && !(in[1].shape() == Shape{x.last()}))
            shape_error("rms_norm: gain does not fit x: gain is {}, x is {}, expected [{}]", in[1].shape(), x, x.last());
        if (!(a.eps >= 0) || !std::isfinite(a.eps)) value_error("rms_norm: eps is {}, expected a finite number >= 0", a.eps);
        saved.x = in[0];
        saved.rrms = divide_or_zero(1, sqrt(mean(in[0] * in[0], -1) + a.eps));  // a row of 0, and eps = 0: xhat is 0
        if (in.has(1)) saved.gain = in[1];
        const Tensor<T> xhat = in[0] * saved.rrms;
        return in.has(1) ? xhat * in[1] : xhat;
    }

    // xhat = x * rrms: rrms depends on every x of the row, drrms/dx_i = -rrms^3 x_i / C.
    template <Scalar T>
    static void backward(const Attrs&, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const Tensor<T> xhat = saved.x * saved.rrms;
        if (dx.needs(0)) {
            const Tensor<T> dxhat = saved.gain.defined() ? dy * saved.gain : dy;
            dx.add(0, saved.rrms * (dxhat - xhat * mean(dxhat * xhat, -1)));
        }
        if (dx.needs(1)) dx.add(1, dy * xhat);  // y = xhat * gain, broadcast over the rows
    }

    static std::vector<Sample<RmsNorm>> samples() {
        return {
            {"plain", {}, {{3, 5}}},
            {"gain", {}, {{2, 3, 4}, {4}}},
            {"large eps", {.eps = 0.5}, {{3, 4}, {4}}},
            {"one row of more than eight", {}, {{19}, {19}}},
            {"size 1", {.eps = 0.1}, {{3, 1}, {1}}},
            {"no rows", {}, {{0, 4}, {4}}, {.zero_gradient = true, .why = "no entries"}},
            {"no columns", {}, {{3, 0}, {0}}, {.zero_gradient = true, .why = "no entries"}},
            {"a row of zeros",
             {.eps = 0},
             {Tensor<double>::from({2, 3}, {0, 0, 0, 1, -1, 3})},
             {.finite_differences = true, .why = "0/0: y is 0 by convention"}},
        };
    }
    static std::vector<ErrorSample<RmsNorm>> error_samples() {
        return {
            {"scalar", {}, {Arg(Shape{})}, "rms_norm: x is [], expected rank 1"},
            {"gain of another size", {}, {{2, 3}, {2}}, "rms_norm: gain does not fit x: gain is [2], x is [2, 3]"},
            {"eps not a number", {.eps = NAN}, {{2, 3}}, "rms_norm: eps is nan"},
            {"three inputs", {}, {{2, 3}, {3}, {3}}, "rms_norm: takes 1 or 2 inputs"},
        };
    }
};

}  // namespace

GRADPROOF_OP(RmsNorm);
GRADPROOF_FUNCTION_1(rms_norm, RmsNorm);
GRADPROOF_FUNCTION_2(rms_norm, RmsNorm);

}  // namespace gradproof
