// Sinusoidal position encodings.
//
//   const auto x = add(embedding, Var<double>(position_encoding<double>(8, 64)));
#pragma once

#include "gradproof/core/tensor.hpp"

namespace gradproof {

/// Sines and cosines whose wavelengths grow geometrically from 2 pi to 10000 * 2 pi.
///   y[p, 2i] = sin(p / 10000^(2i / width));  y[p, 2i + 1] = cos(p / 10000^(2i / width))
/// Shapes  -> [length, width]; for an odd width the last column is a sine without its cosine.
/// Units   dimensionless; p in tokens.   Errors  ValueError for a length or a width below 1.
/// Source  Vaswani et al. 2017 section 3.5.
template <class T>
Tensor<T> position_encoding(Index length, Index width);

}  // namespace gradproof
