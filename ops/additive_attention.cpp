// Additive attention: formula, forward, backward, samples, registration.
#include "gradproof/ops/additive_attention.hpp"

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
        .saves = "q k v a",
        .source = "Bahdanau et al. 2015",
    };
    using Attrs = AdditiveAttentionAttrs;
    template <Scalar T>
    struct Saved {
        Tensor<T> q, k, v, a;
    };

    static HeadSizes check(const Shape& q, const Shape& k, const Shape& v, const Shape& a) {
        const HeadSizes n = matching_head_sizes(info.name, q, k, v);
        if (!(a == Shape{n.D})) shape_error("additive_attention: a must be [{}]: a is {}, q is {}", n.D, a, q);
        return n;
    }

    /// Query i and the keys that it sees: what does not fit the formula is never read, and [L, S, A] never made.
    template <Scalar T>
    struct Query {
        AxisRange row, keys;
        Tensor<T> u, w, v;  ///< [..., keys, A], [..., 1, keys], [..., keys, E]
        Query(const Saved<T>& x, Index i, bool causal)
            : row{.axis = -2, .start = i, .count = 1},
              keys{.axis = -2, .count = causal ? std::min(x.k.shape().last(1), i + 1) : x.k.shape().last(1)},
              u(tanh(part(x.k, keys) + part(x.q, row))),
              w(softmax(matmul(x.a.reshape({1, -1}), mT(u)))),
              v(part(x.v, keys)) {}
    };

    template <Scalar T>
    static Tensor<T> forward(const Attrs& attrs, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 4);
        const HeadSizes n = check(in[0].shape(), in[1].shape(), in[2].shape(), in[3].shape());
        saved = {in[0], in[1], in[2], in[3]};
        Shape shape = in[0].shape();
        shape[shape.rank() - 1] = n.E;
        Tensor<T> y(shape);
        for (Index i = 0; i < n.L; ++i) {
            const Query<T> at(saved, i, attrs.causal);
            set_part(y, at.row, matmul(at.w, at.v));
        }
        return y;
    }

    // y = w v:                      dv = wᵀ dy,  dw = dy vᵀ
    // w = softmax(s):               ds = w * (dw - rowsum(dw * w))
    // s_ij = a·u_ij:                da = Σ ds_ij u_ij,  du_ij = ds_ij a
    // u = tanh(h), h = q_i + k_j:   dh = (1 - u²) * du,  dq_i = Σ_j dh_ij,  dk_j = Σ_i dh_ij
    template <Scalar T>
    static void backward(const Attrs& attrs, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        Tensor<T> dq = zeros_like(saved.q), dk = zeros_like(saved.k), dv = zeros_like(saved.v), da = zeros_like(saved.a);
        for (Index i = 0; i < dy.shape().last(1); ++i) {
            const Query<T> at(saved, i, attrs.causal);
            const Tensor<T> dy_i = part(dy, at.row);
            if (dx.needs(2)) add_part(dv, at.keys, matmul(mT(at.w), dy_i));
            const Tensor<T> dw = matmul(dy_i, mT(at.v)), ds = at.w * (dw - sum(dw * at.w, -1));
            if (dx.needs(3)) da = matmul(ds, at.u) + da;
            if (!dx.needs(0) && !dx.needs(1)) continue;
            const Tensor<T> dh = matmul(mT(ds), saved.a.reshape({1, -1})) * (1 - at.u * at.u);
            if (dx.needs(0)) set_part(dq, at.row, sum(dh, -2));
            if (dx.needs(1)) add_part(dk, at.keys, dh);
        }
        if (dx.needs(0)) dx.add(0, dq);
        if (dx.needs(1)) dx.add(1, dk);
        if (dx.needs(2)) dx.add(2, dv);
        if (dx.needs(3)) dx.add(3, da);
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
