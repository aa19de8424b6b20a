// Attention: formula, forward, backward, samples, registration. The page follows the formulas line by line.
#include "gradproof/ops/attention.hpp"

#include <algorithm>
#include <cmath>

#include "gradproof/ops/kernels/attention_reference.hpp"

namespace gradproof {
namespace {

struct Attention {
    static constexpr OpInfo info{
        .name = "attention",
        .inputs = "q k v mask? past_key? past_value?",
        .forward = "s = scale q kᵀ; s = c tanh(s/c); s = s + mask; w = softmax(s); y = w v",
        .backward =
            "dv = wᵀ dy; dw = dy vᵀ; ds = w * (dw - rowsum(dw * w)); dmask = ds; ds = ds * (1 - (s/c)²); "
            "dq = scale ds k; dk = scale dsᵀ q",
        .saves = "q k v mask past_key past_value weights",
        .source = "Vaswani et al. 2017; backward Dao et al. 2022 app. B",
    };
    using Attrs = AttentionAttrs;
    template <Scalar T>
    struct Saved {
        AttentionOperands<T> x;  // as laid out: nothing is copied
        Tensor<T> weights;
        static void fields(auto& s, auto&& f) {
            f("q", s.x.q);
            f("k", s.x.k);
            f("v", s.x.v);
            f("mask", s.x.mask);
            f("past_key", s.x.past_key);
            f("past_value", s.x.past_value);
            f("weights", s.weights);
        }
    };

    template <Scalar T>
    static AttentionOperands<T> operands(Inputs<T> in) {
        if (in.size() < 3 || in.size() > 6) shape_error("attention: takes 3 to 6 inputs ({}), got {}", info.inputs, in.size());
        const auto at = [&](int i) { return i < in.size() ? in[i] : Tensor<T>(); };
        return {at(0), at(1), at(2), at(3), at(4), at(5)};
    }

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        saved.x = operands(in);
        const AttentionPlan plan = plan_attention(a, saved.x);
        check_weights(plan);
        Tensor<T> y(plan.output());
        saved.weights = Tensor<T>(plan.weights());  // only those of allowed keys are written, and read
        attention_reference_forward<T>(plan, saved.x, y, saved.weights, nullptr);
        return y;
    }

    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const AttentionOperands<T>& x = saved.x;
        const AttentionPlan plan = plan_attention(a, x);
        AttentionOperands<T> g = attention_gradients(plan, x, dx);
        attention_reference_backward(plan, x, saved.weights, dy, g);
        add_attention_gradients(g, dx);
    }

    static std::vector<Sample<Attention>> samples();
    static std::vector<ErrorSample<Attention>> error_samples();
};

std::vector<Sample<Attention>> Attention::samples() {
    const auto neg = -INFINITY;
    return {
        {"multi-head, L != S, D != E", {}, {{2, 3, 4, 5}, {2, 3, 6, 5}, {2, 3, 6, 7}}},
        {"grouped heads", {}, {{2, 4, 3, 5}, {2, 2, 6, 5}, {2, 2, 6, 7}}},
        {"one key head for all, given scale", {.scale = 0.3}, {{2, 3, 4, 5}, {2, 1, 6, 5}, {2, 1, 6, 7}}},
        {"causal, more keys than queries", {.causal = true}, {{1, 2, 3, 4}, {1, 2, 5, 4}, {1, 2, 5, 6}}},
        {"causal with a past",
         {.causal = true},
         {{2, 4, 3, 5}, {2, 2, 3, 5}, {2, 2, 3, 6}, Arg::absent(), {2, 2, 4, 5}, {2, 2, 4, 6}}},
        {"packed grouped heads with a past",
         {.q_heads = 4, .kv_heads = 2},
         {{2, 3, 20}, {2, 6, 10}, {2, 6, 14}, Arg::absent(), {2, 2, 1, 5}, {2, 2, 1, 7}}},
        {"soft cap and mask over all axes", {.softcap = 1.5}, {{2, 4, 3, 5}, {2, 2, 6, 5}, {2, 2, 6, 7}, {2, 4, 3, 6}}},
        {"mask broadcast over queries and heads", {}, {{2, 3, 4, 5}, {2, 3, 6, 5}, {2, 3, 6, 7}, {2, 1, 1, 6}}},
        {"mask [S]", {}, {{2, 3, 4, 5}, {2, 3, 6, 5}, {2, 3, 6, 7}, Arg({6})}},
        {"mask [L, 1], whose gradient is 0", {}, {{2, 3, 4, 5}, {2, 3, 6, 5}, {2, 3, 6, 7}, {4, 1}}},
        {"fused kernel", {.kernel = AttentionKernel::fused}, {{2, 4, 3, 5}, {2, 2, 6, 5}, {2, 2, 6, 7}}},
        {"readable kernel", {.kernel = AttentionKernel::reference}, {{2, 4, 3, 5}, {2, 2, 6, 5}, {2, 2, 6, 7}}},
        {"mask shorter than S", {}, {{2, 3, 4, 5}, {2, 3, 6, 5}, {2, 3, 6, 7}, {3, 1, 4}}},
        {"mask of -inf, one query without a key",
         {},
         {{1, 2, 2, 4}, {1, 2, 3, 4}, {1, 2, 3, 5}, Tensor<double>::from({2, 3}, {0.4, neg, -0.3, neg, neg, neg})},
         {.finite_differences = true, .why = "a mask of -inf has no neighbourhood"}},
        {"bool mask over heads, with a soft cap",
         {.softcap = 2, .bool_mask = Tensor<bool>::from({2, 1, 3}, {true, false, true, false, true, true})},
         {{1, 2, 4, 5}, {1, 1, 3, 5}, {1, 1, 3, 6}}},
        {"both masks",
         {.bool_mask = Tensor<bool>::from({3, 1}, {true, false, true})},
         {{1, 2, 3, 4}, {1, 2, 5, 4}, {1, 2, 5, 6}, {2, 1, 5}}},
        {"lengths, one of them 0", {.kv_len = Tensor<Index>::from({3}, {4, 0, 1})}, {{3, 2, 2, 4}, {3, 1, 5, 4}, {3, 1, 5, 6}}},
        {"causal with lengths",
         {.causal = true, .kv_len = Tensor<Index>::from({2}, {5, 2})},
         {{2, 2, 3, 4}, {2, 2, 6, 4}, {2, 2, 6, 5}}},
        {"window on both sides", {.window_left = 1, .window_right = 2}, {{1, 2, 7, 4}, {1, 2, 6, 4}, {1, 2, 6, 5}}},
        {"causal window with a past",
         {.causal = true, .window_left = 2},
         {{1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 6}, Arg::absent(), {1, 2, 5, 4}, {1, 2, 5, 6}}},
        {"everything at once",
         {.scale = 0.7,
          .causal = true,
          .softcap = 3,
          .window_left = 4,
          .q_heads = 4,
          .kv_heads = 2,
          .bool_mask = Tensor<bool>::from({7}, {true, true, true, false, true, true, true})},
         {{2, 3, 12}, {2, 5, 6}, {2, 5, 10}, {2, 1, 3, 6}, {2, 2, 2, 3}, {2, 2, 2, 5}}},
        {"one key", {}, {{2, 1, 3, 4}, {2, 1, 1, 4}, {2, 1, 1, 5}}},
        {"no keys", {}, {{2, 1, 3, 4}, {2, 1, 0, 4}, {2, 1, 0, 5}}, {.zero_gradient = true, .why = "nothing to attend to"}},
        {"no queries", {}, {{2, 1, 0, 4}, {2, 1, 3, 4}, {2, 1, 3, 5}}, {.zero_gradient = true, .why = "no entries"}},
    };
}

std::vector<ErrorSample<Attention>> Attention::error_samples() {
    using Args = std::vector<Arg>;
    const Args good{{2, 4, 3, 5}, {2, 2, 6, 5}, {2, 2, 6, 7}};
    const auto with = [&](const Arg& mask, const Arg& key = Arg::absent(), const Arg& value = Arg::absent()) {
        return Args{good[0], good[1], good[2], mask, key, value};
    };
    const auto lengths = [](std::initializer_list<Index> n) { return Tensor<Index>::from({static_cast<Index>(n.size())}, n); };
    return {
        {"two inputs", {}, {{2, 4, 3, 5}, {2, 2, 6, 5}}, "attention: takes 3 to 6 inputs"},
        {"no values", {}, {{2, 4, 3, 5}, {2, 2, 6, 5}, Arg::absent()}, "attention: q, k and v are all needed: v is undefined"},
        {"rank 2", {}, {{3, 5}, {6, 5}, {6, 7}}, "attention: inputs must be 4-D"},
        {"mixed ranks", {.q_heads = 4, .kv_heads = 2}, {{2, 3, 20}, {2, 2, 6, 5}, {2, 2, 6, 7}}, "attention: inputs must be 4-D"},
        {"batch sizes", {}, {{2, 4, 3, 5}, {3, 2, 6, 5}, {2, 2, 6, 7}}, "attention: batch sizes differ"},
        {"heads not a multiple",
         {},
         {{2, 3, 3, 5}, {2, 2, 6, 5}, {2, 2, 6, 7}},
         "attention: query heads must be a multiple of key heads"},
        {"no key heads",
         {},
         {{2, 3, 3, 5}, {2, 0, 6, 5}, {2, 0, 6, 7}},
         "attention: query heads must be a multiple of key heads"},
        {"head sizes", {}, {{2, 4, 3, 5}, {2, 2, 6, 4}, {2, 2, 6, 7}}, "attention: head sizes differ"},
        {"heads of k and v", {}, {{2, 4, 3, 5}, {2, 2, 6, 5}, {2, 1, 6, 7}}, "attention: k and v differ in heads"},
        {"lengths of k and v", {}, {{2, 4, 3, 5}, {2, 2, 6, 5}, {2, 2, 5, 7}}, "attention: k and v differ in length"},
        {"packed without head counts", {}, {{2, 3, 20}, {2, 6, 10}, {2, 6, 14}}, "attention: 3-D inputs need the head counts"},
        {"packed without kv_heads", {.q_heads = 4}, {{2, 3, 20}, {2, 6, 10}, {2, 6, 14}}, "kv_heads is 0"},
        {"packed heads do not divide",
         {.q_heads = 3, .kv_heads = 1},
         {{2, 3, 20}, {2, 6, 10}, {2, 6, 14}},
         "attention: the last axis of q does not split into heads"},
        {"packed head sizes",
         {.q_heads = 4, .kv_heads = 1},
         {{2, 3, 20}, {2, 6, 10}, {2, 6, 14}},
         "attention: head sizes differ"},
        {"packed lengths",
         {.q_heads = 4, .kv_heads = 2},
         {{2, 3, 20}, {2, 6, 10}, {2, 5, 14}},
         "attention: k and v differ in length"},
        {"head counts against 4-D", {.q_heads = 3}, good, "attention: head counts contradict the 4-D inputs"},
        {"negative head count", {.q_heads = -1}, good, "attention: head counts must not be negative"},
        {"mask of rank 0", {}, with(Arg(Shape{})), "attention: mask must have 1 to 4 axes"},
        {"mask of rank 5", {}, with({1, 2, 4, 3, 6}), "attention: mask must have 1 to 4 axes"},
        {"mask wider than the keys",
         {},
         with({3, 7}),
         "attention: mask does not broadcast to the scores: mask is [3, 7], scores are [2, 4, 3, 6]"},
        {"mask of other queries", {}, with({2, 6}), "attention: mask does not broadcast to the scores"},
        {"mask over key heads", {}, with({2, 2, 3, 6}), "attention: mask does not broadcast to the scores"},
        {"bool mask of other queries",
         {.bool_mask = Tensor<bool>({5, 6}, true)},
         good,
         "attention: bool_mask does not broadcast to the scores"},
        {"masks of two shapes",
         {.bool_mask = Tensor<bool>({5, 6}, true)},
         with({3, 6}),
         "attention: bool_mask does not broadcast to the scores"},
        {"past key without value", {}, with(Arg::absent(), {2, 2, 4, 5}), "attention: past_key and past_value come together"},
        {"past value without key",
         {},
         with(Arg::absent(), Arg::absent(), {2, 2, 4, 7}),
         "attention: past_key and past_value come together"},
        {"past of another head size", {}, with(Arg::absent(), {2, 2, 4, 6}, {2, 2, 4, 7}), "attention: the past does not fit"},
        {"past lengths differ", {}, with(Arg::absent(), {2, 2, 4, 5}, {2, 2, 3, 7}), "attention: the past does not fit"},
        {"past of rank 3", {}, with(Arg::absent(), {2, 4, 10}, {2, 4, 14}), "attention: the past does not fit"},
        {"lengths of another batch",
         {.kv_len = lengths({1, 2, 3})},
         good,
         "attention: kv_len has one length for each batch entry"},
        {"length beyond the keys",
         {.kv_len = lengths({6, 7})},
         good,
         "attention: kv_len is out of range: kv_len[1] is 7, keys are 6"},
        {"negative length", {.kv_len = lengths({-1, 2})}, good, "attention: kv_len is out of range: kv_len[0] is -1"},
        {"two offsets",
         {.causal = true, .kv_len = lengths({1, 2})},
         with(Arg::absent(), {2, 2, 4, 5}, {2, 2, 4, 7}),
         "attention: kv_len and a past give two offsets"},
        {"window below -1",
         {.window_left = -2},
         good,
         "attention: a window size must be -1 (unbounded) or more: window_left is -2"},
        {"right window below -1", {.window_right = -3}, good, "window_right is -3"},
        {"negative soft cap", {.softcap = -1}, good, "attention: softcap must be finite and not negative: softcap is -1"},
        {"infinite soft cap", {.softcap = INFINITY}, good, "attention: softcap must be finite"},
        {"soft cap of nan", {.softcap = NAN}, good, "attention: softcap must be finite"},
        {"infinite scale", {.scale = INFINITY}, good, "attention: scale must be finite: scale is inf"},
    };
}

/// [B, Hk, P + S, width]: the past and what this call adds to it.
template <class T>
Tensor<T> present(const AttentionPlan& p, const Tensor<T>& past, const Tensor<T>& now, Index width) {
    if (!past.defined() && !p.packed) return now;
    Tensor<T> out({p.B, p.Hk, p.keys(), width});
    T* row = out.data();
    for (Index b = 0; b < p.B; ++b)
        for (Index h = 0; h < p.Hk; ++h)
            for (Index j = 0; j < p.keys(); ++j, row += width) {
                const Index s = j - p.P;
                const T* from = s < 0      ? past.data() + ((b * p.Hk + h) * p.P + j) * width
                                : p.packed ? now.data() + ((b * p.S + s) * p.Hk + h) * width
                                           : now.data() + ((b * p.Hk + h) * p.S + s) * width;
                std::copy(from, from + width, row);
            }
    return out;
}

}  // namespace

GRADPROOF_OP(Attention);

template <Operand X>
X attention(const X& q, const X& k, const X& v, const AttentionAttrs& attrs) {
    return call<Attention, typename X::value_type>(attrs, {&q, &k, &v});
}

template <Operand X>
X attention(const X& q, const X& k, const X& v, const AttentionOptional<X>& with, const AttentionAttrs& attrs) {
    return call<Attention, typename X::value_type>(attrs, {&q, &k, &v, &with.mask, &with.past_key, &with.past_value});
}

template <Scalar T>
AttentionResult<T> attention_forward(const Tensor<T>& q, const Tensor<T>& k, const Tensor<T>& v, const AttentionAttrs& attrs,
                                     const AttentionOptional<Tensor<T>>& with) {
    const AttentionOperands<T> x{q, k, v, with.mask, with.past_key, with.past_value};
    const AttentionPlan plan = plan_attention(attrs, x);
    check_weights(plan);
    AttentionResult<T> out{Tensor<T>(plan.output()), zeros<T>(plan.weights()), Tensor<T>({plan.B, plan.Hq, plan.L}),
                           present(plan, x.past_key, k, plan.D), present(plan, x.past_value, v, plan.E)};
    attention_reference_forward<T>(plan, x, out.y, out.weights, &out.log_sum_exp);
    return out;
}

#define GRADPROOF_ATTENTION(X)                                                 \
    template X attention(const X&, const X&, const X&, const AttentionAttrs&); \
    template X attention(const X&, const X&, const X&, const AttentionOptional<X>&, const AttentionAttrs&);
GRADPROOF_FOR_OPERANDS(GRADPROOF_ATTENTION)
#undef GRADPROOF_ATTENTION
#define GRADPROOF_ATTENTION(T)                                                                                                 \
    template AttentionResult<T> attention_forward(const Tensor<T>&, const Tensor<T>&, const Tensor<T>&, const AttentionAttrs&, \
                                                  const AttentionOptional<Tensor<T>>&);
GRADPROOF_FOR_SCALARS(GRADPROOF_ATTENTION)
#undef GRADPROOF_ATTENTION

}  // namespace gradproof
