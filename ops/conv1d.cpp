// Convolution over time as products with shifted rows: forward, backward, samples, registration.
#include "gradproof/ops/conv1d.hpp"

#include "gradproof/core/algebra.hpp"
#include "gradproof/ops/conv1d_plan.hpp"

namespace gradproof {
namespace {

struct Conv1d {
    static constexpr OpInfo info{
        .name = "conv1d",
        .inputs = "x w b?",
        .forward = "y_t = Σ_k x_{t + k dilation - left} w_k + b",
        .backward = "dx_s = Σ_k dy_{s - k dilation + left} w_kᵀ; dw_k = Σ_t x_{t + k dilation - left}ᵀ dy_t; db = Σ_t dy_t",
        .saves = "x w",
        .source = "LeCun et al. 1989; Waibel et al. 1989",
    };
    using Attrs = Conv1dAttrs;
    template <Scalar T>
    struct Saved {
        Tensor<T> x, w;
    };

    template <Scalar T>
    static Conv1dPlan check(const Attrs& a, const Inputs<T>& in) {
        if (in.size() != 3)
            expect_inputs(info, in, 2);
        else if (!in.has(0) || !in.has(1))
            shape_error("conv1d: x and w must be given");
        return {a, in[0].shape(), in[1].shape(), in.has(2) ? &in[2].shape() : nullptr};
    }

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        const Conv1dPlan p = check(a, in);
        saved = {in[0], in[1]};
        Tensor<T> y({p.B, p.N, p.O}, T(0));
        if (in.has(2)) y = std::move(y) + in[2];
        for (Index k = 0; k < p.K; ++k)
            if (p.count(k) > 0) add_part(y, p.rows_of_y(k), matmul(part(in[0], p.rows_of_x(k)), entry(in[1], 0, k)));
        return y;
    }

    // y_t = Σ_k x_{t + shift(k)} w_k + b:
    // row t of dy reaches row t + shift(k) of dx through w_kᵀ, and makes dw_k with that row of x.
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const Tensor<T>&x = saved.x, &w = saved.w;
        const Conv1dPlan p(a, x.shape(), w.shape());
        Tensor<T> gx = zeros_like(x), gw = zeros_like(w);
        for (Index k = 0; k < p.K; ++k) {
            if (p.count(k) == 0) continue;
            const Tensor<T> dy_k = part(dy, p.rows_of_y(k)), w_k = entry(w, 0, k);
            if (dx.needs(0)) add_part(gx, p.rows_of_x(k), matmul(dy_k, mT(w_k)));
            if (dx.needs(1)) set_entry(gw, 0, k, matmul_to(w_k.shape(), mT(part(x, p.rows_of_x(k))), dy_k));
        }
        if (dx.needs(0)) dx.add(0, gx);
        if (dx.needs(1)) dx.add(1, gw);
        if (dx.needs(2)) dx.add(2, dy);
    }

    static std::vector<Sample<Conv1d>> samples() {
        const Excuse empty{.zero_gradient = true, .why = "no entries"};
        return {
            {"window of 3", {}, {{2, 6, 3}, {3, 3, 4}, {4}}},
            {"no bias", {}, {{2, 5, 2}, {2, 2, 3}}},
            {"padded on both sides", {.left = 2, .right = 1}, {{2, 4, 2}, {3, 2, 3}, {3}}},
            {"same", {.padding = Padding::same}, {{1, 5, 2}, {3, 2, 3}, {3}}},
            {"same, even window, dilated", {.dilation = 2, .padding = Padding::same}, {{2, 5, 2}, {4, 2, 3}}},
            {"causal", {.padding = Padding::causal}, {{2, 5, 2}, {3, 2, 3}, {3}}},
            {"causal, dilated", {.dilation = 3, .padding = Padding::causal}, {{1, 8, 2}, {3, 2, 2}, {2}}},
            {"dilated", {.dilation = 2}, {{2, 7, 2}, {3, 2, 3}, {3}}},
            {"window of 1 is linear", {}, {{2, 3, 4}, {1, 4, 3}, {3}}},
            {"one channel", {}, {{1, 9, 1}, {4, 1, 1}}},
            {"more rows than a task takes", {.padding = Padding::causal}, {{1, 70, 1}, {2, 1, 1}, {1}}},
            {"weights that meet padding only", {.dilation = 5, .padding = Padding::causal}, {{1, 3, 2}, {2, 2, 2}}},
            {"no steps", {.padding = Padding::causal}, {{2, 0, 3}, {2, 3, 4}, {4}}, empty},
            {"no channels: y is the bias", {}, {{2, 3, 0}, {2, 0, 4}, {4}}},
        };
    }
    static std::vector<ErrorSample<Conv1d>> error_samples() {
        return {
            {"one input", {}, {{2, 6, 3}}, "conv1d: takes 2 inputs"},
            {"no w", {}, {{2, 6, 3}, Arg::absent(), {4}}, "conv1d: x and w must be given"},
            {"rank 2", {}, {{6, 3}, {3, 3, 4}}, "conv1d: x must be [B, T, I]: x is [6, 3]"},
            {"channels", {}, {{2, 6, 3}, {3, 2, 4}}, "conv1d: w must be [K, 3, O] with K >= 1: w is [3, 2, 4]"},
            {"empty window", {}, {{2, 6, 3}, {0, 3, 4}}, "conv1d: w must be [K, 3, O] with K >= 1"},
            {"bias", {}, {{2, 6, 3}, {3, 3, 4}, {3}}, "conv1d: b must be [4]: b is [3]"},
            {"dilation 0", {.dilation = 0}, {{2, 6, 3}, {3, 3, 4}}, "conv1d: dilation must be from 1 to 2^30: dilation is 0"},
            {"negative padding", {.left = -1}, {{2, 6, 3}, {3, 3, 4}}, "conv1d: padding must be from 0 to 2^30: left is -1"},
            {"two paddings",
             {.padding = Padding::same, .right = 1},
             {{2, 6, 3}, {3, 3, 4}},
             "conv1d: left and right are for padding given"},
            {"window longer than the input",
             {.dilation = 3},
             {{2, 6, 3}, {3, 3, 4}},
             "conv1d: the window is longer than the padded input: it takes 7"},
        };
    }
};

}  // namespace

GRADPROOF_OP(Conv1d);
GRADPROOF_FUNCTION_2(conv1d, Conv1d);
GRADPROOF_FUNCTION_3(conv1d, Conv1d);

}  // namespace gradproof
