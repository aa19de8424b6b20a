// Attention with relative positions: forward, backward, samples, registration.
#include "gradproof/ops/relative_attention.hpp"

#include <algorithm>

#include "gradproof/ops/weighting.hpp"

namespace gradproof {
namespace {

/// Row of a table of `rows` = 2c + 1 distances for query i and key j.
Index table_row(Index i, Index j, Index rows) {
    const Index c = rows / 2;
    return std::clamp(j - i, -c, c) + c;
}
/// y[..., i, j] = r[..., i, p(i, j)] of r [..., L, 2c+1]: a product with the table reaches the pairs.
template <Scalar T>
Tensor<T> spread(const Tensor<T>& r, Index keys) {
    Shape shape = r.shape();
    const Index L = shape.last(1), rows = shape.last();
    shape[shape.rank() - 1] = keys;
    Tensor<T> y(shape);
    for (Index n = 0, row = 0; n < y.size(); ++row)
        for (Index i = row % L, j = 0; j < keys; ++j, ++n) y[n] = r[row * rows + table_row(i, j, rows)];
    return y;
}
/// r[..., i, p] = Σ s[..., i, j] over the keys j at distance p: the transpose of spread.
template <Scalar T>
Tensor<T> gather_rows(const Tensor<T>& s, Index rows) {
    Shape shape = s.shape();
    const Index L = shape.last(1), keys = shape.last();
    shape[shape.rank() - 1] = rows;
    Tensor<T> r(shape, T(0));
    for (Index n = 0, row = 0; n < s.size(); ++row)
        for (Index i = row % L, j = 0; j < keys; ++j, ++n) r[row * rows + table_row(i, j, rows)] += s[n];
    return r;
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
    };

    static HeadSizes check(const Attrs& a, const Shape& q, const Shape& k, const Shape& v, const Shape& rk, const Shape& rv) {
        const HeadSizes n = matching_head_sizes(info.name, q, k, v);
        if (rk.rank() != 2 || rv.rank() != 2 || rk[0] != rv[0] || rk[0] % 2 == 0 || rk[1] != n.D || rv[1] != n.E)
            shape_error("relative_attention: rk and rv must be [2c+1, {}] and [2c+1, {}]: rk is {}, rv is {}", n.D, n.E, rk, rv);
        score_scale(info.name, a.scale, n.D);
        return n;
    }

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 5);
        const Tensor<T>&q = in[0], &k = in[1], &v = in[2], &rk = in[3], &rv = in[4];
        const HeadSizes n = check(a, q.shape(), k.shape(), v.shape(), rk.shape(), rv.shape());
        const SeenKeys seen = seen_keys(n, a.causal);
        const Tensor<T> s = (matmul(q, mT(k)) + spread(matmul(q, mT(rk)), n.S)) * score_scale(info.name, a.scale, n.D);
        const Tensor<T> w = seen.softmax(s);
        saved = {q, k, v, rk, rv, w};
        return seen.matmul<T>(w, v) + matmul(gather_rows(w, rv.dim(0)), rv);
    }

    // y = w v + (w by distance) rv:             dv = wᵀ dy,  drv = (w by distance)ᵀ dy,  dw = dy vᵀ + the entries of dy rvᵀ
    // w = softmax(s):                           ds = w * (dw - rowsum(dw * w))
    // s = scale (q kᵀ + the entries of q rkᵀ):  dq = scale (ds k + (ds by distance) rk),  dk = scale dsᵀ q,
    //                                           drk = scale (ds by distance)ᵀ q
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const auto& [q, k, v, rk, rv, w] = saved;
        const HeadSizes n = check(a, q.shape(), k.shape(), v.shape(), rk.shape(), rv.shape());
        const SeenKeys seen = seen_keys(n, a.causal);
        if (dx.needs(2)) dx.add(2, seen.matmul(mT(w), dy));
        if (dx.needs(4)) dx.add(4, matmul_to(rv.shape(), mT(gather_rows(w, rv.dim(0))), dy));
        if (!dx.needs(0) && !dx.needs(1) && !dx.needs(3)) return;
        const Tensor<T> dw = matmul(dy, mT(v)) + spread(matmul(dy, mT(rv)), n.S);
        const Tensor<T> ds = seen.softmax_backward(w, dw) * score_scale(info.name, a.scale, n.D);
        const Tensor<T> by_distance = gather_rows(ds, rk.dim(0));
        if (dx.needs(0)) dx.add(0, seen.matmul<T>(ds, k) + matmul(by_distance, rk));
        if (dx.needs(1)) dx.add(1, seen.matmul(mT(ds), q));
        if (dx.needs(3)) dx.add(3, matmul_to(rk.shape(), mT(by_distance), q));
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
