// Sinusoidal position encodings.
#include "gradproof/nn/positions.hpp"

#include <cmath>

namespace gradproof {

template <class T>
Tensor<T> position_encoding(Index length, Index width) {
    if (length < 1 || width < 1)
        value_error("position_encoding: sizes must be at least 1: length is {}, width is {}", length, width);
    Tensor<T> y({length, width});
    for (Index c = 0; c < width; ++c) {
        const double frequency = std::pow(10000.0, -static_cast<double>(c / 2 * 2) / static_cast<double>(width));
        for (Index p = 0; p < length; ++p) {
            const double angle = static_cast<double>(p) * frequency;
            y[p * width + c] = T(static_cast<base_t<T>>(c % 2 == 0 ? std::sin(angle) : std::cos(angle)));
        }
    }
    return y;
}

#define GRADPROOF_POSITIONS(T) template Tensor<T> position_encoding(Index, Index);
GRADPROOF_FOR_SCALARS(GRADPROOF_POSITIONS)
#undef GRADPROOF_POSITIONS

}  // namespace gradproof
