// Hard attention: the choice, forward, backward, samples, registration.
#include "gradproof/ops/hard_attention.hpp"

#include <algorithm>
#include <cmath>

#include "gradproof/ops/weighting.hpp"

namespace gradproof {
namespace {

/// The row of each choice [..., L] among those of all heads of v [..., S, E].   Errors  ShapeError, ValueError.
Tensor<Index> chosen_rows(const Shape& v, const Tensor<Index>& chosen) {
    if (!chosen.defined()) value_error("hard_attention: chosen is missing: give the key of each query, as nearest_keys does");
    const Shape& c = chosen.shape();
    bool fits = v.rank() >= 2 && c.rank() == v.rank() - 1;
    for (int i = 0; fits && i + 1 < c.rank(); ++i) fits = c[i] == v[i];
    if (!fits)
        shape_error("hard_attention: v must be [..., S, E] and chosen [..., L] with the same axes before: v is {}, chosen is {}",
                    v, c);
    const Index S = v.last(1);
    for (Index i = 0; i < chosen.size(); ++i)
        if (chosen[i] < 0 || chosen[i] >= S)
            value_error("hard_attention: chosen is out of range: chosen[{}] is {}, keys are {}", i, chosen[i], S);
    Tensor<Index> rows(c);
    for (Index i = 0; i < rows.size(); ++i) rows[i] = i / c.last() * S + chosen[i];
    return rows;
}
/// [..., S, E] -> [... S, E]
Shape rows_of_all_heads(const Shape& v) {
    Index n = 1;
    for (int i = 0; i + 1 < v.rank(); ++i) n *= v[i];
    return {n, v.last()};
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
        const Tensor<Index> rows = chosen_rows(in[0].shape(), a.chosen);
        return take(in[0].reshape(rows_of_all_heads(in[0].shape())), rows);
    }

    // y_i = v_c(i):  each dy_i goes back to the value it was taken from; queries of one head share their values.
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx) {
        if (!dx.needs(0)) return;
        const Shape& v = dx.shape(0);
        dx.add(0, sum_by_number(rows_of_all_heads(v), chosen_rows(v, a.chosen), dy).reshape(v));
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
            {"two inputs", {.chosen = keys({1}, {0})}, {{3, 2}, {3, 2}}, "hard_attention: takes 1 input"},
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
    const HeadSizes n = matching_head_sizes("nearest_keys", q.shape(), k.shape(), k.shape());
    Tensor<Index> chosen(reduced_shape(q.shape(), {q.rank() - 1}, false), 0);
    if (n.S == 0 && chosen.size() > 0) shape_error("nearest_keys: no key to choose: q is {}, k is {}", q.shape(), k.shape());
    const Tensor<T> s = matmul(q, mT(k));
    for (Index i = 0; i < chosen.size(); ++i) {
        T largest(-INFINITY);  // which no NaN is above
        for (Index j = 0; j < (options.causal ? std::min(n.S, i % n.L + 1) : n.S); ++j)
            if (s[i * n.S + j] > largest) largest = s[i * n.S + j], chosen[i] = j;
    }
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
