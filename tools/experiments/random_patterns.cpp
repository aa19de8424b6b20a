// Experiment 12: trained attention compared with random attention, and the accuracy left when random patterns replace it.
#include <algorithm>
#include <cmath>

#include "gradproof/core/random.hpp"
#include "tools/experiments/measure.hpp"
#include "tools/experiments/probe.hpp"
#include "tools/figures/chart.hpp"

namespace gradproof::experiments {
namespace {

/// Rows drawn uniformly from all distributions over n keys.
Tensor<double> random_weights(const Tensor<double>& like, Random& random) {
    Tensor<double> out(like.shape());
    const Index n = like.shape().last(0);
    for (Index r = 0; r < out.size() / n; ++r) {
        double sum = 0;
        for (Index j = 0; j < n; ++j) sum += out[r * n + j] = -std::log(1 - random.uniform());
        for (Index j = 0; j < n; ++j) out[r * n + j] /= sum;
    }
    return out;
}

/// The weights of each row on keys in a random order: as sharp as before, but on other keys.
Tensor<double> shuffled_keys(const Tensor<double>& w, Random& random) {
    Tensor<double> out(w.shape());
    const Index n = w.shape().last(0);
    for (Index r = 0; r < w.size() / n; ++r) {
        const std::vector<Index> order = random.permutation(n);
        for (Index j = 0; j < n; ++j) out[r * n + j] = w[r * n + order[static_cast<std::size_t>(j)]];
    }
    return out;
}

/// Gives each input the weights of the next one.
Tensor<double> of_other_inputs(const Tensor<double>& w) {
    Tensor<double> out(w.shape());
    const Index size = w.size() / w.dim(0);
    std::rotate_copy(w.data(), w.data() + size, w.data() + w.size(), out.data());
    return out;
}

/// Gives every input the mean of the weights over inputs.
Tensor<double> mean_weights(const Tensor<double>& w) {
    Tensor<double> out(w.shape(), 0.0);
    const Index size = w.size() / w.dim(0);
    for (Index i = 0; i < w.size(); ++i) out[i % size] += w[i] / static_cast<double>(w.dim(0));
    for (Index i = size; i < w.size(); ++i) out[i] = out[i % size];
    return out;
}

struct Statistics {
    double entropy = 0, largest = 0;
    double alike = 0;  ///< mean cosine of what position 0 attends to between different inputs
};
Statistics statistics(const Probe& model, const Tensor<Index>& ids) {
    const Tensor<double> w = attention_weights(model, ids);
    const Index size = w.dim(2);
    Statistics out;
    for (Index i = 0; i + 1 < w.dim(0); ++i) {
        const auto p = row_of(w, i * size), q = row_of(w, (i + 1) * size);
        out.entropy += entropy(p) / std::log(static_cast<double>(size));
        out.largest += *std::max_element(p.begin(), p.end());
        out.alike += cosine(p, q);
    }
    for (double* v : {&out.entropy, &out.largest, &out.alike}) *v /= static_cast<double>(w.dim(0) - 1);
    return out;
}

/// A trained model, an untrained one, and one with untrained W_q and W_k; then the trained one with other attention weights.
struct Trial {
    struct Model {
        std::string name{};
        Statistics statistics{};
        double accuracy = 0;
    };
    std::vector<Model> models{};
    std::vector<std::pair<std::string, Score>> replaced{};  ///< its own weights first

    double focus() const { return models[0].statistics.entropy / models[1].statistics.entropy; }
    double steadiness() const { return models[0].statistics.alike - models[1].statistics.alike; }
    double left_by_random() const { return replaced[4].second.accuracy / replaced[0].second.accuracy; }
    double left_by_foreign() const { return replaced[2].second.accuracy / replaced[0].second.accuracy; }
    double gain_of_frozen() const { return models[2].accuracy - models[0].accuracy; }
};
Trial try_out(const Context& context) {
    const Task task = expression_task(context);
    const ProbeSettings settings{.epochs = context.pick<Index>(40, 15, 1)};
    Probe model({}, context.seed), frozen({.frozen_scores = true}, context.seed);
    const Probe untrained({}, context.seed);
    train(model, task.training, settings, context.seed);
    train(frozen, task.training, settings, context.seed);
    Trial out;
    for (const auto& [name, m] : {std::pair<std::string, const Probe*>("trained", &model),
                                  {"first values", &untrained},
                                  {"trained, W_q and W_k as first drawn", &frozen}})
        out.models.push_back({name, statistics(*m, task.validation.ids), evaluate(*m, task.validation).accuracy});
    Random random = Random(context.seed).stream(12);
    const Tensor<double> own = attention_weights(model, task.validation.ids);
    for (const auto& [name, weights] : {std::pair<std::string, Tensor<double>>("its own", own),
                                        {"the mean over inputs", mean_weights(own)},
                                        {"of another input", of_other_inputs(own)},
                                        {"its own, keys shuffled", shuffled_keys(own, random)},
                                        {"drawn at random", random_weights(own, random)}})
        out.replaced.emplace_back(name, evaluate(model, task.validation, {.weights = cast<Real>(weights)}));
    return out;
}

Result run_random_patterns(const Context& context) {
    std::vector<Trial> all;
    for (Index n = 0; n < context.repeats(); ++n) all.push_back(try_out(context.repeat(n)));
    Result out;
    Table table{"patterns",
                "What position 0 attends to, single head, first seed",
                {"model", "entropy / log 8", "largest weight", "similarity between inputs", "accuracy"},
                {}};
    Table replaced{
        "replaced", "The trained model with other attention weights, first seed", {"weights", "accuracy", "loss (nats)"}, {}};
    std::vector<figures::Bar> bars;
    const Trial& first = all.front();
    for (const Trial::Model& m : first.models)
        table.rows.push_back({m.name, m.statistics.entropy, m.statistics.largest, m.statistics.alike, m.accuracy});
    for (const auto& [name, score] : first.replaced) {
        replaced.rows.push_back({name, score.accuracy, score.loss});
        bars.push_back({name, score.accuracy, bars.empty() ? 0 : 1});
    }
    bars.push_back({"W_q, W_k never trained", first.models[2].accuracy, 2});
    out.findings = {
        at_most("Trained attention is more focused than random", "entropy trained over entropy before training, mean over seeds",
                estimate(all, &Trial::focus), 0.8),
        at_most("... and depends more on the input", "similarity between inputs, trained less untrained, mean over seeds",
                estimate(all, &Trial::steadiness), -0.05),
        at_most("Random patterns in its place destroy what was learned",
                "accuracy with random weights over that with its own, mean over seeds", estimate(all, &Trial::left_by_random),
                0.5),
        at_most("... as do patterns that were learned for other inputs",
                "accuracy with weights of another input over that with its own, mean over seeds",
                estimate(all, &Trial::left_by_foreign), 0.5),
        at_most("With W_q and W_k as first drawn, the rest of the model cannot learn as well",
                "accuracy with W_q and W_k never trained, less that of full training, mean over seeds",
                estimate(all, &Trial::gain_of_frozen), -0.05),
    };
    out.figures.push_back({"replaced", figures::draw(figures::Bars{.title = "Held-out accuracy with other attention weights",
                                                                   .axis = {.label = "accuracy"},
                                                                   .bars = bars})});
    out.tables = {std::move(table), std::move(replaced)};
    return out;
}

const NewExperiment kExperiment({.number = 12,
                                 .name = "random-patterns",
                                 .title = "Random against trained patterns",
                                 .setting = "The single head: statistics of trained and of first attention, and held-out "
                                            "accuracy when the weights are replaced by random or foreign ones.",
                                 .run = run_random_patterns});

}  // namespace

}  // namespace gradproof::experiments
