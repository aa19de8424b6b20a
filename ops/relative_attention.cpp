// Attention with relative positions: forward, backward, samples, registration.
#include "gradproof/ops/relative_attention.hpp"

#include "gradproof/ops/weighting.hpp"

namespace gradproof {
namespace {

/// Row of a table of `rows` = 2c + 1 distances for query i and key j.
Index table_row(Index i, Index j, Index rows) {
    const Index c = rows / 2;
    return std::clamp(j - i, -c, c) + c;
}
/// s_ij += r[i, p(i, j)]: a product with the table, [L, rows], reaches the pairs.
template <class T>
void spread(const HeadSizes& n, Index rows, const T* r, T* s) {
    for (Index i = 0; i < n.L; ++i)
        for (Index j = 0; j < n.allowed(i); ++j) s[i * n.S + j] += r[i * rows + table_row(i, j, rows)];
}
/// r[i, p] = Σ s_ij over the keys j at distance p: the transpose of spread.
template <class T>
void gather_rows(const HeadSizes& n, Index rows, const T* s, T* r) {
    std::fill(r, r + n.L * rows, T(0));
    for (Index i = 0; i < n.L; ++i)
        for (Index j = 0; j < n.allowed(i); ++j) r[i * rows + table_row(i, j, rows)] += s[i * n.S + j];
}

struct RelativeAttention {
    static constexpr OpInfo info{
        .name = "relative_attention",
        .inputs = "q k v rk rv",
        .forward = "p = clip(j - i, -c, c) + c; s_ij = scale q_i·(k_j + rk_p); w = softmax(s); y_i = Σ_j w_ij (v_j + rv_p)",
        .backward =
            "dw_ij = dy_i·(v_j + rv_p); dv = wᵀ dy; drv_p = Σ w_ij dy_i; ds = w * (dw - rowsum(dw * w)); "
            "dq_i = scale Σ_j ds_ij (k_j + rk_p); dk = scale dsᵀ q; drk_p = scale Σ ds_ij q_i",
        .saves = "q k v rk rv weights",
        .source = "Shaw et al. 2018",
    };
    using Attrs = RelativeAttentionAttrs;
    template <Scalar T>
    struct Saved {
        Tensor<T> q, k, v, rk, rv, weights;
        static void fields(auto& s, auto&& f) {
            f("q", s.q);
            f("k", s.k);
            f("v", s.v);
            f("rk", s.rk);
            f("rv", s.rv);
            f("weights", s.weights);
        }
    };

    template <class T>
    static HeadSizes sizes(const Attrs& a, const Tensor<T>& q, const Tensor<T>& k, const Tensor<T>& v, const Tensor<T>& rk,
                           const Tensor<T>& rv) {
        const HeadSizes n = matching_head_sizes(info.name, q.shape(), k.shape(), v.shape(), a.causal);
        if (rk.rank() != 2 || rv.rank() != 2 || rk.dim(0) != rv.dim(0) || rk.dim(0) % 2 == 0 || rk.dim(1) != n.D ||
            rv.dim(1) != n.E)
            shape_error("relative_attention: rk and rv must be [2c+1, {}] and [2c+1, {}]: rk is {}, rv is {}", n.D, n.E,
                        rk.shape(), rv.shape());
        if (a.scale && !std::isfinite(*a.scale)) value_error("relative_attention: scale must be finite: scale is {}", *a.scale);
        return n;
    }

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 5);
        const HeadSizes n = sizes(a, in[0], in[1], in[2], in[3], in[4]);
        const Index rows = in[3].dim(0);
        saved = {in[0], in[1], in[2], in[3], in[4], Tensor<T>(n.shape(n.L, n.S))};
        Tensor<T> y(n.shape(n.L, n.E));
        const T scale = score_scale<T>(a.scale, n.D);
        const bool fast = use_kernels<T>();
        for_each_head(n, n.D + n.E, [&, w0 = saved.weights.data(), y0 = y.data()](Index h) {
            const T *q = head_of(saved.q, h, n.L * n.D), *k = head_of(saved.k, h, n.S * n.D), *v = head_of(saved.v, h, n.S * n.E);
            T *w = w0 + h * n.L * n.S, *out = y0 + h * n.L * n.E;
            Tensor<T> by_row({n.L, rows});
            product_scores(n, n.D, scale, q, k, w, fast);
            gemm(false, true, n.L, rows, n.D, scale, q, n.D, saved.rk.data(), n.D, T(0), by_row.data(), rows, fast);
            spread(n, rows, by_row.data(), w);
            softmax_weights(n, w, fast);
            weighted_sum(n, w, v, out, fast);
            gather_rows(n, rows, w, by_row.data());
            gemm(false, false, n.L, n.E, rows, T(1), by_row.data(), rows, saved.rv.data(), n.E, T(1), out, n.E, fast);
        });
        return y;
    }

    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>& s, const Tensor<T>& dy, Cotangents<T> dx) {
        const HeadSizes n = sizes(a, s.q, s.k, s.v, s.rk, s.rv);
        const Index rows = s.rk.dim(0);
        const T scale = score_scale<T>(a.scale, n.D);
        const bool fast = use_kernels<T>(), scores = dx.needs(0) || dx.needs(1) || dx.needs(3);
        Tensor<T> dq = wanted(dx, 0, s.q), dk = wanted(dx, 1, s.k), dv = wanted(dx, 2, s.v);
        // Per query and distance, of all heads: the tables' gradients are then one product each, summed in one order.
        const Tensor<T> nothing;
        Tensor<T> ds_rows = dx.needs(0) || dx.needs(3) ? Tensor<T>({n.heads, n.L, rows}) : nothing,
                  w_rows = dx.needs(4) ? Tensor<T>({n.heads, n.L, rows}) : nothing;
        for_each_head(n, n.D + n.E, [&](Index h) {
            const T *q = head_of(s.q, h, n.L * n.D), *k = head_of(s.k, h, n.S * n.D), *v = head_of(s.v, h, n.S * n.E);
            const T *w = head_of(s.weights, h, n.L * n.S), *dy_h = head_of(dy, h, n.L * n.E);
            Tensor<T> ds = scores ? Tensor<T>({n.L, n.S}) : Tensor<T>();
            // y = w v + (w by distance) rv
            weighted_sum_backward(n, w, v, dy_h, scores ? ds.data() : nullptr, head_of(dv, h, n.S * n.E), fast);
            if (w_rows.defined()) gather_rows(n, rows, w, head_of(w_rows, h, n.L * rows));
            if (!scores) return;
            Tensor<T> by_row({n.L, rows});
            gemm(false, true, n.L, rows, n.E, T(1), dy_h, n.E, s.rv.data(), n.E, T(0), by_row.data(), rows, fast);
            spread(n, rows, by_row.data(), ds.data());
            softmax_weights_backward(n, w, ds.data(), fast);
            // s = scale (q kᵀ + the entries of q rkᵀ by distance)
            T* dq_h = head_of(dq, h, n.L * n.D);
            product_scores_backward(n, n.D, scale, q, k, ds.data(), dq_h, head_of(dk, h, n.S * n.D), fast);
            if (!ds_rows.defined()) return;
            T* by_distance = head_of(ds_rows, h, n.L * rows);
            gather_rows(n, rows, ds.data(), by_distance);
            if (dq_h) gemm(false, false, n.L, n.D, rows, scale, by_distance, rows, s.rk.data(), n.D, T(1), dq_h, n.D, fast);
        });
        add_to_heads(dx, std::move(dq), std::move(dk), std::move(dv));
        if (dx.needs(3)) dx.add(3, table_gradient(ds_rows, scale, s.q, s.rk));
        if (dx.needs(4)) dx.add(4, table_gradient(w_rows, T(1), dy, s.rv));
    }

    /// factor Σ by_row[..., i, p]ᵀ x[..., i] over all heads and queries.
    template <Scalar T>
    static Tensor<T> table_gradient(const Tensor<T>& by_row, T factor, const Tensor<T>& x, const Tensor<T>& table) {
        Tensor<T> g(table.shape());
        const Index rows = table.dim(0), width = table.dim(1);
        gemm(true, false, rows, width, by_row.size() / rows, factor, by_row.data(), rows, x.data(), width, T(0), g.data(), width);
        return g;
    }

    static std::vector<Sample<RelativeAttention>> samples() {
        const Excuse empty{.zero_gradient = true, .why = "no entries"};
        return {
            {"heads, L != S, D != E", {}, {{2, 2, 4, 3}, {2, 2, 6, 3}, {2, 2, 6, 5}, {5, 3}, {5, 5}}},
            {"causal", {.causal = true}, {{2, 5, 3}, {2, 5, 3}, {2, 5, 2}, {5, 3}, {5, 2}}},
            {"causal, more keys than queries", {.scale = 0.4, .causal = true}, {{2, 3}, {6, 3}, {6, 2}, {3, 3}, {3, 2}}},
            {"all distances within the table", {}, {{3, 2}, {3, 2}, {3, 4}, {9, 2}, {9, 4}}},
            {"one row: a shift of all keys, which changes nothing, and of all values",
             {},
             {{3, 4}, {3, 4}, {3, 2}, {1, 4}, {1, 2}}},
            {"one key", {}, {{2, 3, 4}, {2, 1, 4}, {2, 1, 5}, {3, 4}, {3, 5}}},
            {"no keys",
             {},
             {{2, 3, 4}, {2, 0, 4}, {2, 0, 5}, {3, 4}, {3, 5}},
             {.zero_gradient = true, .why = "nothing to attend to"}},
            {"no queries", {}, {{2, 0, 4}, {2, 3, 4}, {2, 3, 5}, {3, 4}, {3, 5}}, empty},
        };
    }
    static std::vector<ErrorSample<RelativeAttention>> error_samples() {
        return {
            {"three inputs", {}, {{4, 3}, {6, 3}, {6, 5}}, "relative_attention: takes 5 inputs"},
            {"widths", {}, {{4, 3}, {6, 2}, {6, 5}, {5, 3}, {5, 5}}, "relative_attention: q and k differ in width"},
            {"even table",
             {},
             {{4, 3}, {6, 3}, {6, 5}, {4, 3}, {4, 5}},
             "relative_attention: rk and rv must be [2c+1, 3] and [2c+1, 5]: rk is [4, 3]"},
            {"tables of two lengths", {}, {{4, 3}, {6, 3}, {6, 5}, {5, 3}, {3, 5}}, "relative_attention: rk and rv must be"},
            {"table of another width", {}, {{4, 3}, {6, 3}, {6, 5}, {5, 3}, {5, 3}}, "relative_attention: rk and rv must be"},
            {"infinite scale",
             {.scale = INFINITY},
             {{4, 3}, {6, 3}, {6, 5}, {5, 3}, {5, 5}},
             "relative_attention: scale must be finite: scale is inf"},
        };
    }
};

}  // namespace

GRADPROOF_OP(RelativeAttention);

template <Operand X>
X relative_attention(const X& q, const X& k, const X& v, const X& rk, const X& rv, const RelativeAttentionAttrs& attrs) {
    return call<RelativeAttention, typename X::value_type>(attrs, {&q, &k, &v, &rk, &rv});
}
#define GRADPROOF_RELATIVE(X) \
    template X relative_attention(const X&, const X&, const X&, const X&, const X&, const RelativeAttentionAttrs&);
GRADPROOF_FOR_OPERANDS(GRADPROOF_RELATIVE)
#undef GRADPROOF_RELATIVE

}  // namespace gradproof
