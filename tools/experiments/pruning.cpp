// Experiment 10: heads taken out of a trained model, one and several at a time.
#include <algorithm>

#include <fmt/format.h>

#include "tools/experiments/measure.hpp"
#include "tools/experiments/probe.hpp"
#include "tools/experiments/registry.hpp"
#include "tools/figures/chart.hpp"
#include "tools/figures/heatmap.hpp"

namespace gradproof::experiments {
namespace {

constexpr double kSmallLoss = 0.01 + 1e-9;  // of accuracy, which comes in steps of 1/600

Change without(Index heads, const std::vector<Index>& removed) {
    Tensor<Real> gain({heads}, 1.0F);
    for (const Index h : removed) gain[h] = 0;
    return {.head_gain = gain};
}

/// Similarity of what position 0 attends to between heads: the mean cosine over inputs, [heads, heads].
Tensor<double> head_similarity(const Tensor<double>& w) {
    const Index n = w.dim(0), heads = w.dim(1), length = w.dim(2);
    Tensor<double> out({heads, heads}, 0.0);
    for (Index i = 0; i < n; ++i)
        for (Index a = 0; a < heads; ++a)
            for (Index b = 0; b < heads; ++b)
                out[a * heads + b] += cosine(row_of(w, (i * heads + a) * length), row_of(w, (i * heads + b) * length)) / static_cast<double>(n);
    return out;
}

double mean_off_diagonal(const Tensor<double>& s) {
    double sum = 0;
    const Index n = s.dim(0);
    for (Index i = 0; i < s.size(); ++i)
        if (i / n != i % n) sum += s[i];
    return sum / static_cast<double>(n * (n - 1));
}

struct Removal {
    std::vector<Index> order{};
    std::vector<double> accuracy{};  ///< after none, one, two ... heads are gone
};

/// Takes out the head whose loss hurts least, again and again.
Removal greedy(const Probe& model, const Examples& examples) {
    Removal out{{}, {evaluate(model, examples).accuracy}};
    const Index heads = model.options().heads;
    while (static_cast<Index>(out.order.size()) < heads) {
        Index best = -1;
        Score best_score;
        for (Index h = 0; h < heads; ++h) {
            if (std::find(out.order.begin(), out.order.end(), h) != out.order.end()) continue;
            std::vector<Index> removed = out.order;
            removed.push_back(h);
            const Score s = evaluate(model, examples, without(heads, removed));
            if (best < 0 || s.loss < best_score.loss) best = h, best_score = s;
        }
        out.order.push_back(best);
        out.accuracy.push_back(best_score.accuracy);
    }
    return out;
}

}  // namespace

Result run_pruning(const Context& context) {
    const Task task = expression_task(context);
    Result out;
    Table single{"single", "Accuracy without one head", {"heads", "head", "accuracy without it", "loss without it (nats)", "mean similarity to the others"}, {}};
    Table several{"several", "Accuracy without several heads, the least useful first", {"heads", "removed", "last one removed", "accuracy"}, {}};
    figures::Chart chart{.title = "Held-out accuracy as heads are removed", .x = {.label = "heads removed"}, .y = {.label = "accuracy", .low = 0, .high = 1}, .lines = {}};
    std::vector<figures::Figure> similarities;
    for (const Index heads : {4, 8}) {
        Probe model({.heads = heads, .head_size = 64 / heads, .projection = true}, context.seed);
        train(model, task.training, {.epochs = context.pick<Index>(40, 12, 1)}, context.seed);
        const Tensor<double> similarity = head_similarity(attention_weights(model, task.validation.ids));
        const double whole = evaluate(model, task.validation).accuracy;
        std::vector<double> likeness, harm;
        Index spare = 0;
        for (Index h = 0; h < heads; ++h) {
            const Score s = evaluate(model, task.validation, without(heads, {h}));
            double like = 0;
            for (Index b = 0; b < heads; ++b) like += b == h ? 0 : similarity[h * heads + b] / static_cast<double>(heads - 1);
            single.rows.push_back({heads, h, s.accuracy, s.loss, like});
            likeness.push_back(like);
            harm.push_back(s.loss);
            spare += whole - s.accuracy <= kSmallLoss;
        }
        const Removal r = greedy(model, task.validation);
        figures::Line line{.name = fmt::format("{} heads", heads), .points = {}, .style = figures::Line::Style::marked};
        double can_go = 0;
        for (std::size_t k = 0; k < r.accuracy.size(); ++k) {
            line.points.emplace_back(static_cast<double>(k), r.accuracy[k]);
            several.rows.push_back({heads, static_cast<Index>(k), k == 0 ? Value(std::string("-")) : Value(r.order[k - 1]), r.accuracy[k]});
            if (whole - r.accuracy[k] <= kSmallLoss) can_go = static_cast<double>(k);
        }
        chart.lines.push_back(line);
        similarities.push_back(figures::draw(figures::Heatmap{.title = fmt::format("{} heads", heads), .values = similarity, .row_axis = "head", .column_axis = "head", .unit = "mean cosine",
                                                              .cell_size = 30}));
        const std::string of = fmt::format(", {} heads", heads);
        out.findings.push_back(at_least("Many heads can be removed at little cost" + of, "share of heads that can go for 1 % of accuracy", can_go / static_cast<double>(heads), 0.5));
        out.findings.push_back(at_most("Heads attend to different things" + of, "mean cosine of what position 0 attends to between heads", mean_off_diagonal(similarity), 0.5));
        out.findings.push_back(at_least("Any single head can be spared" + of, "share of heads whose loss costs at most 1 % of accuracy", static_cast<double>(spare) / static_cast<double>(heads), 0.5));
        if (heads == 8)
            out.findings.push_back(at_most("A head that is like the others is the least missed" + of, "rank correlation of likeness and loss without the head", rank_correlation(likeness, harm), -0.3));
    }
    out.figures.push_back({"removal", figures::draw(chart)});
    out.figures.push_back({"similarity", figures::grid("Similarity of heads at position 0", similarities, 2)});
    out.tables = {std::move(single), std::move(several)};
    return out;
}

}  // namespace gradproof::experiments
