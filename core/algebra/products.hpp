// Many matrix products of one shape, as data, and the pointers through which faster implementations of functions are plugged in.
//
//   fast_products<float> = [](const MatrixProducts& p, const float* a, const float* b, float* c) { ... };
//   fast_maps<float> = {.exp = [](const float* x, float* y, Index n) { ... }, ...};
//
// core contains no kernels: ops/kernels sets these pointers when the library is loaded. Without them, plain loops are used.
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

/// The fast implementation for a scalar, null if there is none.
template <class T>
inline MultiplyMatrices<T> fast_products = nullptr;

/// Fast functions of n elements; y may be x. Null if there is none. Used unless a KernelScope asks for pages.
template <class T>
struct FastMaps {
    using Map = void (*)(const T* x, T* y, Index n);
    Map exp = nullptr, tanh = nullptr, sigmoid = nullptr;
};
template <class T>
inline constinit FastMaps<T> fast_maps{};

}  // namespace gradproof
