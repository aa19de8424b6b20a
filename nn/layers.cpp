// The layers' forward members: each a few op calls.
#include "nn/layers.hpp"

#include "nn/positions.hpp"
#include "ops/activations.hpp"
#include "ops/arithmetic.hpp"
#include "ops/gather.hpp"
#include "ops/layer_norm.hpp"
#include "ops/linear.hpp"

namespace gradproof {
namespace {

Index head_width(const MultiHeadOptions& o) {
    const Index kv = o.kv_heads == 0 ? o.heads : o.kv_heads;
    if (o.channels < 1 || o.heads < 1 || o.channels % o.heads != 0)
        value_error("multi-head attention: heads must divide channels: heads is {}, channels is {}", o.heads, o.channels);
    if (kv < 1 || o.heads % kv != 0) value_error("multi-head attention: kv_heads must divide heads: kv_heads is {}, heads is {}", kv, o.heads);
    return o.channels / o.heads;
}
Index kv_width(const MultiHeadOptions& o) { return head_width(o) * (o.kv_heads == 0 ? o.heads : o.kv_heads); }

}  // namespace

template <Scalar T>
Linear<T>::Linear(Index in, Index out, Bias bias, const Initialiser& weights)
    : weight(Shape{in, out}, weights), bias_(Shape{out}, init::zeros()), has_bias(bias == Bias::with) {}
template <Scalar T>
Var<T> Linear<T>::forward(const Step<T>& step, const Var<T>& x) const {
    return has_bias ? linear(x, step(weight), step(bias_)) : linear(x, step(weight));
}

template <Scalar T>
Embedding<T>::Embedding(Index vocabulary, Index channels, const Initialiser& weights) : weight(Shape{vocabulary, channels}, weights) {}
template <Scalar T>
Var<T> Embedding<T>::forward(const Step<T>& step, const Tensor<Index>& ids) const {
    return gather(step(weight), {.ids = ids});
}

template <Scalar T>
SinusoidalPositions<T>::SinusoidalPositions(Index length, Index channels) : table(position_encoding<T>(length, channels)) {}
template <Scalar T>
Var<T> SinusoidalPositions<T>::forward(const Step<T>&, const Var<T>& x) const {
    const Shape& s = x.shape();
    if (s.rank() < 2 || s.last(0) != table.dim(1) || s.last(1) > table.dim(0))
        shape_error("positions: x must be [..., T, {}] with T <= {}: x is {}", table.dim(1), table.dim(0), s);
    const Index length = s.last(1);
    // The first rows of the table are the table of a shorter sequence.
    if (length == table.dim(0)) return add(x, Var<T>(table));
    return add(x, Var<T>(Tensor<T>::from({length, table.dim(1)}, table.values().first(static_cast<std::size_t>(length * table.dim(1))))));
}

template <Scalar T>
LearnedPositions<T>::LearnedPositions(Index length, Index channels, const Initialiser& weights) : weight(Shape{length, channels}, weights) {}
template <Scalar T>
Var<T> LearnedPositions<T>::forward(const Step<T>& step, const Var<T>& x) const {
    const Shape& s = x.shape();
    if (s.rank() < 2 || s.last(0) != weight.shape[1] || s.last(1) != weight.shape[0])
        shape_error("positions: x must be [..., {}, {}]: x is {}", weight.shape[0], weight.shape[1], s);
    return add(x, step(weight));
}

template <Scalar T>
SingleHeadAttention<T>::SingleHeadAttention(Index channels, Index head_size)
    : wq(Shape{channels, head_size}, init::xavier()), wk(Shape{channels, head_size}, init::xavier()),
      wv(Shape{channels, head_size}, init::xavier()) {
    attrs.q_heads = attrs.kv_heads = 1;
}
template <Scalar T>
Var<T> SingleHeadAttention<T>::forward(const Step<T>& step, const Var<T>& x) const {
    return gradproof::attention(linear(x, step(wq)), linear(x, step(wk)), linear(x, step(wv)), attrs);
}
template <Scalar T>
Tensor<T> SingleHeadAttention<T>::weights(const Step<T>& step, const Var<T>& x) const {
    const Tensor<T> v = linear(x, step(wv)).value();
    return attention_forward(linear(x, step(wq)).value(), linear(x, step(wk)).value(), v, attrs).weights;
}

template <Scalar T>
MultiHeadAttention<T>::MultiHeadAttention(const MultiHeadOptions& o)
    : wq(Shape{o.channels, head_width(o) * o.heads}, init::xavier()), wk(Shape{o.channels, kv_width(o)}, init::xavier()),
      wv(Shape{o.channels, kv_width(o)}, init::xavier()), wo(Shape{o.channels, o.channels}, init::xavier()) {
    attrs.q_heads = o.heads;
    attrs.kv_heads = kv_width(o) / head_width(o);
}
template <Scalar T>
Var<T> MultiHeadAttention<T>::forward(const Step<T>& step, const Var<T>& x) const {
    const Var<T> y = gradproof::attention(linear(x, step(wq)), linear(x, step(wk)), linear(x, step(wv)), attrs);
    return linear(y, step(wo));
}
template <Scalar T>
Tensor<T> MultiHeadAttention<T>::weights(const Step<T>& step, const Var<T>& x) const {
    const Tensor<T> v = linear(x, step(wv)).value();
    return attention_forward(linear(x, step(wq)).value(), linear(x, step(wk)).value(), v, attrs).weights;
}

template <Scalar T>
LayerNorm<T>::LayerNorm(Index channels, double eps) : gain(Shape{channels}, init::ones()), bias(Shape{channels}, init::zeros()), epsilon(eps) {}
template <Scalar T>
Var<T> LayerNorm<T>::forward(const Step<T>& step, const Var<T>& x) const {
    return layer_norm(x, step(gain), step(bias), {.eps = epsilon});
}

template <Scalar T>
FeedForward<T>::FeedForward(Index channels, Index hidden)
    : up(channels, hidden, Linear<T>::Bias::with, init::kaiming()), down(hidden, channels) {}
template <Scalar T>
Var<T> FeedForward<T>::forward(const Step<T>& step, const Var<T>& x) const {
    return down.forward(step, gelu(up.forward(step, x)));
}

template <Scalar T>
Block<T>::Block(const BlockOptions& o)
    : norm1(o.channels), attention({.channels = o.channels, .heads = o.heads}), norm2(o.channels), feed_forward(o.channels, o.hidden) {}
template <Scalar T>
Var<T> Block<T>::forward(const Step<T>& step, const Var<T>& x) const {
    const Var<T> h = add(x, attention.forward(step, norm1.forward(step, x)));
    return add(h, feed_forward.forward(step, norm2.forward(step, h)));
}
template <Scalar T>
Tensor<T> Block<T>::weights(const Step<T>& step, const Var<T>& x) const {
    return attention.weights(step, norm1.forward(step, x));
}

#define GRADPROOF_LAYER(L) template struct L<float>; template struct L<double>;
GRADPROOF_LAYERS(GRADPROOF_LAYER)
#undef GRADPROOF_LAYER

}  // namespace gradproof
