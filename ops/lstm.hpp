// Long short-term memory over a whole sequence, differentiated through time.
//
//   lstm(x, wx, wh);                                   // x [B, T, I], wx [I, 4H], wh [H, 4H] -> h [B, T, H]
//   lstm(x, wx, wh, {.bias = b, .state = h0, .cell = c0});
#pragma once

#include "gradproof/core/registry.hpp"

namespace gradproof {

/// The optional inputs; each has a gradient.
template <Operand X>
struct LstmOptional {
    X bias{};   ///< [4H]
    X state{};  ///< [B, H]: h before the first step, 0 if absent
    X cell{};   ///< [B, H]: c before the first step, 0 if absent
};

/// The hidden states of an LSTM, one for each step of the sequence.
/// Shapes  x [B, T, I], wx [I, 4H], wh [H, 4H], bias [4H], state [B, H], cell [B, H] -> h [B, T, H]; the gates lie side
///         by side in the order i f g o, which is that of PyTorch.
/// Units   all dimensionless.
/// Errors  ShapeError if a rank or size does not fit.
template <Operand X>
X lstm(const X& x, const X& wx, const X& wh, const LstmOptional<X>& with = {});

}  // namespace gradproof
