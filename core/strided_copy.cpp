// Strided copies: axes that stay together are merged first, then whole runs or square tiles are moved.
#include "gradproof/core/strided_copy.hpp"

#include <algorithm>
#include <array>

#include "gradproof/core/scalar.hpp"

namespace gradproof {
namespace {

/// One axis of the copy in the order of the output: its size and the distance of its entries in x and in y.
struct Axis {
    Index size, x, y;
};
struct Axes8 {
    std::array<Axis, kMaxRank> axis;
    int rank = 0;
    Axis& operator[](int i) { return axis[static_cast<std::size_t>(i)]; }
};

/// The axes of y without those of size 1, neighbours in both layouts merged into one.
Axes8 merged(const Shape& shape, const Shape& strides) {
    Axes8 out;
    for (int i = 0; i < shape.rank(); ++i) {
        const Index size = shape[i], x = strides[i];
        if (size == 1) continue;
        if (out.rank > 0 && out[out.rank - 1].x == x * size) {
            out[out.rank - 1].size *= size;
            out[out.rank - 1].x = x;
        } else {
            out[out.rank++] = {size, x, 0};
        }
    }
    Index step = 1;
    for (int i = out.rank - 1; i >= 0; --i) {
        out[i].y = step;
        step *= out[i].size;
    }
    return out;
}

/// c[j * c_step + i] = r[i * r_step + j] for i < m, j < n: a transposed copy in tiles that stay in the first-level cache.
template <class T>
void transpose_tiles(Index m, Index n, const T* r, Index r_step, T* c, Index c_step) {
    constexpr Index kTile = 16;
    for (Index i0 = 0; i0 < m; i0 += kTile)
        for (Index j0 = 0; j0 < n; j0 += kTile) {
            const Index i1 = std::min(i0 + kTile, m), j1 = std::min(j0 + kTile, n);
            for (Index j = j0; j < j1; ++j)
                for (Index i = i0; i < i1; ++i) c[j * c_step + i] = r[i * r_step + j];
        }
}

/// Calls move(x, y) for every index of the axes [0, rank).
template <class T, class Move>
void each(Axes8& axes, int rank, const T* x, T* y, const Move& move) {
    if (rank == 0) return move(x, y);
    const Axis last = axes[rank - 1];  // a plain loop; the axes before it are counted through
    std::array<Index, kMaxRank> index{};
    for (;;) {
        for (Index i = 0; i < last.size; ++i) move(x + i * last.x, y + i * last.y);
        int a = rank - 2;
        for (; a >= 0; --a) {
            Index& i = index[static_cast<std::size_t>(a)];
            x += axes[a].x;
            y += axes[a].y;
            if (++i < axes[a].size) break;
            x -= axes[a].x * axes[a].size;
            y -= axes[a].y * axes[a].size;
            i = 0;
        }
        if (a < 0) return;
    }
}

/// KeySpans of a length known to the compiler are moved without a call.
template <Index N, class T>
void copy_fixed(Axes8& axes, int rank, const T* x, T* y) {
    each(axes, rank, x, y, [](const T* from, T* to) {
        for (Index i = 0; i < N; ++i) to[i] = from[i];
    });
}

}  // namespace

template <class T>
void copy_strided(const T* x, const Shape& shape, const Shape& strides, T* y) {
    if (shape.size() == 0) return;
    Axes8 axes = merged(shape, strides);
    if (axes.rank == 0) {
        *y = *x;
        return;
    }
    const Axis last = axes[axes.rank - 1];
    if (last.x == 1) {
        switch (last.size) {
            case 8: return copy_fixed<8>(axes, axes.rank - 1, x, y);
            case 16: return copy_fixed<16>(axes, axes.rank - 1, x, y);
            case 32: return copy_fixed<32>(axes, axes.rank - 1, x, y);
            default: return each(axes, axes.rank - 1, x, y, [&](const T* from, T* to) { std::copy(from, from + last.size, to); });
        }
    }
    if (last.x == 0) return each(axes, axes.rank - 1, x, y, [&](const T* from, T* to) { std::fill(to, to + last.size, *from); });
    int inner = axes.rank - 1;
    while (inner >= 0 && axes[inner].x != 1) --inner;
    if (inner < 0)
        return each(axes, axes.rank - 1, x, y, [&](const T* from, T* to) {
            for (Index i = 0; i < last.size; ++i) to[i] = from[i * last.x];
        });
    // The innermost axis of x is another one of y: these two make a transposed copy, the rest is counted through.
    const Axis across = axes[inner];
    for (int i = inner; i + 2 < axes.rank; ++i) axes[i] = axes[i + 1];
    each(axes, axes.rank - 2, x, y,
         [&](const T* from, T* to) { transpose_tiles(last.size, across.size, from, last.x, to, across.y); });
}

#define GRADPROOF_COPY(T) template void copy_strided(const T*, const Shape&, const Shape&, T*);
GRADPROOF_FOR_SCALARS(GRADPROOF_COPY)
GRADPROOF_COPY(Index)
GRADPROOF_COPY(bool)
#undef GRADPROOF_COPY

}  // namespace gradproof
