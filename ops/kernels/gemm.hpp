// Matrix multiplication on strided memory, of float and double: by BLAS, by a kernel where that is faster, or by plain loops.
//
//   gemm(false, true, m, n, k, 1.0, a, k, b, k, 0.0, c, n);   // c [m, n] = a [m, k] bᵀ, b stored as [n, k]
#pragma once

#include "gradproof/core/algebra/products.hpp"

namespace gradproof {

/// c = alpha op(a) op(b) + beta c, row-major; op transposes where ta / tb, without a copy.
/// Shapes  op(a) [m, k] with rows of a lda apart, op(b) [k, n], c [m, n].
/// Any size may be 0: k = 0 leaves beta c. With beta = 0, c is not read: it may hold NaN or nothing yet.
template <class T>
void gemm(bool ta, bool tb, Index m, Index n, Index k, T alpha, const T* a, Index lda, const T* b, Index ldb, T beta, T* c,
          Index ldc);

/// c = op(a) op(b) of contiguous matrices, in tiles over the threads; the tiles depend on the sizes only.
template <class T>
void gemm_tiles(bool ta, bool tb, Index m, Index n, Index k, const T* a, const T* b, T* c);

/// Many products of one shape, over the threads.
template <class T>
void gemm(const MatrixProducts& products, const T* a, const T* b, T* c);

}  // namespace gradproof
