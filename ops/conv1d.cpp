// Convolution over time as products with shifted rows: forward, backward, samples, registration.
#include "gradproof/ops/conv1d.hpp"

#include "gradproof/ops/kernels/gemm.hpp"
#include "gradproof/ops/row_loops.hpp"

namespace gradproof {
namespace {

/// The sizes of one call: y [B, N, O] of x [B, T, I] and w [K, I, O].
struct Plan {
    Index B = 0, T = 0, I = 0, K = 0, O = 0, N = 0;
    Index dilation = 1, left = 0;

    Plan(const Conv1dAttrs& a, const Shape& x, const Shape& w)
        : B(x[0]), T(x[1]), I(x[2]), K(w[0]), O(w[2]), dilation(a.dilation), left(a.left) {
        const Index span = dilation * (K - 1);
        if (a.padding == Padding::causal)
            left = span;
        else if (a.padding == Padding::same)
            left = span / 2;
        N = a.padding == Padding::given ? T + a.left + a.right - span : T;
    }
    /// Row t of y takes row t + shift(k) of x through w_k.
    Index shift(Index k) const { return k * dilation - left; }
    /// Rows that make a task.
    Index grain() const { return std::max<Index>(64, task_grain(1 << 20, {K, I, O})); }
};

/// Calls task(b, begin, end) on ranges that cover [0, rows) of every batch entry.
template <class Task>
void for_row_blocks(const Plan& p, Index rows, const Task& task) {
    const Index grain = p.grain(), blocks = (rows + grain - 1) / grain;
    parallel_for(p.B * blocks, 1, [&](Index first, Index last) {
        for (Index n = first; n < last; ++n) task(n / blocks, n % blocks * grain, std::min(rows, (n % blocks + 1) * grain));
    });
}

/// Of the rows [begin, end), those whose shifted row lies in [0, length).
struct Overlap {
    Index begin, end;
    Overlap(Index first, Index last, Index shift, Index length)
        : begin(std::max(first, -shift)), end(std::min(last, length - shift)) {}
    Index count() const { return std::max<Index>(0, end - begin); }
};

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
        static void fields(auto& s, auto&& f) {
            f("x", s.x);
            f("w", s.w);
        }
    };

    template <Scalar T>
    static Plan check(const Attrs& a, const Inputs<T>& in) {
        if (in.size() != 3)
            expect_inputs(info, in, 2);
        else if (!in.has(0) || !in.has(1))
            shape_error("conv1d: x and w must be given");
        const Shape &x = in[0].shape(), &w = in[1].shape();
        if (x.rank() != 3) shape_error("conv1d: x must be [B, T, I]: x is {}", x);
        if (w.rank() != 3 || w[0] < 1 || w[1] != x[2])
            shape_error("conv1d: w must be [K, {}, O] with K >= 1: w is {}, x is {}", x[2], w, x);
        if (in.has(2) && !(in[2].shape() == Shape{w[2]}))
            shape_error("conv1d: b must be [{}]: b is {}, w is {}", w[2], in[2].shape(), w);
        constexpr Index kMost = Index{1} << 30;
        if (a.dilation < 1 || a.dilation > kMost)
            value_error("conv1d: dilation must be from 1 to 2^30: dilation is {}", a.dilation);
        if (a.left < 0 || a.right < 0 || a.left > kMost || a.right > kMost)
            value_error("conv1d: padding must be from 0 to 2^30: left is {}, right is {}", a.left, a.right);
        if (a.padding != Padding::given && (a.left != 0 || a.right != 0))
            value_error("conv1d: left and right are for padding given: padding is {}, left is {}, right is {}",
                        names(a.padding)[static_cast<std::size_t>(a.padding)], a.left, a.right);
        const Plan p(a, x, w);
        if (a.padding == Padding::given && p.N < 1)
            shape_error("conv1d: the window is longer than the padded input: it takes {} steps, x is {}, left is {}, right is {}",
                        a.dilation * (p.K - 1) + 1, x, a.left, a.right);
        return p;
    }

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        const Plan p = check(a, in);
        Tensor<T> y({p.B, p.N, p.O});
        saved = {in[0], in[1]};
        const T *x = in[0].data(), *w = in[1].data(), *bias = in.has(2) ? in[2].data() : nullptr;
        T* ys = y.data();
        const bool fast = use_kernels<T>();
        for_row_blocks(p, p.N, [&](Index b, Index begin, Index end) {
            T* rows = ys + b * p.N * p.O;
            for (Index t = begin; t < end; ++t)
                for (Index o = 0; o < p.O; ++o) rows[t * p.O + o] = bias ? bias[o] : T(0);
            for (Index k = 0; k < p.K; ++k) {
                const Overlap at(begin, end, p.shift(k), p.T);
                if (at.count() > 0)
                    gemm(false, false, at.count(), p.O, p.I, T(1), x + (b * p.T + at.begin + p.shift(k)) * p.I, p.I,
                         w + k * p.I * p.O, p.O, T(1), rows + at.begin * p.O, p.O, fast);
            }
        });
        return y;
    }

    // y_t = Σ_k x_{t + shift(k)} w_k:
    // row t of dy reaches row t + shift(k) of dx through w_kᵀ, and makes dw_k with that row of x.
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>& s, const Tensor<T>& dy, Cotangents<T> dx) {
        const Plan p(a, s.x.shape(), s.w.shape());
        const bool fast = use_kernels<T>();
        if (dx.needs(0)) {
            Tensor<T> g(s.x.shape(), T(0));
            for_row_blocks(p, p.T, [&, out = g.data()](Index b, Index begin, Index end) {
                for (Index k = 0; k < p.K; ++k) {
                    const Overlap at(begin, end, -p.shift(k), p.N);
                    if (at.count() > 0)
                        gemm(false, true, at.count(), p.I, p.O, T(1), dy.data() + (b * p.N + at.begin - p.shift(k)) * p.O, p.O,
                             s.w.data() + k * p.I * p.O, p.O, T(1), out + (b * p.T + at.begin) * p.I, p.I, fast);
                }
            });
            dx.add(0, std::move(g));
        }
        if (dx.needs(1)) {
            Tensor<T> g(s.w.shape(), T(0));
            parallel_for(p.K, 1, [&, out = g.data()](Index first, Index last) {
                for (Index k = first; k < last; ++k) {
                    const Overlap at(0, p.N, p.shift(k), p.T);
                    for (Index b = 0; b < p.B && at.count() > 0; ++b)
                        gemm(true, false, p.I, p.O, at.count(), T(1), s.x.data() + (b * p.T + at.begin + p.shift(k)) * p.I, p.I,
                             dy.data() + (b * p.N + at.begin) * p.O, p.O, T(1), out + k * p.I * p.O, p.O, fast);
                }
            });
            dx.add(1, std::move(g));
        }
        if (dx.needs(2)) {
            Tensor<T> g(Shape{p.O});
            sum_columns(dy.data(), g.data(), p.B * p.N, p.O);
            dx.add(2, std::move(g));
        }
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
