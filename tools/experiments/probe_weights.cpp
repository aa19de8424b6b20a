// Gradients of attention weights, and the removal of keys.
#include "tools/experiments/probe_weights.hpp"

#include <cmath>

#include "gradproof/core/tape.hpp"
#include "gradproof/ops/cross_entropy.hpp"
#include "gradproof/ops/linear.hpp"
#include "gradproof/ops/matmul.hpp"
#include "gradproof/ops/reshape.hpp"
#include "gradproof/ops/slice.hpp"
#include "gradproof/ops/transpose.hpp"
#include "tools/experiments/measure.hpp"

namespace gradproof::experiments {

Weights without_key(std::span<const double> w, Index j) {
    Weights out(w.begin(), w.end());
    out[static_cast<std::size_t>(j)] = 0;
    double rest = 0;
    for (const double v : out) rest += v;
    for (double& v : out) v = rest > 0 ? v / rest : 1 / static_cast<double>(w.size() - 1);
    out[static_cast<std::size_t>(j)] = 0;
    return out;
}

Tensor<double> weight_gradients(Probe& model, const Examples& examples, const Tensor<double>& w) {
    Step<Real> step(model.tree());
    step.begin_evaluation();
    const auto parameter = [&](const char* name) { return Var<double>(cast<double>(model.tree().find(name).value)); };
    const Index n = examples.count(), heads = w.dim(1), length = w.dim(3), size = model.options().head_size;
    const Tensor<double> v =
        matmul(cast<double>(model.embedded(step, examples.ids).value()), cast<double>(model.layer(0).wv.value));
    const Tensor<double> of_heads = transpose(v.reshape({n, length, heads, size}), {.perm = {0, 2, 1, 3}});
    Tape<double> tape;
    const Var<double> first = tape.leaf(slice(w, {.axis = 2, .start = 0, .stop = 1}));  // [N, heads, 1, T]
    const Var<double> joined = reshape(matmul(first, Var<double>(of_heads)), {.shape = {n, heads * size}});
    const Var<double> scores =
        linear(matmul(joined, parameter("layer0.wo")), parameter("readout.weight"), parameter("readout.bias"));
    tape.backward(cross_entropy(scores, {.ids = examples.answers, .reduction = Reduction::sum}));
    return tape.grad(first).reshape({n, heads, length});
}

Tensor<double> harm_of_removal(const Probe& model, const Examples& examples, const Tensor<double>& w) {
    const Tensor<double> own = probabilities(model, examples.ids);
    const Index length = w.dim(3);
    Tensor<double> out({examples.count(), length});
    for (Index j = 0; j < length; ++j) {
        Tensor<Real> rest(w.shape());
        for (Index r = 0; r < w.size() / length; ++r) {
            const Weights row = without_key(row_of(w, r), j);
            for (std::size_t k = 0; k < row.size(); ++k) rest[r * length + static_cast<Index>(k)] = static_cast<Real>(row[k]);
        }
        const Tensor<double> without = probabilities(model, examples.ids, {.weights = rest});
        for (Index i = 0; i < examples.count(); ++i) out[i * length + j] = total_variation(row_of(own, i), row_of(without, i));
    }
    return out;
}

Tensor<double> harm_at_first_order(const Tensor<double>& w, const Tensor<double>& g) {
    const Index n = w.dim(0), heads = w.dim(1), length = w.dim(3);
    Tensor<double> out({n, length}, 0.0);
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < length; ++j) {
            double change = 0;
            for (Index h = 0; h < heads; ++h) {
                const auto own = row_of(w, (i * heads + h) * length), slope = row_of(g, i * heads + h);
                const Weights rest = without_key(own, j);
                for (std::size_t k = 0; k < rest.size(); ++k) change += slope[k] * (rest[k] - own[k]);
            }
            out[i * length + j] = std::abs(change);
        }
    return out;
}

}  // namespace gradproof::experiments
