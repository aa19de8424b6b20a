// The BLAS that gemm may call: blas_openblas.cpp or blas_none.cpp, whichever the build chose.
#pragma once

#include <string>

#include "gradproof/core/shape.hpp"

namespace gradproof {

/// c = alpha op(a) op(b) + beta c as gemm, on one thread. False where it was not done: without BLAS, or for sizes beyond an int.
template <class T>
bool blas_gemm(bool ta, bool tb, Index m, Index n, Index k, T alpha, const T* a, Index lda, const T* b, Index ldb, T beta, T* c,
               Index ldc);
extern template bool blas_gemm(bool, bool, Index, Index, Index, float, const float*, Index, const float*, Index, float, float*,
                               Index);
extern template bool blas_gemm(bool, bool, Index, Index, Index, double, const double*, Index, const double*, Index, double,
                               double*, Index);

/// Whether there is one.
bool has_blas() noexcept;
/// The processor it has chosen its code for, "none" without BLAS: a wrong choice halves its speed, so benchmarks print it.
std::string blas_core();

}  // namespace gradproof
