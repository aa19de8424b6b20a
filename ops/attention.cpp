// Attention: formula, forward, backward, samples, registration. The page follows the formulas line by line.
#include "gradproof/ops/attention.hpp"

#include <cmath>

#include "gradproof/ops/attention_plan.hpp"
#include "gradproof/ops/reduce.hpp"
#include "gradproof/ops/weighting.hpp"

namespace gradproof {
namespace {

/// [B, L, H W] -> [B, H, L, W] where heads are packed.
template <Scalar T>
Tensor<T> by_heads(const AttentionPlan& p, const Tensor<T>& x, Index heads) {
    if (!p.packed) return x;
    return transpose(x.reshape({p.B, x.dim(1), heads, x.dim(2) / heads}), Axes{0, 2, 1, 3});
}
/// ... and back.
template <Scalar T>
Tensor<T> as_packed(const AttentionPlan& p, const Tensor<T>& x) {
    if (!p.packed) return x;
    return transpose(x, Axes{0, 2, 1, 3}).reshape({p.B, x.dim(2), x.dim(1) * x.dim(3)});
}

/// One call, laid out for products of matrices: the query heads that share a key head lie under each other, and the keys of the
/// past before the others. Rows R are G L for the G query heads of a group, S counts all keys.
template <Scalar T>
struct Call {
    AttentionPlan plan;
    AxisRange past, now;  ///< of the keys
    Tensor<T> q, k, v;    ///< [B, Hk, R, D], [B, Hk, S, D], [B, Hk, S, E]
    Tensor<T> mask;       ///< [B, Hk, R, S]; undefined without one
    SeenKeys seen;        ///< [B, Hk, R, S]

    Call(const AttentionAttrs& a, const AttentionOperands<T>& x)
        : plan(plan_attention(a, x)), past{.axis = 2, .count = plan.P}, now{.axis = 2, .start = plan.P, .count = plan.S} {
        check_weights(plan);
        q = rows(by_heads(plan, x.q, plan.Hq));
        k = with_past(x.past_key, x.k);
        v = with_past(x.past_value, x.v);
        if (x.mask.defined()) lay_mask(x.mask);
        see(x.mask);
    }

    /// [B, Hq, L, W] -> [B, Hk, R, W]
    Tensor<T> rows(const Tensor<T>& x) const { return x.reshape({plan.B, plan.Hk, plan.group() * plan.L, x.dim(3)}); }
    /// ... and back, of the queries.
    Tensor<T> of_queries(const Tensor<T>& x) const { return as_packed(plan, x.reshape({plan.B, plan.Hq, plan.L, x.dim(3)})); }
    Tensor<T> with_past(const Tensor<T>& before, const Tensor<T>& x) const {
        const Tensor<T> here = by_heads(plan, x, plan.Hk);
        if (!before.defined()) return here;
        Tensor<T> all({plan.B, plan.Hk, plan.keys(), here.dim(3)});
        set_part(all, past, before);
        set_part(all, now, here);
        return all;
    }
    /// Keys that the mask does not reach are not seen.
    void lay_mask(const Tensor<T>& given) {
        Tensor<T> all(plan.weights(), T(0));
        const Index columns = plan.mask_layout.columns;
        set_part(all, {.axis = 3, .count = columns}, broadcast_to(given, {plan.B, plan.Hq, plan.L, columns}));
        mask = rows(all);
    }
    void see(const Tensor<T>& given) {
        if (!given.defined() && !plan.bool_mask.defined() && !plan.kv_len.defined() && !plan.causal && plan.window_left < 0 &&
            plan.window_right < 0)
            return;
        Tensor<bool> all({plan.B, plan.Hk, plan.group() * plan.L, plan.keys()}, false);
        Index n = 0;
        for (Index b = 0; b < plan.B; ++b) {
            const AttentionBand band = key_band(plan, given.defined(), b);
            for (Index h = 0; h < plan.Hq; ++h)
                for (Index i = 0; i < plan.L; ++i)
                    for (Index j = 0; j < plan.keys(); ++j, ++n)
                        all[n] = i + band.first <= j && j <= i + band.last && j < band.limit &&
                                 (!plan.bool_mask.defined() || plan.bool_mask[plan.bool_layout.at(b, h, i, j)]) &&
                                 (!mask.defined() || !(primal(mask[n]) == -INFINITY));
        }
        seen = {all};
    }

    /// scale q kᵀ, and its tanh(s / c) where there is a soft cap.
    Tensor<T> products() const { return matmul(q, mT(k)) * plan.scale; }
    Tensor<T> squashed() const { return tanh(products() / plan.softcap); }
    Tensor<T> scores() const {
        const Tensor<T> s = plan.softcap > 0 ? squashed() * plan.softcap : products();
        return mask.defined() ? s + mask : s;
    }
    /// w v; a query without weights, whose scores all are -inf, takes nothing.
    Tensor<T> output(const Tensor<T>& w) const {
        return where(equal(sum(w, -1), number<T>(0)), 0, seen.template matmul<T>(w, v));
    }
};

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
        Tensor<T> q, k, v, mask, past_key, past_value, weights;
    };

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        if (in.size() < 3 || in.size() > 6) shape_error("attention: takes 3 to 6 inputs ({}), got {}", info.inputs, in.size());
        const auto at = [&](int i) { return i < in.size() ? in[i] : Tensor<T>(); };
        const Call<T> call(a, {at(0), at(1), at(2), at(3), at(4), at(5)});
        const Tensor<T> w = call.seen.softmax(call.scores());
        saved = {at(0), at(1), at(2), at(3), at(4), at(5), w};
        return call.of_queries(call.output(w));
    }

    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>& x, const Tensor<T>& of_y, Cotangents<T> dx) {
        const Call<T> call(a, {x.q, x.k, x.v, x.mask, x.past_key, x.past_value});
        const AttentionPlan& plan = call.plan;
        const SeenKeys& seen = call.seen;
        const Tensor<T>&w = x.weights, dy = call.rows(by_heads(plan, of_y, plan.Hq));
        // y = w v:  dv = wᵀ dy,  dw = dy vᵀ
        if (dx.needs(2) || dx.needs(5)) add_to_keys(call, 2, seen.matmul(mT(w), dy), dx);
        // w = softmax(s):  ds = w * (dw - rowsum(dw * w));  s = .. + mask:  dmask = ds
        Tensor<T> ds = seen.softmax_backward(w, matmul(dy, mT(call.v)));
        if (dx.needs(3)) dx.add(3, part(ds.reshape(plan.weights()), {.axis = 3, .count = plan.mask_layout.columns}));
        // s = c tanh(u / c):  du = ds * (1 - (s / c)²);  u = scale q kᵀ:  dq = scale du k,  dk = scale duᵀ q
        if (plan.softcap > 0) {
            const Tensor<T> t = call.squashed();
            ds = seen.only(ds * (1 - t * t));
        }
        ds = std::move(ds) * plan.scale;
        if (dx.needs(0)) dx.add(0, call.of_queries(seen.template matmul<T>(ds, call.k)));
        if (dx.needs(1) || dx.needs(4)) add_to_keys(call, 1, seen.matmul(mT(ds), call.q), dx);
    }
    /// To input i those of this call, to input i + 3 those of the past.
    template <Scalar T>
    static void add_to_keys(const Call<T>& call, int i, const Tensor<T>& g, Cotangents<T>& dx) {
        if (dx.needs(i)) dx.add(i, as_packed(call.plan, part(g, call.now)));
        if (dx.needs(i + 3)) dx.add(i + 3, part(g, call.past));
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
AttentionResult<T> attention_forward(const Tensor<T>& q, const Tensor<T>& k, const Tensor<T>& v,
                                     const AttentionOptional<Tensor<T>>& with, const AttentionAttrs& attrs) {
    const Call<T> call(attrs, {q, k, v, with.mask, with.past_key, with.past_value});
    const Tensor<T> s = call.scores(), w = call.seen.softmax(s);
    const Tensor<T> seen = call.seen.mask.defined() ? where(call.seen.mask, s, -INFINITY) : s;
    return {call.of_queries(call.output(w)), w.reshape(call.plan.weights()),
            logsumexp(seen, {.axes = {-1}}).reshape({call.plan.B, call.plan.Hq, call.plan.L}), call.k, call.v};
}

#define GRADPROOF_ATTENTION(X)                                                 \
    template X attention(const X&, const X&, const X&, const AttentionAttrs&); \
    template X attention(const X&, const X&, const X&, const AttentionOptional<X>&, const AttentionAttrs&);
GRADPROOF_FOR_OPERANDS(GRADPROOF_ATTENTION)
#undef GRADPROOF_ATTENTION
#define GRADPROOF_ATTENTION(T)                                                                          \
    template AttentionResult<T> attention_forward(const Tensor<T>&, const Tensor<T>&, const Tensor<T>&, \
                                                  const AttentionOptional<Tensor<T>>&, const AttentionAttrs&);
GRADPROOF_FOR_SCALARS(GRADPROOF_ATTENTION)
#undef GRADPROOF_ATTENTION

}  // namespace gradproof
