// Common parts of the recurrent ops: their sizes, checked, and the gradients through time of their linear part.
//
// A pre-activation is u_t = x_t wx + h_{t-1} wh + b, [B, T, G] in all; G is the hidden size times the number of gates.
#pragma once

#include "gradproof/core/algebra.hpp"
#include "gradproof/core/tape.hpp"

namespace gradproof {

/// Checks a call x, wx, wh, b?, and states? [B, H] up to input `last`.   Errors  ShapeError.
template <class T>
void check_recurrent(const OpInfo& info, const Inputs<T>& in, Index gates, int last) {
    if (in.size() < 3 || in.size() > last + 1)
        shape_error("{}: takes 3 to {} inputs ({}), got {}", info.name, last + 1, info.inputs, in.size());
    for (int i = 0; i < 3; ++i)
        if (!in.has(i)) shape_error("{}: x, wx and wh are all needed: input {} is undefined", info.name, i);
    const Shape &x = in[0].shape(), &wx = in[1].shape(), &wh = in[2].shape();
    if (x.rank() != 3) shape_error("{}: x must be [B, T, I]: x is {}", info.name, x);
    if (wh.rank() != 2 || wh[1] != gates * wh[0])
        shape_error("{}: wh must be [H, {}H]: wh is {}", info.name, gates == 1 ? "" : std::to_string(gates), wh);
    if (!(wx == Shape{x[2], wh[1]}))
        shape_error("{}: wx must be [{}, {}]: wx is {}, x is {}, wh is {}", info.name, x[2], wh[1], wx, x, wh);
    if (in.has(3) && !(in[3].shape() == Shape{wh[1]}))
        shape_error("{}: b must be [{}]: b is {}, wh is {}", info.name, wh[1], in[3].shape(), wh);
    for (int i = 4; i <= last; ++i)
        if (in.has(i) && !(in[i].shape() == Shape{x[0], wh[0]}))
            shape_error("{}: a state must be [{}, {}]: input {} is {}", info.name, x[0], wh[0], i, in[i].shape());
}

/// The linear part: x, wx, wh, the state before the first step (undefined for 0) and all states [B, T, H].
template <Scalar T>
struct Recurrence {
    Tensor<T> x, wx, wh, h0, h;
    /// whᵀ, transposed once for all steps instead of in each of their small products.
    Tensor<T> turned = transpose(wh, Axes{1, 0});

    /// u = x wx + h_{t-1} wh + b  gives, once du [B, T, G] is complete,
    ///   dx = du wxᵀ;  dwx = Σ_t x_tᵀ du_t;  dwh = Σ_t h_{t-1}ᵀ du_t;  db = Σ_t du_t;  dh0 = du_1 whᵀ
    void backward(const Tensor<T>& du, Cotangents<T>& dx) const {
        const Index steps = x.dim(1), later = std::max<Index>(steps - 1, 0);
        if (dx.needs(0)) dx.add(0, matmul(du, mT(wx)));
        if (dx.needs(1)) dx.add(1, matmul_to(wx.shape(), mT(x), du));
        if (dx.needs(2)) {
            const Tensor<T> before = part(h, {.axis = 1, .count = later}),
                            after = part(du, {.axis = 1, .start = 1, .count = later});
            dx.add(2, matmul_to(wh.shape(), mT(before), after));
            if (h0.defined() && steps > 0) dx.add(2, matmul(mT(h0), entry(du, 1, 0)));
        }
        if (dx.needs(3)) dx.add(3, du);
        if (dx.needs(4)) dx.add(4, steps > 0 ? matmul(entry(du, 1, 0), turned) : zeros_like(h0));
    }
};

}  // namespace gradproof
