// Matrix products of small matrices, where packing them for BLAS would cost more than the products themselves.
#include "ops/kernels/simd/vec.hpp"

namespace gradproof {
namespace {

/// Element [i, p] of the left factor, at any strides: a matrix or its transpose.
template <class T>
struct Left {
    const T* data;
    Index row, column;
    T operator()(Index i, Index p) const { return data[i * row + p * column]; }
};

/// How the last vector of a row is read and written: whole, or its first lanes only.
struct Whole {
    template <class T> static V<T> in(const T* p, Index) { return load(p); }
    template <class T> static void out(T* p, V<T> x, Index) { store(p, x); }
};
struct Part {
    template <class T> static V<T> in(const T* p, Index lanes) { return load_part(p, lanes); }
    template <class T> static void out(T* p, V<T> x, Index lanes) { store_part(p, x, lanes); }
};

/// kRows rows by one or two vectors of c = alpha a b (+ c); the sums stay in registers. Last says how the last vector is stored.
template <class T, bool kAdd, class Last, int kRows, int kVectors>
void block(Index k, T alpha, Left<T> a, const T* b, Index ldb, T* c, Index ldc, Index lanes) {
    constexpr Index last = (kVectors - 1) * kLanes<T>;
    V<T> sum[kRows], sum_before[kRows];  // of the last vector, and of the one before it where there are two
    for (int r = 0; r < kRows; ++r) sum[r] = sum_before[r] = V<T>(T(0));
    for (Index p = 0; p < k; ++p, b += ldb) {
        const V<T> right = Last::in(b + last, lanes);
        for (int r = 0; r < kRows; ++r) sum[r] = fma(V<T>(a(r, p)), right, sum[r]);
        if constexpr (kVectors == 2) {
            const V<T> before = load(b);
            for (int r = 0; r < kRows; ++r) sum_before[r] = fma(V<T>(a(r, p)), before, sum_before[r]);
        }
    }
    const V<T> factor(alpha);
    for (int r = 0; r < kRows; ++r, c += ldc) {
        V<T> s = factor * sum[r];
        if constexpr (kAdd) s = s + Last::in(c + last, lanes);
        Last::out(c + last, s, lanes);
        if constexpr (kVectors == 2) {
            s = factor * sum_before[r];
            if constexpr (kAdd) s = s + load(c);
            store(c, s);
        }
    }
}

/// One or two vectors of columns, all m rows: kRows at a time, then the rest in halves.
template <class T, bool kAdd, class Last, int kRows, int kVectors>
void columns(Index m, Index k, T alpha, Left<T> a, const T* b, Index ldb, T* c, Index ldc, Index lanes) {
    for (; m >= kRows; m -= kRows, a.data += kRows * a.row, c += kRows * ldc)
        block<T, kAdd, Last, kRows, kVectors>(k, alpha, a, b, ldb, c, ldc, lanes);
    if constexpr (kRows > 1) {
        if (m > 0) columns<T, kAdd, Last, kRows / 2, kVectors>(m, k, alpha, a, b, ldb, c, ldc, lanes);
    }
}

template <class T, bool kAdd>
void multiply(Index m, Index n, Index k, T alpha, const T* a, Index a_row, Index a_column, const T* b, Index ldb, T* c, Index ldc) {
    constexpr Index w = kLanes<T>;
    const Left<T> left{a, a_row, a_column};
    Index j = 0;
    for (; j + 2 * w <= n; j += 2 * w) columns<T, kAdd, Whole, 4, 2>(m, k, alpha, left, b + j, ldb, c + j, ldc, w);
    if (j + w <= n) {
        columns<T, kAdd, Whole, 8, 1>(m, k, alpha, left, b + j, ldb, c + j, ldc, w);
        j += w;
    }
    if (j < n) columns<T, kAdd, Part, 8, 1>(m, k, alpha, left, b + j, ldb, c + j, ldc, n - j);
}

template <class T>
void fill(Kernels<T>& k) noexcept {
    k.multiply = multiply<T, false>;
    k.multiply_add = multiply<T, true>;
}

}  // namespace

namespace GRADPROOF_KERNEL_NAMESPACE {
void fill_products(Kernels<float>& k) noexcept { fill(k); }
void fill_products(Kernels<double>& k) noexcept { fill(k); }
}  // namespace GRADPROOF_KERNEL_NAMESPACE

}  // namespace gradproof
