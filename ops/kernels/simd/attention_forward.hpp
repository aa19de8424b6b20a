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

/// The softmax of one vector of queries over n more keys: s = exp(s - m) in place. Returns whether the maximum m moved, and
/// then what the sums so far shrink by.
template <class T>
bool softmax_step(T* s, Index n, Index ld, T log2_unit, T* largest, T* sum, T* shrink) {
    const V<T> never(-kInfinity<T>), before = load(largest);
    V<T> a = before, b = never;
    Index j = 0;
    for (; j + 2 <= n; j += 2) a = v_max(a, load(s + j * ld)), b = v_max(b, load(s + (j + 1) * ld));
    if (j < n) a = v_max(a, load(s + j * ld));
    const V<T> m = v_max(a, b);
    const bool moved = any(m > before);
    // Queries that have seen no key yet are shifted by 0: their weights are all 0.
    const V<T> shift = select(m == never, V<T>(T(0)), m), unit(log2_unit);
    V<T> total = load(sum);
    if (moved) {
        const V<T> factor = v_exp2((before - shift) * unit);
        store(shrink, factor);
        store(largest, m);
        total = total * factor;
    }
    V<T> more(T(0));
    for (Index k = 0; k < n; ++k) {
        const V<T> w = v_exp2((load(s + k * ld) - shift) * unit);
        store(s + k * ld, w);
        more = more + w;
    }
    store(sum, total + more);
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

    /// All keys of one run that any of the queries may see; tiles end where the band begins or ends to forbid some of them.
    void attend(const AttentionKeys<T>& run) {
        const AttentionBand& band = q_.band;
        const Index begin = larger(i_ + band.first, run.begin);
        const Index end = smaller(smaller(i_ + rows_ + band.last, band.limit), run.begin + run.count);
        const Index whole_begin = i_ + rows_ - 1 + band.first, whole_end = i_ + band.last + 1;
        for (Index j = begin; j < end;) {
            Index to = smaller(j + kKeyTile, end);
            if (j < whole_begin) to = smaller(to, whole_begin);
            else if (j < whole_end) to = smaller(to, whole_end);
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
            const V<T> factor(sum == T(0) ? T(0) : T(1) / sum);
            const T* const row = x_.y + r * width;
            T* const y = out.y + (i_ + r) * out.stride;
            for_vectors<T>(z_.E, [=](auto in, auto put) { put(y, in(row) * factor); });
        }
    }

  private:
    void attend(const AttentionKeys<T>& run, Index j, Index n) {
        const Tile<T> tile{q_, i_, rows_, j, n};
        const bool biased = tile.has_masks() || tile.crosses_band();
        Bias bias;
        if (biased) {
            bias = load_bias(tile, x_.bias, kKeyTile);
            if (bias.forbids_all) return;
        }
        product<T, false>(n, z_.D, lanes_ / kLanes<T>, Across<T>{run.k + (j - run.begin) * run.k_stride, run.k_stride}, x_.qt, lanes_, x_.s,
                          lanes_);
        if (z_.softcap > T(0)) cap_scores<T>(x_.s, nullptr, n, lanes_, lanes_, units_.unit, z_.softcap);
        if (biased) {
            transpose(x_.bias, kKeyTile, rows_, n, T(1), x_.bias_t, lanes_);
            const bool finished = z_.softcap > T(0) || q_.mask == nullptr;
            add_bias(x_.s, x_.bias_t, n, lanes_, lanes_, finished ? T(1) : units_.unit);
        }
        shrink_and_add(run, j, n, bias.forbids_some && biased);
    }

    /// y = y shrink + w v
    void shrink_and_add(const AttentionKeys<T>& run, Index j, Index n, bool forbids) {
        const Index width = padded<T>(z_.E);
        for (Index c = 0; c < lanes_; c += kLanes<T>) {
            if (!softmax_step(x_.s + c, n, lanes_, units_.log2_unit, x_.largest + c, x_.sum + c, x_.shrink + c)) continue;
            for (Index r = c; r < smaller(c + kLanes<T>, rows_); ++r) {
                const V<T> factor(x_.shrink[r]);
                for (Index e = 0; e < width; e += kLanes<T>) store(x_.y + r * width + e, load(x_.y + r * width + e) * factor);
            }
        }
        const T* const rows_of_v = run.v + (j - run.begin) * run.v_stride;
        const Whole<T> v = whole_rows(rows_of_v, run.v_stride, n, z_.E, x_.v);
        const Down<T> w{x_.s, lanes_};
        if (forbids && !all_finite(rows_of_v, run.v_stride, n, z_.E)) {
            for (Index k = 0; k < n * lanes_; ++k) x_.bias_t[k] = x_.bias_t[k] == -kInfinity<T> ? T(0) : T(1);
            careful_product(rows_, n, z_.E, w, Down<T>{x_.bias_t, lanes_}, v.data, v.stride, x_.y, width);
            return;
        }
        product<T, true>(rows_, n, width / kLanes<T>, w, v.data, v.stride, x_.y, width);
    }

    const AttentionSizes<T>& z_;
    const AttentionQueries<T>& q_;
    Units<T> units_;
    Index i_, rows_, lanes_;
    ForwardScratch<T> x_;
};

}  // namespace
}  // namespace gradproof
