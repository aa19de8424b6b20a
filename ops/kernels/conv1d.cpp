// The kernel of conv1d: products of shifted rows where they lie, added to the rows of y in blocks that are tasks.
#include <algorithm>

#include "gradproof/core/kernel.hpp"
#include "gradproof/core/platform/threads.hpp"
#include "gradproof/ops/conv1d_plan.hpp"
#include "gradproof/ops/kernels/gemm.hpp"
#include "gradproof/ops/kernels/row_loops.hpp"

namespace gradproof {
namespace {

/// Calls task(b, begin, end) on ranges that cover [0, rows) of every batch entry.
template <class Task>
void for_row_blocks(const Conv1dPlan& p, Index rows, const Task& task) {
    const Index grain = std::max<Index>(64, task_grain(1 << 20, {p.K, p.I, p.O})), blocks = (rows + grain - 1) / grain;
    parallel_for(p.B * blocks, 1, [&](Index first, Index last) {
        for (Index n = first; n < last; ++n) task(n / blocks, n % blocks * grain, std::min(rows, (n % blocks + 1) * grain));
    });
}

/// Of the rows [begin, end), those whose shifted row lies in [0, length).
struct Overlap {
    Index begin, count;
    Overlap(Index first, Index last, Index shift, Index length)
        : begin(std::max(first, -shift)), count(std::max<Index>(0, std::min(last, length - shift) - begin)) {}
};

struct Conv1dInPlace {
    static constexpr KernelInfo info{.op = "conv1d", .name = "in_place"};
    using Attrs = Conv1dAttrs;

    template <class T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, SavedTensors<T>& saved) {
        const Conv1dPlan p(a, in[0].shape(), in[1].shape(), in.has(2) ? &in[2].shape() : nullptr);
        const T *x = in[0].data(), *w = in[1].data(), *bias = in.has(2) ? in[2].data() : nullptr;
        Tensor<T> y({p.B, p.N, p.O});
        for_row_blocks(p, p.N, [&, to = y.data()](Index b, Index begin, Index end) {
            T* rows = to + b * p.N * p.O;
            if (bias)
                for (Index t = begin; t < end; ++t) std::copy_n(bias, p.O, rows + t * p.O);
            else
                std::fill(rows + begin * p.O, rows + end * p.O, T(0));
            for (Index k = 0; k < p.K; ++k)
                if (const Overlap at(begin, end, p.shift(k), p.T); at.count > 0)
                    gemm(false, false, at.count, p.O, p.I, T(1), x + (b * p.T + at.begin + p.shift(k)) * p.I, p.I,
                         w + k * p.I * p.O, p.O, T(1), rows + at.begin * p.O, p.O);
        });
        saved["x"] = in[0], saved["w"] = in[1];
        return y;
    }

    // y_t = Σ_k x_{t + shift(k)} w_k + b:
    // row t of dy reaches row t + shift(k) of dx through w_kᵀ, and makes dw_k with that row of x.
    template <class T>
    static void backward(const Attrs& a, const SavedTensors<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const Tensor<T>&x = saved["x"], &w = saved["w"];
        const Conv1dPlan p(a, x.shape(), w.shape());
        if (dx.needs(0)) {
            Tensor<T> g = zeros_like(x);
            for_row_blocks(p, p.T, [&, to = g.data()](Index b, Index begin, Index end) {
                for (Index k = 0; k < p.K; ++k)
                    if (const Overlap at(begin, end, -p.shift(k), p.N); at.count > 0)
                        gemm(false, true, at.count, p.I, p.O, T(1), dy.data() + (b * p.N + at.begin - p.shift(k)) * p.O, p.O,
                             w.data() + k * p.I * p.O, p.O, T(1), to + (b * p.T + at.begin) * p.I, p.I);
            });
            dx.add(0, std::move(g));
        }
        if (dx.needs(1)) {
            Tensor<T> g = zeros_like(w);
            parallel_for(p.K, 1, [&, to = g.data()](Index first, Index last) {
                for (Index k = first; k < last; ++k)
                    for (Index b = 0; b < p.B && p.count(k) > 0; ++b)
                        gemm(true, false, p.I, p.O, p.count(k), T(1), x.data() + (b * p.T + p.first(k) + p.shift(k)) * p.I, p.I,
                             dy.data() + (b * p.N + p.first(k)) * p.O, p.O, T(1), to + k * p.I * p.O, p.O);
            });
            dx.add(1, std::move(g));
        }
        if (dx.needs(2)) {
            Tensor<T> g(Shape{p.O});
            sum_columns(dy.data(), g.data(), p.B * p.N, p.O);
            dx.add(2, std::move(g));
        }
    }
};

}  // namespace

GRADPROOF_KERNEL(Conv1dInPlace, float, double);

}  // namespace gradproof
