// Bilinear attention: formula, forward, backward, samples, registration.
#include "gradproof/ops/bilinear_attention.hpp"

#include "gradproof/ops/weighting.hpp"

namespace gradproof {
namespace {

struct BilinearAttention {
    static constexpr OpInfo info{
        .name = "bilinear_attention",
        .inputs = "q k v w",
        .forward = "r = q w; s = scale r kᵀ; p = softmax(s); y = p v",
        .backward =
            "dv = pᵀ dy; dp = dy vᵀ; ds = p * (dp - rowsum(dp * p)); dr = scale ds k; dk = scale dsᵀ r; dq = dr wᵀ; dw = qᵀ dr",
        .saves = "q k v w r p",
        .source = "Luong et al. 2015",
    };
    using Attrs = BilinearAttentionAttrs;
    template <Scalar T>
    struct Saved {
        Tensor<T> q, k, v, w, r, p;
    };

    static HeadSizes check(const Attrs& a, const Shape& q, const Shape& k, const Shape& v, const Shape& w) {
        const HeadSizes n = head_sizes(info.name, q, k, v);
        if (!(w == Shape{n.D, n.F}))
            shape_error("bilinear_attention: w must be [{}, {}]: w is {}, q is {}, k is {}", n.D, n.F, w, q, k);
        score_scale(info.name, a.scale, n.F);
        return n;
    }

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 4);
        const Tensor<T>&q = in[0], &k = in[1], &v = in[2], &w = in[3];
        const SeenKeys seen = seen_keys(check(a, q.shape(), k.shape(), v.shape(), w.shape()), a.causal);
        const Tensor<T> r = matmul(q, w), p = seen.softmax(matmul(r, mT(k)) * a.scale);
        saved = {q, k, v, w, r, p};
        return seen.matmul<T>(p, v);
    }

    // y = p v:           dv = pᵀ dy,  dp = dy vᵀ
    // p = softmax(s):    ds = p * (dp - rowsum(dp * p))
    // s = scale r kᵀ:    dr = scale ds k,  dk = scale dsᵀ r
    // r = q w:           dq = dr wᵀ,  dw = qᵀ dr
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const auto& [q, k, v, w, r, p] = saved;
        const SeenKeys seen = seen_keys(check(a, q.shape(), k.shape(), v.shape(), w.shape()), a.causal);
        if (dx.needs(2)) dx.add(2, seen.matmul(mT(p), dy));
        if (!dx.needs(0) && !dx.needs(1) && !dx.needs(3)) return;
        const Tensor<T> ds = seen.softmax_backward(p, matmul(dy, mT(v))) * a.scale;
        if (dx.needs(1)) dx.add(1, seen.matmul(mT(ds), r));
        if (!dx.needs(0) && !dx.needs(3)) return;
        const Tensor<T> dr = seen.matmul<T>(ds, k);
        if (dx.needs(0)) dx.add(0, matmul(dr, mT(w)));
        if (dx.needs(3)) dx.add(3, matmul_to(w.shape(), mT(q), dr));
    }

    static std::vector<Sample<BilinearAttention>> samples() {
        return {
            {"heads, all sizes differ", {}, {{2, 2, 3, 4}, {2, 2, 6, 5}, {2, 2, 6, 7}, {4, 5}}},
            {"one sequence, scaled", {.scale = 0.4}, {{3, 4}, {5, 2}, {5, 3}, {4, 2}}},
            {"causal", {.causal = true}, {{2, 5, 3}, {2, 5, 3}, {2, 5, 2}, {3, 3}}},
            {"causal, more queries than keys", {.causal = true}, {{6, 2}, {3, 2}, {3, 4}, {2, 2}}},
            {"one key: scores do not matter", {}, {{2, 3, 4}, {2, 1, 2}, {2, 1, 5}, {4, 2}}},
            {"no keys", {}, {{2, 3, 4}, {2, 0, 2}, {2, 0, 5}, {4, 2}}, {.zero_gradient = true, .why = "nothing to attend to"}},
            {"no queries", {}, {{2, 0, 4}, {2, 3, 2}, {2, 3, 5}, {4, 2}}, {.zero_gradient = true, .why = "no entries"}},
        };
    }
    static std::vector<ErrorSample<BilinearAttention>> error_samples() {
        return {
            {"three inputs", {}, {{3, 4}, {5, 2}, {5, 3}}, "bilinear_attention: takes 4 inputs"},
            {"matrix the other way", {}, {{3, 4}, {5, 2}, {5, 3}, {2, 4}}, "bilinear_attention: w must be [4, 2]: w is [2, 4]"},
            {"ranks", {}, {{3, 4}, {1, 5, 2}, {5, 3}, {4, 2}}, "bilinear_attention: q, k and v must be [..., L, D]"},
            {"infinite scale",
             {.scale = INFINITY},
             {{3, 4}, {5, 2}, {5, 3}, {4, 2}},
             "bilinear_attention: scale must be finite: scale is inf"},
        };
    }
};

}  // namespace

GRADPROOF_OP(BilinearAttention);

template <Operand X>
X bilinear_attention(const X& q, const X& k, const X& v, const X& w, const BilinearAttentionAttrs& attrs) {
    return call<BilinearAttention, typename X::value_type>(attrs, {&q, &k, &v, &w});
}
#define GRADPROOF_BILINEAR(X) \
    template X bilinear_attention(const X&, const X&, const X&, const X&, const BilinearAttentionAttrs&);
GRADPROOF_FOR_OPERANDS(GRADPROOF_BILINEAR)
#undef GRADPROOF_BILINEAR

}  // namespace gradproof
