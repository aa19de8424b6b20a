// Experiment 10: removing heads from a trained model, one and several at a time.
#include <algorithm>

#include <fmt/format.h>

#include "tools/experiments/measure.hpp"
#include "tools/experiments/probe.hpp"
#include "tools/figures/chart.hpp"
#include "tools/figures/heatmap.hpp"

namespace gradproof::experiments {
namespace {

constexpr double kSmallLoss = 0.01 + 1e-9;  // of accuracy, which is a multiple of 1/600

Change without(Index heads, const std::vector<Index>& removed) {
    Tensor<Real> gain({heads}, 1.0F);
    for (const Index h : removed) gain[h] = 0;
    return {.head_gain = gain};
}

/// How alike heads attend from position 0: the mean correlation over inputs, [heads, heads].
Tensor<double> head_similarity(const Tensor<double>& w) {
    const Index n = w.dim(0), heads = w.dim(1), length = w.dim(2);
    Tensor<double> out({heads, heads}, 0.0);
    for (Index i = 0; i < n; ++i)
        for (Index a = 0; a < heads; ++a)
            for (Index b = 0; b < heads; ++b)
                out[a * heads + b] += correlation(row_of(w, (i * heads + a) * length), row_of(w, (i * heads + b) * length)) /
                                      static_cast<double>(n);
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
    std::vector<double> accuracy{};  ///< held out, after the removal of none, one, two ... heads
};

/// Removes one head after the other, always the one whose removal costs least on the training rows; accuracies are held out.
Removal greedy(const Probe& model, const Task& task) {
    Removal out{{}, {evaluate(model, task.validation).accuracy}};
    const Index heads = model.options().heads;
    while (static_cast<Index>(out.order.size()) < heads) {
        Index best = -1;
        double least = 0;
        for (Index h = 0; h < heads; ++h) {
            if (std::find(out.order.begin(), out.order.end(), h) != out.order.end()) continue;
            std::vector<Index> removed = out.order;
            removed.push_back(h);
            const double loss = evaluate(model, task.training, without(heads, removed)).loss;
            if (best < 0 || loss < least) best = h, least = loss;
        }
        out.order.push_back(best);
        out.accuracy.push_back(evaluate(model, task.validation, without(heads, out.order)).accuracy);
    }
    return out;
}

struct Pruned {
    Tensor<double> similarity{};
    double accuracy = 0;
    std::vector<Score> alone{};      ///< without each head
    std::vector<double> likeness{};  ///< of each head, its mean similarity to the others
    Removal removal{};

    double spare() const {
        return static_cast<double>(std::count_if(alone.begin(), alone.end(),
                                                 [&](const Score& s) { return accuracy - s.accuracy <= kSmallLoss; })) /
               static_cast<double>(alone.size());
    }
    double can_go() const {
        std::size_t most = 0;
        for (std::size_t k = 0; k < removal.accuracy.size(); ++k)
            if (accuracy - removal.accuracy[k] <= kSmallLoss) most = k;
        return static_cast<double>(most) / static_cast<double>(alone.size());
    }
    double alike_and_missed() const {
        std::vector<double> losses;
        for (const Score& s : alone) losses.push_back(s.loss);
        return rank_correlation(likeness, losses);
    }
};

Pruned prune(const Context& context, Index heads) {
    const Task task = expression_task(context);
    Probe model({.heads = heads, .head_size = 64 / heads, .projection = true}, context.seed);
    train(model, task.training, {.epochs = context.pick<Index>(40, 12, 1)}, context.seed);
    Pruned out;
    out.similarity = head_similarity(attention_weights(model, task.validation.ids));
    out.accuracy = evaluate(model, task.validation).accuracy;
    for (Index h = 0; h < heads; ++h) {
        out.alone.push_back(evaluate(model, task.validation, without(heads, {h})));
        double like = 0;
        for (Index b = 0; b < heads; ++b) like += b == h ? 0 : out.similarity[h * heads + b] / static_cast<double>(heads - 1);
        out.likeness.push_back(like);
    }
    out.removal = greedy(model, task);
    return out;
}

Result run_pruning(const Context& context) {
    Result out;
    Table single{"single",
                 "Accuracy without one head",
                 {"seed", "heads", "head", "accuracy without it", "loss without it (nats)", "mean similarity to the others"},
                 {},
                 true};
    Table several{"several",
                  "Accuracy without several heads, the least useful first, first seed",
                  {"heads", "removed", "last one removed", "accuracy"},
                  {}};
    figures::Chart chart{.title = "Held-out accuracy as heads are removed",
                         .x = {.label = "heads removed"},
                         .y = {.label = "accuracy", .low = 0, .high = 1},
                         .lines = {}};
    std::vector<figures::Figure> similarities;
    for (const Index heads : {4, 8}) {
        std::vector<double> can_go, alike, spare, missed;
        for (Index n = 0; n < context.repeats(); ++n) {
            const Context repeat = context.repeat(n);
            const Pruned m = prune(repeat, heads);
            can_go.push_back(m.can_go());
            alike.push_back(mean_off_diagonal(m.similarity));
            spare.push_back(m.spare());
            missed.push_back(m.alike_and_missed());
            for (std::size_t h = 0; h < m.alone.size(); ++h)
                single.rows.push_back({static_cast<Index>(repeat.seed), heads, static_cast<Index>(h), m.alone[h].accuracy,
                                       m.alone[h].loss, m.likeness[h]});
            if (n > 0) continue;
            figures::Line line{.name = fmt::format("{} heads", heads), .points = {}, .style = figures::Line::Style::marked};
            for (std::size_t k = 0; k < m.removal.accuracy.size(); ++k) {
                line.points.emplace_back(static_cast<double>(k), m.removal.accuracy[k]);
                several.rows.push_back({heads, static_cast<Index>(k),
                                        k == 0 ? Value(std::string("-")) : Value(m.removal.order[k - 1]), m.removal.accuracy[k]});
            }
            chart.lines.push_back(line);
            similarities.push_back(figures::draw(figures::Heatmap{.title = fmt::format("{} heads", heads),
                                                                  .values = m.similarity,
                                                                  .row_axis = "head",
                                                                  .column_axis = "head",
                                                                  .unit = "mean correlation",
                                                                  .scale = figures::Scale::symmetric,
                                                                  .limit = 1,
                                                                  .cell_size = 30}));
        }
        const std::string of = fmt::format(", {} heads", heads);
        out.findings.push_back(at_least("Many heads can be removed at little cost" + of,
                                        "share of heads that can go for 1 % of accuracy, mean over seeds", estimate(can_go),
                                        0.5));
        out.findings.push_back(at_most("Heads attend to different things" + of,
                                       "mean correlation of what position 0 attends to between heads, mean over seeds",
                                       estimate(alike), 0.5));
        out.findings.push_back(at_least("Any single head can be spared" + of,
                                        "share of heads whose loss costs at most 1 % of accuracy, mean over seeds",
                                        estimate(spare), 0.5));
        if (heads == 8)
            out.findings.push_back(at_most("A head that is like the others is the least missed" + of,
                                           "rank correlation of likeness and loss without the head, mean over seeds",
                                           estimate(missed), 0));
    }
    out.figures.push_back({"removal", figures::draw(chart)});
    out.figures.push_back({"similarity", figures::grid("Similarity of heads at position 0", similarities, 2)});
    out.tables = {std::move(several), std::move(single)};
    return out;
}

const NewExperiment kExperiment({.number = 10,
                                 .name = "pruning",
                                 .title = "Pruning and redundancy of heads",
                                 .setting = "Models of 4 and 8 heads: held-out accuracy without single heads and without more "
                                            "and more of them, beside how alike the heads attend.",
                                 .run = run_pruning});

}  // namespace

}  // namespace gradproof::experiments
