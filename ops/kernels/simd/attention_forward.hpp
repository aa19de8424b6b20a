// The forward of the fused attention: one tile of queries over all its keys, with a running shift and sum.
//
// Scores are held transposed, keys down and queries across: the softmax of a query then runs down a lane, keys and values are
// read where they lie, and only the queries are transposed, once a tile.
#pragma once

#include "gradproof/ops/kernels/simd/attention_tiles.hpp"

namespace gradproof {
namespace {

template <class T>
struct ForwardScratch {
    T *qt, *s, *bias, *bias_t, *shift, *sum, *shrink, *y, *v;
    Index size;
    ForwardScratch(T* scratch, Index D, Index E) {
        Parts<T> parts{scratch};
        qt = parts.take(D * spread<T>(kQueryTile));
        s = parts.take(kForwardKeys * spread<T>(kQueryTile));
        bias = parts.take(kForwardKeys * kQueryTile);
        bias_t = parts.take(kForwardKeys * spread<T>(kQueryTile));
        shift = parts.take(kQueryTile);
        sum = parts.take(kQueryTile);
        shrink = parts.take(kQueryTile);
        y = parts.take(kQueryTile * padded<T>(E));
        v = parts.take(kForwardKeys * spread<T>(padded<T>(E)));
        size = parts.size;
    }
};

// The shift m of a query stays where it is while it serves; what becomes of one query never depends on those beside it.

/// The shift where one may go on with it so far, else -inf: there is one, and it may be multiplied first.
template <class T>
V<T> usable_shift(V<T> m, V<T> unit) {
    return select(largest_product<T>() >= abs(m * unit), m, V<T>(-kInfinity<T>));
}
/// What the weights of a tile by an older shift may sum up to: four times what those of equal scores do.
template <class T>
V<T> most_of_a_tile() {
    return V<T>(T(4 * kForwardKeys));
}
/// Whether they do; a sum that is NaN does not.
template <class T>
bool serves(V<T> total) {
    return !any(select(most_of_a_tile<T>() >= total, V<T>(T(0)), V<T>(T(1))) > V<T>(T(0)));
}

/// w = exp(s - m) over n more keys, in place of the scores of some vectors of queries; their sums grow. Returns whether all is
/// well: if scores lie so far above the shift that a sum gets out of hand, it stays as it was, but the scores are gone.
template <class T, int kVectors>
bool weigh_by_shift(T* s, Index n, Index ld, T log2_unit, const T* shift, T* sum, const Ahead<T>& values, const Ahead<T>& keys) {
    constexpr Index w = kLanes<T>;
    const V<T> unit(log2_unit);
    V<T> m[kVectors], product[kVectors], total[kVectors];
    GRADPROOF_UNROLL for (int v = 0; v < kVectors; ++v) m[v] = load(shift + v * w), product[v] = m[v] * unit,
                                                        total[v] = V<T>(T(0));
    for (Index k = 0; k < n; ++k) {
        values.template fetch<3>(k), keys.template fetch<2>(k);
        GRADPROOF_UNROLL for (int v = 0; v < kVectors; ++v) {
            T* const at = s + k * ld + v * w;
            const V<T> weight = v_exp2(exponent(load(at), m[v], unit, product[v]));
            store(at, weight);
            total[v] = total[v] + weight;
        }
    }
    for (int v = 0; v < kVectors; ++v)
        if (!serves(total[v])) return false;
    GRADPROOF_UNROLL for (int v = 0; v < kVectors; ++v) store(sum + v * w, load(sum + v * w) + total[v]);
    return true;
}

/// The same for one vector of queries; a shift that does not serve moves to the largest score.
/// Returns whether any did; `shrink` is
/// what the sums so far were multiplied by. None is kept without `keep`.
template <class T>
bool weigh_and_shift(T* s, Index n, Index ld, T log2_unit, T* shift, T* sum, T* shrink, bool keep) {
    const V<T> never(-kInfinity<T>), unit(log2_unit), zero(T(0));
    const V<T> before = load(shift), usable = keep ? usable_shift(before, unit) : never;
    V<T> largest = before, total = zero;
    for (Index k = 0; k < n; ++k) {
        const V<T> x = load(s + k * ld);
        largest = v_max(largest, x);
        if (keep) total = total + v_exp2(exponent(x, usable, unit, usable * unit));
    }
    const V<T> kept = select(most_of_a_tile<T>() >= total, usable, never), now = select(kept == never, largest, kept);
    // Queries that have seen no key yet are shifted by 0: their weights are all 0.
    const V<T> m = select(now == never, zero, now), product = m * unit;
    // As far as weights are made with a rounded product, so is what the older ones are multiplied by.
    const V<T> older = before * unit, apart = (before - m) * unit, limit = kFusedExponents ? largest_product<T>() : zero;
    const V<T> moved = select(limit >= abs(older), select(limit >= abs(product), older - product, apart), apart);
    const V<T> factor = select(now == before, V<T>(T(1)), v_exp2(moved));
    store(shrink, factor);
    store(shift, now);
    total = zero;
    for (Index k = 0; k < n; ++k) {
        const V<T> x = load(s + k * ld),
                   weight = v_exp2(select(limit >= abs(product), exponent(x, m, unit, product), (x - m) * unit));
        store(s + k * ld, weight);
        total = total + weight;
    }
    store(sum, fma(load(sum), factor, total));
    return any(factor < V<T>(T(1)));
}

template <class T>
class ForwardTile {
  public:
    ForwardTile(const AttentionSizes<T>& sizes, const AttentionQueries<T>& queries, Index i, Index rows, T* scratch)
        : z_(sizes),
          q_(queries),
          units_(sizes, queries),
          i_(i),
          rows_(rows),
          lanes_(padded<T>(rows)),
          ld_(spread<T>(lanes_)),
          x_(scratch, sizes.D, sizes.E) {
        transpose(q_.q + i * q_.stride, q_.stride, rows, z_.D, units_.sign, x_.qt, ld_);
        for (Index r = 0; r < lanes_; ++r) x_.shift[r] = -kInfinity<T>, x_.sum[r] = T(0);
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
            Index to = smaller(j + (whole ? kForwardKeys : kEdgeTile), end);
            if (j < whole_begin)
                to = smaller(to, whole_begin);
            else if (whole)
                to = smaller(to, whole_end);
            attend(run, j, to - j);
            j = to;
        }
    }

    void finish(const AttentionRows<T>& out) const {
        const Index width = padded<T>(z_.E);
        for (Index r = 0; r < rows_; ++r) {
            const T sum = x_.sum[r];
            out.shift[i_ + r] = x_.shift[r] == -kInfinity<T> ? T(0) : x_.shift[r];
            out.sum[i_ + r] = sum;
            const V<T> factor(T(1) / sum), zero(T(0));
            const bool dead = sum == T(0);  // no key, or scores of -inf only: 0 whatever the values are
            const T* const row = x_.y + r * width;
            T* const y = out.y + (i_ + r) * out.stride;
            for_vectors<T>(z_.E, [=](auto in, auto put) { put(y, dead ? zero : in(row)*factor); });
        }
    }

  private:
    static constexpr int kSoftmaxVectors = kBlockVectors;

    void attend(const AttentionKeys<T>& run, Index j, Index n) {
        const Tile<T> tile{q_, i_, rows_, j, n};
        const bool crosses = tile.crosses_band();
        Bias bias{false, crosses};
        if (tile.has_masks()) {
            bias = load_bias(tile, x_.bias, kForwardKeys);
            if (bias.forbids_all) return;
        }
        // Only vectors of queries that see any of the keys.
        const Index from = crosses ? tile.first_query(0) / kLanes<T> * kLanes<T> : 0;
        const Index to = crosses ? padded<T>(tile.last_query(n - 1)) : lanes_;
        scores(tile, run, crosses, from, to);
        weigh(tile, run, crosses, from, to);
        add_values(tile, run, from, smaller(to, rows_) - from, bias.forbids_some);
    }

    /// s = softcap(scale k qᵀ) + mask, queries [from, to)
    void scores(const Tile<T>& tile, const AttentionKeys<T>& run, bool crosses, Index from, Index to) {
        const Index n = tile.n;
        T* const s = x_.s + from;
        score_product<T>(n, z_.D, (to - from) / kLanes<T>, Across<T>{run.k + (tile.j - run.begin) * run.k_stride, run.k_stride},
                         x_.qt + from, ld_, s, ld_);
        if (z_.softcap > T(0)) cap_scores<T>(s, nullptr, n, to - from, ld_, units_.unit, z_.softcap);
        if (tile.has_masks()) {
            transpose(x_.bias, kForwardKeys, rows_, n, T(1), x_.bias_t, ld_);
            const bool finished = z_.softcap > T(0) || q_.mask == nullptr;
            add_bias(s, x_.bias_t + from, n, to - from, ld_, finished ? T(1) : units_.unit);
        } else if (crosses) {
            for (Index k = 0; k < n; ++k)
                set_outside(s + k * ld_, to - from, tile.first_query(k) - from, tile.last_query(k) - from, -kInfinity<T>);
        }
    }

    /// w = exp(s - m), and y shrinks where the shift m moves;
    /// queries [from, to). Meanwhile the values and the next keys come near.
    void weigh(const Tile<T>& tile, const AttentionKeys<T>& run, bool crosses, Index from, Index to) {
        const Index row = tile.j - run.begin, next = row + tile.n;
        Ahead<T> values{run.v + row * run.v_stride, run.v_stride, tile.n, z_.E};
        Ahead<T> keys{run.k + next * run.k_stride, run.k_stride, run.count - next, z_.D};
        const auto some = [&](auto vectors) {
            constexpr int n = decltype(vectors)::value;
            weigh<n>(tile, run, crosses, from, values, keys);
            from += n * kLanes<T>, values.rows = keys.rows = 0;
        };
        while (to - from >= kSoftmaxVectors * kLanes<T>) some(Count<kSoftmaxVectors>());
        while (from < to) some(Count<1>());
    }
    template <int kVectors>
    void weigh(const Tile<T>& tile, const AttentionKeys<T>& run, bool crosses, Index c, const Ahead<T>& values,
               const Ahead<T>& keys) {
        const T unit = units_.log2_unit;
        const Index end = c + kVectors * kLanes<T>;
        const bool keep = !tile.has_masks();
        if (keep && all_usable(c, end)) {
            if (weigh_by_shift<T, kVectors>(x_.s + c, tile.n, ld_, unit, x_.shift + c, x_.sum + c, values, keys)) return;
            scores(tile, run, crosses, c, end);
        }
        for (; c < end; c += kLanes<T>)
            if (weigh_and_shift<T>(x_.s + c, tile.n, ld_, unit, x_.shift + c, x_.sum + c, x_.shrink + c, keep))
                shrink(c, smaller(c + kLanes<T>, rows_));
    }
    bool all_usable(Index from, Index to) const {
        bool all = true;
        for (; from < to; from += kLanes<T>)
            all = all && !any(usable_shift(load(x_.shift + from), V<T>(units_.log2_unit)) == V<T>(-kInfinity<T>));
        return all;
    }
    void shrink(Index from, Index to) {
        const Index width = padded<T>(z_.E);
        for (Index r = from; r < to; ++r) {
            if (x_.shrink[r] == T(1)) continue;
            const V<T> factor(x_.shrink[r]);
            for (Index e = 0; e < width; e += kLanes<T>) store(x_.y + r * width + e, load(x_.y + r * width + e) * factor);
        }
    }

    /// y += w v, of `rows` queries from `from` on.
    void add_values(const Tile<T>& tile, const AttentionKeys<T>& run, Index from, Index rows, bool forbids) {
        const Index width = padded<T>(z_.E);
        const T* const rows_of_v = run.v + (tile.j - run.begin) * run.v_stride;
        const Whole<T> v = whole_rows(rows_of_v, run.v_stride, tile.n, z_.E, false, x_.v);
        const Down<T> w{x_.s + from, ld_};
        T* const y = x_.y + from * width;
        if (!forbids || all_finite(rows_of_v, run.v_stride, tile.n, z_.E))
            return product<T, true>(rows, tile.n, width / kLanes<T>, w, v.data, v.stride, y, width);
        load_bias(tile, x_.bias, kForwardKeys);
        transpose(x_.bias, kForwardKeys, rows_, tile.n, T(1), x_.bias_t, ld_);
        for (Index k = 0; k < tile.n; ++k)
            for (Index c = 0; c < lanes_; ++c) x_.bias_t[k * ld_ + c] = x_.bias_t[k * ld_ + c] == -kInfinity<T> ? T(0) : T(1);
        careful_product(rows, tile.n, z_.E, w, Down<T>{x_.bias_t + from, ld_}, v.data, v.stride, y, width);
    }

    const AttentionSizes<T>& z_;
    const AttentionQueries<T>& q_;
    Units<T> units_;
    Index i_, rows_, lanes_, ld_;  // ld_: of scores
    ForwardScratch<T> x_;
};

}  // namespace
}  // namespace gradproof
