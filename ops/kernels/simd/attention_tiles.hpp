// Tiles of the fused attention: their sizes, copies into padded and transposed form, and what forbids positions in them.
#pragma once

#include "gradproof/ops/kernels/attention_table.hpp"
#include "gradproof/ops/kernels/simd/exp2.hpp"
#include "gradproof/ops/kernels/simd/micro.hpp"
#include "gradproof/ops/kernels/simd/transpose.hpp"

namespace gradproof {
namespace {

// In a forward the scores of a tile and the values they weigh fill the first cache; a backward, whose tiles live in the second,
// walks over the queries the less often the more keys it takes at a time.
constexpr Index kQueryTile = 64, kForwardKeys = 64, kBackwardKeys = 128;
// Tiles that the band crosses are shorter: less is worked out in vain.
constexpr Index kEdgeTile = 32;

inline Index larger(Index a, Index b) { return a > b ? a : b; }
inline Index smaller(Index a, Index b) { return a < b ? a : b; }
template <class T>
constexpr T kInfinity = T(__builtin_inf());

/// Hands out the parts of a scratch; counts them where there is none yet.
template <class T>
struct Parts {
    T* scratch;
    Index size = 0;
    T* take(Index n) {
        T* const part = scratch == nullptr ? nullptr : scratch + size;
        size += (n + 15) / 16 * 16;
        return part;
    }
};

/// Scores are multiplied by `unit` where anything but the scale is done to them, else their exponents are: x = (s - m) log2_unit.
/// `sign` is what the products of queries and keys are multiplied by beforehand, so that unit >= 0: the largest stays largest.
template <class T>
struct Units {
    T sign, unit, log2_unit;
    Units(const AttentionSizes<T>& z, const AttentionQueries<T>& q) {
        constexpr T log2e = T(1.44269504088896340736);
        const T size = z.scale < T(0) ? -z.scale : z.scale;
        const bool zero = size * log2e == T(0);
        sign = zero ? T(0) : z.scale < T(0) ? T(-1) : T(1);
        unit = zero ? T(1) : size;
        // With a soft cap or a mask the tile holds finished scores.
        log2_unit = (z.softcap > T(0) || q.mask != nullptr ? T(1) : unit) * log2e;
    }
};

/// Rows that are read soon: asked for beside other work.
template <class T>
struct Ahead {
    const T* data;
    Index stride, rows, width;
    /// Row r into the first cache (3) or the second (2), if there is one.
    template <int kCache>
    void fetch(Index r) const {
        constexpr Index line = 64 / static_cast<Index>(sizeof(T));
        for (Index c = 0; r < rows && c < width; c += line) __builtin_prefetch(data + r * stride + c, 0, kCache);
    }
};

/// (s - m) unit: s unit - m unit in one fused operation where the processor has it, the product with m rounded before.
/// All weights
/// of a query have that error in common, so it cancels.
#if defined(__FMA__) || defined(__aarch64__)
constexpr bool kFusedExponents = true;
#else
constexpr bool kFusedExponents = false;
#endif
template <class T>
V<T> exponent(V<T> s, V<T> m, V<T> unit, V<T> product) {
    if constexpr (kFusedExponents)
        return fma(s, unit, -product);
    else
        return (s - m) * unit;
}
/// Beyond this size of m unit the error could carry exponents out of range: they are (s - m) unit everywhere.
template <class T>
V<T> largest_product() {
    return V<T>(T(4096));
}

/// 0, 1, 2 ...
template <class T>
V<T> count_up() {
    alignas(64) T lanes[kLanes<T>];
    for (Index l = 0; l < kLanes<T>; ++l) lanes[l] = static_cast<T>(l);
    return load(lanes);
}

/// Rows of n elements, one cache line longer where they would fall into few sets of the first cache.
template <class T>
constexpr bool crowds(Index n) {
    return n * static_cast<Index>(sizeof(T)) % 512 == 0;
}
template <class T>
constexpr Index spread(Index n) {
    return crowds<T>(n) ? n + 64 / static_cast<Index>(sizeof(T)) : n;
}

/// A matrix whose rows are whole vectors.
template <class T>
struct Whole {
    const T* data;
    Index stride;
};
/// `from` itself, or its copy in `to` with zeros behind the columns:
/// where there is no other way, or where its rows crowd and a copy
/// is worth it.
template <class T>
Whole<T> whole_rows(const T* from, Index stride, Index rows, Index columns, bool worth, T* to) {
    const Index width = padded<T>(columns), ld = spread<T>(width);
    if (width == columns && !(worth && crowds<T>(stride))) return {from, stride};
    for (Index r = 0; r < rows; ++r) {
        const T* const x = from + r * stride;
        T* const y = to + r * ld;
        Index c = 0;
        for (; c + kLanes<T> <= columns; c += kLanes<T>) store(y + c, load(x + c));
        if (c < columns) store(y + c, load_part(x + c, columns - c));
    }
    return {to, ld};
}

template <class T>
bool all_finite(const T* x, Index stride, Index rows, Index columns) {
    V<T> sum(T(0));
    T rest = 0;
    for (Index r = 0; r < rows; ++r, x += stride) {
        Index c = 0;
        for (; c + kLanes<T> <= columns; c += kLanes<T>) sum = sum + load(x + c) * V<T>(T(0));
        for (; c < columns; ++c) rest += x[c] * T(0);
    }
    return reduce_add(sum) + rest == T(0);
}

/// Queries [i, i + rows) and keys [j, j + n) of one head, and which of their positions the band and the masks forbid.
template <class T>
struct Tile {
    const AttentionQueries<T>& q;
    Index i, rows, j, n;

    /// Whether the band forbids any position.
    bool crosses_band() const { return j < i + rows - 1 + q.band.first || j + n - 1 > i + q.band.last || j + n > q.band.limit; }
    bool has_masks() const { return q.mask != nullptr || q.allowed != nullptr; }
    /// The keys [begin, end) of this tile, counted from j, that the band leaves to query i + r.
    Index begin(Index r) const { return clamp(i + r + q.band.first - j, n); }
    Index end(Index r) const { return clamp(smaller(i + r + q.band.last + 1, q.band.limit) - j, n); }
    /// The queries [first_query, last_query) of this tile, counted from i, to which the band leaves key j + k.
    Index first_query(Index k) const { return clamp(j + k - q.band.last - i, rows); }
    Index last_query(Index k) const { return clamp(j + k - q.band.first + 1 - i, rows); }

  private:
    static Index clamp(Index at, Index most) { return at < 0 ? 0 : at > most ? most : at; }
};

/// What masks do to a tile of scores.
struct Bias {
    bool forbids_all = true, forbids_some = false;
};
/// to [rows, ld] = what is added to the scores: the float mask, or 0, and -inf where the band or a mask forbids the position.
template <class T>
Bias load_bias(const Tile<T>& tile, T* to, Index ld) {
    const AttentionQueries<T>& q = tile.q;
    Bias bias;
    for (Index r = 0; r < tile.rows; ++r) {
        T* const row = to + r * ld;
        const Index begin = tile.begin(r), end = tile.end(r);
        for (Index c = 0; c < tile.n; ++c) row[c] = c < begin || c >= end ? -kInfinity<T> : T(0);
        if (q.mask != nullptr) {
            const T* const mask = q.mask + (tile.i + r) * q.mask_query + tile.j * q.mask_key;
            for (Index c = begin; c < end; ++c) row[c] = mask[c * q.mask_key];
        }
        if (q.allowed != nullptr) {
            const bool* const allowed = q.allowed + (tile.i + r) * q.allowed_query + tile.j * q.allowed_key;
            for (Index c = begin; c < end; ++c) row[c] = allowed[c * q.allowed_key] ? row[c] : -kInfinity<T>;
        }
        Index forbidden = 0;
        for (Index c = 0; c < tile.n; ++c) forbidden += row[c] == -kInfinity<T>;
        bias.forbids_all = bias.forbids_all && forbidden == tile.n;
        bias.forbids_some = bias.forbids_some || forbidden > 0;
    }
    return bias;
}

/// s = c tanh(s unit / c), and t = tanh(..) where t is not null.
template <class T>
void cap_scores(T* s, T* t, Index rows, Index columns, Index ld, T unit, T cap) {
    const V<T> in(unit / cap), out(cap);
    for (Index r = 0; r < rows; ++r)
        for (Index c = 0; c < columns; c += kLanes<T>) {
            const V<T> y = v_tanh(load(s + r * ld + c) * in);
            store(s + r * ld + c, out * y);
            if (t != nullptr) store(t + r * ld + c, y);
        }
}

/// s = value in columns [0, begin) and [end, columns) of one row.
template <class T>
void set_outside(T* s, Index columns, Index begin, Index end, T value) {
    const V<T> outside(value), low(static_cast<T>(begin)), high(static_cast<T>(end));
    const V<T> count = count_up<T>();
    for (Index c = 0; c < columns; c += kLanes<T>) {
        const V<T> at = count + V<T>(static_cast<T>(c));
        store(s + c, select(at < low, outside, select(at < high, load(s + c), outside)));
    }
}

/// s = s unit + bias; -inf where the bias is, whatever stood there.
template <class T>
void add_bias(T* s, const T* bias, Index rows, Index columns, Index ld, T unit) {
    const V<T> factor(unit), never(-kInfinity<T>);
    for (Index r = 0; r < rows; ++r)
        for (Index c = 0; c < columns; c += kLanes<T>) {
            const V<T> b = load(bias + r * ld + c);
            store(s + r * ld + c, select(b == never, never, fma(factor, load(s + r * ld + c), b)));
        }
}

/// a b + c, rounded as `product` rounds it.
template <class T>
T multiply_add(T a, T b, T c) {
#if defined(__FMA__) || defined(__aarch64__)
    if constexpr (sizeof(T) == 4)
        return __builtin_fmaf(a, b, c);
    else
        return __builtin_fma(a, b, c);
#else
    return a * b + c;
#endif
}

/// c += a b, leaving out the products whose position ok [i, p], laid out as a, is 0: what is not finite there is not read.
template <class T, class A>
void careful_product(Index m, Index k, Index columns, A a, A ok, const T* b, Index ldb, T* c, Index ldc) {
    const auto at = [](A x, Index i, Index p) { return x.from(i)[A::kAcross ? p : p * x.stride]; };
    for (Index i = 0; i < m; ++i)
        for (Index p = 0; p < k; ++p) {
            if (at(ok, i, p) == T(0)) continue;
            const T factor = at(a, i, p);
            for (Index d = 0; d < columns; ++d) c[i * ldc + d] = multiply_add(factor, b[p * ldb + d], c[i * ldc + d]);
        }
}

}  // namespace
}  // namespace gradproof
