// Matrix products that are small or narrow: BLAS packs both operands, here at most a panel of the right one is copied.
#include "gradproof/ops/kernels/simd/micro.hpp"
#include "gradproof/ops/kernels/simd/transpose.hpp"

namespace gradproof {
namespace {

// Measured to win against OpenBLAS on 512-bit vectors only.
#if defined(GRADPROOF_ARCH_avx512) || !defined(GRADPROOF_OPENBLAS)

/// What becomes of a sum: c = alpha sum + beta c, c unread where beta is 0.
template <class T>
struct Scaled {
    T alpha, beta;
    V<T> operator()(V<T> sum, const auto& old) const {
        const V<T> scaled = V<T>(alpha) * sum;
        return beta == T(0) ? scaled : fma(V<T>(beta), old(), scaled);
    }
};

/// c of up to four vectors of columns.
template <class T, class A>
void small_panel(Index m, Index n, Index k, A a, const T* b, Index ldb, const Scaled<T>& into, T* c, Index ldc) {
    constexpr Index w = kLanes<T>;
    const auto columns = [&](auto count) {
        constexpr int kVectors = decltype(count)::value, kRows = kBlockRows<kVectors>;
        const Index part = n - (kVectors - 1) * w;
        if (part == w)
            rows_of_blocks<T, kVectors, false, kRows, kRows * 2 / 3>(m, k, a, b, ldb, into, c, ldc, part);
        else
            rows_of_blocks<T, kVectors, true, kRows, kRows * 2 / 3>(m, k, a, b, ldb, into, c, ldc, part);
    };
    switch ((n + w - 1) / w) {
        case 1: return columns(Count<1>());
        case 2: return columns(Count<2>());
        case 3: return columns(Count<3>());
        default: return columns(Count<4>());
    }
}

/// A panel of op(b), as deep and wide as the first cache takes while the rows of a go by.
constexpr Index kPanelDepth = 128;
template <class T>
constexpr Index kPanelWidth = 4 * kLanes<T>;

/// Rows of b, kPanelWidth apart in `to`.
template <class T>
void copy_panel(const T* b, Index ldb, Index depth, Index width, T* to) {
    for (Index p = 0; p < depth; ++p, b += ldb, to += kPanelWidth<T>)
        for_vectors<T>(width, [=](auto in, auto out) { out(to, in(b)); });
}

template <class T>
void general_product(bool ta, bool tb, Index m, Index n, Index k, T alpha, const T* a, Index lda, const T* b, Index ldb, T beta,
                     T* c, Index ldc) {
    constexpr Index w = kLanes<T>, most = kPanelWidth<T>;
    const bool copies = m >= 64 && ldb > most;  // rows far apart fall into few sets of the cache
    alignas(64) T panel[kPanelDepth * most];
    for (Index p = 0, depth; p < k; p += depth) {
        depth = k - p < kPanelDepth ? k - p : kPanelDepth;
        const Scaled<T> into{alpha, p == 0 ? beta : T(1)};
        for (Index j = 0, width; j < n; j += width) {
            width = n - j <= most ? n - j : n - j <= most + w ? 3 * w : most;  // never one vector alone behind others
            const T* right = tb ? b + j * ldb + p : b + p * ldb + j;
            if (tb)
                transpose(right, ldb, width, depth, T(1), panel, most);
            else if (copies)
                copy_panel(right, ldb, depth, width, panel);
            const Index stride = tb || copies ? most : ldb;
            if (tb || copies) right = panel;
            if (ta)
                small_panel(m, width, depth, Down<T>{a + p * lda, lda}, right, stride, into, c + j, ldc);
            else
                small_panel(m, width, depth, Across<T>{a + p, lda}, right, stride, into, c + j, ldc);
        }
    }
}

template <class T>
constexpr auto kProduct = general_product<T>;

#else

template <class T>
constexpr decltype(Kernels<T>::product) kProduct = nullptr;

#endif

template <class T>
void fill(Kernels<T>& k) noexcept {
    k.product = kProduct<T>;
}

}  // namespace

namespace GRADPROOF_KERNEL_NAMESPACE {
void fill_products(Kernels<float>& k) noexcept { fill(k); }
void fill_products(Kernels<double>& k) noexcept { fill(k); }
}  // namespace GRADPROOF_KERNEL_NAMESPACE

}  // namespace gradproof
