// Many matrix products of one shape, as data; and the places where faster ways to carry out words are put.
//
//   fast_products<float> = [](const MatrixProducts& p, const float* a, const float* b, float* c) { ... };
//   fast_maps<float> = {.exp = [](const float* x, float* y, Index n) { ... }, ...};
//
// core knows no kernel: ops/kernels puts its own here when the library is loaded. Without one, plain loops do.
#pragma once

#include "gradproof/core/shape.hpp"

namespace gradproof {

/// For each index of `batch`: c = op(a) op(b) of contiguous row-major matrices, op(a) [m, k], op(b) [k, n], c [m, n].
struct MatrixProducts {
    bool ta = false, tb = false;  ///< whether a, b is stored transposed
    Index m = 0, n = 0, k = 0;
    Shape batch{};               ///< sizes of the batch axes
    Shape a{}, b{}, c{};         ///< element strides of the operands along them, 0 where an operand is shared
    bool sums = false;           ///< c is shared by several products: it is cleared, then they add up in order
    Index c_size = 0;            ///< elements of c in all, read where `sums`
    const bool* mask = nullptr;  ///< one matrix laid out as each a, or null: where it is false, a is 0 and need not be read
};

template <class T>
using MultiplyMatrices = void (*)(const MatrixProducts&, const T* a, const T* b, T* c);

/// The faster way for a scalar, null where there is none.
template <class T>
inline MultiplyMatrices<T> fast_products = nullptr;

/// Functions of n elements, y may be x; null where there is none. Taken unless a KernelScope asks for pages.
template <class T>
struct FastMaps {
    using Map = void (*)(const T* x, T* y, Index n);
    Map exp = nullptr, tanh = nullptr, sigmoid = nullptr;
};
template <class T>
inline constinit FastMaps<T> fast_maps{};

}  // namespace gradproof
