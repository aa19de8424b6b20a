// The forward of the probe, with its changes.
#include "tools/experiments/probe.hpp"

#include "gradproof/core/errors.hpp"
#include "gradproof/core/random.hpp"
#include "gradproof/ops/arithmetic.hpp"
#include "gradproof/ops/attention.hpp"
#include "gradproof/ops/linear.hpp"
#include "gradproof/ops/matmul.hpp"
#include "gradproof/ops/reshape.hpp"
#include "gradproof/ops/slice.hpp"
#include "gradproof/ops/transpose.hpp"

namespace gradproof::experiments {
namespace {

bool projected(const ProbeOptions& o) { return o.projection || o.residual || o.layers > 1; }

std::vector<Probe::Layer> make_layers(const ProbeOptions& o) {
    std::vector<Probe::Layer> out;
    for (Index i = 0; i < o.layers; ++i) out.emplace_back(o, projected(o));
    return out;
}

/// [B, T, H D] -> [B, H, T, D]
Var<Real> split_heads(const Var<Real>& x, Index heads) {
    const Shape s = x.shape();
    return transpose(reshape(x, {.shape = {s[0], s[1], heads, s[2] / heads}}), {.perm = {0, 2, 1, 3}});
}
Var<Real> join_heads(const Var<Real>& x) {
    const Shape s = x.shape();
    return reshape(transpose(x, {.perm = {0, 2, 1, 3}}), {.shape = {s[0], s[2], s[1] * s[3]}});
}

/// Repeats the gain of each head for all of its entries: [H] -> [H D].
Tensor<Real> spread(const Tensor<Real>& gain, Index head_size) {
    Tensor<Real> out({gain.size() * head_size});
    for (Index i = 0; i < out.size(); ++i) out[i] = gain[i / head_size];
    return out;
}

void expect_fits(const Change& change, Index rows, Index length, Index heads) {
    const auto expect = [](const char* name, const Tensor<Real>& given, const Shape& wanted) {
        if (given.defined() && !(given.shape() == wanted))
            shape_error("probe: {} is {}, expected {}", name, given.shape(), wanted);
    };
    expect("value_order", change.value_order, {rows, length, length});
    expect("head_gain", change.head_gain, {heads});
    expect("weights", change.weights, {rows, heads, length, length});
}

}  // namespace

Probe::Layer::Layer(const ProbeOptions& o, bool with_projection)
    : norm(o.channels),
      wq(Shape{o.channels, o.heads * o.head_size}, init::xavier(o.weight_gain)),
      wk(Shape{o.channels, o.heads * o.head_size}, init::xavier(o.weight_gain)),
      wv(Shape{o.channels, o.heads * o.head_size}, init::xavier()),
      wo(Shape{o.heads * o.head_size, o.channels}, init::xavier()),
      normed(o.norm),
      projected(with_projection) {}

Probe::Probe(const ProbeOptions& o, std::uint64_t seed)
    : options_(o),
      embedding_(o.vocabulary, o.channels, init::normal(0.3)),
      positions_(o.length, o.channels),
      layers_(make_layers(o)),
      readout_(projected(o) ? o.channels : o.heads * o.head_size, o.answers),
      tree_(*this, seed) {}

AttentionAttrs Probe::attrs() const {
    AttentionAttrs a;
    a.q_heads = a.kv_heads = options_.heads;
    a.causal = options_.causal;
    if (options_.score_scale > 0) a.scale = options_.score_scale;
    return a;
}

Var<Real> Probe::attend(const Step<Real>& step, const Layer& layer, const Var<Real>& x, const Change& change,
                        std::vector<Tensor<Real>>* weights) const {
    const auto scores = [&](const Parameter<Real>& p) { return options_.frozen_scores ? Var<Real>(p.value) : step(p); };
    const Var<Real> q = linear(x, scores(layer.wq)), k = linear(x, scores(layer.wk));
    Var<Real> v = linear(x, step(layer.wv));
    if (change.value_order.defined()) v = matmul(Var<Real>(change.value_order), v);
    const bool given = change.weights.defined();
    if (weights) weights->push_back(given ? change.weights : attention_forward(q.value(), k.value(), v.value(), attrs()).weights);
    Var<Real> y =
        given ? join_heads(matmul(Var<Real>(change.weights), split_heads(v, options_.heads))) : attention(q, k, v, attrs());
    if (change.head_gain.defined()) y = mul(y, Var<Real>(spread(change.head_gain, options_.head_size)));
    return layer.projected ? linear(y, step(layer.wo)) : y;
}

Var<Real> Probe::embedded(const Step<Real>& step, const Tensor<Index>& ids) const {
    const Var<Real> x = embedding_.forward(step, ids);
    return options_.positions ? positions_.forward(step, x) : x;
}

Var<Real> Probe::forward(const Step<Real>& step, const Tensor<Index>& ids, const Change& change,
                         std::vector<Tensor<Real>>* weights) const {
    expect_fits(change, ids.dim(0), ids.dim(1), options_.heads);
    Var<Real> x = embedded(step, ids);
    for (const Layer& layer : layers_) {
        const Var<Real> y = attend(step, layer, layer.normed ? layer.norm.forward(step, x) : x, change, weights);
        x = options_.residual ? add(x, y) : y;
    }
    if (!options_.every_position) {
        const Shape s = x.shape();
        x = reshape(slice(x, {.axis = 1, .start = 0, .stop = 1}), {.shape = {s[0], s[2]}});
    }
    return readout_.forward(step, x);
}

Tensor<Real> random_orders(Index count, Index length, std::uint64_t seed) {
    Random random = Random(seed).stream(0x0de5);
    Tensor<Real> out({count, length, length}, 0.0F);
    for (Index r = 0; r < count; ++r) {
        const std::vector<Index> order = random.permutation(length);
        for (Index i = 0; i < length; ++i) out[(r * length + i) * length + order[static_cast<std::size_t>(i)]] = 1;
    }
    return out;
}

}  // namespace gradproof::experiments
