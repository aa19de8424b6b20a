// Experiment 8: singular values and effective ranks of the projections during training.
#include <array>

#include <fmt/format.h>

#include "gradproof/nn/train/expression_training.hpp"
#include "gradproof/ops/matmul.hpp"
#include "tools/experiments/measure.hpp"
#include "tools/experiments/svd.hpp"
#include "tools/figures/chart.hpp"

namespace gradproof::experiments {
namespace {

const char* const kNames[] = {"W_q", "W_k", "W_v", "W_q W_kᵀ"};
constexpr std::size_t kValues = 2, kScores = 3;

/// W_q, W_k, W_v [64, 16], and W_q W_kᵀ [64, 64], on which alone the scores depend.
std::vector<Tensor<double>> matrices(const ExpressionTraining& training) {
    const std::vector<NamedArray> all = training.tensors();
    std::vector<Tensor<double>> out;
    for (const char* name : {"attention.wq", "attention.wk", "attention.wv"})
        out.push_back(cast<double>(to_tensor<float>(*find_array(all, name), name)));
    out.push_back(matmul(out[0], out[1], {.transpose_b = true}));
    return out;
}

/// Trains, and calls see(epoch, matrices) before training and after epochs 1, 10, 20, ... and the last.
void train_and_look(const Context& context, Index epochs, auto&& see) {
    auto training = make_expression_training(
        {.model = ModelKind::single_head, .epochs = epochs, .seed = context.seed, .decay_epochs = epochs});
    see(0, matrices(*training));
    for (Index epoch = 1; epoch <= epochs; ++epoch) {
        training->train({.until = epoch * training->steps_per_epoch()});
        if (epoch == 1 || epoch % 10 == 0 || epoch == epochs) see(epoch, matrices(*training));
    }
}

Result run_weights(const Context& context) {
    const Index epochs = context.pick<Index>(100, 40, 1);
    Result out;
    Table ranks{"ranks",
                "Ranks through training: single head, 64 channels, d_k = 16, first seed",
                {"epoch", "matrix", "largest singular value", "effective rank", "values above rounding",
                 "values > 1 % of the largest", "values with 90 % of the energy"},
                {}};
    Table values{"singular_values",
                 "Singular values before and after training, first seed",
                 {"epoch", "matrix", "index", "singular value"},
                 {},
                 true};
    figures::Line lines[4], before[4], after[4];
    const auto report = [&](Index epoch, std::size_t m, std::vector<double> s) {
        const double rank = effective_rank(s);
        lines[m].points.emplace_back(static_cast<double>(epoch), rank);
        ranks.rows.push_back(
            {epoch, std::string(kNames[m]), s[0], rank, numerical_rank(s, 1e-6), numerical_rank(s), rank_of_energy(s)});
        if (epoch != 0 && epoch != epochs) return;
        s.resize(16);  // W_q W_kᵀ has no more
        for (std::size_t i = 0; i < s.size(); ++i) {
            values.rows.push_back({epoch, std::string(kNames[m]), static_cast<Index>(i + 1), s[i]});
            (epoch == 0 ? before : after)[m].points.emplace_back(static_cast<double>(i + 1), s[i] / s[0]);
        }
    };
    // For each seed: effective ranks after training over those before, and the number of directions with 90 % of the energy of
    // W_q W_kᵀ.
    std::array<std::vector<double>, 4> kept;
    std::vector<double> directions, values_over_scores;
    for (Index n = 0; n < context.repeats(); ++n) {
        std::array<double, 4> first{};
        train_and_look(context.repeat(n), epochs, [&](Index epoch, const std::vector<Tensor<double>>& all) {
            if (n > 0 && epoch != 0 && epoch != epochs) return;
            for (std::size_t m = 0; m < all.size(); ++m) {
                const std::vector<double> s = singular_values(all[m]);
                if (n == 0) report(epoch, m, s);
                if (epoch == 0) first[m] = effective_rank(s);
                if (epoch == epochs) kept[m].push_back(effective_rank(s) / first[m]);
                if (epoch == epochs && m == kScores) directions.push_back(static_cast<double>(rank_of_energy(s)));
            }
        });
        values_over_scores.push_back(kept[kValues].back() / kept[kScores].back());
    }
    figures::Chart through{.title = "Effective rank through training",
                           .x = {.label = "epoch"},
                           .y = {.label = "effective rank", .low = 0},
                           .lines = {},
                           .width = 340};
    figures::Chart spectrum{.title = "Singular values over the largest",
                            .x = {.label = "index"},
                            .y = {.label = "share of the largest", .logarithmic = true},
                            .lines = {},
                            .width = 340};
    for (int m = 0; m < 4; ++m) {
        const auto i = static_cast<std::size_t>(m);
        through.lines.push_back(
            {.name = kNames[i], .points = lines[i].points, .style = figures::Line::Style::marked, .colour = m});
        spectrum.lines.push_back({.name = fmt::format("{}, before", kNames[i]),
                                  .points = before[i].points,
                                  .style = figures::Line::Style::dashed,
                                  .colour = m});
        spectrum.lines.push_back({.name = fmt::format("{}, after", kNames[i]),
                                  .points = after[i].points,
                                  .style = figures::Line::Style::marked,
                                  .colour = m});
    }
    out.figures.push_back(
        {"ranks", figures::grid("Projections of the single head", {figures::draw(through), figures::draw(spectrum)}, 2)});
    out.findings = {
        at_most("Training concentrates what the scores depend on in few directions",
                "effective rank of W_q W_kᵀ after over before training, mean over seeds", estimate(kept[kScores]), 0.6),
        at_most("... a handful of which carry nearly all", "directions with 90 % of the energy of W_q W_kᵀ, mean over seeds",
                estimate(directions), 4),
        at_most("W_q alone loses effective rank too", "effective rank of W_q after over before training, mean over seeds",
                estimate(kept[0]), 0.8),
        at_most("... as does W_k", "effective rank of W_k after over before training, mean over seeds", estimate(kept[1]), 0.8),
        at_least("W_v keeps more of its rank than W_q W_kᵀ",
                 "share of its first rank that W_v keeps, over that of W_q W_kᵀ, mean over seeds", estimate(values_over_scores),
                 1),
    };
    out.tables = {std::move(ranks), std::move(values)};
    return out;
}

const NewExperiment kExperiment({.number = 8,
                                 .name = "weights",
                                 .title = "Singular values and ranks of the projections",
                                 .setting = "The single-head model: singular values and effective rank (the exponential of the "
                                            "entropy of the normalised values) of W_q, W_k, W_v and W_q W_kᵀ through training.",
                                 .run = run_weights});

}  // namespace

}  // namespace gradproof::experiments
