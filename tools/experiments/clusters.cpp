// Experiment 9: which heads and positions attend alike, and how steadily across inputs.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "nn/tasks/expressions.hpp"
#include "tools/experiments/measure.hpp"
#include "tools/experiments/probe.hpp"
#include "tools/experiments/registry.hpp"
#include "tools/figures/heatmap.hpp"

namespace gradproof::experiments {
namespace {

constexpr Index kHeads = 4, kLength = kExpressionLength;
constexpr double kAlike = 0.9;  // cosine from which patterns fall into one cluster

/// What one head attends to from one position.
struct Pattern {
    std::string name{};
    std::vector<double> mean{};  ///< over inputs, of kLength weights
    double steadiness = 0;       ///< mean cosine of single inputs with it
};

std::vector<Pattern> patterns_of(const Tensor<double>& w, Index layer) {
    std::vector<Pattern> out;
    const Index n = w.dim(0);
    for (Index h = 0; h < kHeads; ++h)
        for (Index q = 0; q < kLength; ++q) {
            Pattern p{.name = fmt::format("L{} H{} p{}", layer, h, q), .mean = std::vector<double>(static_cast<std::size_t>(kLength), 0.0)};
            for (Index i = 0; i < n; ++i)
                for (Index j = 0; j < kLength; ++j) p.mean[static_cast<std::size_t>(j)] += w[((i * kHeads + h) * kLength + q) * kLength + j] / static_cast<double>(n);
            for (Index i = 0; i < n; ++i) p.steadiness += cosine(row_of(w, (i * kHeads + h) * kLength + q), p.mean) / static_cast<double>(n);
            out.push_back(std::move(p));
        }
    return out;
}

Tensor<double> similarity(const std::vector<Pattern>& patterns) {
    const auto n = static_cast<Index>(patterns.size());
    Tensor<double> out({n, n});
    for (Index i = 0; i < out.size(); ++i) out[i] = cosine(patterns[static_cast<std::size_t>(i / n)].mean, patterns[static_cast<std::size_t>(i % n)].mean);
    return out;
}

using Cluster = std::vector<Index>;

double linkage(const Cluster& a, const Cluster& b, const Tensor<double>& s) {
    double sum = 0;
    for (const Index i : a)
        for (const Index j : b) sum += s[i * s.dim(0) + j];
    return sum / static_cast<double>(a.size() * b.size());
}

/// Average linkage: the two most similar clusters are joined until none are alike enough; the largest first.
std::vector<Cluster> clusters_of(const Tensor<double>& s) {
    std::vector<Cluster> out;
    for (Index i = 0; i < s.dim(0); ++i) out.push_back({i});
    while (out.size() > 1) {
        double best = -1;
        std::size_t a = 0, b = 0;
        for (std::size_t i = 0; i < out.size(); ++i)
            for (std::size_t j = i + 1; j < out.size(); ++j)
                if (const double l = linkage(out[i], out[j], s); l > best) best = l, a = i, b = j;
        if (best < kAlike) break;
        out[a].insert(out[a].end(), out[b].begin(), out[b].end());
        out.erase(out.begin() + static_cast<std::ptrdiff_t>(b));
    }
    std::stable_sort(out.begin(), out.end(), [](const Cluster& a, const Cluster& b) { return a.size() > b.size(); });
    return out;
}

/// Mean similarity of pairs that `same` holds for.
double mean_over(const Tensor<double>& s, auto&& same) {
    double sum = 0;
    Index n = 0;
    for (Index i = 0; i < s.dim(0); ++i)
        for (Index j = 0; j < i; ++j)
            if (same(i, j)) sum += s[i * s.dim(0) + j], ++n;
    return sum / static_cast<double>(n);
}

/// The share of inputs in which position 0 of the last layer gives the digits more than half of its weight, heads averaged.
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

}  // namespace

Result run_clusters(const Context& context) {
    const Task task = expression_task(context);
    Probe model({.heads = kHeads, .layers = 2, .residual = true, .norm = true}, context.seed);
    train(model, task.training, {.epochs = context.pick<Index>(40, 12, 1)}, context.seed);
    const Tensor<double> first = attention_weights(model, task.validation.ids, 0), second = attention_weights(model, task.validation.ids, 1);
    std::vector<Pattern> patterns = patterns_of(first, 0);
    const Tensor<double> s = similarity(patterns);
    const std::vector<Cluster> clusters = clusters_of(s);

    Result out;
    Table table{"clusters", fmt::format("Clusters of the {} patterns of the first layer, cosine at least {} by average linkage", patterns.size(), kAlike),
                {"cluster", "patterns", "head and query position", "most attended key", "its mean weight"}, {}};
    std::vector<Index> order;
    for (std::size_t c = 0; c < clusters.size(); ++c) {
        std::vector<double> mean(static_cast<std::size_t>(kLength), 0.0);
        std::string members;
        for (const Index i : clusters[c]) {
            order.push_back(i);
            const Pattern& p = patterns[static_cast<std::size_t>(i)];
            members += (members.empty() ? "" : ", ") + p.name.substr(3);
            for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += p.mean[j] / static_cast<double>(clusters[c].size());
        }
        const auto top = static_cast<Index>(std::max_element(mean.begin(), mean.end()) - mean.begin());
        table.rows.push_back({static_cast<Index>(c), static_cast<Index>(clusters[c].size()), members, top, mean[static_cast<std::size_t>(top)]});
    }
    Table steady{"patterns", "Mean patterns, weights on keys 0 to 7", {"pattern", "steadiness", "0", "1", "2", "3", "4", "5", "6", "7"}, {}, true};
    std::vector<double> steadiness;
    for (const Pattern& p : patterns) {
        steady.rows.push_back({p.name, p.steadiness});
        for (const double v : p.mean) steady.rows.back().emplace_back(v);
        steadiness.push_back(p.steadiness);
    }
    // Rows and columns in the order of the clusters: they show as squares along the diagonal.
    figures::Heatmap map{.title = "Cosine of mean patterns, ordered by cluster", .values = Tensor<double>(s.shape()), .row_axis = "head and query position", .unit = "cosine"};
    const auto n = static_cast<Index>(order.size());
    for (Index i = 0; i < s.size(); ++i) map.values[i] = s[order[static_cast<std::size_t>(i / n)] * n + order[static_cast<std::size_t>(i % n)]];
    for (const Index i : order) map.row_labels.push_back(patterns[static_cast<std::size_t>(i)].name.substr(3));
    map.column_labels = map.row_labels;
    out.figures.push_back({"similarity", figures::draw(map)});
    const double same_head = mean_over(s, [](Index i, Index j) { return i / kLength == j / kLength; });
    const double same_place = mean_over(s, [](Index i, Index j) { return i % kLength == j % kLength; });
    out.findings = {
        at_least("The model has learned the task", "held-out accuracy", evaluate(model, task.validation).accuracy, 0.95),
        at_least("A head attends much the same way in all inputs", "mean cosine of an input's pattern with the mean pattern", mean(steadiness), 0.9),
        at_most("Patterns fall into few groups", "clusters over patterns", static_cast<double>(clusters.size()) / static_cast<double>(patterns.size()), 0.5),
        at_most("Different heads look at different things from the same position", "mean cosine of the patterns of different heads at one position", same_place, 0.5),
        at_least("A head is more like itself at other positions than like other heads at the same one", "mean cosine within heads less that within positions", same_head - same_place, 0.0),
        at_least("Function tokens always attend to the digits", "share of inputs whose position 0 gives digits more than half, last layer", on_digits(second), 0.9),
    };
    out.tables = {std::move(table), std::move(steady)};
    return out;
}

}  // namespace gradproof::experiments
