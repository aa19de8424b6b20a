// The recurrent network of Elman over a whole sequence, differentiated through time.
//
//   rnn(x, wx, wh);                                   // x [B, T, I], wx [I, H], wh [H, H] -> h [B, T, H]
//   rnn(x, wx, wh, {.bias = b, .state = h0});
#pragma once

#include "gradproof/core/registry.hpp"

namespace gradproof {

/// The inputs that may be absent; each takes a gradient.
template <Operand X>
struct RnnOptional {
    X bias{};   ///< [H]
    X state{};  ///< [B, H]: h before the first step, 0 if absent
};

/// A sequence of hidden states, each of the input of its step and of the state before.
///   u_t = x_t wx + h_{t-1} wh + b;  h_t = tanh(u_t)
///   du_t = (1 - h_t²) * (dh_t + du_{t+1} whᵀ), from the last step back
///   dx_t = du_t wxᵀ;  dwx = Σ x_tᵀ du_t;  dwh = Σ h_{t-1}ᵀ du_t;  db = Σ du_t, over all steps and entries;  dh0 = du_1 whᵀ
/// Shapes  x [B, T, I], wx [I, H], wh [H, H], bias [H], state [B, H] -> h [B, T, H].
/// Units   h dimensionless.   Saves  x, wx, wh, state, h.
/// Errors  ShapeError if a rank or size does not fit.
/// Source  Elman 1990; backpropagation through time Werbos 1990.
template <Operand X>
X rnn(const X& x, const X& wx, const X& wh, const RnnOptional<X>& with = {});

}  // namespace gradproof
