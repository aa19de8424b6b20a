// Checks of an attention call, and the range of keys of each query.
#include "gradproof/ops/attention_plan.hpp"

#include <algorithm>
#include <cmath>

namespace gradproof {
namespace {

void check_options(const AttentionAttrs& a) {
    if (a.scale && !std::isfinite(*a.scale)) value_error("attention: scale must be finite: scale is {}", *a.scale);
    if (!(a.softcap >= 0) || !std::isfinite(a.softcap))
        value_error("attention: softcap must be finite and not negative: softcap is {}; 0 is off", a.softcap);
    if (a.window_left < -1 || a.window_right < -1)
        value_error("attention: a window size must be -1 (unbounded) or more: window_left is {}, window_right is {}",
                    a.window_left, a.window_right);
    if (a.q_heads < 0 || a.kv_heads < 0)
        value_error("attention: head counts must not be negative: q_heads is {}, kv_heads is {}", a.q_heads, a.kv_heads);
}

/// The head count of a packed input, and the size of one head.
Index head_size(std::string_view name, const Shape& x, std::string_view heads_name, Index heads) {
    if (x[2] % heads != 0)
        shape_error("attention: the last axis of {} does not split into heads: {} is {}, {} is {}", name, name, x, heads_name,
                    heads);
    return x[2] / heads;
}

void read_packed(AttentionPlan& p, const AttentionAttrs& a, const Shape& q, const Shape& k, const Shape& v) {
    if (a.q_heads == 0 || a.kv_heads == 0)
        value_error("attention: 3-D inputs need the head counts: q is {}, q_heads is {}, kv_heads is {}", q, a.q_heads,
                    a.kv_heads);
    p.packed = true;
    p.Hq = a.q_heads;
    p.Hk = a.kv_heads;
    p.L = q[1];
    p.S = k[1];
    p.D = head_size("q", q, "q_heads", a.q_heads);
    if (const Index d = head_size("k", k, "kv_heads", a.kv_heads); d != p.D)
        shape_error("attention: head sizes differ: q is {} with {} heads, k is {} with {} ({} != {})", q, p.Hq, k, p.Hk, p.D, d);
    p.E = head_size("v", v, "kv_heads", a.kv_heads);
    if (v[1] != p.S) shape_error("attention: k and v differ in length: k is {}, v is {} ({} != {})", k, v, p.S, v[1]);
}

void read_unpacked(AttentionPlan& p, const AttentionAttrs& a, const Shape& q, const Shape& k, const Shape& v) {
    p.Hq = q[1];
    p.Hk = k[1];
    if ((a.q_heads != 0 && a.q_heads != p.Hq) || (a.kv_heads != 0 && a.kv_heads != p.Hk))
        value_error(
            "attention: head counts contradict the 4-D inputs: q is {}, q_heads is {}, k is {}, kv_heads is {}; leave them 0", q,
            a.q_heads, k, a.kv_heads);
    p.L = q[2];
    p.S = k[2];
    p.D = q[3];
    p.E = v[3];
    if (k[3] != p.D) shape_error("attention: head sizes differ: q is {}, k is {} ({} != {})", q, k, p.D, k[3]);
    if (v[1] != p.Hk) shape_error("attention: k and v differ in heads: k is {}, v is {} ({} != {})", k, v, p.Hk, v[1]);
    if (v[2] != p.S) shape_error("attention: k and v differ in length: k is {}, v is {} ({} != {})", k, v, p.S, v[2]);
}

void read_past(AttentionPlan& p, const Shape* key, const Shape* value) {
    if (!key && !value) return;
    if (!key || !value)
        shape_error("attention: past_key and past_value come together: past_key is {}, past_value is {}",
                    key ? key->str() : "absent", value ? value->str() : "absent");
    p.P = key->rank() == 4 ? (*key)[2] : 0;
    if (!(*key == Shape{p.B, p.Hk, p.P, p.D}) || !(*value == Shape{p.B, p.Hk, p.P, p.E}))
        shape_error(
            "attention: the past does not fit: past_key is {}, past_value is {}, expected [{}, {}, P, {}], [{}, {}, P, {}]", *key,
            *value, p.B, p.Hk, p.D, p.B, p.Hk, p.E);
}

MaskLayout lay_mask(std::string_view name, const AttentionPlan& p, const Shape& mask) {
    if (mask.rank() < 1 || mask.rank() > 4) shape_error("attention: {} must have 1 to 4 axes: {} is {}", name, name, mask);
    // One column broadcasts, as NumPy has it; any other width below that of the scores leaves the rest masked.
    const Index columns = mask.last() == 1 ? p.keys() : mask.last();
    if (columns > p.keys() || !broadcasts_to(mask, {p.B, p.Hq, p.L, columns}))
        shape_error("attention: {} does not broadcast to the scores: {} is {}, scores are {}", name, name, mask, p.weights());
    const Shape strides = broadcast_strides(mask, {p.B, p.Hq, p.L, columns});
    return {strides[0], strides[1], strides[2], strides[3], columns};
}

void read_lengths(AttentionPlan& p, const AttentionAttrs& a) {
    if (!a.kv_len.defined()) return;
    if (!(a.kv_len.shape() == Shape{p.B}))
        shape_error("attention: kv_len has one length for each batch entry: kv_len is {}, expected [{}]", a.kv_len.shape(), p.B);
    for (Index b = 0; b < p.B; ++b)
        if (a.kv_len[b] < 0 || a.kv_len[b] > p.keys())
            value_error("attention: kv_len is out of range: kv_len[{}] is {}, keys are {}", b, a.kv_len[b], p.keys());
    if (p.P > 0 && (a.causal || a.window_left >= 0 || a.window_right >= 0))
        value_error(
            "attention: kv_len and a past give two offsets for causal and window: kv_len is given, past length is {}; drop one",
            p.P);
    p.kv_len = a.kv_len;
}

constexpr Index kMostOfATensor = Index{1} << 46;  // as checked_size has it

/// Whether a tensor may have these sizes; those of empty ones are bounded too.
bool holdable(std::initializer_list<Index> sizes) {
    Index n = 1;
    for (const Index size : sizes)
        if (__builtin_mul_overflow(n, std::max<Index>(size, 1), &n) || n > kMostOfATensor) return false;
    return true;
}

/// Head counts of empty axes, and the lengths of them, can be anything.
void check_results(const AttentionPlan& p) {
    if (!holdable({2, p.B, p.Hq, p.L}) || !holdable({p.B, p.Hq, p.L, p.E}))
        shape_error(
            "attention: too many queries: batch is {}, heads are {}, length is {}, value size is {}; results have at most {} "
            "elements",
            p.B, p.Hq, p.L, p.E, kMostOfATensor);
}

}  // namespace

void check_weights(const AttentionPlan& p) {
    if (!holdable({p.B, p.Hq, p.L, p.keys()}))
        shape_error("attention: too many weights: they are {}, at most {}; the fused kernel holds none", p.weights(),
                    kMostOfATensor);
}

AttentionPlan plan_attention(const AttentionAttrs& a, const AttentionShapes& x) {
    check_options(a);
    if (!x.q || !x.k || !x.v) shape_error("attention: q, k and v are all needed: {} is undefined", !x.q ? "q" : !x.k ? "k" : "v");
    const Shape &q = *x.q, &k = *x.k, &v = *x.v;
    if ((q.rank() != 3 && q.rank() != 4) || k.rank() != q.rank() || v.rank() != q.rank())
        shape_error("attention: inputs must be 4-D [B, H, L, D], or 3-D [B, L, H D] with head counts: q is {}, k is {}, v is {}",
                    q, k, v);
    if (k[0] != q[0] || v[0] != q[0]) shape_error("attention: batch sizes differ: q is {}, k is {}, v is {}", q, k, v);
    AttentionPlan p;
    p.B = q[0];
    if (q.rank() == 3)
        read_packed(p, a, q, k, v);
    else
        read_unpacked(p, a, q, k, v);
    if (p.Hk == 0 ? p.Hq != 0 : p.Hq % p.Hk != 0)
        shape_error("attention: query heads must be a multiple of key heads: q is {}, k is {} ({} and {} heads)", q, k, p.Hq,
                    p.Hk);
    check_results(p);
    read_past(p, x.past_key, x.past_value);
    read_lengths(p, a);
    if (x.mask) p.mask_layout = lay_mask("mask", p, *x.mask);
    if (a.bool_mask.defined()) {
        p.bool_layout = lay_mask("bool_mask", p, a.bool_mask.shape());
        p.bool_mask = a.bool_mask;
    }
    // Without features all scores are 0, whatever the scale: 1 keeps them from being 0 / 0.
    p.scale = a.scale ? *a.scale : p.D == 0 ? 1 : 1 / std::sqrt(static_cast<double>(p.D));
    p.softcap = a.softcap;
    p.causal = a.causal;
    // A window larger than everything is as good as this one, and cannot overflow.
    p.window_left = std::min(a.window_left, p.L + p.keys());
    p.window_right = std::min(a.window_right, p.L + p.keys());
    return p;
}

AttentionBand key_band(const AttentionPlan& p, bool has_mask, Index b) {
    Index limit = p.keys();
    if (has_mask) limit = std::min(limit, p.mask_layout.columns);
    if (p.bool_mask.defined()) limit = std::min(limit, p.bool_layout.columns);
    if (p.kv_len.defined()) limit = std::min(limit, p.kv_len[b]);
    // No query sees as far as `unbounded`.
    const Index offset = p.offset(b), unbounded = p.L + p.keys() + std::abs(offset);
    const Index last = p.window_right >= 0 ? offset + p.window_right : unbounded;
    return {p.window_left >= 0 ? offset - p.window_left : -unbounded, p.causal ? std::min(last, offset) : last, limit};
}

}  // namespace gradproof
