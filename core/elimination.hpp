// Gauss-Jordan elimination of one square matrix, for every scalar.
//
//   const Eliminated<T> e = eliminate(a, n, b, m, larger);      // b becomes a⁻¹ b
//   if (!e.regular) ...                                         // a column has no pivot: a is singular
#pragma once

#include <utility>
#include <vector>

#include "gradproof/core/shape.hpp"

namespace gradproof {

template <class T>
struct Eliminated {
    std::vector<T> pivots;  ///< one for each row; their product is the determinant, but for its sign
    bool negated = false;   ///< by an odd number of exchanged rows
    bool regular = true;    ///< there is a pivot in every column
};

/// Turns a [n, n] into the identity by operations on its rows, and does the same to b [n, m]. Each column's pivot is the entry
/// that no other is larger(other, it) than; one that is equal to 0 is none.
template <class T, class Larger>
Eliminated<T> eliminate(T* a, Index n, T* b, Index m, Larger larger) {
    Eliminated<T> out;
    const auto exchange = [&](T* x, Index width, Index i, Index j) {
        for (Index k = 0; k < width; ++k) std::swap(x[i * width + k], x[j * width + k]);
    };
    const auto subtract = [](T* x, Index width, Index from, Index row, const T& factor) {
        for (Index k = 0; k < width; ++k) x[from * width + k] -= factor * x[row * width + k];
    };
    for (Index i = 0; i < n && out.regular; ++i) {
        Index best = i;
        for (Index r = i + 1; r < n; ++r)
            if (larger(a[r * n + i], a[best * n + i])) best = r;
        if (a[best * n + i] == T(0)) {
            out.regular = false;
            break;
        }
        if (best != i) {
            exchange(a, n, i, best);
            exchange(b, m, i, best);
            out.negated = !out.negated;
        }
        const T pivot = a[i * n + i];
        out.pivots.push_back(pivot);
        for (Index k = 0; k < n; ++k) a[i * n + k] /= pivot;
        for (Index k = 0; k < m; ++k) b[i * m + k] /= pivot;
        for (Index r = 0; r < n; ++r) {
            if (r == i) continue;
            const T factor = a[r * n + i];
            subtract(a, n, r, i, factor);
            subtract(b, m, r, i, factor);
        }
    }
    return out;
}

}  // namespace gradproof
