// What the recurrent ops share: their sizes, the products of all steps and of one,
// and the gradients through time of what is linear.
//
// A pre-activation is u_t = x_t wx + h_{t-1} wh + b, [B, T, G] in all; G is the hidden size times the number of gates.
#pragma once

#include "gradproof/core/algebra.hpp"
#include "gradproof/core/tape.hpp"
#include "gradproof/ops/kernels/gemm.hpp"
#include "gradproof/ops/row_loops.hpp"

namespace gradproof {

struct RecurrentSizes {
    Index batch = 0, steps = 0, in = 0, hidden = 0, width = 0;  ///< B, T, I, H, G
    /// Batch entries that make a task: whole sequences, and enough rows for a product.
    Index grain() const { return std::max<Index>(8, task_grain(1 << 21, {steps, width, in + hidden})); }
};

/// The sizes of a call x, wx, wh, b?, and states? [B, H] up to input `last`.   Errors  ShapeError.
template <class T>
RecurrentSizes recurrent_sizes(const OpInfo& info, const Inputs<T>& in, Index gates, int last) {
    if (in.size() < 3 || in.size() > last + 1)
        shape_error("{}: takes 3 to {} inputs ({}), got {}", info.name, last + 1, info.inputs, in.size());
    for (int i = 0; i < 3; ++i)
        if (!in.has(i)) shape_error("{}: x, wx and wh are all needed: input {} is undefined", info.name, i);
    const Shape &x = in[0].shape(), &wx = in[1].shape(), &wh = in[2].shape();
    if (x.rank() != 3) shape_error("{}: x must be [B, T, I]: x is {}", info.name, x);
    if (wh.rank() != 2 || wh[1] != gates * wh[0])
        shape_error("{}: wh must be [H, {}H]: wh is {}", info.name, gates == 1 ? "" : std::to_string(gates), wh);
    const RecurrentSizes n{x[0], x[1], x[2], wh[0], wh[1]};
    if (!(wx == Shape{n.in, n.width}))
        shape_error("{}: wx must be [{}, {}]: wx is {}, x is {}, wh is {}", info.name, n.in, n.width, wx, x, wh);
    if (in.has(3) && !(in[3].shape() == Shape{n.width}))
        shape_error("{}: b must be [{}]: b is {}, wh is {}", info.name, n.width, in[3].shape(), wh);
    for (int i = 4; i <= last; ++i)
        if (in.has(i) && !(in[i].shape() == Shape{n.batch, n.hidden}))
            shape_error("{}: a state must be [{}, {}]: input {} is {}", info.name, n.batch, n.hidden, i, in[i].shape());
    return n;
}

/// u = x wx + b for all steps of the batch entries [begin, end).
template <class T>
void recurrent_input(const RecurrentSizes& n, Index begin, Index end, const Tensor<T>& x, const Tensor<T>& wx, const T* b, T* u,
                     bool fast) {
    const Index first = begin * n.steps, rows = (end - begin) * n.steps;
    if (b)
        for (Index r = first; r < first + rows; ++r) std::copy(b, b + n.width, u + r * n.width);
    gemm(false, false, rows, n.width, n.in, T(1), x.data() + first * n.in, n.in, wx.data(), n.width, T(b ? 1 : 0),
         u + first * n.width, n.width, fast);
}

/// u_t += h_{t-1} wh for the batch entries [begin, end); the state before the first step is h0, or 0 where that is undefined.
template <class T>
void recurrent_step(const RecurrentSizes& n, Index begin, Index end, Index t, const T* h, const Tensor<T>& h0,
                    const Tensor<T>& wh, T* u, bool fast) {
    if (t == 0 && !h0.defined()) return;
    const T* before = t == 0 ? h0.data() + begin * n.hidden : h + (begin * n.steps + t - 1) * n.hidden;
    const Index stride = t == 0 ? n.hidden : n.steps * n.hidden;
    gemm(false, false, end - begin, n.width, n.hidden, T(1), before, stride, wh.data(), n.width, T(1),
         u + (begin * n.steps + t) * n.width, n.steps * n.width, fast);
}

/// whᵀ [G, H]: turned once for all steps, whose products of few rows would else turn it each time.
template <class T>
Tensor<T> recurrent_transposed(const Tensor<T>& wh) {
    return transpose(wh, Axes{1, 0});
}
/// dh = beta dh + du_t whᵀ, what reaches the state before step t of the batch entries [begin, end).   dh  rows `stride` apart.
template <class T>
void recurrent_step_backward(const RecurrentSizes& n, Index begin, Index end, Index t, const T* du, const Tensor<T>& wh_turned,
                             T beta, T* dh, Index stride, bool fast) {
    gemm(false, false, end - begin, n.hidden, n.width, T(1), du + (begin * n.steps + t) * n.width, n.steps * n.width,
         wh_turned.data(), n.hidden, beta, dh, stride, fast);
}

/// u = x wx + h_{t-1} wh + b  gives, once du [B, T, G] is whole,
///   dx = du wxᵀ;  dwx = Σ_t x_tᵀ du_t;  dwh = Σ_t h_{t-1}ᵀ du_t;  db = Σ_t du_t;  dh0 = du_0 whᵀ
template <class T>
void recurrent_gradients(const RecurrentSizes& n, const Tensor<T>& x, const Tensor<T>& wx, const Tensor<T>& wh_turned,
                         const Tensor<T>& h0, const Tensor<T>& h, const Tensor<T>& du, Cotangents<T>& dx) {
    const Index rows = n.batch * n.steps, G = n.width, H = n.hidden;
    if (dx.needs(0)) {
        Tensor<T> g(x.shape());
        gemm(false, true, rows, n.in, G, T(1), du.data(), G, wx.data(), G, T(0), g.data(), n.in);
        dx.add(0, std::move(g));
    }
    if (dx.needs(1)) {
        Tensor<T> g(wx.shape());
        gemm(true, false, n.in, G, rows, T(1), x.data(), n.in, du.data(), G, T(0), g.data(), G);
        dx.add(1, std::move(g));
    }
    if (dx.needs(2)) {
        Tensor<T> g({H, G}, T(0));
        for (Index b = 0; b < n.batch && n.steps > 1; ++b)
            gemm(true, false, H, G, n.steps - 1, T(1), h.data() + b * n.steps * H, H, du.data() + (b * n.steps + 1) * G, G, T(1),
                 g.data(), G);
        if (h0.defined() && n.steps > 0)
            gemm(true, false, H, G, n.batch, T(1), h0.data(), H, du.data(), n.steps * G, T(1), g.data(), G);
        dx.add(2, std::move(g));
    }
    if (dx.needs(3)) {
        Tensor<T> g(Shape{G});
        sum_columns(du.data(), g.data(), rows, G);
        dx.add(3, std::move(g));
    }
    if (dx.needs(4)) {
        Tensor<T> g(h0.shape(), T(0));
        if (n.steps > 0) recurrent_step_backward(n, 0, n.batch, 0, du.data(), wh_turned, T(0), g.data(), H, use_kernels<T>());
        dx.add(4, std::move(g));
    }
}

}  // namespace gradproof
