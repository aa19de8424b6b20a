// Numbers as f16 and bf16 hold them, and arrays of them.
#pragma once

#include <cmath>
#include <cstring>

#include "gradproof/core/io/array.hpp"

namespace gradproof::testing {

/// To the digits of a type, as the 8 of bf16.
inline double narrowed(double x, DType type) {
    if (type == DType::f64) return x;
    if (type == DType::f32) return static_cast<double>(static_cast<float>(x));
    int exponent = 0;
    const double digits = 1 / unit_roundoff(type), fraction = std::frexp(x, &exponent);
    return std::ldexp(std::nearbyint(fraction * digits) / digits, exponent);
}
inline Tensor<double> narrowed(Tensor<double> x, DType type) {
    x = x.clone();
    for (double& v : x) v = narrowed(v, type);
    return x;
}

inline Array stored(const Tensor<double>& x, DType type) {
    if (type == DType::f64) return from_tensor(x);
    if (type == DType::f32) return from_tensor(cast<float>(x));
    Array out{type, x.shape(), {}};
    for (const double v : x) {
        std::uint16_t bits = 0;
        if (type == DType::bf16) {
            const auto single = static_cast<float>(narrowed(v, type));
            std::uint32_t wide = 0;
            std::memcpy(&wide, &single, sizeof wide);
            bits = static_cast<std::uint16_t>(wide >> 16);
        } else if (std::abs(v) >= 0x1p-14) {
            int exponent = 0;
            const double fraction = std::frexp(std::abs(narrowed(v, type)), &exponent);  // 0.5 to 1
            bits = static_cast<std::uint16_t>((v < 0 ? 0x8000 : 0) | (exponent + 14) << 10 |
                                              static_cast<int>((2 * fraction - 1) * 1024));
        } else {  // below the smallest normal number
            bits = static_cast<std::uint16_t>((v < 0 ? 0x8000 : 0) | static_cast<int>(std::nearbyint(std::abs(v) * 0x1p24)));
        }
        out.data.push_back(static_cast<std::byte>(bits & 255));
        out.data.push_back(static_cast<std::byte>(bits >> 8));
    }
    return out;
}

}  // namespace gradproof::testing
