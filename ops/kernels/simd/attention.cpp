// Fast paths of attention: tiles of scores that are never kept.
#include "gradproof/ops/kernels/simd/attention_backward.hpp"
#include "gradproof/ops/kernels/simd/attention_forward.hpp"

namespace gradproof {
namespace {

template <class T>
Index scratch_size(Index D, Index E) {
    return larger(ForwardScratch<T>(nullptr, D, E).size, BackwardScratch<T>(nullptr, D, E).size);
}

template <class T>
void forward(const AttentionSizes<T>& sizes, const AttentionQueries<T>& queries, const AttentionKeys<T>* runs, Index run_count,
             Index i, Index rows, const AttentionRows<T>& out, T* scratch) {
    ForwardTile<T> tile(sizes, queries, i, rows, scratch);
    for (Index n = 0; n < run_count; ++n) tile.attend(runs[n]);
    tile.finish(out);
}

/// One chain a row, the same as in dw = dy vᵀ: where y is one row of v, dw - inner is then exactly 0.
template <class T>
void inner(const T* a, Index a_stride, const T* b, Index b_stride, Index rows, Index n, T* out) {
    constexpr Index kChains = 8;
    for (Index r = 0; r < rows; r += kChains) {
        const Index chains = smaller(kChains, rows - r);
        T sum[kChains] = {};
        for (Index c = 0; c < n; ++c)
            for (Index k = 0; k < chains; ++k)
                sum[k] = multiply_add(a[(r + k) * a_stride + c], b[(r + k) * b_stride + c], sum[k]);
        for (Index k = 0; k < chains; ++k) out[r + k] = sum[k];
    }
}

template <class T>
void fill(Kernels<T>& k) noexcept {
    k.attention = {kQueryTile, kBackwardKeys, kEdgeTile,   scratch_size<T>, forward<T>,
                   inner<T>,   load_keys<T>,  backward<T>, add_dq<T>,       store_keys<T>};
}

}  // namespace

namespace GRADPROOF_KERNEL_NAMESPACE {
void fill_attention(Kernels<float>& k) noexcept { fill(k); }
void fill_attention(Kernels<double>& k) noexcept { fill(k); }
}  // namespace GRADPROOF_KERNEL_NAMESPACE

}  // namespace gradproof
