// The layers: each forward is a few calls of ops.
#include "gradproof/nn/layers.hpp"

#include "gradproof/nn/positions.hpp"
#include "gradproof/ops/alibi.hpp"
#include "gradproof/ops/arithmetic.hpp"
#include "gradproof/ops/gather.hpp"
#include "gradproof/ops/layer_norm.hpp"
#include "gradproof/ops/rotary.hpp"
#include "gradproof/ops/slice.hpp"
#include "gradproof/ops/transpose.hpp"

namespace gradproof {
namespace {

Index head_width(const MultiHeadOptions& o) {
    const Index kv = o.kv_heads == 0 ? o.heads : o.kv_heads;
    if (o.channels < 1 || o.heads < 1 || o.channels % o.heads != 0)
        value_error("multi-head attention: heads must divide channels: heads is {}, channels is {}", o.heads, o.channels);
    if (kv < 1 || o.heads % kv != 0)
        value_error("multi-head attention: kv_heads must divide heads: kv_heads is {}, heads is {}", kv, o.heads);
    if (o.positions == HeadPositions::rotary && o.channels / o.heads % 2 != 0)
        value_error("multi-head attention: rotary positions need heads of an even size: heads is {}, channels is {}", o.heads,
                    o.channels);
    return o.channels / o.heads;
}
Index kv_width(const MultiHeadOptions& o) { return head_width(o) * (o.kv_heads == 0 ? o.heads : o.kv_heads); }

void check_offset(const Shape& x, Index offset, Index length) {
    if (offset < 0 || offset > length - x.last(1))
        value_error("positions: the sequence leaves the table: x is {}, offset is {}, positions are {}", x, offset, length);
}

/// Checks the numbers of heads, which anyone may set in the attributes; in forward the op checks them.
template <Scalar T>
void check_heads(const AttentionAttrs& a, const Parameter<T>& wq, const Parameter<T>& wk) {
    const auto divides = [](Index heads, Index width) { return heads >= 1 && width % heads == 0; };
    if (!divides(a.q_heads, wq.shape[1]) || !divides(a.kv_heads, wk.shape[1]))
        value_error("decode: q_heads and kv_heads must divide the widths {} and {}: q_heads is {}, kv_heads is {}", wq.shape[1],
                    wk.shape[1], a.q_heads, a.kv_heads);
}

/// x w for `heads` heads at positions from `offset` on.
template <class X>
X projected(const X& x, const X& w, HeadPositions positions, Index heads, Index offset = 0) {
    const X y = linear(x, w);
    return positions == HeadPositions::rotary ? rotary(y, {.offset = offset, .heads = heads}) : y;
}

/// The bias of the scores of queries at positions from `offset` on; undefined if there is none.
template <class T>
Tensor<T> score_bias(const AttentionHeads<T>& heads, Index queries, Index keys, Index offset) {
    if (heads.positions != HeadPositions::alibi) return {};
    return alibi(alibi_slopes<T>(heads.attrs.q_heads), {.queries = queries, .keys = keys, .offset = offset});
}
template <class T>
Tensor<T> score_bias(const AttentionHeads<T>& heads, const Shape& x) {
    return x.rank() == 3 ? score_bias(heads, x[1], x[1], 0) : Tensor<T>();
}

}  // namespace

template <Scalar T>
Linear<T>::Linear(Index in, Index out, Bias with_bias, const Initialiser& weights)
    : weight(Shape{in, out}, weights), bias(Shape{out}, init::zeros()), has_bias(with_bias == Bias::with) {}
template <Scalar T>
Var<T> Linear<T>::forward(const Step<T>& step, const Var<T>& x, Activation activation) const {
    const LinearAttrs attrs{.activation = activation};
    return has_bias ? linear(x, step(weight), step(bias), attrs) : linear(x, step(weight), attrs);
}

template <Scalar T>
Embedding<T>::Embedding(Index vocabulary, Index channels, const Initialiser& weights)
    : weight(Shape{vocabulary, channels}, weights) {}
template <Scalar T>
Var<T> Embedding<T>::forward(const Step<T>& step, const Tensor<Index>& ids) const {
    return gather(step(weight), {.ids = ids});
}

template <Scalar T>
SinusoidalPositions<T>::SinusoidalPositions(Index length, Index channels) : table(position_encoding<T>(length, channels)) {}
template <Scalar T>
Var<T> SinusoidalPositions<T>::forward(const Step<T>& step, const Var<T>& x) const {
    return forward(step, x, 0);
}
template <Scalar T>
Var<T> SinusoidalPositions<T>::forward(const Step<T>&, const Var<T>& x, Index offset) const {
    const Shape& s = x.shape();
    if (s.rank() < 2 || s.last(0) != table.dim(1) || s.last(1) > table.dim(0))
        shape_error("positions: x must be [..., T, {}] with T <= {}: x is {}", table.dim(1), table.dim(0), s);
    const Index length = s.last(1);
    check_offset(s, offset, table.dim(0));
    if (length == table.dim(0)) return add(x, Var<T>(table));
    return add(x, Var<T>(slice(table, {.axis = 0, .start = offset, .stop = offset + length})));
}

template <Scalar T>
LearnedPositions<T>::LearnedPositions(Index length, Index channels, const Initialiser& weights)
    : weight(Shape{length, channels}, weights) {}
template <Scalar T>
Var<T> LearnedPositions<T>::forward(const Step<T>& step, const Var<T>& x) const {
    const Shape& s = x.shape();
    if (s.rank() < 2 || s.last(0) != weight.shape[1] || s.last(1) != weight.shape[0])
        shape_error("positions: x must be [..., {}, {}]: x is {}", weight.shape[0], weight.shape[1], s);
    return add(x, step(weight));
}
template <Scalar T>
Var<T> LearnedPositions<T>::forward(const Step<T>& step, const Var<T>& x, Index offset) const {
    const Shape& s = x.shape();
    if (s.rank() < 2 || s.last(0) != weight.shape[1] || s.last(1) > weight.shape[0])
        shape_error("positions: x must be [..., T, {}] with T <= {}: x is {}", weight.shape[1], weight.shape[0], s);
    check_offset(s, offset, weight.shape[0]);
    return add(x, slice(step(weight), {.axis = 0, .start = offset, .stop = offset + s.last(1)}));
}

template <Scalar T>
Var<T> AttentionHeads<T>::forward(const Step<T>& step, const Var<T>& x) const {
    const Var<T> q = projected(x, step(wq), positions, attrs.q_heads), k = projected(x, step(wk), positions, attrs.kv_heads),
                 v = linear(x, step(wv));
    const Tensor<T> mask = score_bias(*this, x.shape());
    return mask.defined() ? attention(q, k, v, {.mask = Var<T>(mask)}, attrs) : attention(q, k, v, attrs);
}
template <Scalar T>
Tensor<T> AttentionHeads<T>::weights(const Step<T>& step, const Var<T>& input) const {
    const Tensor<T>& x = input.value();
    return attention_forward(projected(x, step(wq).value(), positions, attrs.q_heads),
                             projected(x, step(wk).value(), positions, attrs.kv_heads), linear(x, step(wv).value()),
                             {.mask = score_bias(*this, x.shape())}, attrs)
        .weights;
}
template <Scalar T>
KeyValueCache<T> AttentionHeads<T>::cache(Index batch, Index capacity) const {
    check_heads(attrs, wq, wk);
    return KeyValueCache<T>(
        {.batch = batch, .capacity = capacity, .kv_heads = attrs.kv_heads, .head_size = wk.shape[1] / attrs.kv_heads});
}
template <Scalar T>
void AttentionHeads<T>::check_decode(const Step<T>& step, const Tensor<T>& x, const KeyValueCache<T>& cache) const {
    check_heads(attrs, wq, wk);
    if (step(wq).on_tape()) tape_error("decode: gives values only, and the step records: start it with begin_evaluation");
    if (!attrs.causal && attrs.window_right != 0)
        value_error(
            "decode: a query may not see positions that are still to come: causal is false, window_right is {}; set causal",
            attrs.window_right);
    if (attrs.bool_mask.defined() || attrs.kv_len.defined())
        value_error("decode: the layer has a {}, which is laid over a whole sequence; drop it",
                    attrs.bool_mask.defined() ? "bool_mask" : "kv_len");
    if (!x.defined() || x.rank() != 3 || x.dim(2) != wk.shape[0])
        shape_error("decode: x must be [B, L, {}]: x is {}", wk.shape[0], x.defined() ? x.shape().str() : "undefined");
    const CacheSizes& sizes = cache.sizes();
    if (sizes.kv_heads != attrs.kv_heads || cache.width() != wk.shape[1])
        shape_error("decode: the cache is of another layer: its heads are {} of size {}, those of the layer {} of size {}",
                    sizes.kv_heads, sizes.head_size, attrs.kv_heads, wk.shape[1] / attrs.kv_heads);
    cache.check_room(x.shape());
}
template <Scalar T>
Tensor<T> AttentionHeads<T>::decode(const Step<T>& step, const Tensor<T>& x, KeyValueCache<T>& cache) const {
    check_decode(step, x, cache);
    const CacheRollback<T> rollback(cache);
    const Index before = cache.length();
    // Keys are rotated to their positions once, when they enter the cache.
    cache.append(projected(x, step(wk).value(), positions, attrs.kv_heads, before), linear(x, step(wv).value()));
    AttentionAttrs a = attrs;
    a.kv_len = cache.lengths();  // query i then has the position of key length - L + i
    const Index B = x.dim(0), L = x.dim(1), heads = attrs.q_heads, width = wq.shape[1];
    const Tensor<T> q = projected(x, step(wq).value(), positions, heads, before);
    const AttentionOptional<Tensor<T>> with{.mask = score_bias(*this, L, cache.length(), before)};
    // For one position [B, heads, 1, D] and [B, 1, heads D] are the same memory.
    if (L == 1)
        return attention(q.reshape({B, heads, 1, width / heads}), cache.keys(), cache.values(), with, a).reshape({B, 1, width});
    const TransposeAttrs swap{.perm = {0, 2, 1, 3}};
    return transpose(attention(transpose(q.reshape({B, L, heads, width / heads}), swap), cache.keys(), cache.values(), with, a),
                     swap)
        .reshape({B, L, width});
}

template <Scalar T>
SingleHeadAttention<T>::SingleHeadAttention(Index channels, Index head_size)
    : AttentionHeads<T>{.wq = {Shape{channels, head_size}, init::xavier()},
                        .wk = {Shape{channels, head_size}, init::xavier()},
                        .wv = {Shape{channels, head_size}, init::xavier()}} {
    this->attrs.q_heads = this->attrs.kv_heads = 1;
}

template <Scalar T>
MultiHeadAttention<T>::MultiHeadAttention(const MultiHeadOptions& o)
    : AttentionHeads<T>{.wq = {Shape{o.channels, head_width(o) * o.heads}, init::xavier()},
                        .wk = {Shape{o.channels, kv_width(o)}, init::xavier()},
                        .wv = {Shape{o.channels, kv_width(o)}, init::xavier()},
                        .positions = o.positions},
      wo(Shape{o.channels, o.channels}, init::xavier(o.output_gain)) {
    this->attrs.q_heads = o.heads;
    this->attrs.kv_heads = kv_width(o) / head_width(o);
}
template <Scalar T>
Var<T> MultiHeadAttention<T>::forward(const Step<T>& step, const Var<T>& x) const {
    return linear(AttentionHeads<T>::forward(step, x), step(wo));
}
template <Scalar T>
Tensor<T> MultiHeadAttention<T>::decode(const Step<T>& step, const Tensor<T>& x, KeyValueCache<T>& cache) const {
    const CacheRollback<T> rollback(cache);
    return linear(AttentionHeads<T>::decode(step, x, cache), step(wo).value());
}

template <Scalar T>
LayerNorm<T>::LayerNorm(Index channels, double eps)
    : gain(Shape{channels}, init::ones()), bias(Shape{channels}, init::zeros()), epsilon(eps) {}
template <Scalar T>
Var<T> LayerNorm<T>::forward(const Step<T>& step, const Var<T>& x) const {
    return layer_norm(x, step(gain), step(bias), {.eps = epsilon});
}

template <Scalar T>
FeedForward<T>::FeedForward(Index channels, Index hidden, double down_gain)
    : up(channels, hidden, Linear<T>::Bias::with, init::kaiming()),
      down(hidden, channels, Linear<T>::Bias::with, init::xavier(down_gain)) {}
template <Scalar T>
Var<T> FeedForward<T>::forward(const Step<T>& step, const Var<T>& x) const {
    return down.forward(step, up.forward(step, x, Activation::gelu));
}

template <Scalar T>
Block<T>::Block(const BlockOptions& o)
    : norm1(o.channels),
      attention({.channels = o.channels, .heads = o.heads, .positions = o.positions, .output_gain = o.residual_gain}),
      norm2(o.channels),
      feed_forward(o.channels, o.hidden, o.residual_gain) {}
template <Scalar T>
Var<T> Block<T>::forward(const Step<T>& step, const Var<T>& x) const {
    const Var<T> h = add(x, attention.forward(step, norm1.forward(step, x)));
    return add(h, feed_forward.forward(step, norm2.forward(step, h)));
}
template <Scalar T>
Tensor<T> Block<T>::weights(const Step<T>& step, const Var<T>& x) const {
    return attention.weights(step, norm1.forward(step, x));
}
template <Scalar T>
KeyValueCache<T> Block<T>::cache(Index batch, Index capacity) const {
    return attention.cache(batch, capacity);
}
template <Scalar T>
Tensor<T> Block<T>::decode(const Step<T>& step, const Tensor<T>& x, KeyValueCache<T>& cache) const {
    attention.check_decode(step, x, cache);
    const CacheRollback<T> rollback(cache);
    const Tensor<T> h = add(x, attention.decode(step, norm1.forward(step, x).value(), cache));
    return add(h, feed_forward.forward(step, norm2.forward(step, h)).value());
}

#define GRADPROOF_LAYER(L)    \
    template struct L<float>; \
    template struct L<double>;
GRADPROOF_LAYERS(GRADPROOF_LAYER)
#undef GRADPROOF_LAYER

}  // namespace gradproof
