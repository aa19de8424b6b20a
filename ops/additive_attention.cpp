// Additive attention: formula, forward, backward, samples, registration.
#include "gradproof/ops/additive_attention.hpp"

#include "gradproof/ops/activation_forms.hpp"
#include "gradproof/ops/weighting.hpp"

namespace gradproof {
namespace {

struct AdditiveAttention {
    static constexpr OpInfo info{
        .name = "additive_attention",
        .inputs = "q k v a",
        .forward = "u_ij = tanh(q_i + k_j); s_ij = a·u_ij; w = softmax(s); y = w v",
        .backward =
            "dv = wᵀ dy; dw = dy vᵀ; ds = w * (dw - rowsum(dw * w)); da = Σ ds_ij u_ij; dh_ij = ds_ij a * (1 - u_ij²); "
            "dq_i = Σ_j dh_ij; dk_j = Σ_i dh_ij",
        .saves = "q k v a weights",
        .source = "Bahdanau et al. 2015",
    };
    using Attrs = AdditiveAttentionAttrs;
    template <Scalar T>
    struct Saved {
        Tensor<T> q, k, v, a, weights;
        static void fields(auto& s, auto&& f) {
            f("q", s.q);
            f("k", s.k);
            f("v", s.v);
            f("a", s.a);
            f("weights", s.weights);
        }
    };

    template <class T>
    static HeadSizes sizes(const Attrs& attrs, const Tensor<T>& q, const Tensor<T>& k, const Tensor<T>& v, const Tensor<T>& a) {
        const HeadSizes n = matching_head_sizes(info.name, q.shape(), k.shape(), v.shape(), attrs.causal);
        if (!(a.shape() == Shape{n.D}))
            shape_error("additive_attention: a must be [{}]: a is {}, q is {}", n.D, a.shape(), q.shape());
        return n;
    }

    /// y = a + b
    template <Scalar T>
    static void add_rows(const T* a, const T* b, T* y, Index n, bool fast) {
        if constexpr (has_kernels<T>)
            if (fast) return kernels<T>().add(a, b, y, n);
        for (Index c = 0; c < n; ++c) y[c] = a[c] + b[c];
    }
    /// u = tanh(q_i + k_j) for the first `keys` keys, [keys, A].
    template <Scalar T>
    static void units(const T* q, const T* k, Index keys, Index A, T* u, bool fast) {
        for (Index j = 0; j < keys; ++j) add_rows(q, k + j * A, u + j * A, A, fast);
        forms::apply<forms::Tanh>(u, u, keys * A, fast);
    }

    template <Scalar T>
    static Tensor<T> forward(const Attrs& attrs, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 4);
        const HeadSizes n = sizes(attrs, in[0], in[1], in[2], in[3]);
        saved = {in[0], in[1], in[2], in[3], Tensor<T>(n.shape(n.L, n.S))};
        Tensor<T> y(n.shape(n.L, n.E));
        const bool fast = use_kernels<T>();
        for_each_head(n, 8 * n.D + n.E, [&, w0 = saved.weights.data(), y0 = y.data()](Index h) {
            const T *q = head_of(saved.q, h, n.L * n.D), *k = head_of(saved.k, h, n.S * n.D);
            T* w = w0 + h * n.L * n.S;
            Tensor<T> u({n.S, n.D});
            for (Index i = 0; i < n.L; ++i) {
                units(q + i * n.D, k, n.allowed(i), n.D, u.data(), fast);
                gemm(false, false, n.allowed(i), 1, n.D, T(1), u.data(), n.D, saved.a.data(), 1, T(0), w + i * n.S, 1, fast);
            }
            softmax_weights(n, w, fast);
            weighted_sum(n, w, head_of(saved.v, h, n.S * n.E), y0 + h * n.L * n.E, fast);
        });
        return y;
    }

    /// Gradients of one head; a null one is left out. da gathers.
    template <Scalar T>
    struct Head {
        T *dq, *dk, *da;
    };
    // s_ij = a·u_ij, u_ij = tanh(h_ij), h_ij = q_i + k_j
    template <Scalar T>
    static void scores_backward(const HeadSizes& n, const T* q, const T* k, const T* a, const T* ds, const Head<T>& to,
                                bool fast) {
        Tensor<T> of_units({n.S, n.D}), of_sums({n.S, n.D});
        T *u = of_units.data(), *dh = of_sums.data();
        if (to.dk) std::fill_n(to.dk, n.S * n.D, T(0));
        for (Index i = 0; i < n.L; ++i) {
            const Index keys = n.allowed(i);
            const T* ds_i = ds + i * n.S;
            units(q + i * n.D, k, keys, n.D, u, fast);
            if (to.da) gemm(true, false, n.D, 1, keys, T(1), u, n.D, ds_i, 1, T(1), to.da, 1, fast);
            if (!to.dq && !to.dk) continue;
            gemm(false, false, keys, n.D, 1, T(1), ds_i, 1, a, n.D, T(0), dh, n.D, fast);  // du_ij = ds_ij a
            forms::apply_slope<forms::Tanh>(u, dh, dh, keys * n.D, fast);                  // dh = (1 - u²) du
            if (to.dq) sum_columns(dh, to.dq + i * n.D, keys, n.D);
            if (to.dk) add_rows(to.dk, dh, to.dk, keys * n.D, fast);
        }
    }

    template <Scalar T>
    static void backward(const Attrs& attrs, const Saved<T>& s, const Tensor<T>& dy, Cotangents<T> dx) {
        const HeadSizes n = sizes(attrs, s.q, s.k, s.v, s.a);
        const bool fast = use_kernels<T>(), scores = dx.needs(0) || dx.needs(1) || dx.needs(3);
        Tensor<T> dq = wanted(dx, 0, s.q), dk = wanted(dx, 1, s.k), dv = wanted(dx, 2, s.v);
        Tensor<T> da = dx.needs(3) ? Tensor<T>({n.heads, n.D}, T(0)) : Tensor<T>();  // of each head
        for_each_head(n, 8 * n.D + n.E, [&](Index h) {
            const T* w = head_of(s.weights, h, n.L * n.S);
            Tensor<T> ds = scores ? Tensor<T>({n.L, n.S}) : Tensor<T>();
            weighted_sum_backward(n, w, head_of(s.v, h, n.S * n.E), head_of(dy, h, n.L * n.E), scores ? ds.data() : nullptr,
                                  head_of(dv, h, n.S * n.E), fast);
            if (!scores) return;
            softmax_weights_backward(n, w, ds.data(), fast);
            scores_backward(n, head_of(s.q, h, n.L * n.D), head_of(s.k, h, n.S * n.D), s.a.data(), ds.data(),
                            Head<T>{head_of(dq, h, n.L * n.D), head_of(dk, h, n.S * n.D), head_of(da, h, n.D)}, fast);
        });
        add_to_heads(dx, std::move(dq), std::move(dk), std::move(dv));
        if (da.defined()) {
            Tensor<T> g(s.a.shape());
            sum_columns(da.data(), g.data(), n.heads, n.D);
            dx.add(3, std::move(g));
        }
    }

    static std::vector<Sample<AdditiveAttention>> samples() {
        return {
            {"heads, L != S", {}, {{2, 2, 3, 4}, {2, 2, 5, 4}, {2, 2, 5, 6}, Arg({4})}},
            {"one sequence", {}, {{4, 3}, {6, 3}, {6, 2}, Arg({3})}},
            {"causal", {.causal = true}, {{2, 5, 3}, {2, 5, 3}, {2, 5, 2}, Arg({3})}},
            {"causal, more keys than queries", {.causal = true}, {{3, 2}, {6, 2}, {6, 3}, Arg({2})}},
            {"one unit", {}, {{2, 3, 1}, {2, 4, 1}, {2, 4, 2}, Arg({1})}},
            {"one key: scores do not matter", {}, {{2, 3, 4}, {2, 1, 4}, {2, 1, 5}, Arg({4})}},
            {"no keys", {}, {{2, 3, 4}, {2, 0, 4}, {2, 0, 5}, Arg({4})}, {.zero_gradient = true, .why = "nothing to attend to"}},
            {"no queries", {}, {{2, 0, 4}, {2, 3, 4}, {2, 3, 5}, Arg({4})}, {.zero_gradient = true, .why = "no entries"}},
        };
    }
    static std::vector<ErrorSample<AdditiveAttention>> error_samples() {
        return {
            {"three inputs", {}, {{4, 3}, {6, 3}, {6, 5}}, "additive_attention: takes 4 inputs"},
            {"widths", {}, {{4, 3}, {6, 2}, {6, 5}, Arg({3})}, "additive_attention: q and k differ in width"},
            {"lengths", {}, {{4, 3}, {6, 3}, {5, 5}, Arg({3})}, "additive_attention: k and v differ in length"},
            {"units", {}, {{4, 3}, {6, 3}, {6, 5}, Arg({2})}, "additive_attention: a must be [3]: a is [2]"},
        };
    }
};

}  // namespace

GRADPROOF_OP(AdditiveAttention);

template <Operand X>
X additive_attention(const X& q, const X& k, const X& v, const X& a, const AdditiveAttentionAttrs& attrs) {
    return call<AdditiveAttention, typename X::value_type>(attrs, {&q, &k, &v, &a});
}
#define GRADPROOF_ADDITIVE(X) \
    template X additive_attention(const X&, const X&, const X&, const X&, const AdditiveAttentionAttrs&);
GRADPROOF_FOR_OPERANDS(GRADPROOF_ADDITIVE)
#undef GRADPROOF_ADDITIVE

}  // namespace gradproof
