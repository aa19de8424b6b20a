// The kernels of rnn and lstm: a task takes whole sequences through all steps, in place, without a tensor for each step.
#include <algorithm>

#include "gradproof/core/kernel.hpp"
#include "gradproof/core/platform/threads.hpp"
#include "gradproof/ops/kernels/gemm.hpp"
#include "gradproof/ops/kernels/row_loops.hpp"
#include "gradproof/ops/lstm.hpp"
#include "gradproof/ops/recurrence.hpp"
#include "gradproof/ops/rnn.hpp"

namespace gradproof {
namespace {

/// Whether a call x, wx, wh, b?, and states? up to input `last` is one that check_recurrent lets through.
bool fit(const InputShapes& in, Index gates, int last) {
    const Shape &x = in[0], &wx = in[1], &wh = in[2];
    if (x.rank() != 3 || wh.rank() != 2 || wh[1] != gates * wh[0] || !(wx == Shape{x[2], wh[1]})) return false;
    if (in.has(3) && !(in[3] == Shape{wh[1]})) return false;
    for (int i = 4; i <= last; ++i)
        if (in.has(i) && !(in[i] == Shape{x[0], wh[0]})) return false;
    return true;
}

struct RecurrentSizes {
    Index batch, steps, in, hidden, width;  // B, T, I, H, G

    RecurrentSizes(const Shape& x, const Shape& wh) : batch(x[0]), steps(x[1]), in(x[2]), hidden(wh[0]), width(wh[1]) {}
    /// Batch entries that make a task: whole sequences, and enough rows for a product.
    Index grain() const { return std::max<Index>(8, task_grain(1 << 20, {steps, width, in + hidden})); }
};

/// u_t = x_t wx + h_{t-1} wh + b for all steps. cell(b, t) is called once row t of batch entry b is whole, and writes h_t.
/// Shapes  u [B, T, G], h [B, T, H]; they may be the same.
template <class T, class Cell>
void step_forward(const Inputs<T>& in, T* u, const T* h, const Cell& cell) {
    const RecurrentSizes n(in[0].shape(), in[2].shape());
    const T *x = in[0].data(), *wx = in[1].data(), *wh = in[2].data();
    const T *bias = in.has(3) ? in[3].data() : nullptr, *h0 = in.has(4) ? in[4].data() : nullptr;
    parallel_for(n.batch, n.grain(), [&](Index begin, Index end) {
        const Index first = begin * n.steps, rows = (end - begin) * n.steps;
        for (Index r = first; bias && r < first + rows; ++r) std::copy(bias, bias + n.width, u + r * n.width);
        gemm(false, false, rows, n.width, n.in, T(1), x + first * n.in, n.in, wx, n.width, T(bias ? 1 : 0), u + first * n.width,
             n.width);
        for (Index t = 0; t < n.steps; ++t) {
            const T* before = t > 0 ? h + (first + t - 1) * n.hidden : h0 ? h0 + begin * n.hidden : nullptr;
            if (before)
                gemm(false, false, end - begin, n.width, n.hidden, T(1), before, (t > 0 ? n.steps : 1) * n.hidden, wh, n.width,
                     T(1), u + (first + t) * n.width, n.steps * n.width);
            for (Index b = begin; b < end; ++b) cell(b, t);
        }
    });
}

/// du for all steps, the last first: cell(b, t, dh) is given dh_t = dy_t + du_{t+1} whᵀ and writes row t of batch entry b.
template <class T, class Cell>
void step_backward(const Recurrence<T>& linear, const Tensor<T>& dy, const T* du, const Cell& cell) {
    const RecurrentSizes n(linear.x.shape(), linear.wh.shape());
    Tensor<T> room({n.batch, n.hidden});
    parallel_for(n.batch, n.grain(), [&, dh = room.data(), turned = linear.turned.data()](Index begin, Index end) {
        for (Index t = n.steps - 1; t >= 0; --t) {
            for (Index b = begin; b < end; ++b)
                std::copy_n(dy.data() + (b * n.steps + t) * n.hidden, n.hidden, dh + b * n.hidden);
            if (t + 1 < n.steps)
                gemm(false, false, end - begin, n.hidden, n.width, T(1), du + (begin * n.steps + t + 1) * n.width,
                     n.steps * n.width, turned, n.hidden, T(1), dh + begin * n.hidden, n.hidden);
            for (Index b = begin; b < end; ++b) cell(b, t, dh + b * n.hidden);
        }
    });
}

struct RnnInPlace {
    static constexpr KernelInfo info{.op = "rnn", .name = "in_place"};
    using Attrs = NoFields;
    static bool fits(const Attrs&, const InputShapes& x) { return fit(x, 1, 4); }

    // h_t = tanh(u_t)
    template <class T>
    static Tensor<T> forward(const Attrs&, Inputs<T> in, SavedTensors<T>& saved) {
        const Index steps = in[0].dim(1), H = in[2].dim(0);
        Tensor<T> h({in[0].dim(0), steps, H});
        step_forward(in, h.data(), h.data(), [&, rows = h.data()](Index b, Index t) {
            T* row = rows + (b * steps + t) * H;
            kernels<T>().tanh(row, row, H);
        });
        saved["x"] = in[0], saved["wx"] = in[1], saved["wh"] = in[2], saved["h"] = h;
        if (in.has(4)) saved["h0"] = in[4];
        return h;
    }

    // h_t = tanh(u_t):  du_t = (1 - h_t²) * dh_t
    template <class T>
    static void backward(const Attrs&, const SavedTensors<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const Recurrence<T> linear{saved["x"], saved["wx"], saved["wh"], saved["h0"], saved["h"]};
        Tensor<T> made(dy.shape());
        const Index steps = dy.dim(1), H = dy.dim(2);
        step_backward(linear, dy, made.data(), [&, h = linear.h.data(), du = made.data()](Index b, Index t, const T* dh) {
            const Index row = (b * steps + t) * H;
            kernels<T>().tanh_backward(h + row, dh, du + row, H);
        });
        linear.backward(made, dx);
    }
};

struct LstmInPlace {
    static constexpr KernelInfo info{.op = "lstm", .name = "in_place"};
    using Attrs = NoFields;
    static bool fits(const Attrs&, const InputShapes& x) { return fit(x, 4, 5); }

    /// One step of one entry: u [4H] becomes the gates; h = o * tanh(c), c = f * before + i * g.
    template <class T>
    static void cell(T* u, const T* before, T* c, T* h, Index H) {
        const T *i = u, *f = u + H, *g = u + 2 * H, *o = u + 3 * H;
        kernels<T>().sigmoid(u, u, 2 * H);
        kernels<T>().tanh(g, u + 2 * H, H);
        kernels<T>().sigmoid(o, u + 3 * H, H);
        for (Index k = 0; k < H; ++k) c[k] = f[k] * before[k] + i[k] * g[k];
        kernels<T>().tanh(c, h, H);
        for (Index k = 0; k < H; ++k) h[k] *= o[k];
    }

    template <class T>
    static Tensor<T> forward(const Attrs&, Inputs<T> in, SavedTensors<T>& saved) {
        const Index B = in[0].dim(0), steps = in[0].dim(1), H = in[2].dim(0);
        const Tensor<T> c0 = in.has(5) ? in[5] : zeros<T>({B, H});
        Tensor<T> gates({B, steps, 4 * H}), c({B, steps, H}), h({B, steps, H});
        step_forward(in, gates.data(), h.data(), [&, u = gates.data(), cs = c.data(), hs = h.data()](Index b, Index t) {
            const Index row = b * steps + t;
            cell(u + 4 * row * H, t > 0 ? cs + (row - 1) * H : c0.data() + b * H, cs + row * H, hs + row * H, H);
        });
        saved["x"] = in[0], saved["wx"] = in[1], saved["wh"] = in[2];
        if (in.has(4)) saved["h0"] = in[4];
        saved["c0"] = c0, saved["gates"] = gates, saved["c"] = c, saved["h"] = h;
        return h;
    }

    /// One step of one entry, backward: dc holds what the step after sends to c, and then what is sent to the step before.
    template <class T>
    static void cell_backward(const T* gates, const T* before, const T* c, const T* dh, T* dc, T* du, Index H) {
        const T *i = gates, *f = gates + H, *g = gates + 2 * H, *o = gates + 3 * H;
        T *di = du, *df = du + H, *dg = du + 2 * H, *d_o = du + 3 * H;
        kernels<T>().tanh(c, d_o, H);  // read just before du_o takes its place
        for (Index k = 0; k < H; ++k) {
            const T squashed = d_o[k];
            // h = o * tanh(c)
            const T kept = dc[k] + dh[k] * o[k] * (T(1) - squashed * squashed);
            // c = f * c_{t-1} + i * g, and the slopes s (1 - s) and 1 - g²
            di[k] = kept * g[k] * i[k] * (T(1) - i[k]);
            df[k] = kept * before[k] * f[k] * (T(1) - f[k]);
            dg[k] = kept * i[k] * (T(1) - g[k] * g[k]);
            d_o[k] = dh[k] * squashed * o[k] * (T(1) - o[k]);
            dc[k] = kept * f[k];
        }
    }

    template <class T>
    static void backward(const Attrs&, const SavedTensors<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const Recurrence<T> linear{saved["x"], saved["wx"], saved["wh"], saved["h0"], saved["h"]};
        const Tensor<T>&c0 = saved["c0"], &c = saved["c"], &gates = saved["gates"];
        Tensor<T> made(gates.shape()), dc = zeros_like(c0);
        const Index steps = dy.dim(1), H = dy.dim(2);
        step_backward(linear, dy, made.data(), [&, du = made.data(), dcs = dc.data()](Index b, Index t, const T* dh) {
            const Index row = b * steps + t;
            cell_backward(gates.data() + 4 * row * H, t > 0 ? c.data() + (row - 1) * H : c0.data() + b * H, c.data() + row * H,
                          dh, dcs + b * H, du + 4 * row * H, H);
        });
        linear.backward(made, dx);
        if (dx.needs(5)) dx.add(5, std::move(dc));
    }
};

}  // namespace

GRADPROOF_KERNEL(RnnInPlace, float, double);
GRADPROOF_KERNEL(LstmInPlace, float, double);

}  // namespace gradproof
