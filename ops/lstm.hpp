// Long short-term memory over a whole sequence, differentiated through time.
//
//   lstm(x, wx, wh);                                   // x [B, T, I], wx [I, 4H], wh [H, 4H] -> h [B, T, H]
//   lstm(x, wx, wh, {.bias = b, .state = h0, .cell = c0});
#pragma once

#include "gradproof/core/registry.hpp"

namespace gradproof {

/// The inputs that may be absent; each takes a gradient.
template <Operand X>
struct LstmOptional {
    X bias{};   ///< [4H]
    X state{};  ///< [B, H]: h before the first step, 0 if absent
    X cell{};   ///< [B, H]: c before the first step, 0 if absent
};

/// A sequence of hidden states read through gates from cells that keep what the forget gate lets them.
///   u_t = x_t wx + h_{t-1} wh + b;  i = s(u_i), f = s(u_f), g = tanh(u_g), o = s(u_o) with s the logistic function
///   c_t = f * c_{t-1} + i * g;  h_t = o * tanh(c_t)
///   dh_t gets du_{t+1} whᵀ and dc_t gets f_{t+1} * dc_{t+1} from the step after, the last step first;
///   dc_t = dh_t * o * (1 - tanh(c_t)²)
///   do = dh * tanh(c);  di = dc * g;  df = dc * c_{t-1};  dg = dc * i;  du by the slopes of s and tanh
///   dx, dwx, dwh, db, dh0 as those of rnn;  dc0 = f_1 * dc_1
/// Shapes  x [B, T, I], wx [I, 4H], wh [H, 4H], bias [4H], state [B, H], cell [B, H] -> h [B, T, H];
/// the gates lie side by side in the
///         order i f g o, which is that of PyTorch.
/// Units   all dimensionless.   Saves  x, wx, wh, state, cell, the gates [B, T, 4H], c and h.
/// Errors  ShapeError if a rank or size does not fit.
/// Source  Hochreiter and Schmidhuber 1997; the forget gate Gers et al. 2000.
template <Operand X>
X lstm(const X& x, const X& wx, const X& wh, const LstmOptional<X>& with = {});

}  // namespace gradproof
