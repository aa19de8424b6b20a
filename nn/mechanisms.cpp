// The mechanisms: each forward is a few calls of ops.
#include "gradproof/nn/mechanisms.hpp"

#include "gradproof/ops/additive_attention.hpp"
#include "gradproof/ops/bilinear_attention.hpp"
#include "gradproof/ops/hard_attention.hpp"
#include "gradproof/ops/linear_attention.hpp"
#include "gradproof/ops/lstm.hpp"
#include "gradproof/ops/relative_attention.hpp"
#include "gradproof/ops/reshape.hpp"
#include "gradproof/ops/rnn.hpp"
#include "gradproof/ops/sigmoid_attention.hpp"
#include "gradproof/ops/transpose.hpp"

namespace gradproof {
namespace {

Index head_size(Index channels, Index heads) {
    if (channels < 1 || heads < 1 || channels % heads != 0)
        value_error("attention layer: heads must divide channels: heads is {}, channels is {}", heads, channels);
    return channels / heads;
}
Index table_rows(Index distance) {
    if (distance < 0) value_error("relative attention: distance must be 0 or more: distance is {}", distance);
    return 2 * distance + 1;
}
const TransposeAttrs kSwap{.perm = {0, 2, 1, 3}};  // [B, T, H, D] and [B, H, T, D]

}  // namespace

template <Scalar T>
HeadProjections<T>::HeadProjections(const HeadOptions& o)
    : wq(Shape{o.channels, head_size(o.channels, o.heads) * o.heads}, init::xavier()),
      wk(wq.shape, init::xavier()),
      wv(wq.shape, init::xavier()),
      wo(wq.shape, init::xavier()),
      heads(o.heads),
      causal(o.causal) {}
template <Scalar T>
typename HeadProjections<T>::Heads HeadProjections<T>::split(const Step<T>& step, const Var<T>& x) const {
    if (x.shape().rank() != 3) shape_error("attention layer: x must be [B, T, {}]: x is {}", wq.shape[0], x.shape());
    const auto project = [&](const Parameter<T>& w) {
        const Var<T> y = linear(x, step(w));
        return transpose(reshape(y, {.shape = {x.shape()[0], x.shape()[1], heads, w.shape[1] / heads}}), kSwap);
    };
    return {project(wq), project(wk), project(wv)};
}
template <Scalar T>
Var<T> HeadProjections<T>::merge(const Step<T>& step, const Var<T>& y) const {
    const Shape& s = y.shape();
    return linear(reshape(transpose(y, kSwap), {.shape = {s[0], s[2], s[1] * s[3]}}), step(wo));
}

template <Scalar T>
RelativeAttention<T>::RelativeAttention(const HeadOptions& o, Index distance)
    : HeadProjections<T>(o),
      rk(Shape{table_rows(distance), head_size(o.channels, o.heads)}, init::xavier()),
      rv(rk.shape, init::xavier()) {}
template <Scalar T>
Var<T> RelativeAttention<T>::forward(const Step<T>& step, const Var<T>& x) const {
    const auto h = this->split(step, x);
    return this->merge(step, relative_attention(h.q, h.k, h.v, step(rk), step(rv), {.causal = this->causal}));
}

template <Scalar T>
Var<T> SigmoidAttention<T>::forward(const Step<T>& step, const Var<T>& x) const {
    const auto h = this->split(step, x);
    return this->merge(step, sigmoid_attention(h.q, h.k, h.v, {.causal = this->causal}));
}

template <Scalar T>
Var<T> HardAttention<T>::forward(const Step<T>& step, const Var<T>& x) const {
    const auto h = this->split(step, x);
    return this->merge(step, hard_attention(h.q, h.k, h.v, {.causal = this->causal}));
}

template <Scalar T>
Var<T> LinearAttention<T>::forward(const Step<T>& step, const Var<T>& x) const {
    const auto h = this->split(step, x);
    return this->merge(step, linear_attention(h.q, h.k, h.v, {.causal = this->causal}));
}

template <Scalar T>
AdditiveAttention<T>::AdditiveAttention(const MemoryOptions& o)
    : wq(Shape{o.channels, o.units}, init::xavier()),
      wk(Shape{o.memory_channels, o.units}, init::xavier()),
      wv(Shape{o.memory_channels, o.values}, init::xavier()),
      a(Shape{o.units}, init::xavier()),
      causal(o.causal) {}
template <Scalar T>
Var<T> AdditiveAttention<T>::forward(const Step<T>& step, const Var<T>& x, const Var<T>& memory) const {
    return additive_attention(linear(x, step(wq)), linear(memory, step(wk)), linear(memory, step(wv)), step(a),
                              {.causal = causal});
}

template <Scalar T>
BilinearAttention<T>::BilinearAttention(const MemoryOptions& o)
    : w(Shape{o.channels, o.memory_channels}, init::xavier()),
      wv(Shape{o.memory_channels, o.values}, init::xavier()),
      causal(o.causal) {}
template <Scalar T>
Var<T> BilinearAttention<T>::forward(const Step<T>& step, const Var<T>& x, const Var<T>& memory) const {
    return bilinear_attention(x, memory, linear(memory, step(wv)), step(w), {.causal = causal});
}

template <Scalar T>
CrossAttention<T>::CrossAttention(const CrossOptions& o)
    : wq(Shape{o.channels, head_size(o.channels, o.heads) * o.heads}, init::xavier()),
      wk(Shape{o.memory_channels, o.channels}, init::xavier()),
      wv(wk.shape, init::xavier()),
      wo(wq.shape, init::xavier()) {
    attrs.q_heads = attrs.kv_heads = o.heads;
}
template <Scalar T>
Var<T> CrossAttention<T>::forward(const Step<T>& step, const Var<T>& x, const Var<T>& memory) const {
    return linear(attention(linear(x, step(wq)), linear(memory, step(wk)), linear(memory, step(wv)), attrs), step(wo));
}
template <Scalar T>
Tensor<T> CrossAttention<T>::weights(const Step<T>& step, const Var<T>& x, const Var<T>& memory) const {
    const Tensor<T>& m = memory.value();
    return attention_forward(linear(x.value(), step(wq).value()), linear(m, step(wk).value()), linear(m, step(wv).value()), attrs)
        .weights;
}

template <Scalar T>
Recurrent<T>::Recurrent(Index in, Index hidden)
    : wx(Shape{in, hidden}, init::xavier()), wh(Shape{hidden, hidden}, init::xavier()), bias(Shape{hidden}, init::zeros()) {}
template <Scalar T>
Var<T> Recurrent<T>::forward(const Step<T>& step, const Var<T>& x) const {
    return rnn(x, step(wx), step(wh), {.bias = step(bias)});
}

template <Scalar T>
Lstm<T>::Lstm(Index in, Index hidden)
    : wx(Shape{in, 4 * hidden}, init::xavier()),
      wh(Shape{hidden, 4 * hidden}, init::xavier()),
      bias(Shape{4 * hidden}, init::zeros()) {}
template <Scalar T>
Var<T> Lstm<T>::forward(const Step<T>& step, const Var<T>& x) const {
    return lstm(x, step(wx), step(wh), {.bias = step(bias)});
}

template <Scalar T>
Convolution<T>::Convolution(Index in, Index out, Index window, const Conv1dAttrs& a)
    : weight(Shape{window, in, out}, init::xavier()), bias(Shape{out}, init::zeros()), attrs(a) {}
template <Scalar T>
Var<T> Convolution<T>::forward(const Step<T>& step, const Var<T>& x) const {
    return conv1d(x, step(weight), step(bias), attrs);
}

#define GRADPROOF_MECHANISM(L) \
    template struct L<float>;  \
    template struct L<double>;
GRADPROOF_MECHANISMS(GRADPROOF_MECHANISM)
#undef GRADPROOF_MECHANISM

}  // namespace gradproof
