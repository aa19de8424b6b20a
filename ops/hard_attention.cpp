// Hard attention: the choice, forward, backward, samples, registration.
#include "gradproof/ops/hard_attention.hpp"

#include "gradproof/ops/weighting.hpp"

namespace gradproof {
namespace {

/// The heads of v [..., S, E] and chosen [..., L].   Errors  ShapeError, ValueError.
HeadSizes chosen_sizes(const Shape& v, const Tensor<Index>& chosen) {
    if (!chosen.defined()) value_error("hard_attention: chosen is missing: give the key of each query, as nearest_keys does");
    const Shape& c = chosen.shape();
    bool fits = v.rank() >= 2 && c.rank() == v.rank() - 1;
    HeadSizes n;
    for (int i = 0; fits && i + 1 < c.rank(); ++i) {
        fits = c[i] == v[i];
        n.lead.push_back(v[i]);
    }
    if (!fits)
        shape_error("hard_attention: v must be [..., S, E] and chosen [..., L] with the same axes before: v is {}, chosen is {}",
                    v, c);
    n.heads = n.lead.size(), n.L = c.last(), n.S = v.last(1), n.E = v.last();
    for (Index i = 0; i < chosen.size(); ++i)
        if (chosen[i] < 0 || chosen[i] >= n.S)
            value_error("hard_attention: chosen is out of range: chosen[{}] is {}, keys are {}", i, chosen[i], n.S);
    return n;
}

struct HardAttention {
    static constexpr OpInfo info{
        .name = "hard_attention",
        .inputs = "v",
        .forward = "y_i = v_c(i), c(i) the key of the largest q_i·k_j",
        .backward = "dv_j = Σ_i δ[c(i), j] dy_i; the choice takes no gradient: dq = dk = 0",
        .saves = "",
        .source = "the limit of Vaswani et al. 2017 eq. 1 as the scale grows",
    };
    using Attrs = HardAttentionAttrs;
    template <Scalar T>
    using Saved = NoFields;

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>&) {
        expect_inputs(info, in, 1);
        const Tensor<T>& v = in[0];
        const HeadSizes n = chosen_sizes(v.shape(), a.chosen);
        Tensor<T> y(n.shape(n.L, n.E));
        for (Index r = 0; r < a.chosen.size(); ++r) {
            const Index from = (r / n.L * n.S + a.chosen[r]) * n.E;
            for (Index e = 0; e < n.E; ++e) y[r * n.E + e] = v[from + e];
        }
        return y;
    }

    // y_i = v_c(i):  each dy_i goes back to the value it was taken from; queries of one head share their values.
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx) {
        if (!dx.needs(0)) return;
        Tensor<T> g(dx.shape(0), T(0));
        const HeadSizes n = chosen_sizes(g.shape(), a.chosen);
        for (Index r = 0; r < a.chosen.size(); ++r) {
            const Index to = (r / n.L * n.S + a.chosen[r]) * n.E;
            for (Index e = 0; e < n.E; ++e) g[to + e] += dy[r * n.E + e];
        }
        dx.add(0, std::move(g));
    }

    static Tensor<Index> keys(const Shape& shape, std::initializer_list<Index> values) {
        return Tensor<Index>::from(shape, values);
    }

    static std::vector<Sample<HardAttention>> samples() {
        return {
            {"heads, one key chosen twice, one never",
             {.chosen = keys({2, 2, 3}, {0, 3, 3, 1, 2, 0, 3, 3, 3, 2, 1, 0})},
             {{2, 2, 4, 3}}},
            {"one sequence", {.chosen = keys({4}, {1, 0, 1, 2})}, {{3, 2}}},
            {"one key", {.chosen = keys({2, 2}, {0, 0, 0, 0})}, {{2, 1, 5}}},
            {"no queries", {.chosen = Tensor<Index>(Shape{2, 0})}, {{2, 3, 4}}, {.zero_gradient = true, .why = "no entries"}},
        };
    }
    static std::vector<ErrorSample<HardAttention>> error_samples() {
        return {
            {"no choice", {}, {{3, 2}}, "hard_attention: chosen is missing"},
            {"rank", {.chosen = keys({1, 2}, {0, 0})}, {{3, 2}}, "hard_attention: v must be [..., S, E] and chosen [..., L]"},
            {"heads", {.chosen = keys({2, 1}, {0, 0})}, {{3, 3, 2}}, "hard_attention: v must be [..., S, E] and chosen [..., L]"},
            {"key beyond the last",
             {.chosen = keys({2}, {0, 3})},
             {{3, 2}},
             "hard_attention: chosen is out of range: chosen[1] is 3, keys are 3"},
            {"negative key", {.chosen = keys({1}, {-1})}, {{3, 2}}, "hard_attention: chosen is out of range: chosen[0] is -1"},
            {"two inputs", {.chosen = keys({1}, {0})}, {{3, 2}, {3, 2}}, "hard_attention: takes 1 inputs"},
        };
    }
};

template <class T>
const Tensor<T>& value_of(const Tensor<T>& x) {
    return x;
}
template <class T>
const Tensor<T>& value_of(const Var<T>& x) {
    return x.value();
}

}  // namespace

GRADPROOF_OP(HardAttention);
GRADPROOF_FUNCTION_1(hard_attention, HardAttention);

template <Scalar T>
Tensor<Index> nearest_keys(const Tensor<T>& q, const Tensor<T>& k, const NearestOptions& options) {
    const HeadSizes n = matching_head_sizes("nearest_keys", q.shape(), k.shape(), k.shape(), options.causal);
    if (n.S == 0 && n.heads * n.L > 0) shape_error("nearest_keys: no key to choose: q is {}, k is {}", q.shape(), k.shape());
    Shape rows = n.lead;
    rows.push_back(n.L);
    Tensor<Index> chosen(rows);
    const bool fast = use_kernels<T>();
    for_each_head(n, n.D, [&, out = chosen.data()](Index h) {
        Tensor<T> s({n.L, n.S});
        product_scores(n, n.D, T(1), head_of(q, h, n.L * n.D), head_of(k, h, n.S * n.D), s.data(), fast);
        for (Index i = 0; i < n.L; ++i) {
            Index best = 0;
            for (Index j = 1; j < n.allowed(i); ++j)
                if (s[i * n.S + j] > s[i * n.S + best]) best = j;
            out[h * n.L + i] = best;
        }
    });
    return chosen;
}

template <Operand X>
X hard_attention(const X& q, const X& k, const X& v, const NearestOptions& options) {
    return hard_attention(v, {.chosen = nearest_keys(value_of(q), value_of(k), options)});
}

#define GRADPROOF_HARD(X) template X hard_attention(const X&, const X&, const X&, const NearestOptions&);
GRADPROOF_FOR_OPERANDS(GRADPROOF_HARD)
#undef GRADPROOF_HARD
#define GRADPROOF_NEAREST(T) template Tensor<Index> nearest_keys(const Tensor<T>&, const Tensor<T>&, const NearestOptions&);
GRADPROOF_FOR_SCALARS(GRADPROOF_NEAREST)
#undef GRADPROOF_NEAREST

}  // namespace gradproof
