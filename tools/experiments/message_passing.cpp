// Experiment 17: attention as one step of message passing on a graph that is complete and made anew for each input.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "gradproof/core/random.hpp"
#include "gradproof/core/tape.hpp"
#include "gradproof/nn/tasks/expressions.hpp"
#include "gradproof/ops/attention.hpp"
#include "tools/experiments/measure.hpp"
#include "tools/experiments/probe.hpp"
#include "tools/figures/graph.hpp"

namespace gradproof::experiments {
namespace {

constexpr Index kNodes = kExpressionLength, kSize = 16;

/// One round in which every node sums what its neighbours send, weight times value, edge by edge.
Tensor<double> pass_messages(const Tensor<double>& weights, const Tensor<double>& values) {
    Tensor<double> out({kNodes, kSize}, 0.0);
    for (Index to = 0; to < kNodes; ++to)
        for (Index from = 0; from < kNodes; ++from)
            for (Index c = 0; c < kSize; ++c) out[to * kSize + c] += weights[to * kNodes + from] * values[from * kSize + c];
    return out;
}

/// The largest difference of the op and of the messages sent one by one.
double difference_from_op(Random random) {
    const Shape shape{1, 1, kNodes, kSize};
    const Tensor<double> q = random.normal<double>(shape), k = random.normal<double>(shape), v = random.normal<double>(shape);
    const AttentionResult<double> r = attention_forward(q, k, v);
    const Tensor<double> messages = pass_messages(r.weights, v);
    double worst = 0;
    for (Index i = 0; i < messages.size(); ++i) worst = std::max(worst, std::abs(messages[i] - r.y[i]));
    return worst;
}

/// Rounds of attention until the first node's output depends on the last one's input; 0 where it never does within the nodes.
Index rounds_to_reach(Index window, Random random) {
    AttentionAttrs attrs;
    attrs.window_left = attrs.window_right = window;
    for (Index rounds = 1; rounds <= kNodes; ++rounds) {
        Tape<double> tape;
        const Var<double> x = tape.leaf(random.normal<double>({1, 1, kNodes, kSize}));
        Var<double> y = x;
        for (Index r = 0; r < rounds; ++r) y = attention(y, y, y, attrs);
        Tensor<double> dy(y.shape(), 0.0);
        for (Index c = 0; c < kSize; ++c) dy[c] = 1 + 0.1 * static_cast<double>(c);
        tape.backward(y, dy);
        const Tensor<double> dx = tape.grad(x);
        for (Index c = 0; c < kSize; ++c)
            if (dx[(kNodes - 1) * kSize + c] != 0) return rounds;
    }
    return 0;
}

constexpr const char* kShown = "Max(1,6,2)";

/// The weights of one expression, [8, 8].
Tensor<double> graph_of(const Probe& model, const std::string& expression) {
    const std::vector<Index> row = {find_expression(expression)};
    return attention_weights(model, all_expressions().rows(row).ids).reshape({kNodes, kNodes});
}

figures::Figure drawing(const Tensor<double>& weights, const std::string& expression, const std::string& when) {
    return figures::draw(figures::Graph{.title = fmt::format("{}, {}", expression, when),
                                        .nodes = token_texts(all_expressions().row(find_expression(expression))),
                                        .weights = weights,
                                        .focus = 0});
}

/// What position 0 hears, over the held-out expressions.
struct Hearing {
    double neighbours = 0;  ///< exp of the entropy of its incoming weights: in effect how many it hears
    double apart = 0;       ///< mean total variation distance of its weights in two expressions of one function
};
Hearing hearing(const Probe& model, const Examples& examples) {
    const Tensor<double> w = attention_weights(model, examples.ids);
    std::vector<double> neighbours, apart;
    std::array<Index, 3> last = {-1, -1, -1};
    for (Index r = 0; r < examples.count(); ++r) {
        const std::span<const double> row = row_of(w, r * kNodes);
        neighbours.push_back(std::exp(entropy(row)));
        Index& before = last[static_cast<std::size_t>(examples.row(r)[0] - 10)];
        if (before >= 0) apart.push_back(total_variation(row, row_of(w, before * kNodes)));
        before = r;
    }
    return {mean(neighbours), mean(apart)};
}

Result run_message_passing(const Context& context) {
    const Index epochs = context.pick<Index>(40, 15, 1);
    Result out;
    std::vector<Hearing> trained;
    std::vector<double> kept;
    std::vector<figures::Figure> drawings;
    Table table{"edges",
                fmt::format("The edges of {}, first seed, before training and after {} epochs", kShown, epochs),
                {"to", "from", "weight before", "weight after"},
                {},
                true};
    for (Index n = 0; n < context.repeats(); ++n) {
        const Context one = context.repeat(n);
        const Task task = expression_task(one);
        Probe model({}, one.seed);
        const Hearing before = hearing(model, task.validation);
        const Tensor<double> first = graph_of(model, kShown);
        if (n == 0) drawings.push_back(drawing(first, kShown, "before training"));
        train(model, task.training, {.epochs = epochs}, one.seed);
        trained.push_back(hearing(model, task.validation));
        kept.push_back(trained.back().neighbours / before.neighbours);
        if (n > 0) continue;
        const Tensor<double> after = graph_of(model, kShown);
        drawings.push_back(drawing(after, kShown, "trained"));
        drawings.push_back(drawing(graph_of(model, "First(1,6,2)"), "First(1,6,2)", "trained"));
        const std::vector<std::string> tokens = token_texts(all_expressions().row(find_expression(kShown)));
        const auto node = [&](Index i) { return fmt::format("{} {}", i, tokens[static_cast<std::size_t>(i)]); };
        for (Index i = 0; i < first.size(); ++i) table.rows.push_back({node(i / kNodes), node(i % kNodes), first[i], after[i]});
    }
    const Random random = Random(context.seed).stream(1700);
    out.findings = {
        at_most("Attention is one step of message passing: values sent along edges, weighted and summed",
                "largest difference of the op and of messages sent one by one, float64", difference_from_op(random), 1e-12),
        between("... on a complete graph, where one round reaches everyone",
                "rounds until the first of 8 nodes depends on the last", static_cast<double>(rounds_to_reach(-1, random)), 1, 1),
        between("... and not on a chain of neighbours, which takes one round a step",
                "rounds until then where a node hears itself and its two neighbours",
                static_cast<double>(rounds_to_reach(1, random)), kNodes - 1, kNodes - 1),
        at_least("The graph depends on the content, where that of a graph network is fixed",
                 "total variation distance of what position 0 hears in two expressions of one function, mean over seeds",
                 estimate(trained, &Hearing::apart), 0.1),
        at_most("Training thins it out: position 0 comes to hear few nodes",
                "nodes in effect heard, exp of the entropy, after over before, mean over seeds", estimate(kept), 0.5),
    };
    out.figures.push_back({"graph", figures::grid("Attention as a graph: edges into position 0 are dark", drawings, 3)});
    out.tables.push_back({"hearing",
                          "What position 0 hears over the held-out expressions, first seed, trained",
                          {"nodes in effect", "distance between two expressions"},
                          {{trained[0].neighbours, trained[0].apart}}});
    out.tables.push_back(std::move(table));
    return out;
}

const NewExperiment kExperiment(
    {.number = 17,
     .name = "message-passing",
     .title = "Attention as message passing",
     .setting =
         "Positions are nodes, weights are edges, weighted values are messages: the op against messages sent one by one, how far "
         "a round reaches, and the graph that the single-head model makes of an expression.",
     .run = run_message_passing});

}  // namespace

}  // namespace gradproof::experiments
