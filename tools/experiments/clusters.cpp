// Experiment 9: which heads and positions attend alike, and how much that varies between inputs.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gradproof/nn/tasks/expressions.hpp"
#include "tools/experiments/clustering.hpp"
#include "tools/experiments/measure.hpp"
#include "tools/experiments/probe.hpp"
#include "tools/figures/heatmap.hpp"

namespace gradproof::experiments {
namespace {

constexpr Index kHeads = 4, kLength = kExpressionLength;
constexpr double kAlike = 0.9;  // clusters with at least this mean correlation are joined

/// What one head attends to from one position.
struct Pattern {
    std::string name{};
    std::vector<double> mean{};  ///< kLength weights, the mean over inputs
    double steadiness = 0;       ///< mean correlation of single inputs with that mean
};

std::vector<Pattern> patterns_of(const Tensor<double>& w) {
    std::vector<Pattern> out;
    const Index n = w.dim(0);
    for (Index h = 0; h < kHeads; ++h)
        for (Index q = 0; q < kLength; ++q) {
            Pattern p{.name = fmt::format("H{} p{}", h, q), .mean = std::vector<double>(static_cast<std::size_t>(kLength), 0.0)};
            for (Index i = 0; i < n; ++i)
                for (Index j = 0; j < kLength; ++j)
                    p.mean[static_cast<std::size_t>(j)] +=
                        w[((i * kHeads + h) * kLength + q) * kLength + j] / static_cast<double>(n);
            for (Index i = 0; i < n; ++i)
                p.steadiness += correlation(row_of(w, (i * kHeads + h) * kLength + q), p.mean) / static_cast<double>(n);
            out.push_back(std::move(p));
        }
    return out;
}

/// Correlations between patterns. The cosine would not do: since no weight is negative, it exceeds a half for unrelated patterns.
Tensor<double> similarity(const std::vector<Pattern>& patterns) {
    const auto n = static_cast<Index>(patterns.size());
    Tensor<double> out({n, n});
    for (Index i = 0; i < out.size(); ++i)
        out[i] = correlation(patterns[static_cast<std::size_t>(i / n)].mean, patterns[static_cast<std::size_t>(i % n)].mean);
    return out;
}

/// Mean similarity of the pairs for which `same` is true.
double mean_over(const Tensor<double>& s, auto&& same) {
    double sum = 0;
    Index n = 0;
    for (Index i = 0; i < s.dim(0); ++i)
        for (Index j = 0; j < i; ++j)
            if (same(i, j)) sum += s[i * s.dim(0) + j], ++n;
    return sum / static_cast<double>(n);
}

/// The share of inputs where position 0 of the last layer gives more than half of its weight, averaged over heads, to the digits.
double on_digits(const Tensor<double>& w) {
    Index hits = 0;
    for (Index i = 0; i < w.dim(0); ++i) {
        double digits = 0;
        for (Index h = 0; h < kHeads; ++h)
            for (const Index j : {2, 4, 6}) digits += w[(i * kHeads + h) * kLength * kLength + j] / static_cast<double>(kHeads);
        hits += digits > 0.5;
    }
    return static_cast<double>(hits) / static_cast<double>(w.dim(0));
}

struct Grouped {
    std::vector<Pattern> patterns{};
    Tensor<double> similarity{};
    std::vector<Cluster> clusters{};
    double accuracy = 0, steadiness = 0, share = 0, same_head = 0, same_place = 0, digits = 0;
};
Grouped group(const Context& context) {
    const Task task = expression_task(context);
    Probe model({.heads = kHeads, .layers = 2, .residual = true, .norm = true}, context.seed);
    train(model, task.training, {.epochs = context.pick<Index>(40, 12, 1)}, context.seed);
    Grouped out;
    out.accuracy = evaluate(model, task.validation).accuracy;
    out.patterns = patterns_of(attention_weights(model, task.validation.ids, 0));
    out.similarity = similarity(out.patterns);
    out.clusters = average_linkage(out.similarity, kAlike);
    for (const Pattern& p : out.patterns) out.steadiness += p.steadiness / static_cast<double>(out.patterns.size());
    out.share = static_cast<double>(out.clusters.size()) / static_cast<double>(out.patterns.size());
    out.same_head = mean_over(out.similarity, [](Index i, Index j) { return i / kLength == j / kLength; });
    out.same_place = mean_over(out.similarity, [](Index i, Index j) { return i % kLength == j % kLength; });
    out.digits = on_digits(attention_weights(model, task.validation.ids, 1));
    return out;
}

Table cluster_table(const Grouped& m) {
    Table out{
        "clusters",
        fmt::format("Clusters of the {} patterns of the first layer, correlation at least {} by average linkage, first seed",
                    m.patterns.size(), kAlike),
        {"cluster", "patterns", "head and query position", "most attended key", "its mean weight"},
        {}};
    for (std::size_t c = 0; c < m.clusters.size(); ++c) {
        std::vector<double> mean(static_cast<std::size_t>(kLength), 0.0);
        std::string members;
        for (const Index i : m.clusters[c]) {
            const Pattern& p = m.patterns[static_cast<std::size_t>(i)];
            members += (members.empty() ? "" : ", ") + p.name;
            for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += p.mean[j] / static_cast<double>(m.clusters[c].size());
        }
        const auto top = static_cast<Index>(std::max_element(mean.begin(), mean.end()) - mean.begin());
        out.rows.push_back(
            {static_cast<Index>(c), static_cast<Index>(m.clusters[c].size()), members, top, mean[static_cast<std::size_t>(top)]});
    }
    return out;
}

Table pattern_table(const Grouped& m) {
    Table out{"patterns",
              "Mean patterns, weights on keys 0 to 7, first seed",
              {"pattern", "steadiness", "0", "1", "2", "3", "4", "5", "6", "7"},
              {},
              true};
    for (const Pattern& p : m.patterns) {
        out.rows.push_back({p.name, p.steadiness});
        for (const double v : p.mean) out.rows.back().emplace_back(v);
    }
    return out;
}

/// The similarities in the order of the clusters, which then appear as squares along the diagonal.
figures::Figure picture(const Grouped& m) {
    Cluster order;
    for (const Cluster& c : m.clusters) order.insert(order.end(), c.begin(), c.end());
    const auto n = static_cast<Index>(order.size());
    figures::Heatmap map{.title = "Correlation of mean patterns, ordered by cluster",
                         .values = Tensor<double>({n, n}),
                         .row_axis = "head and query position",
                         .column_axis = "head and query position",
                         .unit = "correlation",
                         .scale = figures::Scale::symmetric,
                         .limit = 1};
    for (Index i = 0; i < n * n; ++i)
        map.values[i] = m.similarity[order[static_cast<std::size_t>(i / n)] * n + order[static_cast<std::size_t>(i % n)]];
    for (const Index i : order) map.row_labels.push_back(m.patterns[static_cast<std::size_t>(i)].name);
    map.column_labels = map.row_labels;
    return figures::draw(map);
}

Result run_clusters(const Context& context) {
    std::vector<Grouped> all;
    for (Index n = 0; n < context.repeats(); ++n) all.push_back(group(context.repeat(n)));
    Result out;
    out.findings = {
        at_least("The model has learned the task", "held-out accuracy, mean over seeds", estimate(all, &Grouped::accuracy), 0.95),
        at_least("A head attends much the same way in all inputs",
                 "mean correlation of an input's pattern with the mean pattern, mean over seeds",
                 estimate(all, &Grouped::steadiness), 0.9),
        at_most("Patterns fall into few groups", "clusters over patterns, mean over seeds", estimate(all, &Grouped::share), 0.5),
        at_most("Different heads look at different things from the same position",
                "mean correlation of the patterns of different heads at one position, mean over seeds",
                estimate(all, &Grouped::same_place), 0.5),
        at_least("A head is more like itself at other positions than like other heads at the same one",
                 "mean correlation within heads less that within positions, mean over seeds",
                 estimate(all, [](const Grouped& m) { return m.same_head - m.same_place; }), 0),
        at_least("Function tokens always attend to the digits",
                 "share of inputs whose position 0 gives digits more than half, last layer, mean over seeds",
                 estimate(all, &Grouped::digits), 0.9),
    };
    out.figures.push_back({"similarity", picture(all.front())});
    out.tables = {cluster_table(all.front()), pattern_table(all.front())};
    return out;
}

const NewExperiment kExperiment(
    {.number = 9,
     .name = "clusters",
     .title = "Clusters of attention patterns",
     .setting = "A model of two layers of four heads: what each head attends to from each position, its similarity between "
                "inputs, and clusters of the mean patterns by average linkage.",
     .run = run_clusters});

}  // namespace

}  // namespace gradproof::experiments
