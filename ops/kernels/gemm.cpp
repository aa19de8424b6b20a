// gemm by BLAS on one thread (parallel_for does the threading), by a kernel where that is faster, and by plain loops.
#include "gradproof/ops/kernels/gemm.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "gradproof/core/platform/threads.hpp"
#include "gradproof/ops/kernels/blas.hpp"
#include "gradproof/ops/kernels/kernels.hpp"

namespace gradproof {
namespace {

template <class T>
void loops(bool ta, bool tb, Index m, Index n, Index k, T alpha, const T* a, Index lda, const T* b, Index ldb, T beta, T* c,
           Index ldc) {
    const bool keep = beta != 0;
    for (Index i = 0; i < m; ++i) {
        T* row = c + i * ldc;
        for (Index j = 0; j < n; ++j) row[j] = keep ? beta * row[j] : T(0);
        if (tb) {
            for (Index j = 0; j < n; ++j) {
                T sum(0);
                for (Index p = 0; p < k; ++p) sum += (ta ? a[p * lda + i] : a[i * lda + p]) * b[j * ldb + p];
                row[j] += alpha * sum;
            }
        } else {
            for (Index p = 0; p < k; ++p) {
                const T x = alpha * (ta ? a[p * lda + i] : a[i * lda + p]);
                for (Index j = 0; j < n; ++j) row[j] += x * b[p * ldb + j];
            }
        }
    }
}

/// Whether the table's kernel is faster than BLAS, by sizes alone.
/// OpenBLAS 0.3.21 packs both operands from 10^6 multiply-adds on:
/// 512x64x64 31 us against 49, tb 32 / 51, ta 34 / 54; below that it packs for tb only (64^3 4.9 / 7.4); 8x64x16 0.19 / 0.26;
/// 128x512x128 tb 193 / 292; beyond 2^25, and with a bᵀ that few rows use,
/// it wins (AVX-512; `tools/bench/run 1 gemm` prints the ratios).
template <class T>
bool kernel_wins(bool ta, bool tb, Index m, Index n, Index k) {
    const Index work = m * n * k;
    if (tb && m < 32 && 2 * m < k) return false;
    if (work >= 1'000'000) return m >= 16 && n >= 32 && work <= Index{1} << 25;
    return tb || (!ta && sizeof(T) == 4 && m >= 8 && k >= 16 && n >= 16 && n <= 48 && work <= 48 * 48 * 48);
}

/// Multiply-adds that are worth a task of their own: some tens of microseconds.
constexpr Index kTaskWork = Index{1} << 21;

/// The tiles of c [m, n] that are tasks: whole rows where there are many, else columns are split as well. Sizes alone decide.
struct Tiles {
    Index rows, columns, down, across;

    Tiles(Index m, Index n, Index k) : rows(std::max<Index>(m, 1)), columns(std::max<Index>(n, 1)) {
        constexpr Index kWork = 4 * kTaskWork, kEnough = 8, kRows = 128, kColumns = 64;
        if (m * n * k > kWork) {
            rows = std::min(m, std::max(kRows, kWork / (n * k)));
            if (m < kEnough * rows) columns = std::min(n, std::max(kColumns, kWork / (rows * k) / kColumns * kColumns));
        }
        down = (m + rows - 1) / rows;
        across = (n + columns - 1) / columns;
    }
};

/// The batch axes with neighbours merged where all three operands allow it: most batches become one axis.
struct Batch {
    Shape sizes, a, b, c;

    explicit Batch(const MatrixProducts& p) {
        for (int i = 0; i < p.batch.rank(); ++i) {
            const Index size = p.batch[i];
            const int last = sizes.rank() - 1;
            if (size == 1) continue;
            if (last >= 0 && a[last] == p.a[i] * size && b[last] == p.b[i] * size && c[last] == p.c[i] * size) {
                sizes[last] *= size;
                a[last] = p.a[i], b[last] = p.b[i], c[last] = p.c[i];
            } else {
                sizes.push_back(size), a.push_back(p.a[i]), b.push_back(p.b[i]), c.push_back(p.c[i]);
            }
        }
    }
    struct Offsets {
        Index a = 0, b = 0, c = 0;
    };
    /// Where the operands of the n-th product begin.
    Offsets at(Index n) const {
        Offsets out;
        for (int axis = sizes.rank() - 1; axis >= 0; --axis) {
            const Index i = axis == 0 ? n : n % sizes[axis];
            if (axis > 0) n /= sizes[axis];
            out.a += i * a[axis], out.b += i * b[axis], out.c += i * c[axis];
        }
        return out;
    }
};

/// Rows of op(a) that a masked product takes at a time.
constexpr Index kMaskedRows = 64;

/// The terms l for which the mask has a true entry in rows [begin, end) of op(a): from the first to the last.
std::pair<Index, Index> terms_met(const MatrixProducts& p, Index begin, Index end) {
    const auto met = [&](Index l) {
        for (Index i = begin; i < end; ++i)
            if (p.mask[p.ta ? l * p.m + i : i * p.k + l]) return true;
        return false;
    };
    Index first = 0, last = p.k;
    while (first < last && !met(first)) ++first;
    while (first < last && !met(last - 1)) --last;
    return {first, last};
}

/// The products of masked a, by blocks of rows of op(a), each with the terms it meets.
template <class T>
void gemm_where(const MatrixProducts& p, const T* a, const T* b, T* c) {
    const Batch batch(p);
    const Index blocks = (p.m + kMaskedRows - 1) / kMaskedRows, lda = p.ta ? p.m : p.k;
    std::vector<std::pair<Index, Index>> terms;
    for (Index i = 0; i < p.m; i += kMaskedRows) terms.push_back(terms_met(p, i, std::min(i + kMaskedRows, p.m)));
    const auto run = [&](Index begin, Index end) {
        for (Index t = begin; t < end; ++t) {
            const auto at = batch.at(t / blocks);
            const Index i = t % blocks * kMaskedRows;
            const auto [first, last] = terms[static_cast<std::size_t>(t % blocks)];
            gemm(p.ta, false, std::min(kMaskedRows, p.m - i), p.n, last - first, T(1),
                 a + at.a + (p.ta ? first * lda + i : i * lda + first), lda, b + at.b + first * p.n, p.n, T(0),
                 c + at.c + i * p.n, p.n);
        }
    };
    const Index grain = std::max<Index>(1, kTaskWork / std::max<Index>(kMaskedRows * p.n * p.k, 1));
    parallel_for(p.batch.size() * blocks, grain, run);
}

}  // namespace

template <class T>
void gemm(bool ta, bool tb, Index m, Index n, Index k, T alpha, const T* a, Index lda, const T* b, Index ldb, T beta, T* c,
          Index ldc) {
    if (m == 0 || n == 0) return;
    if (k > 0) {  // nothing to multiply is left to the loops: they never read what they overwrite
        if (use_kernels<T>() && alpha != 0 && (kernel_wins<T>(ta, tb, m, n, k) || !has_blas()))
            if (const auto run = kernels<T>().product) return run(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
        if (blas_gemm(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)) return;
    }
    loops(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

template <class T>
void gemm_tiles(bool ta, bool tb, Index m, Index n, Index k, const T* a, const T* b, T* c) {
    const Index lda = ta ? m : k, ldb = tb ? k : n;
    const Tiles tiles(m, n, k);
    const auto run = [&](Index begin, Index end) {
        for (Index t = begin; t < end; ++t) {
            const Index i = t / tiles.across * tiles.rows, j = t % tiles.across * tiles.columns;
            gemm(ta, tb, std::min(tiles.rows, m - i), std::min(tiles.columns, n - j), k, T(1), a + (ta ? i : i * lda), lda,
                 b + (tb ? j * ldb : j), ldb, T(0), c + i * n + j, n);
        }
    };
    parallel_for(tiles.down * tiles.across, 1, run);
}

template <class T>
void gemm(const MatrixProducts& p, const T* a, const T* b, T* c) {
    const Index lda = p.ta ? p.m : p.k, ldb = p.tb ? p.k : p.n;
    const Index count = p.batch.size();
    if (p.mask && !p.tb && !p.sums && p.m > kMaskedRows) return gemm_where(p, a, b, c);
    if (p.sums) {
        std::fill(c, c + p.c_size, T(0));
        const Batch batch(p);
        for (Index i = 0; i < count; ++i) {
            const auto at = batch.at(i);
            gemm(p.ta, p.tb, p.m, p.n, p.k, T(1), a + at.a, lda, b + at.b, ldb, T(1), c + at.c, p.n);
        }
        return;
    }
    if (count == 1) return gemm_tiles(p.ta, p.tb, p.m, p.n, p.k, a, b, c);
    const Batch batch(p);
    const auto products = [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) {
            const auto at = batch.at(i);
            gemm(p.ta, p.tb, p.m, p.n, p.k, T(1), a + at.a, lda, b + at.b, ldb, T(0), c + at.c, p.n);
        }
    };
    const Index grain = std::max<Index>(1, kTaskWork / std::max<Index>(p.m * p.n * p.k, 1));
    if (grain >= count) return products(0, count);
    parallel_for(count, grain, products);
}

#define GRADPROOF_GEMM(T)                                                                                   \
    template void gemm(bool, bool, Index, Index, Index, T, const T*, Index, const T*, Index, T, T*, Index); \
    template void gemm(const MatrixProducts&, const T*, const T*, T*);                                      \
    template void gemm_tiles(bool, bool, Index, Index, Index, const T*, const T*, T*);
GRADPROOF_GEMM(float)
GRADPROOF_GEMM(double)
#undef GRADPROOF_GEMM

[[maybe_unused]] const bool kOffered = (fast_products<float> = gemm<float>, fast_products<double> = gemm<double>, true);

}  // namespace gradproof
