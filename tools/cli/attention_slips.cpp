// The slips, each as the line of a readable attention that it changes.
#include "tools/cli/attention_slips.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/errors.hpp"
#include "ops/matmul.hpp"
#include "ops/slice.hpp"
#include "ops/transpose.hpp"

namespace gradproof::cli {
namespace {

constexpr double kHidden = -std::numeric_limits<double>::infinity();
constexpr Index kMostWeights = Index{1} << 22;

/// In the order in which they are tried: what changes y first, then what changes gradients only.
enum class Slip {
    none, unscaled, scaled_twice, scaled_by_size, no_softcap, all_seen, hidden_as_zero, masked_after, sees_next, misses_last, from_the_left, over_queries, no_softmax,
    heads_in_turn, no_row_sum, row_mean, plain_row_sum, diagonal, no_jacobian, column_sum, no_cap_slope, values_from_scores, first_of_group, last_of_group,
};
constexpr std::array<std::string_view, 24> kTexts = {
    "",
    "the scores are not scaled",
    "the scores are scaled twice",
    "the scores are scaled by 1/D, not by its root",
    "the soft cap is left out",
    "the mask is left out",
    "hidden scores are set to 0, not to -inf",
    "the mask comes after the softmax, so rows do not sum to 1",
    "the causal mask lets a query see one key too many",
    "the causal mask hides the last key that a query may see",
    "the causal mask does not count the keys before the first query: j <= i, without the offset",
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

/// Whether query i may look at key j, as `hidden` [L, S] says it and the slip changes it.
bool sees(Slip slip, const double* hidden, Index i, Index j, Index keys) {
    const auto seen = [&](Index key) { return hidden[i * keys + key] > kHidden; };
    switch (slip) {
        case Slip::all_seen: return true;
        case Slip::sees_next: return seen(j) || (j > 0 && seen(j - 1));
        case Slip::misses_last: return seen(j) && j + 1 < keys && seen(j + 1);
        case Slip::from_the_left: return j <= i;
        default: return seen(j);
    }
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

}  // namespace

std::vector<std::string_view> AttentionSlips::names() { return {kTexts.begin() + 1, kTexts.end()}; }

AttentionSlips::AttentionSlips(const AttentionCall& call) : attrs_(call.attrs) {
    q_ = unpacked(call.q, attrs_.q_heads);
    dy_ = call.dy.defined() ? unpacked(call.dy, attrs_.q_heads) : Tensor<double>{};
    const AttentionResult<double> all = attention_forward(call.q, call.k, call.v, attrs_, call.with);
    k_ = all.present_key;
    v_ = all.present_value;
    past_ = call.with.past_key.defined() ? call.with.past_key.dim(2) : 0;
    scale_ = attrs_.scale.value_or(1 / std::sqrt(static_cast<double>(q_.dim(3))));
    if (all.weights.size() > kMostWeights) return;
    // Equal scores give weight to whatever may be seen.
    AttentionOptional<Tensor<double>> no_mask = call.with;
    no_mask.mask = {};
    added_ = attention_forward(zeros<double>(call.q.shape()), call.k, call.v, attrs_, no_mask).weights;
    for (double& a : added_) a = a > 0 ? 0 : kHidden;
    if (!call.with.mask.defined()) return;
    // A soft cap comes before the mask, so that a mask stands alone where the scores are 0.
    const Tensor<double>& mask = call.with.mask;
    const Shape& to = added_.shape();
    std::array<Index, 4> step{};
    for (int a = 0, stride = 1; a < mask.rank(); stride *= static_cast<int>(mask.shape().last(a)), ++a)
        step[static_cast<std::size_t>(3 - a)] = mask.shape().last(a) == 1 ? 0 : stride;
    const Index reach = mask.rank() == 0 || mask.shape().last(0) == 1 ? to[3] : mask.shape().last(0);
    for (Index n = 0; n < added_.size(); ++n) {
        const Index j = n % to[3], i = n / to[3] % to[2], h = n / to[3] / to[2] % to[1], b = n / to[3] / to[2] / to[1];
        added_[n] += j < reach ? mask[b * step[0] + h * step[1] + i * step[2] + j * step[3]] : kHidden;
    }
}

Tensor<double> AttentionSlips::unpacked(const Tensor<double>& x, Index heads) const {
    if (x.rank() == 4) return x;
    return transpose(x.reshape({x.dim(0), x.dim(1), heads, x.dim(2) / heads}), {.perm = {0, 2, 1, 3}});
}

Tensor<double> AttentionSlips::packed(const Tensor<double>& x) const {
    if (attrs_.q_heads == 0) return x;
    return transpose(x, {.perm = {0, 2, 1, 3}}).reshape({x.dim(0), x.dim(2), x.dim(1) * x.dim(3)});
}

AttentionArrays AttentionSlips::results(std::string_view text) const {
    const Slip slip = slip_of(text);
    const Index Hq = q_.dim(1), Hk = k_.dim(1), L = q_.dim(2), S = k_.dim(2);
    const Tensor<double> k = for_each_query_head(k_, Hq, slip), v = for_each_query_head(v_, Hq, slip);
    const double scale = scaled(slip, scale_, q_.dim(3)), cap = slip == Slip::no_softcap ? 0 : attrs_.softcap;

    Tensor<double> w = matmul(q_, k, {.transpose_b = true}), scores(w.shape()), slope(w.shape(), 1.0);
    each_matrix(w, [&](Index first) {
        for (Index n = first; n < first + L * S; ++n) {
            double s = scale * w[n];
            if (cap > 0) {
                s = cap * std::tanh(s / cap);
                if (slip != Slip::no_cap_slope) slope[n] = 1 - s / cap * (s / cap);
            }
            scores[n] = s;
            const Index i = (n - first) / S, j = (n - first) % S;
            const bool seen = sees(slip, added_.data() + first, i, j, S);
            const double added = added_[n] > kHidden ? added_[n] : 0;
            w[n] = seen || slip == Slip::masked_after ? s + added : slip == Slip::hidden_as_zero ? 0 : kHidden;
        }
        double* at = w.data() + first;
        if (slip == Slip::no_softmax) std::replace(at, at + L * S, kHidden, 0.0);
        else if (slip == Slip::over_queries) for (Index j = 0; j < S; ++j) softmax_of(at + j, L, S);
        else for (Index i = 0; i < L; ++i) softmax_of(at + i * S, S, 1);
        if (slip == Slip::masked_after)
            for (Index n = 0; n < L * S; ++n)
                if (!(added_[first + n] > kHidden)) at[n] = 0;
    });
    AttentionArrays out{{"y", packed(matmul(w, v))}, {"weights", w}};
    if (!dy_.defined()) return out;

    Tensor<double> ds = matmul(dy_, v, {.transpose_b = true});
    each_matrix(ds, [&](Index first) {
        through_softmax(slip, w.data() + first, ds.data() + first, L, S);
        for (Index n = first; n < first + L * S; ++n) ds[n] *= scale * slope[n];
    });
    const auto of_call = [&](const Tensor<double>& dx) {
        return packed(slice(summed_over_groups(dx, Hk, slip), {.axis = 2, .start = past_, .stop = S}));
    };
    out["dq"] = packed(matmul(ds, k));
    out["dk"] = of_call(matmul(ds, q_, {.transpose_a = true}));
    out["dv"] = of_call(matmul(slip == Slip::values_from_scores ? scores : w, dy_, {.transpose_a = true}));
    return out;
}

const AttentionArrays& AttentionSlips::worked_out(std::string_view text) {
    if (!worked_out_.contains(text)) worked_out_[text] = results(text);
    return worked_out_[text];
}

std::string AttentionSlips::explain(std::string_view array, const Tensor<double>& claimed, const check::CompareOptions& options, bool y_is_wrong) {
    if (!added_.defined()) return "";
    const auto is_made_by = [&](std::string_view text) {
        const AttentionArrays& made = worked_out(text);
        const auto at = made.find(array);
        return at != made.end() && check::compare(claimed, at->second, options).right();
    };
    if (is_made_by("")) return "";
    std::vector<std::string_view> order = names();
    const auto backward = order.begin() + (static_cast<std::ptrdiff_t>(Slip::no_row_sum) - 1);
    if (array[0] == 'd' && !y_is_wrong) std::rotate(order.begin(), backward, order.end());
    for (const std::string_view text : order) {
        const Slip slip = slip_of(text);
        if ((slip == Slip::sees_next || slip == Slip::misses_last || slip == Slip::from_the_left) && !attrs_.causal) continue;
        if (is_made_by(text)) return std::string(text);
    }
    return "";
}

}  // namespace gradproof::cli
