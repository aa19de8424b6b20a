// Fast paths of attention: tiles of scores that are never kept.
#include "ops/kernels/simd/attention_backward.hpp"
#include "ops/kernels/simd/attention_forward.hpp"

namespace gradproof {
namespace {

template <class T>
Index scratch_size(Index D, Index E) {
    return larger(ForwardScratch<T>(nullptr, D, E).size, BackwardScratch<T>(nullptr, D, E).size);
}

template <class T>
void forward(const AttentionSizes<T>& sizes, const AttentionQueries<T>& queries, const AttentionKeys<T>* runs, Index run_count, Index i,
             Index rows, const AttentionRows<T>& out, T* scratch) {
    ForwardTile<T> tile(sizes, queries, i, rows, scratch);
    for (Index n = 0; n < run_count; ++n) tile.attend(runs[n]);
    tile.finish(out);
}

template <class T>
void inner(const T* a, Index a_stride, const T* b, Index b_stride, Index rows, Index n, T* out) {
    for (Index r = 0; r < rows; ++r, a += a_stride, b += b_stride)
        out[r] = sum_vectors<T>(n, [=](auto in) { return in(a) * in(b); });
}

template <class T>
void fill(Kernels<T>& k) noexcept {
    k.attention = {kQueryTile, kKeyTile, scratch_size<T>, forward<T>, inner<T>, load_keys<T>, backward<T>, add_dq<T>, store_keys<T>};
}

}  // namespace

namespace GRADPROOF_KERNEL_NAMESPACE {
void fill_attention(Kernels<float>& k) noexcept { fill(k); }
void fill_attention(Kernels<double>& k) noexcept { fill(k); }
}  // namespace GRADPROOF_KERNEL_NAMESPACE

}  // namespace gradproof
