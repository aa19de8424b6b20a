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

constexpr double kHidden = -std::numeric_limits<double>::infinity();
constexpr double kMostWeights = 1 << 21;

/// In the order in which they are tried: what changes y first, then what changes gradients only.
enum class Mistake {
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
constexpr std::array<std::string_view, 29> kTexts = {
    "",
    "the scores are not scaled",
    "the scores are scaled twice",
    "the scores are scaled by 1/D, not by its root",
    "the soft cap is left out",
    "the causal mask is left out",
    "the window is left out",
    "the boolean mask is left out",
    "the mask that is added to the scores is left out",
    "the lengths of the keys (kv_len) are left out",
    "nothing is masked",
    "hidden scores are set to 0, not to -inf",
    "the mask comes after the softmax, so rows do not sum to 1",
    "the causal mask lets a query see one key too many",
    "the causal mask hides the last key that a query may see",
    "the causal mask or window leaves the offset out: the keys before the first query are not counted",
    "the softmax runs over the queries, not over the keys",
    "the softmax is left out",
    "query heads take the key heads in turn, h mod Hk and not h / (Hq/Hk)",
    "the row sum of the softmax Jacobian is missing: ds = w * dw; write ds = w * (dw - rowsum(dw * w))",
    "the row sum of the softmax Jacobian is a mean; write ds = w * (dw - rowsum(dw * w))",
    "the row sum of the softmax Jacobian is not weighted: rowsum(dw); write rowsum(dw * w)",
    "only the diagonal of the softmax Jacobian is there: ds = w * (1 - w) * dw; write ds = w * (dw - rowsum(dw * w))",
    "the backward of the softmax is left out: ds = dw; write ds = w * (dw - rowsum(dw * w))",
    "the sum of the softmax Jacobian runs over the queries; write ds = w * (dw - rowsum(dw * w))",
    "the slope of the soft cap is left out; multiply ds by 1 - (s / c)^2",
    "dv is taken from the scores, not from the weights; write dv = w^T dy",
    "only the first query head of each group reaches dk and dv; sum over the group",
    "only the last query head of each group reaches dk and dv; sum over the group",
};
static_assert(static_cast<std::size_t>(Mistake::last_of_group) + 1 == kTexts.size());

Mistake mistake_of(std::string_view text) {
    const auto at = std::find(kTexts.begin(), kTexts.end(), text);
    if (at == kTexts.end()) value_error("attention: no mistake is called '{}'", text);
    return static_cast<Mistake>(at - kTexts.begin());
}

/// The key head of a query head.
Index shared_head(Mistake mistake, Index h, Index query_heads, Index key_heads) {
    return mistake == Mistake::heads_in_turn ? h % key_heads : h / (query_heads / key_heads);
}

/// k or v with a copy for each query head.
Tensor<double> for_each_query_head(const Tensor<double>& x, Index heads, Mistake mistake) {
    const Index B = x.dim(0), Hk = x.dim(1), block = x.dim(2) * x.dim(3);
    Tensor<double> out({B, heads, x.dim(2), x.dim(3)});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < heads; ++h)
            std::copy_n(x.data() + (b * Hk + shared_head(mistake, h, heads, Hk)) * block, block,
                        out.data() + (b * heads + h) * block);
    return out;
}

/// The gradient of k or v from those of its copies.
Tensor<double> summed_over_groups(const Tensor<double>& dx, Index key_heads, Mistake mistake) {
    const Index B = dx.dim(0), Hq = dx.dim(1), block = dx.dim(2) * dx.dim(3), group = Hq / std::max<Index>(key_heads, 1);
    Tensor<double> out({B, key_heads, dx.dim(2), dx.dim(3)}, 0.0);
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < Hq; ++h) {
            if ((mistake == Mistake::first_of_group && h % group != 0) ||
                (mistake == Mistake::last_of_group && h % group != group - 1))
                continue;
            double* to = out.data() + (b * key_heads + shared_head(mistake, h, Hq, key_heads)) * block;
            const double* from = dx.data() + (b * Hq + h) * block;
            for (Index n = 0; n < block; ++n) to[n] += from[n];
        }
    return out;
}

double scaled(Mistake mistake, double scale, Index size) {
    switch (mistake) {
        case Mistake::unscaled: return 1;
        case Mistake::scaled_twice: return scale * scale;
        case Mistake::scaled_by_size: return 1 / static_cast<double>(std::max<Index>(size, 1));
        default: return scale;
    }
}

/// ds from the weights w and their cotangents dw, in place of dw.
void through_softmax(Mistake mistake, const Tensor<double>& w, Tensor<double>& dw) {
    if (mistake == Mistake::no_jacobian || mistake == Mistake::no_softmax) return;
    const bool columns = mistake == Mistake::column_sum || mistake == Mistake::over_queries;
    const Index L = w.dim(2), S = w.dim(3), n = columns ? L : S, step = columns ? S : 1;
    for (Index first = 0; first < w.size(); first += L * S)
        for (Index line = 0; line < L * S / n; ++line) {
            const double* p = w.data() + first + line * (columns ? 1 : S);
            double* d = dw.data() + (p - w.data());
            double sum = 0;
            for (Index j = 0; j < n; ++j) sum += mistake == Mistake::plain_row_sum ? d[j * step] : d[j * step] * p[j * step];
            if (mistake == Mistake::no_row_sum) sum = 0;
            if (mistake == Mistake::row_mean) sum /= static_cast<double>(n);
            for (Index j = 0; j < n; ++j)
                d[j * step] = mistake == Mistake::diagonal ? p[j * step] * (1 - p[j * step]) * d[j * step]
                                                           : p[j * step] * (d[j * step] - sum);
        }
}

/// A call laid out by heads, [B, H, L, D], keys with their past.
struct ByHeads {
    const AttentionCall<double>& call;
    const AttentionPlan& plan;
    Tensor<double> q, k, v, dy;

    ByHeads(const AttentionCall<double>& c, const AttentionPlan& p)
        : call(c), plan(p), q(by_heads(c.q)), dy(c.dy.defined() ? by_heads(c.dy) : Tensor<double>{}) {
        const AttentionResult<double> all = attention_forward(c.q, c.k, c.v, c.attrs, c.with);
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
bool sees(const AttentionPlan& p, Mistake mistake, Index b, Index h, Index i, Index j) {
    if (mistake == Mistake::nothing_hidden) return true;
    if (mistake != Mistake::no_lengths && p.kv_len.defined() && j >= p.kv_len[b]) return false;
    if (mistake != Mistake::no_bool_mask && p.bool_mask.defined() &&
        (j >= p.bool_layout.columns || !p.bool_mask[p.bool_layout.at(b, h, i, j)]))
        return false;
    const Index at = i + (mistake == Mistake::from_the_left ? 0 : p.offset(b)),
                last = at + (mistake == Mistake::sees_next     ? 1
                             : mistake == Mistake::misses_last ? -1
                                                               : 0);
    if (mistake != Mistake::not_causal && p.causal && j > last) return false;
    return mistake == Mistake::no_window ||
           ((p.window_left < 0 || j >= at - p.window_left) && (p.window_right < 0 || j <= at + p.window_right));
}

/// What is added to the scores, [B, Hq, L, S]: the float mask, and -inf where a query may not look.
Tensor<double> added_to_scores(const ByHeads& x, Mistake mistake) {
    const AttentionPlan& p = x.plan;
    const Tensor<double> mask =
        mistake == Mistake::nothing_hidden || mistake == Mistake::no_float_mask ? Tensor<double>{} : x.call.with.mask;
    Tensor<double> out(p.weights(), kHidden);
    double* at = out.data();
    for (Index b = 0; b < p.B; ++b)
        for (Index h = 0; h < p.Hq; ++h)
            for (Index i = 0; i < p.L; ++i)
                for (Index j = 0; j < p.keys(); ++j, ++at) {
                    if (!sees(p, mistake, b, h, i, j)) continue;
                    if (!mask.defined())
                        *at = 0;
                    else if (j < p.mask_layout.columns)
                        *at = mask[p.mask_layout.at(b, h, i, j)];
                }
    return out;
}

/// The weights, from the scores.
Tensor<double> weights_of(Mistake mistake, const Tensor<double>& scores, const Tensor<double>& added) {
    Tensor<double> w(scores.shape());
    for (Index n = 0; n < w.size(); ++n) {
        if (added[n] > kHidden)
            w[n] = scores[n] + added[n];
        else
            w[n] = mistake == Mistake::masked_after                                       ? scores[n]
                   : mistake == Mistake::hidden_as_zero || mistake == Mistake::no_softmax ? 0
                                                                                          : kHidden;
    }
    if (mistake == Mistake::no_softmax) return w;
    w = softmax(w, {.axis = mistake == Mistake::over_queries ? -2 : -1});
    for (Index n = 0; mistake == Mistake::masked_after && n < w.size(); ++n)
        if (!(added[n] > kHidden)) w[n] = 0;
    return w;
}

AttentionArrays<double> made_by(const ByHeads& x, Mistake mistake) {
    const AttentionPlan& p = x.plan;
    const Tensor<double> k = for_each_query_head(x.k, p.Hq, mistake), v = for_each_query_head(x.v, p.Hq, mistake);
    const double scale = scaled(mistake, p.scale, p.D), cap = mistake == Mistake::no_softcap ? 0 : p.softcap;

    Tensor<double> scores = matmul(x.q, k, {.transpose_b = true}), slope(scores.shape(), 1.0);
    for (Index n = 0; n < scores.size(); ++n) {
        scores[n] *= scale;
        if (cap == 0) continue;
        scores[n] = cap * std::tanh(scores[n] / cap);
        if (mistake != Mistake::no_cap_slope) slope[n] = 1 - scores[n] / cap * (scores[n] / cap);
    }
    const Tensor<double> w = weights_of(mistake, scores, added_to_scores(x, mistake));
    AttentionArrays<double> out{{"y", x.as_called(matmul(w, v))}, {"weights", w}};
    if (!x.dy.defined()) return out;

    Tensor<double> ds = matmul(x.dy, v, {.transpose_b = true});
    through_softmax(mistake, w, ds);
    for (Index n = 0; n < ds.size(); ++n) ds[n] *= scale * slope[n];
    const auto of_call = [&](const Tensor<double>& dx) {
        return x.as_called(slice(summed_over_groups(dx, p.Hk, mistake), {.axis = 2, .start = p.P, .stop = p.keys()}));
    };
    out["dq"] = x.as_called(matmul(ds, k));
    out["dk"] = of_call(matmul(ds, x.q, {.transpose_a = true}));
    out["dv"] = of_call(matmul(mistake == Mistake::values_from_scores ? scores : w, x.dy, {.transpose_a = true}));
    return out;
}

/// Whether the mistake could have been made: what is not there cannot be left out.
bool possible(const AttentionPlan& p, bool mask, Mistake mistake) {
    const bool window = p.window_left >= 0 || p.window_right >= 0, lengths = p.kv_len.defined();
    switch (mistake) {
        case Mistake::no_softcap:
        case Mistake::no_cap_slope: return p.softcap > 0;
        case Mistake::not_causal:
        case Mistake::sees_next:
        case Mistake::misses_last: return p.causal;
        case Mistake::no_window: return window;
        case Mistake::no_bool_mask: return p.bool_mask.defined();
        case Mistake::no_float_mask: return mask;
        case Mistake::no_lengths: return lengths;
        case Mistake::from_the_left: return (p.causal || window) && (p.P > 0 || lengths);
        case Mistake::nothing_hidden:
        case Mistake::hidden_as_zero:
        case Mistake::masked_after: return p.causal || window || p.bool_mask.defined() || mask || lengths;
        case Mistake::heads_in_turn:
        case Mistake::first_of_group:
        case Mistake::last_of_group: return p.group() > 1;
        default: return true;
    }
}

}  // namespace

AttentionPlan plan_of(const AttentionCall<double>& c) {
    return plan_attention(c.attrs, AttentionOperands<double>{c.q, c.k, c.v, c.with.mask, c.with.past_key, c.with.past_value});
}

std::vector<std::string_view> attention_mistake_names() { return {kTexts.begin() + 1, kTexts.end()}; }

AttentionArrays<double> attention_with_mistake(const AttentionCall<double>& call, std::string_view mistake) {
    const AttentionPlan plan = plan_of(call);
    return made_by(ByHeads(call, plan), mistake_of(mistake));
}

std::map<std::string, std::string, std::less<>> explain_by_mistakes(const AttentionCall<double>& call,
                                                                    const std::vector<WrongArray>& wrong, bool y_is_wrong) {
    std::map<std::string, std::string, std::less<>> out;
    if (wrong.empty()) return out;
    const AttentionPlan plan = plan_of(call);
    if (const double weights = static_cast<double>(plan.B) * static_cast<double>(plan.Hq) * static_cast<double>(plan.L) *
                               static_cast<double>(plan.keys());
        weights > kMostWeights) {
        for (const WrongArray& c : wrong)
            out.emplace(c.name, fmt::format("not looked for: there are {:.0f} weights, up to {:.0f} are worked out with each "
                                            "mistake; take shorter sequences or fewer heads",
                                            weights, kMostWeights));
        return out;
    }
    const ByHeads x(call, plan);
    std::vector<Mistake> order;
    for (std::size_t i = 1; i < kTexts.size(); ++i) order.push_back(static_cast<Mistake>(i));
    if (!y_is_wrong)
        std::rotate(order.begin(), order.begin() + (static_cast<std::ptrdiff_t>(Mistake::no_row_sum) - 1), order.end());
    for (const Mistake mistake : order) {
        if (out.size() == wrong.size()) break;
        if (!possible(plan, call.with.mask.defined(), mistake)) continue;
        const AttentionArrays<double> made = made_by(x, mistake);
        for (const WrongArray& c : wrong) {
            const auto at = made.find(c.name);
            if (at == made.end() || out.contains(c.name)) continue;
            const check::Comparison with = check::compare(
                c.claimed, at->second, check::relative_to_largest(at->second, c.options.tolerance, c.options.floor));
            if (with.right() && !with.vacuous()) out.emplace(c.name, kTexts[static_cast<std::size_t>(mistake)]);
        }
    }
    return out;
}

}  // namespace gradproof
