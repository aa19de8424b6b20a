// The forward of the fused attention: one tile of queries over all its keys, with a running maximum and sum.
//
// Scores are held transposed, keys down and queries across: the softmax of a query then runs down a lane, keys and values are
// read where they lie, and only the queries are transposed, once a tile.
#pragma once

#include "ops/kernels/simd/attention_tiles.hpp"

namespace gradproof {
namespace {

template <class T>
struct ForwardScratch {
    T *qt, *s, *bias, *bias_t, *largest, *sum, *shrink, *y, *v;
    Index size;
    ForwardScratch(T* scratch, Index D, Index E) {
        Parts<T> parts{scratch};
        qt = parts.take(D * kQueryTile);
        s = parts.take(kKeyTile * kQueryTile);
        bias = parts.take(kKeyTile * kQueryTile);
        bias_t = parts.take(kKeyTile * kQueryTile);
        largest = parts.take(kQueryTile);
        sum = parts.take(kQueryTile);
        shrink = parts.take(kQueryTile);
        y = parts.take(kQueryTile * padded<T>(E));
        v = parts.take(kKeyTile * padded<T>(E));
        size = parts.size;
    }
};

/// The softmax of some vectors of queries over n more keys: s = exp(s - m) in place. Returns whether a maximum m moved; `shrink`
/// is what the sums so far were multiplied by.
template <class T, int kVectors>
bool softmax_step(T* s, Index n, Index ld, T log2_unit, T* largest, T* sum, T* shrink) {
    constexpr Index w = kLanes<T>;
    const V<T> never(-kInfinity<T>), unit(log2_unit);
    V<T> m[kVectors], shift[kVectors], total[kVectors];
    GRADPROOF_UNROLL for (int v = 0; v < kVectors; ++v) m[v] = load(largest + v * w);
    for (Index k = 0; k < n; ++k)
        GRADPROOF_UNROLL for (int v = 0; v < kVectors; ++v) m[v] = v_max(m[v], load(s + k * ld + v * w));
    bool moved = false;
    GRADPROOF_UNROLL for (int v = 0; v < kVectors; ++v) {
        const V<T> before = load(largest + v * w);
        moved = moved || any(m[v] > before);
        // Queries that have seen no key yet are shifted by 0: their weights are all 0.
        shift[v] = select(m[v] == never, V<T>(T(0)), m[v]);
        const V<T> factor = select(m[v] == before, V<T>(T(1)), v_exp2((before - shift[v]) * unit));
        store(shrink + v * w, factor);
        store(largest + v * w, m[v]);
        store(sum + v * w, load(sum + v * w) * factor);
        total[v] = V<T>(T(0));
    }
    for (Index k = 0; k < n; ++k)
        GRADPROOF_UNROLL for (int v = 0; v < kVectors; ++v) {
            T* const at = s + k * ld + v * w;
            const V<T> weight = v_exp2((load(at) - shift[v]) * unit);
            store(at, weight);
            total[v] = total[v] + weight;
        }
    GRADPROOF_UNROLL for (int v = 0; v < kVectors; ++v) store(sum + v * w, load(sum + v * w) + total[v]);
    return moved;
}

template <class T>
class ForwardTile {
  public:
    ForwardTile(const AttentionSizes<T>& sizes, const AttentionQueries<T>& queries, Index i, Index rows, T* scratch)
        : z_(sizes), q_(queries), units_(sizes, queries), i_(i), rows_(rows), lanes_(padded<T>(rows)), x_(scratch, sizes.D, sizes.E) {
        transpose(q_.q + i * q_.stride, q_.stride, rows, z_.D, units_.sign, x_.qt, lanes_);
        for (Index r = 0; r < lanes_; ++r) x_.largest[r] = -kInfinity<T>, x_.sum[r] = T(0);
        for (Index n = 0; n < rows * padded<T>(z_.E); ++n) x_.y[n] = T(0);
    }

    /// All keys of one run that any of the queries may see; tiles end where the band begins or ends to forbid some of them, and
    /// are shorter there.
    void attend(const AttentionKeys<T>& run) {
        const AttentionBand& band = q_.band;
        const Index begin = larger(i_ + band.first, run.begin);
        const Index end = smaller(smaller(i_ + rows_ + band.last, band.limit), run.begin + run.count);
        const Index whole_begin = i_ + rows_ - 1 + band.first, whole_end = i_ + band.last + 1;
        for (Index j = begin; j < end;) {
            const bool whole = j >= whole_begin && j < whole_end;
            Index to = smaller(j + (whole ? kKeyTile : kEdgeTile), end);
            if (j < whole_begin) to = smaller(to, whole_begin);
            else if (whole) to = smaller(to, whole_end);
            attend(run, j, to - j);
            j = to;
        }
    }

    void finish(const AttentionRows<T>& out) const {
        const Index width = padded<T>(z_.E);
        for (Index r = 0; r < rows_; ++r) {
            const T sum = x_.sum[r];
            out.largest[i_ + r] = x_.largest[r] == -kInfinity<T> ? T(0) : x_.largest[r];
            out.sum[i_ + r] = sum;
            const V<T> factor(T(1) / sum), zero(T(0));
            const bool dead = sum == T(0);  // no key, or scores of -inf only: 0 whatever the values are
            const T* const row = x_.y + r * width;
            T* const y = out.y + (i_ + r) * out.stride;
            for_vectors<T>(z_.E, [=](auto in, auto put) { put(y, dead ? zero : in(row) * factor); });
        }
    }

  private:
    static constexpr int kSoftmaxVectors = kBlockVectors;

    void attend(const AttentionKeys<T>& run, Index j, Index n) {
        const Tile<T> tile{q_, i_, rows_, j, n};
        const bool crosses = tile.crosses_band();
        Bias bias{false, crosses};
        if (tile.has_masks()) {
            bias = load_bias(tile, x_.bias, kKeyTile);
            if (bias.forbids_all) return;
        }
        // Only vectors of queries that see any of the keys.
        const Index from = crosses ? tile.first_query(0) / kLanes<T> * kLanes<T> : 0;
        const Index to = crosses ? padded<T>(tile.last_query(n - 1)) : lanes_;
        T* const s = x_.s + from;
        score_product<T>(n, z_.D, (to - from) / kLanes<T>, Across<T>{run.k + (j - run.begin) * run.k_stride, run.k_stride}, x_.qt + from, lanes_,
                          s, lanes_);
        if (z_.softcap > T(0)) cap_scores<T>(s, nullptr, n, to - from, lanes_, units_.unit, z_.softcap);
        if (tile.has_masks()) {
            transpose(x_.bias, kKeyTile, rows_, n, T(1), x_.bias_t, lanes_);
            const bool finished = z_.softcap > T(0) || q_.mask == nullptr;
            add_bias(s, x_.bias_t + from, n, to - from, lanes_, finished ? T(1) : units_.unit);
        } else if (crosses) {
            for (Index k = 0; k < n; ++k)
                set_outside(s + k * lanes_, to - from, tile.first_query(k) - from, tile.last_query(k) - from, -kInfinity<T>);
        }
        weigh(from, to, n);
        add_values(tile, run, from, smaller(to, rows_) - from, bias.forbids_some);
    }

    /// w = exp(s - m), and y shrinks where the maximum m moved; queries [from, to).
    void weigh(Index from, Index to, Index n) {
        const Index width = padded<T>(z_.E);
        for (Index c = from; c < to;) {
            const Index some = to - c >= kSoftmaxVectors * kLanes<T> ? kSoftmaxVectors * kLanes<T> : kLanes<T>;
            const auto step = some > kLanes<T> ? softmax_step<T, kSoftmaxVectors> : softmax_step<T, 1>;
            const bool moved = step(x_.s + c, n, lanes_, units_.log2_unit, x_.largest + c, x_.sum + c, x_.shrink + c);
            for (Index r = c; moved && r < smaller(c + some, rows_); ++r) {
                const V<T> factor(x_.shrink[r]);
                for (Index e = 0; e < width; e += kLanes<T>) store(x_.y + r * width + e, load(x_.y + r * width + e) * factor);
            }
            c += some;
        }
    }

    /// y += w v, of `rows` queries from `from` on.
    void add_values(const Tile<T>& tile, const AttentionKeys<T>& run, Index from, Index rows, bool forbids) {
        const Index width = padded<T>(z_.E);
        const T* const rows_of_v = run.v + (tile.j - run.begin) * run.v_stride;
        const Whole<T> v = whole_rows(rows_of_v, run.v_stride, tile.n, z_.E, x_.v);
        const Down<T> w{x_.s + from, lanes_};
        T* const y = x_.y + from * width;
        if (!forbids || all_finite(rows_of_v, run.v_stride, tile.n, z_.E))
            return product<T, true>(rows, tile.n, width / kLanes<T>, w, v.data, v.stride, y, width);
        load_bias(tile, x_.bias, kKeyTile);
        transpose(x_.bias, kKeyTile, rows_, tile.n, T(1), x_.bias_t, lanes_);
        for (Index k = 0; k < tile.n * lanes_; ++k) x_.bias_t[k] = x_.bias_t[k] == -kInfinity<T> ? T(0) : T(1);
        careful_product(rows, tile.n, z_.E, w, Down<T>{x_.bias_t + from, lanes_}, v.data, v.stride, y, width);
    }

    const AttentionSizes<T>& z_;
    const AttentionQueries<T>& q_;
    Units<T> units_;
    Index i_, rows_, lanes_;
    ForwardScratch<T> x_;
};

}  // namespace
}  // namespace gradproof
