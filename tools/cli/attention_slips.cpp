// The slips, each as the line of a readable attention that it changes.
#include "tools/cli/attention_slips.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "ops/matmul.hpp"
#include "ops/slice.hpp"
#include "ops/transpose.hpp"

namespace gradproof::cli {
namespace {

constexpr double kHidden = -std::numeric_limits<double>::infinity();
constexpr double kMostWeights = 1 << 21;

/// In the order in which they are tried: what changes y first, then what changes gradients only.
enum class Slip {
    none, unscaled, scaled_twice, scaled_by_size, no_softcap, not_causal, no_window, no_bool_mask, no_float_mask, no_lengths, nothing_hidden, hidden_as_zero, masked_after,
    sees_next, misses_last, from_the_left, over_queries, no_softmax, heads_in_turn,
    no_row_sum, row_mean, plain_row_sum, diagonal, no_jacobian, column_sum, no_cap_slope, values_from_scores, first_of_group, last_of_group,
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
static_assert(static_cast<std::size_t>(Slip::last_of_group) + 1 == kTexts.size());

Slip slip_of(std::string_view text) {
    const auto at = std::find(kTexts.begin(), kTexts.end(), text);
    if (at == kTexts.end()) value_error("attention: no slip is called '{}'", text);
    return static_cast<Slip>(at - kTexts.begin());
}

/// The key head of a query head.
Index shared_head(Slip slip, Index h, Index query_heads, Index key_heads) {
    return slip == Slip::heads_in_turn ? h % key_heads : h / (query_heads / key_heads);
}

/// k or v with a copy for each query head.
Tensor<double> for_each_query_head(const Tensor<double>& x, Index heads, Slip slip) {
    const Index B = x.dim(0), Hk = x.dim(1), block = x.dim(2) * x.dim(3);
    Tensor<double> out({B, heads, x.dim(2), x.dim(3)});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < heads; ++h) std::copy_n(x.data() + (b * Hk + shared_head(slip, h, heads, Hk)) * block, block, out.data() + (b * heads + h) * block);
    return out;
}

/// The gradient of k or v from those of its copies.
Tensor<double> summed_over_groups(const Tensor<double>& dx, Index key_heads, Slip slip) {
    const Index B = dx.dim(0), Hq = dx.dim(1), block = dx.dim(2) * dx.dim(3), group = Hq / std::max<Index>(key_heads, 1);
    Tensor<double> out({B, key_heads, dx.dim(2), dx.dim(3)}, 0.0);
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < Hq; ++h) {
            if ((slip == Slip::first_of_group && h % group != 0) || (slip == Slip::last_of_group && h % group != group - 1)) continue;
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

/// Softmax along `n` numbers that lie `stride` apart; 0 where all are hidden.
void softmax_of(double* x, Index n, Index stride) {
    double largest = kHidden, sum = 0;
    for (Index i = 0; i < n; ++i) largest = std::max(largest, x[i * stride]);
    for (Index i = 0; i < n; ++i) sum += x[i * stride] = x[i * stride] > kHidden ? std::exp(x[i * stride] - largest) : 0;
    for (Index i = 0; i < n; ++i) x[i * stride] = sum > 0 ? x[i * stride] / sum : 0;
}

/// Calls at(first) with where each matrix of the last two axes begins.
void each_matrix(const Tensor<double>& x, auto&& at) {
    const Index block = x.dim(2) * x.dim(3);
    for (Index m = 0; m < x.dim(0) * x.dim(1); ++m) at(m * block);
}

/// ds of one matrix of weights w and their cotangents dw, in place of dw.
void through_softmax(Slip slip, const double* w, double* dw, Index L, Index S) {
    if (slip == Slip::no_jacobian || slip == Slip::no_softmax) return;
    const bool columns = slip == Slip::column_sum || slip == Slip::over_queries;
    const Index lines = columns ? S : L, n = columns ? L : S, step = columns ? S : 1, next = columns ? 1 : S;
    for (Index line = 0; line < lines; ++line) {
        const double* p = w + line * next;
        double* d = dw + line * next;
        double sum = 0;
        for (Index j = 0; j < n; ++j) sum += slip == Slip::plain_row_sum ? d[j * step] : d[j * step] * p[j * step];
        if (slip == Slip::no_row_sum) sum = 0;
        if (slip == Slip::row_mean) sum /= static_cast<double>(n);
        for (Index j = 0; j < n; ++j)
            d[j * step] = slip == Slip::diagonal ? p[j * step] * (1 - p[j * step]) * d[j * step] : p[j * step] * (d[j * step] - sum);
    }
}

/// A call laid out by heads, [B, H, L, D], keys with their past.
struct ByHeads {
    const AttentionCall& call;
    Tensor<double> q, k, v, dy;
    Index past = 0;

    explicit ByHeads(const AttentionCall& c) : call(c), q(by_heads(c.q)), dy(c.dy.defined() ? by_heads(c.dy) : Tensor<double>{}) {
        const AttentionResult<double> all = attention_forward(c.q, c.k, c.v, c.attrs, c.with);
        k = all.present_key;
        v = all.present_value;
        if (c.with.past_key.defined()) past = c.with.past_key.dim(2);
    }
    Tensor<double> by_heads(const Tensor<double>& x) const {
        if (x.rank() == 4) return x;
        const Index heads = call.attrs.q_heads;
        return transpose(x.reshape({x.dim(0), x.dim(1), heads, x.dim(2) / heads}), {.perm = {0, 2, 1, 3}});
    }
    Tensor<double> as_called(const Tensor<double>& x) const {
        if (call.q.rank() == 4) return x;
        return transpose(x, {.perm = {0, 2, 1, 3}}).reshape({x.dim(0), x.dim(2), x.dim(1) * x.dim(3)});
    }
    /// Of causal and window in one batch entry: the keys before the first query.
    Index offset(Index b) const {
        const Tensor<Index>& lengths = call.attrs.kv_len;
        return past > 0 ? past : lengths.defined() ? lengths[b] - q.dim(2) : 0;
    }
};

/// What is added to the scores, [B, Hq, L, S]: the float mask, and -inf where a query may not look.
Tensor<double> added_to_scores(const ByHeads& x, Slip slip) {
    const AttentionAttrs& attrs = x.call.attrs;
    // Masks and lengths by the op itself: with scores of 0 whatever may be seen has weight.
    AttentionAttrs plain;
    plain.q_heads = attrs.q_heads;
    plain.kv_heads = attrs.kv_heads;
    const bool all_seen = slip == Slip::nothing_hidden;
    if (!all_seen && slip != Slip::no_bool_mask) plain.bool_mask = attrs.bool_mask;
    if (!all_seen && slip != Slip::no_lengths) plain.kv_len = attrs.kv_len;
    AttentionOptional<Tensor<double>> with = x.call.with;
    with.mask = {};
    Tensor<double> out = attention_forward(zeros<double>(x.call.q.shape()), zeros<double>(x.call.k.shape()), x.call.v, plain, with).weights;
    const Index heads = out.dim(1), L = out.dim(2), S = out.dim(3);

    const Tensor<double> mask = all_seen || slip == Slip::no_float_mask ? Tensor<double>{} : x.call.with.mask;
    std::array<Index, 4> step{};
    Index reach = S;
    if (mask.defined()) {
        Index stride = 1;
        for (int a = 0; a < mask.rank(); stride *= mask.shape().last(a), ++a) step[static_cast<std::size_t>(3 - a)] = mask.shape().last(a) == 1 ? 0 : stride;
        if (mask.rank() > 0 && mask.shape().last(0) != 1) reach = mask.shape().last(0);
    }
    const bool causal = attrs.causal && slip != Slip::not_causal && !all_seen;
    const bool window = slip != Slip::no_window && !all_seen;
    for (Index n = 0; n < out.size(); ++n) {
        const Index j = n % S, i = n / S % L, h = n / S / L % heads, b = n / S / L / heads;
        const Index at = i + (slip == Slip::from_the_left ? 0 : x.offset(b)), last = at + (slip == Slip::sees_next ? 1 : slip == Slip::misses_last ? -1 : 0);
        const bool seen = out[n] > 0 && (!causal || j <= last) && (!window || ((attrs.window_left < 0 || j >= at - attrs.window_left) && (attrs.window_right < 0 || j <= at + attrs.window_right)));
        if (!seen || j >= reach) out[n] = kHidden;
        else out[n] = mask.defined() ? mask[b * step[0] + h * step[1] + i * step[2] + j * step[3]] : 0;
    }
    return out;
}

AttentionArrays made_by(const ByHeads& x, Slip slip) {
    const Index Hq = x.q.dim(1), Hk = x.k.dim(1), L = x.q.dim(2), S = x.k.dim(2), D = x.q.dim(3);
    const Tensor<double> k = for_each_query_head(x.k, Hq, slip), v = for_each_query_head(x.v, Hq, slip), added = added_to_scores(x, slip);
    const double true_scale = x.call.attrs.scale.value_or(D == 0 ? 1 : 1 / std::sqrt(static_cast<double>(D)));
    const double scale = scaled(slip, true_scale, D), cap = slip == Slip::no_softcap ? 0 : x.call.attrs.softcap;

    Tensor<double> w = matmul(x.q, k, {.transpose_b = true}), scores(w.shape()), slope(w.shape(), 1.0);
    each_matrix(w, [&](Index first) {
        for (Index n = first; n < first + L * S; ++n) {
            double s = scale * w[n];
            if (cap > 0) {
                s = cap * std::tanh(s / cap);
                if (slip != Slip::no_cap_slope) slope[n] = 1 - s / cap * (s / cap);
            }
            scores[n] = s;
            if (added[n] > kHidden) w[n] = s + added[n];
            else w[n] = slip == Slip::masked_after ? s : slip == Slip::hidden_as_zero ? 0 : kHidden;
        }
        double* at = w.data() + first;
        if (slip == Slip::no_softmax) std::replace(at, at + L * S, kHidden, 0.0);
        else if (slip == Slip::over_queries) for (Index j = 0; j < S; ++j) softmax_of(at + j, L, S);
        else for (Index i = 0; i < L; ++i) softmax_of(at + i * S, S, 1);
        for (Index n = 0; slip == Slip::masked_after && n < L * S; ++n)
            if (!(added[first + n] > kHidden)) at[n] = 0;
    });
    AttentionArrays out{{"y", x.as_called(matmul(w, v))}, {"weights", w}};
    if (!x.dy.defined()) return out;

    Tensor<double> ds = matmul(x.dy, v, {.transpose_b = true});
    each_matrix(ds, [&](Index first) {
        through_softmax(slip, w.data() + first, ds.data() + first, L, S);
        for (Index n = first; n < first + L * S; ++n) ds[n] *= scale * slope[n];
    });
    const auto of_call = [&](const Tensor<double>& dx) {
        return x.as_called(slice(summed_over_groups(dx, Hk, slip), {.axis = 2, .start = x.past, .stop = S}));
    };
    out["dq"] = x.as_called(matmul(ds, k));
    out["dk"] = of_call(matmul(ds, x.q, {.transpose_a = true}));
    out["dv"] = of_call(matmul(slip == Slip::values_from_scores ? scores : w, x.dy, {.transpose_a = true}));
    return out;
}

/// Whether the slip could have been made: what is not there cannot be left out.
bool possible(const ByHeads& x, Slip slip) {
    const AttentionAttrs& a = x.call.attrs;
    const bool window = a.window_left >= 0 || a.window_right >= 0, mask = x.call.with.mask.defined(), lengths = a.kv_len.defined();
    switch (slip) {
        case Slip::no_softcap:
        case Slip::no_cap_slope: return a.softcap > 0;
        case Slip::not_causal:
        case Slip::sees_next:
        case Slip::misses_last: return a.causal;
        case Slip::no_window: return window;
        case Slip::no_bool_mask: return a.bool_mask.defined();
        case Slip::no_float_mask: return mask;
        case Slip::no_lengths: return lengths;
        case Slip::from_the_left: return (a.causal || window) && (x.past > 0 || lengths);
        case Slip::nothing_hidden:
        case Slip::hidden_as_zero:
        case Slip::masked_after: return a.causal || window || a.bool_mask.defined() || mask || lengths;
        case Slip::heads_in_turn:
        case Slip::first_of_group:
        case Slip::last_of_group: return x.q.dim(1) != x.k.dim(1);
        default: return true;
    }
}

/// How many weights the call has; attention() has accepted it.
double weights_of(const AttentionCall& c) {
    const bool packed = c.q.rank() == 3;
    const int length = packed ? 1 : 2;
    const double past = c.with.past_key.defined() ? static_cast<double>(c.with.past_key.dim(2)) : 0;
    return static_cast<double>(c.q.dim(0) * (packed ? c.attrs.q_heads : c.q.dim(1)) * c.q.dim(length)) * (past + static_cast<double>(c.k.dim(length)));
}

}  // namespace

std::vector<std::string_view> slip_names() { return {kTexts.begin() + 1, kTexts.end()}; }

AttentionArrays attention_with_slip(const AttentionCall& call, std::string_view slip) { return made_by(ByHeads(call), slip_of(slip)); }

std::map<std::string, std::string, std::less<>> explain_slips(const AttentionCall& call, const std::vector<SlipClaim>& claims, bool y_is_wrong) {
    std::map<std::string, std::string, std::less<>> out;
    if (claims.empty()) return out;
    if (const double weights = weights_of(call); weights > kMostWeights) {
        for (const SlipClaim& c : claims)
            out.emplace(c.array, fmt::format("not looked for: there are {:.0f} weights, up to {:.0f} are worked out with each slip; take shorter sequences or fewer heads", weights, kMostWeights));
        return out;
    }
    const ByHeads x(call);
    std::vector<Slip> order;
    for (std::size_t i = 1; i < kTexts.size(); ++i) order.push_back(static_cast<Slip>(i));
    if (!y_is_wrong) std::rotate(order.begin(), order.begin() + (static_cast<std::ptrdiff_t>(Slip::no_row_sum) - 1), order.end());
    for (const Slip slip : order) {
        if (out.size() == claims.size()) break;
        if (!possible(x, slip)) continue;
        const AttentionArrays made = made_by(x, slip);
        for (const SlipClaim& c : claims) {
            const auto at = made.find(c.array);
            if (at == made.end() || out.contains(c.array)) continue;
            const check::Comparison with = check::compare(c.claimed, at->second, c.options);
            if (with.right() && !with.vacuous()) out.emplace(c.array, kTexts[static_cast<std::size_t>(slip)]);
        }
    }
    return out;
}

}  // namespace gradproof::cli
