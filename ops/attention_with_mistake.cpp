// The mistakes, each as the line of a readable attention that it changes.
#include "gradproof/ops/attention_with_mistake.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/ops/matmul.hpp"
#include "gradproof/ops/slice.hpp"
#include "gradproof/ops/softmax.hpp"
#include "gradproof/ops/transpose.hpp"

namespace gradproof {
namespace {

using check::Diagnosis, check::Mistake;

constexpr double kHidden = -std::numeric_limits<double>::infinity();
constexpr double kMostWeights = 1 << 21;

enum class Slip {
    none,
    unscaled,
    scaled_twice,
    scaled_by_size,
    no_softcap,
    not_causal,
    no_window,
    no_bool_mask,
    no_float_mask,
    no_lengths,
    nothing_hidden,
    hidden_as_zero,
    masked_after,
    sees_next,
    misses_last,
    from_the_left,
    over_queries,
    no_softmax,
    heads_in_turn,
    no_row_sum,
    row_mean,
    plain_row_sum,
    diagonal,
    no_jacobian,
    column_sum,
    no_cap_slope,
    values_from_scores,
    first_of_group,
    last_of_group,
};

/// The key head of a query head.
Index shared_head(Slip slip, Index h, Index query_heads, Index key_heads) {
    return slip == Slip::heads_in_turn ? h % key_heads : h / (query_heads / key_heads);
}

/// k or v with a copy for each query head.
Tensor<double> for_each_query_head(const Tensor<double>& x, Index heads, Slip slip) {
    const Index B = x.dim(0), Hk = x.dim(1), block = x.dim(2) * x.dim(3);
    Tensor<double> out({B, heads, x.dim(2), x.dim(3)});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < heads; ++h)
            std::copy_n(x.data() + (b * Hk + shared_head(slip, h, heads, Hk)) * block, block,
                        out.data() + (b * heads + h) * block);
    return out;
}

/// The gradient of k or v from those of its copies.
Tensor<double> summed_over_groups(const Tensor<double>& dx, Index key_heads, Slip slip) {
    const Index B = dx.dim(0), Hq = dx.dim(1), block = dx.dim(2) * dx.dim(3), group = Hq / std::max<Index>(key_heads, 1);
    Tensor<double> out({B, key_heads, dx.dim(2), dx.dim(3)}, 0.0);
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < Hq; ++h) {
            if ((slip == Slip::first_of_group && h % group != 0) || (slip == Slip::last_of_group && h % group != group - 1))
                continue;
            double* to = out.data() + (b * key_heads + shared_head(slip, h, Hq, key_heads)) * block;
            const double* from = dx.data() + (b * Hq + h) * block;
            for (Index n = 0; n < block; ++n) to[n] += from[n];
        }
    return out;
}

double scaled(Slip slip, double scale, Index size) {
    switch (slip) {
        case Slip::unscaled: return 1;
        case Slip::scaled_twice: return scale * scale;
        case Slip::scaled_by_size: return 1 / static_cast<double>(std::max<Index>(size, 1));
        default: return scale;
    }
}

/// ds from the weights w and their cotangents dw, in place of dw.
void through_softmax(Slip slip, const Tensor<double>& w, Tensor<double>& dw) {
    if (slip == Slip::no_jacobian || slip == Slip::no_softmax) return;
    const bool columns = slip == Slip::column_sum || slip == Slip::over_queries;
    const Index L = w.dim(2), S = w.dim(3), n = columns ? L : S, step = columns ? S : 1;
    for (Index first = 0; first < w.size(); first += L * S)
        for (Index line = 0; line < L * S / n; ++line) {
            const double* p = w.data() + first + line * (columns ? 1 : S);
            double* d = dw.data() + (p - w.data());
            double sum = 0;
            for (Index j = 0; j < n; ++j) sum += slip == Slip::plain_row_sum ? d[j * step] : d[j * step] * p[j * step];
            if (slip == Slip::no_row_sum) sum = 0;
            if (slip == Slip::row_mean) sum /= static_cast<double>(n);
            for (Index j = 0; j < n; ++j)
                d[j * step] =
                    slip == Slip::diagonal ? p[j * step] * (1 - p[j * step]) * d[j * step] : p[j * step] * (d[j * step] - sum);
        }
}

/// A call laid out by heads, [B, H, L, D], keys with their past.
struct ByHeads {
    const AttentionCall<double>& call;
    const AttentionPlan& plan;
    Tensor<double> q, k, v, dy;

    ByHeads(const AttentionCall<double>& c, const AttentionPlan& p)
        : call(c), plan(p), q(by_heads(c.q)), dy(c.dy.defined() ? by_heads(c.dy) : Tensor<double>{}) {
        const AttentionResult<double> all = attention_forward(c.q, c.k, c.v, c.with, c.attrs);
        k = all.present_key;
        v = all.present_value;
    }
    Tensor<double> by_heads(const Tensor<double>& x) const {
        if (!plan.packed) return x;
        return transpose(x.reshape({plan.B, plan.L, plan.Hq, x.dim(2) / plan.Hq}), {.perm = {0, 2, 1, 3}});
    }
    Tensor<double> as_called(const Tensor<double>& x) const {
        if (!plan.packed) return x;
        return transpose(x, {.perm = {0, 2, 1, 3}}).reshape({x.dim(0), x.dim(2), x.dim(1) * x.dim(3)});
    }
};

/// Whether query i of (b, h) may look at key j; the float mask is left aside.
bool sees(const AttentionPlan& p, Slip slip, Index b, Index h, Index i, Index j) {
    if (slip == Slip::nothing_hidden) return true;
    if (slip != Slip::no_lengths && p.kv_len.defined() && j >= p.kv_len[b]) return false;
    if (slip != Slip::no_bool_mask && p.bool_mask.defined() &&
        (j >= p.bool_layout.columns || !p.bool_mask[p.bool_layout.at(b, h, i, j)]))
        return false;
    const Index at = i + (slip == Slip::from_the_left ? 0 : p.offset(b)), last = at + (slip == Slip::sees_next     ? 1
                                                                                       : slip == Slip::misses_last ? -1
                                                                                                                   : 0);
    if (slip != Slip::not_causal && p.causal && j > last) return false;
    return slip == Slip::no_window ||
           ((p.window_left < 0 || j >= at - p.window_left) && (p.window_right < 0 || j <= at + p.window_right));
}

/// What is added to the scores, [B, Hq, L, S]: the float mask, and -inf where a query may not look.
Tensor<double> added_to_scores(const ByHeads& x, Slip slip) {
    const AttentionPlan& p = x.plan;
    const Tensor<double> mask = slip == Slip::nothing_hidden || slip == Slip::no_float_mask ? Tensor<double>{} : x.call.with.mask;
    Tensor<double> out(p.weights(), kHidden);
    double* at = out.data();
    for (Index b = 0; b < p.B; ++b)
        for (Index h = 0; h < p.Hq; ++h)
            for (Index i = 0; i < p.L; ++i)
                for (Index j = 0; j < p.keys(); ++j, ++at) {
                    if (!sees(p, slip, b, h, i, j)) continue;
                    if (!mask.defined())
                        *at = 0;
                    else if (j < p.mask_layout.columns)
                        *at = mask[p.mask_layout.at(b, h, i, j)];
                }
    return out;
}

/// The weights, from the scores.
Tensor<double> weights_of(Slip slip, const Tensor<double>& scores, const Tensor<double>& added) {
    Tensor<double> w(scores.shape());
    for (Index n = 0; n < w.size(); ++n) {
        if (added[n] > kHidden)
            w[n] = scores[n] + added[n];
        else
            w[n] = slip == Slip::masked_after                                 ? scores[n]
                   : slip == Slip::hidden_as_zero || slip == Slip::no_softmax ? 0
                                                                              : kHidden;
    }
    if (slip == Slip::no_softmax) return w;
    w = softmax(w, {.axis = slip == Slip::over_queries ? -2 : -1});
    for (Index n = 0; slip == Slip::masked_after && n < w.size(); ++n)
        if (!(added[n] > kHidden)) w[n] = 0;
    return w;
}

AttentionArrays<double> made_by(const ByHeads& x, Slip slip) {
    const AttentionPlan& p = x.plan;
    const Tensor<double> k = for_each_query_head(x.k, p.Hq, slip), v = for_each_query_head(x.v, p.Hq, slip);
    const double scale = scaled(slip, p.scale, p.D), cap = slip == Slip::no_softcap ? 0 : p.softcap;

    Tensor<double> scores = matmul(x.q, k, {.transpose_b = true}), slope(scores.shape(), 1.0);
    for (Index n = 0; n < scores.size(); ++n) {
        scores[n] *= scale;
        if (cap == 0) continue;
        scores[n] = cap * std::tanh(scores[n] / cap);
        if (slip != Slip::no_cap_slope) slope[n] = 1 - scores[n] / cap * (scores[n] / cap);
    }
    const Tensor<double> w = weights_of(slip, scores, added_to_scores(x, slip));
    AttentionArrays<double> out{{"y", x.as_called(matmul(w, v))}, {"weights", w}};
    if (!x.dy.defined()) return out;

    Tensor<double> ds = matmul(x.dy, v, {.transpose_b = true});
    through_softmax(slip, w, ds);
    for (Index n = 0; n < ds.size(); ++n) ds[n] *= scale * slope[n];
    const auto of_call = [&](const Tensor<double>& dx) {
        return x.as_called(slice(summed_over_groups(dx, p.Hk, slip), {.axis = 2, .start = p.P, .stop = p.keys()}));
    };
    out["dq"] = x.as_called(matmul(ds, k));
    out["dk"] = of_call(matmul(ds, x.q, {.transpose_a = true}));
    out["dv"] = of_call(matmul(slip == Slip::values_from_scores ? scores : w, x.dy, {.transpose_a = true}));
    return out;
}

/// What is not there cannot be left out.
bool always(const ByHeads&) { return true; }
bool is_capped(const ByHeads& x) { return x.plan.softcap > 0; }
bool is_causal(const ByHeads& x) { return x.plan.causal; }
bool has_window(const ByHeads& x) { return x.plan.window_left >= 0 || x.plan.window_right >= 0; }
bool has_bool_mask(const ByHeads& x) { return x.plan.bool_mask.defined(); }
bool has_float_mask(const ByHeads& x) { return x.call.with.mask.defined(); }
bool has_lengths(const ByHeads& x) { return x.plan.kv_len.defined(); }
bool is_offset(const ByHeads& x) { return (is_causal(x) || has_window(x)) && (x.plan.P > 0 || has_lengths(x)); }
bool hides(const ByHeads& x) { return is_causal(x) || has_window(x) || has_bool_mask(x) || has_float_mask(x) || has_lengths(x); }
bool has_groups(const ByHeads& x) { return x.plan.group() > 1; }

struct AttentionMistake {
    Slip slip;
    Mistake mistake;
    bool (*applies)(const ByHeads&);
    std::string_view text;
};
/// In the order of Slip, in which they are tried: what changes y first, then what changes gradients only.
constexpr AttentionMistake kAttentionMistakes[] = {
    {Slip::unscaled, Mistake::factor, always, "the scores are not scaled"},
    {Slip::scaled_twice, Mistake::factor, always, "the scores are scaled twice"},
    {Slip::scaled_by_size, Mistake::factor, always, "the scores are scaled by 1/D, not by its root"},
    {Slip::no_softcap, Mistake::ignored_attribute, is_capped, "the soft cap is left out"},
    {Slip::not_causal, Mistake::ignored_attribute, is_causal, "the causal mask is left out"},
    {Slip::no_window, Mistake::ignored_attribute, has_window, "the window is left out"},
    {Slip::no_bool_mask, Mistake::ignored_attribute, has_bool_mask, "the boolean mask is left out"},
    {Slip::no_float_mask, Mistake::ignored_attribute, has_float_mask, "the mask that is added to the scores is left out"},
    {Slip::no_lengths, Mistake::ignored_attribute, has_lengths, "the lengths of the keys (kv_len) are left out"},
    {Slip::nothing_hidden, Mistake::mask_leak, hides, "nothing is masked"},
    {Slip::hidden_as_zero, Mistake::mask_leak, hides, "hidden scores are set to 0, not to -inf"},
    {Slip::masked_after, Mistake::mask_after_softmax, hides, "the mask comes after the softmax, so rows do not sum to 1"},
    {Slip::sees_next, Mistake::shifted, is_causal, "the causal mask lets a query see one key too many"},
    {Slip::misses_last, Mistake::shifted, is_causal, "the causal mask hides the last key that a query may see"},
    {Slip::from_the_left, Mistake::shifted, is_offset,
     "the causal mask or window leaves the offset out: the keys before the first query are not counted"},
    {Slip::over_queries, Mistake::transpose, always, "the softmax runs over the queries, not over the keys"},
    {Slip::no_softmax, Mistake::missing_chain_factor, always, "the softmax is left out"},
    {Slip::heads_in_turn, Mistake::permuted_axes, has_groups,
     "query heads take the key heads in turn, h mod Hk and not h / (Hq/Hk)"},
    {Slip::no_row_sum, Mistake::missing_row_term, always,
     "the row sum of the softmax Jacobian is missing: ds = w * dw; write ds = w * (dw - rowsum(dw * w))"},
    {Slip::row_mean, Mistake::wrong_row_term, always,
     "the row sum of the softmax Jacobian is a mean; write ds = w * (dw - rowsum(dw * w))"},
    {Slip::plain_row_sum, Mistake::wrong_row_term, always,
     "the row sum of the softmax Jacobian is not weighted: rowsum(dw); write rowsum(dw * w)"},
    {Slip::diagonal, Mistake::diagonal_only, always,
     "only the diagonal of the softmax Jacobian is there: ds = w * (1 - w) * dw; write ds = w * (dw - rowsum(dw * w))"},
    {Slip::no_jacobian, Mistake::missing_chain_factor, always,
     "the backward of the softmax is left out: ds = dw; write ds = w * (dw - rowsum(dw * w))"},
    {Slip::column_sum, Mistake::wrong_row_term, always,
     "the sum of the softmax Jacobian runs over the queries; write ds = w * (dw - rowsum(dw * w))"},
    {Slip::no_cap_slope, Mistake::missing_chain_factor, is_capped,
     "the slope of the soft cap is left out; multiply ds by 1 - (s / c)^2"},
    {Slip::values_from_scores, Mistake::wrong_name, always,
     "dv is taken from the scores, not from the weights; write dv = w^T dy"},
    {Slip::first_of_group, Mistake::missing_sum, has_groups,
     "only the first query head of each group reaches dk and dv; sum over the group"},
    {Slip::last_of_group, Mistake::missing_sum, has_groups,
     "only the last query head of each group reaches dk and dv; sum over the group"},
};
static_assert(std::ranges::all_of(kAttentionMistakes, [](const AttentionMistake& m) {
    return &m + 1 == kAttentionMistakes + static_cast<int>(m.slip);
}));
static_assert(std::size(kAttentionMistakes) == static_cast<std::size_t>(Slip::last_of_group));

Slip slip_of(std::string_view text) {
    if (text.empty()) return Slip::none;
    const auto* found = std::ranges::find(kAttentionMistakes, text, &AttentionMistake::text);
    if (found == std::end(kAttentionMistakes)) value_error("attention: no mistake is called '{}'", text);
    return found->slip;
}

}  // namespace

AttentionPlan plan_of(const AttentionCall<double>& c) {
    return plan_attention(c.attrs, AttentionOperands<double>{c.q, c.k, c.v, c.with.mask, c.with.past_key, c.with.past_value});
}

std::vector<std::string_view> attention_mistake_names() {
    std::vector<std::string_view> out;
    for (const AttentionMistake& m : kAttentionMistakes) out.push_back(m.text);
    return out;
}

AttentionArrays<double> attention_with_mistake(const AttentionCall<double>& call, std::string_view mistake) {
    const AttentionPlan plan = plan_of(call);
    return made_by(ByHeads(call, plan), slip_of(mistake));
}

std::map<std::string, Diagnosis, std::less<>> explain_by_mistakes(const AttentionCall<double>& call,
                                                                  const std::vector<WrongArray>& wrong, bool y_is_wrong) {
    std::map<std::string, Diagnosis, std::less<>> out;
    if (wrong.empty()) return out;
    const AttentionPlan plan = plan_of(call);
    if (const double weights = static_cast<double>(plan.B) * static_cast<double>(plan.Hq) * static_cast<double>(plan.L) *
                               static_cast<double>(plan.keys());
        weights > kMostWeights) {
        for (const WrongArray& c : wrong)
            out[std::string(c.name)].text = fmt::format(
                "not looked for: there are {:.0f} weights, up to {:.0f} are worked out with each "
                "mistake; take shorter sequences or fewer heads",
                weights, kMostWeights);
        return out;
    }
    const ByHeads x(call, plan);
    std::vector<AttentionMistake> order(std::begin(kAttentionMistakes), std::end(kAttentionMistakes));
    const auto gradients_only = std::ranges::find(order, Slip::no_row_sum, &AttentionMistake::slip);
    if (!y_is_wrong) std::rotate(order.begin(), gradients_only, order.end());
    expect_parts(static_cast<Index>(order.size()));
    for (const AttentionMistake& m : order) {
        if (out.size() == wrong.size()) break;
        begin_part(m.text);
        if (!m.applies(x)) continue;
        const AttentionArrays<double> made = made_by(x, m.slip);
        for (const WrongArray& c : wrong) {
            const auto at = made.find(c.name);
            if (at == made.end() || out.contains(c.name)) continue;
            const check::Comparison with = check::compare(
                c.claimed, at->second, check::relative_to_largest(at->second, c.options.tolerance, c.options.floor));
            if (with.right() && !with.vacuous())
                out.emplace(c.name, Diagnosis{.mistake = m.mistake, .text = std::string(m.text)});
        }
    }
    return out;
}

}  // namespace gradproof
