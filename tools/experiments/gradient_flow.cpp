// Experiment 4: how much of the gradient at the last position reaches earlier positions in attention, recurrent networks and
// convolutions.
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "gradproof/core/random.hpp"
#include "gradproof/core/tape.hpp"
#include "gradproof/ops/activations.hpp"
#include "gradproof/ops/attention.hpp"
#include "gradproof/ops/conv1d.hpp"
#include "gradproof/ops/linear.hpp"
#include "gradproof/ops/lstm.hpp"
#include "gradproof/ops/matmul.hpp"
#include "gradproof/ops/rnn.hpp"
#include "tools/experiments/measure.hpp"
#include "tools/experiments/svd.hpp"
#include "tools/figures/chart.hpp"

namespace gradproof::experiments {
namespace {

constexpr Index kWidth = 32;
constexpr double kTiny = 1e-30;  // smaller norms are left out of fits
using Layer = std::function<Var<double>(const Var<double>& x)>;

/// ||d y_T / d x_t|| for t = 1 .. T, as a root mean square over `batch` inputs: for random normal cotangents u the mean of ||Jᵀ
/// u||² is ||J||².
std::vector<double> jacobian_norms(const Layer& layer, Index length, Index batch, std::uint64_t seed) {
    Random random = Random(seed).stream(400);
    Tape<double> tape;
    const Var<double> x = tape.leaf(random.normal<double>({batch, length, kWidth}));
    const Var<double> y = layer(x);
    Tensor<double> dy(y.shape(), 0.0);
    const Index width = y.shape()[2];
    for (Index b = 0; b < batch; ++b)
        for (Index c = 0; c < width; ++c) dy[(b * length + length - 1) * width + c] = random.normal();
    tape.backward(y, dy);
    const Tensor<double> dx = tape.grad(x);
    std::vector<double> out;
    for (Index t = 0; t < length; ++t) {
        double square = 0;
        for (Index b = 0; b < batch; ++b)
            for (Index c = 0; c < kWidth; ++c) square += std::pow(dx[(b * length + t) * kWidth + c], 2);
        out.push_back(std::sqrt(square / static_cast<double>(batch)));
    }
    return out;
}

struct Network {
    std::string name{};
    Layer layer{};
};

/// The usual initial weights: U(-1/sqrt(H), 1/sqrt(H)) for the recurrent networks, Glorot's for the others.
std::vector<Network> networks(std::uint64_t seed) {
    Random random = Random(seed).stream(401);
    const auto uniform = [&](const Shape& shape) {
        const double a = 1 / std::sqrt(static_cast<double>(kWidth));
        return Var<double>(random.uniform<double>(shape, -a, a));
    };
    const auto glorot = [&](const Shape& shape, Index in, Index out) {
        const double a = std::sqrt(6 / static_cast<double>(in + out));
        return Var<double>(random.uniform<double>(shape, -a, a));
    };
    const Shape square{kWidth, kWidth};
    const Var<double> wq = glorot(square, kWidth, kWidth), wk = glorot(square, kWidth, kWidth),
                      wv = glorot(square, kWidth, kWidth);
    const Var<double> wx = uniform(square), wh = uniform(square);
    const Svd s = svd(random.normal<double>(square));
    const Var<double> orthogonal(matmul(s.left, s.right, {.transpose_b = true}));
    const Var<double> lx = uniform({kWidth, 4 * kWidth}), lh = uniform({kWidth, 4 * kWidth});
    Tensor<double> bias({4 * kWidth}, 0.0);
    for (Index i = kWidth; i < 2 * kWidth; ++i) bias[i] = 1;  // the forget gates
    const Var<double> forget(bias);
    std::vector<Var<double>> kernels;
    for (int i = 0; i < 4; ++i) kernels.push_back(glorot({3, kWidth, kWidth}, 3 * kWidth, 3 * kWidth));
    AttentionAttrs heads;
    heads.q_heads = heads.kv_heads = 1;
    return {
        {"attention", [=](const Var<double>& x) { return attention(linear(x, wq), linear(x, wk), linear(x, wv), heads); }},
        {"RNN", [=](const Var<double>& x) { return rnn(x, wx, wh); }},
        {"RNN, orthogonal W_h", [=](const Var<double>& x) { return rnn(x, wx, orthogonal); }},
        {"LSTM, forget bias 1", [=](const Var<double>& x) { return lstm(x, lx, lh, {.bias = forget}); }},
        {"convolution, 4 layers of 3",
         [=](const Var<double>& x) {
             Var<double> y = x;
             for (const Var<double>& w : kernels) y = tanh(conv1d(y, w, {.padding = Padding::causal}));
             return y;
         }},
    };
}

Result run_gradient_flow(const Context& context) {
    const Index length = context.pick<Index>(256, 128, 12), batch = context.pick<Index>(256, 64, 4);
    Result out;
    Table table{
        "summary",
        fmt::format("Norm of d y_T / d x_t, T = {}, width {}, at first values", length, kWidth),
        {"network", "distance 1", "distance 8", fmt::format("distance {}", length - 1), "farthest over nearest", "factor a step"},
        {}};
    Table norms{"norms", "Norm of d y_T / d x_t", {"network", "distance T - t", "norm"}, {}, true};
    figures::Chart chart{.title = "Gradient over distance",
                         .x = {.label = "distance T - t", .unit = "positions"},
                         .y = {.label = "norm of d y_T / d x_t", .logarithmic = true},
                         .lines = {}};
    std::vector<double> reach, factor;
    double beyond = 0;
    for (const Network& n : networks(context.seed)) {
        const std::vector<double> by_position = jacobian_norms(n.layer, length, batch, context.seed);
        figures::Line line{.name = n.name};
        std::vector<double> distance, logarithm;
        const auto at = [&](Index d) { return by_position[static_cast<std::size_t>(length - 1 - d)]; };
        for (Index d = 0; d < length; ++d) {
            norms.rows.push_back({n.name, d, at(d)});
            // The last position itself is left out: it is also the query, so attention treats it differently.
            if (d > 0) line.points.emplace_back(static_cast<double>(d), at(d));
            if (d > 0 && at(d) > kTiny) {
                distance.push_back(static_cast<double>(d));
                logarithm.push_back(std::log(at(d)));
            }
            if (n.name.starts_with("convolution") && d > 8) beyond = std::max(beyond, at(d));
        }
        chart.lines.push_back(line);
        // From the slope of the logarithm: the factor by which each further step changes the gradient.
        const double slope =
            correlation(distance, logarithm) * std::sqrt(moments(logarithm).variance / moments(distance).variance);
        factor.push_back(std::exp(slope));
        reach.push_back(at(length - 1) / at(1));
        table.rows.push_back({n.name, at(1), at(std::min<Index>(8, length - 1)), at(length - 1), reach.back(), factor.back()});
    }
    // The share of the last output's gradient that one position gets, for sequences of several lengths.
    const Layer attend = networks(context.seed).front().layer;
    std::vector<std::pair<double, double>> shares;
    for (const Index n : {length / 4, length / 2, length}) {
        const std::vector<double> by_position = jacobian_norms(attend, n, batch, context.seed);
        shares.emplace_back(static_cast<double>(n), median(by_position));
    }
    out.findings = {
        at_least("Attention passes the gradient to all positions directly, near or far",
                 "attention: norm at the farthest position over that at the nearest", reach[0], 0.5),
        between("... so distance does not weaken it", "attention: factor by which a step more changes the norm", factor[0], 0.99,
                1.01),
        between("... while each position's share shrinks as 1/T where attention is spread over all",
                "attention: fitted exponent in T of the median norm", power_law(shares).exponent, -1.3, -0.7),
        at_most("In a recurrent network the gradient decays exponentially with distance",
                "RNN: factor by which a step more changes the norm", factor[1], 0.9),
        at_most("... and does not arrive from far away", "RNN: norm at the farthest position over that at the nearest", reach[1],
                1e-6),
        at_least("An orthogonal recurrent matrix slows the decay", "factor a step, orthogonal over usual", factor[2] / factor[1],
                 1.1),
        at_least("The gates of an LSTM slow the decay", "factor a step, LSTM over RNN", factor[3] / factor[1], 1.1),
        at_most("Convolution sees its receptive field only", "largest norm beyond the 8 steps that four kernels of 3 reach",
                beyond, 0),
    };
    out.figures.push_back({"gradient_flow", figures::draw(chart)});
    out.tables = {std::move(table), std::move(norms)};
    return out;
}

const NewExperiment kExperiment({.number = 4,
                                 .name = "gradient-flow",
                                 .title = "Gradient over distance",
                                 .setting = "The norm of the derivative of the last output with respect to each input, at first "
                                            "values: attention, RNN (two first matrices), LSTM, stacked convolutions.",
                                 .run = run_gradient_flow});

}  // namespace

}  // namespace gradproof::experiments
