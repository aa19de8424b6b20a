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
        static void fields(auto& s, auto&& f) {
            f("q", s.q);
            f("k", s.k);
            f("v", s.v);
            f("w", s.w);
            f("r", s.r);
            f("p", s.p);
        }
    };

    template <class T>
    static HeadSizes sizes(const Attrs& a, const Tensor<T>& q, const Tensor<T>& k, const Tensor<T>& v, const Tensor<T>& w) {
        const HeadSizes n = head_sizes(info.name, q.shape(), k.shape(), v.shape(), a.causal);
        if (!(w.shape() == Shape{n.D, n.F}))
            shape_error("bilinear_attention: w must be [{}, {}]: w is {}, q is {}, k is {}", n.D, n.F, w.shape(), q.shape(),
                        k.shape());
        if (!std::isfinite(a.scale)) value_error("bilinear_attention: scale must be finite: scale is {}", a.scale);
        return n;
    }

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 4);
        const HeadSizes n = sizes(a, in[0], in[1], in[2], in[3]);
        saved = {in[0], in[1], in[2], in[3], Tensor<T>(n.shape(n.L, n.F)), Tensor<T>(n.shape(n.L, n.S))};
        Tensor<T> y(n.shape(n.L, n.E));
        const T scale(static_cast<base_t<T>>(a.scale));
        const bool fast = use_kernels<T>();
        for_each_head(n, n.D + n.F + n.E, [&, r0 = saved.r.data(), p0 = saved.p.data(), y0 = y.data()](Index h) {
            T *r = r0 + h * n.L * n.F, *p = p0 + h * n.L * n.S;
            gemm(false, false, n.L, n.F, n.D, T(1), head_of(saved.q, h, n.L * n.D), n.D, saved.w.data(), n.F, T(0), r, n.F, fast);
            product_scores(n, n.F, scale, r, head_of(saved.k, h, n.S * n.F), p, fast);
            softmax_weights(n, p, fast);
            weighted_sum(n, p, head_of(saved.v, h, n.S * n.E), y0 + h * n.L * n.E, fast);
        });
        return y;
    }

    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>& s, const Tensor<T>& dy, Cotangents<T> dx) {
        const HeadSizes n = sizes(a, s.q, s.k, s.v, s.w);
        const T scale(static_cast<base_t<T>>(a.scale));
        const bool fast = use_kernels<T>(), scores = dx.needs(0) || dx.needs(1) || dx.needs(3);
        Tensor<T> dq = wanted(dx, 0, s.q), dk = wanted(dx, 1, s.k), dv = wanted(dx, 2, s.v);
        Tensor<T> dr = dx.needs(0) || dx.needs(3) ? Tensor<T>(s.r.shape()) : Tensor<T>();
        for_each_head(n, n.D + n.F + n.E, [&](Index h) {
            const T* p = head_of(s.p, h, n.L * n.S);
            Tensor<T> ds = scores ? Tensor<T>({n.L, n.S}) : Tensor<T>();
            // y = p v
            weighted_sum_backward(n, p, head_of(s.v, h, n.S * n.E), head_of(dy, h, n.L * n.E), scores ? ds.data() : nullptr,
                                  head_of(dv, h, n.S * n.E), fast);
            if (!scores) return;
            softmax_weights_backward(n, p, ds.data(), fast);
            // s = scale r kᵀ, r = q w
            T* dr_h = head_of(dr, h, n.L * n.F);
            product_scores_backward(n, n.F, scale, head_of(s.r, h, n.L * n.F), head_of(s.k, h, n.S * n.F), ds.data(), dr_h,
                                    head_of(dk, h, n.S * n.F), fast);
            if (dq.defined())
                gemm(false, true, n.L, n.D, n.F, T(1), dr_h, n.F, s.w.data(), n.F, T(0), head_of(dq, h, n.L * n.D), n.D, fast);
        });
        add_to_heads(dx, std::move(dq), std::move(dk), std::move(dv));
        if (dx.needs(3)) {
            Tensor<T> g(s.w.shape());
            gemm(true, false, n.D, n.F, n.heads * n.L, T(1), s.q.data(), n.D, dr.data(), n.F, T(0), g.data(), n.F);
            dx.add(3, std::move(g));
        }
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
