// Products by OpenBLAS.
#include <cblas.h>

#include <climits>
#include <type_traits>

#include "gradproof/ops/kernels/blas.hpp"

namespace gradproof {
namespace {

// BLAS must not start threads of its own: they would fight with parallel_for and make sums depend on their number.
[[maybe_unused]] const bool kOneThread = (openblas_set_num_threads(1), true);

}  // namespace

template <class T>
bool blas_gemm(bool ta, bool tb, Index m, Index n, Index k, T alpha, const T* a, Index lda, const T* b, Index ldb, T beta, T* c,
               Index ldc) {
    if (std::max({m, n, k, lda, ldb, ldc}) > INT_MAX) return false;
    const auto flag = [](bool t) { return t ? CblasTrans : CblasNoTrans; };
    const auto size = [](Index i) { return static_cast<blasint>(i); };
    if constexpr (std::is_same_v<T, float>)
        cblas_sgemm(CblasRowMajor, flag(ta), flag(tb), size(m), size(n), size(k), alpha, a, size(lda), b, size(ldb), beta, c,
                    size(ldc));
    else
        cblas_dgemm(CblasRowMajor, flag(ta), flag(tb), size(m), size(n), size(k), alpha, a, size(lda), b, size(ldb), beta, c,
                    size(ldc));
    return true;
}
template bool blas_gemm(bool, bool, Index, Index, Index, float, const float*, Index, const float*, Index, float, float*, Index);
template bool blas_gemm(bool, bool, Index, Index, Index, double, const double*, Index, const double*, Index, double, double*,
                        Index);

bool has_blas() noexcept { return true; }
std::string blas_core() { return openblas_get_corename(); }

}  // namespace gradproof
