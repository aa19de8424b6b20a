// The recurrent network of Elman over a whole sequence, differentiated through time.
//
//   rnn(x, wx, wh);                                   // x [B, T, I], wx [I, H], wh [H, H] -> h [B, T, H]
//   rnn(x, wx, wh, {.bias = b, .state = h0});
#pragma once

#include "gradproof/core/registry.hpp"

namespace gradproof {

/// The optional inputs; each has a gradient.
template <Operand X>
struct RnnOptional {
    X bias{};   ///< [H]
    X state{};  ///< [B, H]: h before the first step, 0 if absent
};

/// The hidden states, each computed from the input of its step and the state before: h_t = tanh(x_t wx + h_{t-1} wh + b).
/// Shapes  x [B, T, I], wx [I, H], wh [H, H], bias [H], state [B, H] -> h [B, T, H].
/// Units   h dimensionless.
/// Errors  ShapeError if a rank or size does not fit.
template <Operand X>
X rnn(const X& x, const X& wx, const X& wh, const RnnOptional<X>& with = {});

}  // namespace gradproof
