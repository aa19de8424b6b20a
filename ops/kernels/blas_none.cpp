// No BLAS: products are left to the kernels and the loops of gemm.
#include "gradproof/ops/kernels/blas.hpp"

namespace gradproof {

template <class T>
bool blas_gemm(bool, bool, Index, Index, Index, T, const T*, Index, const T*, Index, T, T*, Index) {
    return false;
}
template bool blas_gemm(bool, bool, Index, Index, Index, float, const float*, Index, const float*, Index, float, float*, Index);
template bool blas_gemm(bool, bool, Index, Index, Index, double, const double*, Index, const double*, Index, double, double*,
                        Index);

bool has_blas() noexcept { return false; }
std::string blas_core() { return "none"; }

}  // namespace gradproof
