// The backward of the fused attention: one tile of keys meets the tiles of queries, one after the other.
//
// Keys and values are transposed once a tile; scores are worked out again, by the same sums as in the forward.
#pragma once

#include "gradproof/ops/kernels/simd/attention_tiles.hpp"

namespace gradproof {
namespace {

template <class T>
struct BackwardScratch {
    static constexpr Index kStride = spread<T>(kBackwardKeys);
    T *kt, *vt, *k, *dk, *dv, *w, *ds, *t, *bias, *q, *dy, *dq;
    Index size;
    BackwardScratch(T* scratch, Index D, Index E) {
        Parts<T> parts{scratch};
        const Index wide_D = padded<T>(D), wide_E = padded<T>(E);
        kt = parts.take(D * kStride);
        vt = parts.take(E * kStride);
        k = parts.take(kBackwardKeys * spread<T>(wide_D));
        dk = parts.take(kBackwardKeys * wide_D);
        dv = parts.take(kBackwardKeys * wide_E);
        w = parts.take(kQueryTile * kStride);
        ds = parts.take(kQueryTile * kStride);
        t = parts.take(kQueryTile * kStride);
        bias = parts.take(kQueryTile * kStride);
        q = parts.take(kQueryTile * spread<T>(wide_D));
        dy = parts.take(kQueryTile * spread<T>(wide_E));
        dq = parts.take(kQueryTile * wide_D);
        size = parts.size;
    }
};

/// w = exp(s - m) / sum in place of s, and ds = w (dw - inner) in place of dw, one query. Where bias is -inf both are 0.
template <class T>
void weights_step(T* s, T* dw, const T* bias, Index lanes, T log2_unit, T shift, T inverse_sum, T inner) {
    const V<T> m(shift), unit(log2_unit), factor(inverse_sum), subtrahend(inner), zero(T(0));
    const auto weigh = [&](auto exponent) {
        for (Index c = 0; c < lanes; c += kLanes<T>) {
            V<T> w = v_exp2(exponent(load(s + c))) * factor, ds = w * (load(dw + c) - subtrahend);
            if (bias != nullptr) {
                const auto forbidden = load(bias + c) == V<T>(-kInfinity<T>);
                w = select(forbidden, zero, w), ds = select(forbidden, zero, ds);
            }
            store(s + c, w);
            store(dw + c, ds);
        }
    };
    const V<T> product = m * unit;
    if (any(abs(product) > largest_product<T>()))
        weigh([&](V<T> x) { return (x - m) * unit; });
    else
        weigh([&](V<T> x) { return exponent(x, m, unit, product); });
}

/// ds = ds (1 - t²), t = tanh of the capped score; a forbidden position keeps its 0.
template <class T>
void cap_backward(T* ds, const T* t, Index rows, Index lanes, Index ld) {
    for (Index r = 0; r < rows; ++r)
        for (Index c = 0; c < lanes; c += kLanes<T>) {
            const V<T> x = load(ds + r * ld + c), y = load(t + r * ld + c), zero(T(0));
            store(ds + r * ld + c, select(x == zero, zero, x * (V<T>(T(1)) - y * y)));
        }
}

template <class T>
class BackwardTile {
    static constexpr Index kStride = BackwardScratch<T>::kStride;

  public:
    BackwardTile(const AttentionSizes<T>& sizes, const AttentionQueries<T>& queries, const AttentionCotangents<T>& cotangents,
                 AttentionKeyTile<T>& keys, Index i, Index rows)
        : z_(sizes),
          q_(queries),
          g_(cotangents),
          keys_(keys),
          tile_{queries, i, rows, keys.keys.begin,
                smaller(keys.keys.count, smaller(queries.band.limit, i + rows + queries.band.last) - keys.keys.begin)},
          ld_(spread<T>(padded<T>(keys.keys.count))),
          lanes_(padded<T>(tile_.n)),
          units_(sizes, queries),
          x_(keys.scratch, sizes.D, sizes.E) {}

    bool run() {
        const bool crosses = tile_.crosses_band(), masked = tile_.has_masks();
        Bias bias{false, crosses};
        if (masked) {
            bias = load_bias(tile_, x_.bias, kStride);
            if (bias.forbids_all) return false;
            for (Index r = 0; r < tile_.rows; ++r)
                for (Index c = tile_.n; c < lanes_; ++c) x_.bias[r * kStride + c] = T(0);
        }
        forbids_ = bias.forbids_some;
        scores(masked);
        if (needs_scores())
            product<T, false>(tile_.rows, z_.E, lanes_ / kLanes<T>, Across<T>{dy(), g_.dy_stride}, x_.vt, ld_, x_.ds, kStride);
        for (Index r = 0; r < tile_.rows; ++r) {
            const Index i = tile_.i + r;
            weights_step<T>(x_.w + r * kStride, x_.ds + r * kStride, masked && forbids_ ? x_.bias + r * kStride : nullptr, lanes_,
                            units_.log2_unit, g_.shift[i], g_.inverse_sum[i], g_.inner[i]);
            if (masked || !crosses) continue;
            set_outside(x_.w + r * kStride, lanes_, tile_.begin(r), tile_.end(r), T(0));
            set_outside(x_.ds + r * kStride, lanes_, tile_.begin(r), tile_.end(r), T(0));
        }
        if (forbids_) read_only_allowed();
        if (keys_.needs_dv) {  // y = w v:  dv = wᵀ dy
            const Whole<T> rows_of_dy = whole_rows(dy(), g_.dy_stride, tile_.rows, z_.E, tile_.n >= kQueryTile, x_.dy);
            multiply<true>(Down<T>{x_.w, kStride}, tile_.n, tile_.rows, rows_of_dy, z_.E, careful_dy_, x_.dv);
        }
        score_gradients();
        return true;
    }

  private:
    const T* query() const { return q_.q + tile_.i * q_.stride; }
    const T* dy() const { return g_.dy + tile_.i * g_.dy_stride; }
    bool needs_scores() const { return keys_.needs_dq || keys_.needs_dk || g_.dmask != nullptr; }

    /// s = softcap(scale q kᵀ) + mask
    void scores(bool masked) {
        score_product<T>(tile_.rows, z_.D, lanes_ / kLanes<T>, Across<T>{query(), q_.stride}, x_.kt, ld_, x_.w, kStride);
        const bool capped = z_.softcap > T(0);
        if (capped) cap_scores<T>(x_.w, x_.t, tile_.rows, lanes_, kStride, units_.unit, z_.softcap);
        if (masked) add_bias(x_.w, x_.bias, tile_.rows, lanes_, kStride, capped || q_.mask == nullptr ? T(1) : units_.unit);
    }

    /// Where something that is not finite stands beside a forbidden position, products leave those positions out one by one.
    void read_only_allowed() {
        careful_q_ = !all_finite(query(), q_.stride, tile_.rows, z_.D);
        careful_dy_ = !all_finite(dy(), g_.dy_stride, tile_.rows, z_.E);
        if (!careful_q_ && !careful_dy_ && keys_.finite) return;
        load_bias(tile_, x_.bias, kStride);
        for (Index n = 0; n < tile_.rows * kStride; ++n) x_.bias[n] = x_.bias[n] == -kInfinity<T> ? T(0) : T(1);
    }

    /// c = a b, or c += a b
    template <bool kAdd, class A>
    void multiply(A a, Index m, Index k, Whole<T> b, Index columns, bool careful, T* c) const {
        const Index width = padded<T>(columns);
        if (!careful) return product<T, kAdd>(m, k, width / kLanes<T>, a, b.data, b.stride, c, width);
        for (Index n = 0; !kAdd && n < m * width; ++n) c[n] = T(0);
        careful_product(m, k, columns, a, A{x_.bias, kStride}, b.data, b.stride, c, width);
    }

    /// s = .. + mask:  dmask = ds;  s = c tanh(u / c):  du = ds (1 - (s / c)²);
    /// u = scale q kᵀ:  dk = scale duᵀ q,  dq = scale du k
    void score_gradients() {
        if (g_.dmask != nullptr)
            for (Index r = 0; r < tile_.rows; ++r)
                for (Index c = 0; c < tile_.n; ++c)
                    g_.dmask[(tile_.i + r) * g_.dmask_stride + tile_.j + c] = x_.ds[r * kStride + c];
        if (z_.softcap > T(0)) cap_backward(x_.ds, x_.t, tile_.rows, lanes_, kStride);
        if (keys_.needs_dk)
            multiply<true>(Down<T>{x_.ds, kStride}, tile_.n, tile_.rows,
                           whole_rows(query(), q_.stride, tile_.rows, z_.D, tile_.n >= kQueryTile, x_.q), z_.D, careful_q_,
                           x_.dk);
        if (keys_.needs_dq)
            multiply<false>(Across<T>{x_.ds, kStride}, tile_.rows, tile_.n, Whole<T>{keys_.rows_of_k, keys_.rows_of_k_stride},
                            z_.D, forbids_ && !keys_.finite, x_.dq);
    }

    const AttentionSizes<T>& z_;
    const AttentionQueries<T>& q_;
    const AttentionCotangents<T>& g_;
    AttentionKeyTile<T>& keys_;
    Tile<T> tile_;
    Index ld_, lanes_;  // of the transposed keys and values, and how much of their rows is of use
    Units<T> units_;
    BackwardScratch<T> x_;
    bool forbids_ = false, careful_q_ = false, careful_dy_ = false;
};

template <class T>
void load_keys(const AttentionSizes<T>& z, AttentionKeyTile<T>& tile) {
    const AttentionKeys<T>& keys = tile.keys;
    const BackwardScratch<T> x(tile.scratch, z.D, z.E);
    const Index lanes = spread<T>(padded<T>(keys.count));
    transpose(keys.k, keys.k_stride, keys.count, z.D, Units<T>(z, {}).sign, x.kt, lanes);
    transpose(keys.v, keys.v_stride, keys.count, z.E, T(1), x.vt, lanes);
    const Whole<T> k = whole_rows(keys.k, keys.k_stride, keys.count, z.D, true, x.k);
    tile.rows_of_k = k.data, tile.rows_of_k_stride = k.stride;
    for (Index n = 0; n < keys.count * padded<T>(z.D); ++n) x.dk[n] = T(0);
    for (Index n = 0; n < keys.count * padded<T>(z.E); ++n) x.dv[n] = T(0);
    tile.finite = all_finite(keys.k, keys.k_stride, keys.count, z.D);
}

template <class T>
bool backward(const AttentionSizes<T>& z, const AttentionQueries<T>& q, const AttentionCotangents<T>& g,
              AttentionKeyTile<T>& tile, Index i, Index rows) {
    return BackwardTile<T>(z, q, g, tile, i, rows).run();
}

template <class T>
void add_dq(const AttentionSizes<T>& z, const AttentionKeyTile<T>& tile, Index rows, T* dq, Index stride) {
    const BackwardScratch<T> x(tile.scratch, z.D, z.E);
    const V<T> scale(z.scale);
    for (Index r = 0; r < rows; ++r) {
        const T* const from = x.dq + r * padded<T>(z.D);
        T* const to = dq + r * stride;
        for_vectors<T>(z.D, [=](auto in, auto out) { out(to, fma(scale, in(from), in(to))); });
    }
}

template <class T>
void store_keys(const AttentionSizes<T>& z, const AttentionKeyTile<T>& tile, T* dk, Index dk_stride, T* dv, Index dv_stride) {
    const BackwardScratch<T> x(tile.scratch, z.D, z.E);
    const V<T> scale(z.scale);
    for (Index r = 0; r < tile.keys.count; ++r) {
        if (dk != nullptr) {
            const T* const from = x.dk + r * padded<T>(z.D);
            T* const to = dk + r * dk_stride;
            for_vectors<T>(z.D, [=](auto in, auto out) { out(to, scale * in(from)); });
        }
        if (dv != nullptr) {
            const T* const from = x.dv + r * padded<T>(z.E);
            T* const to = dv + r * dv_stride;
            for_vectors<T>(z.E, [=](auto in, auto out) { out(to, in(from)); });
        }
    }
}

}  // namespace
}  // namespace gradproof
