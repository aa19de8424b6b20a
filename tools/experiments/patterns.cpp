// Experiment 1: what position 0 attends to for Max, Min and First, through training.
#include <array>

#include <fmt/format.h>

#include "nn/tasks/expressions.hpp"
#include "nn/trainer.hpp"
#include "tools/experiments/measure.hpp"
#include "tools/experiments/registry.hpp"
#include "tools/figures/chart.hpp"
#include "tools/figures/heatmap.hpp"

namespace gradproof::experiments {
namespace {

constexpr Index kLength = kExpressionLength, kFunctions = 3;
constexpr Index kDigitPlaces[] = {2, 4, 6};
using Pattern = std::array<double, kLength>;

std::vector<std::string> tokens_of(const std::string& expression) {
    const Expressions data = all_expressions();
    std::vector<std::string> out;
    for (const Index id : data.row(find_expression(expression))) out.emplace_back(kTokens[static_cast<std::size_t>(id)]);
    return out;
}

/// What position 0 attends to: the mean over held-out expressions of each function, and over heads.
struct Patterns {
    std::array<Pattern, kFunctions> of{};
    std::array<double, kFunctions> entropy{};  ///< of a single expression's, over log 8
    double largest_is_digit = 0;               ///< share of Max expressions whose most attended digit is the answer
};

Patterns measure(Training& training, Index rows_of_each) {
    const Expressions data = all_expressions();
    Patterns out;
    std::array<Index, kFunctions> seen{};
    Index hits = 0, judged = 0;
    for (const Index row : training.validation_rows()) {
        const auto f = static_cast<std::size_t>(data.row(row)[0] - 10);
        if (seen[f] == rows_of_each) continue;
        ++seen[f];
        const Tensor<double> w = training.attention(row);
        Pattern mean{};
        for (Index h = 0; h < w.dim(0); ++h)
            for (Index j = 0; j < kLength; ++j) mean[static_cast<std::size_t>(j)] += w[h * kLength * kLength + j] / static_cast<double>(w.dim(0));
        for (std::size_t j = 0; j < mean.size(); ++j) out.of[f][j] += mean[j];
        out.entropy[f] += entropy(mean) / std::log(static_cast<double>(kLength));
        if (f > 1) continue;
        Index best = kDigitPlaces[0];
        for (const Index p : kDigitPlaces)
            if (mean[static_cast<std::size_t>(p)] > mean[static_cast<std::size_t>(best)]) best = p;
        hits += data.row(row)[static_cast<std::size_t>(best)] == data.answers[static_cast<std::size_t>(row)];
        ++judged;
    }
    for (std::size_t f = 0; f < out.of.size(); ++f) {
        for (double& v : out.of[f]) v /= static_cast<double>(seen[f]);
        out.entropy[f] /= static_cast<double>(seen[f]);
    }
    out.largest_is_digit = static_cast<double>(hits) / static_cast<double>(judged);
    return out;
}

double on_digits(const Pattern& p) { return p[2] + p[4] + p[6]; }
double on_syntax(const Pattern& p) { return p[1] + p[3] + p[5] + p[7]; }

figures::Figure picture(Training& training, const std::string& expression, Index epoch) {
    const Tensor<double> w = training.attention(find_expression(expression));
    const std::vector<std::string> tokens = tokens_of(expression);
    return figures::draw(figures::Heatmap{.title = fmt::format("{}, epoch {}", expression, epoch), .values = w.reshape({kLength, kLength}), .row_labels = tokens,
                                          .column_labels = tokens, .row_axis = "query", .column_axis = "key", .unit = "weight", .cell_size = 30});
}

}  // namespace

Result run_patterns(const Context& context) {
    const Index last = context.pick<Index>(100, 100, 2), middle = std::min<Index>(10, last);
    const Index rows = context.pick<Index>(200, 60, 3);
    // The rate falls over all epochs: the documents look at one run at three ages.
    auto training = make_training({.model = ModelKind::single_head, .epochs = last, .seed = context.seed, .decay_epochs = last});
    Result out;
    Table table{"patterns", "What position 0 attends to: mean over held-out expressions, single head",
                {"epoch", "function", "accuracy", "entropy / log 8", "function token", "digit 1", "digit 2", "digit 3", "all digits", "syntax"}, {}};
    std::vector<figures::Figure> pictures;
    std::array<figures::Line, 3> entropies;
    for (std::size_t f = 0; f < 3; ++f) entropies[f] = {.name = std::string(kTokens[10 + f]), .points = {}, .style = figures::Line::Style::marked};
    Patterns untrained, at_start, at_end;
    double accuracy = 0;
    const auto report = [&](Index epoch) {
        const Patterns p = measure(*training, rows);
        accuracy = training->evaluate().accuracy;
        for (std::size_t f = 0; f < 3; ++f) {
            if (epoch > 0) entropies[f].points.emplace_back(static_cast<double>(epoch), p.entropy[f]);
            if (epoch > 1 && epoch != middle && epoch != last) continue;
            const Pattern& w = p.of[f];
            table.rows.push_back({epoch, std::string(kTokens[10 + f]), accuracy, p.entropy[f], w[0], w[2], w[4], w[6], on_digits(w), on_syntax(w)});
        }
        if (epoch == 0) untrained = p;
        if (epoch == 1) at_start = p;
        if (epoch == last) at_end = p;
        if (epoch == 1 || epoch == middle || epoch == last)
            for (const char* e : {"Max(1,6,2)", "Min(1,6,2)", "First(1,6,2)"}) pictures.push_back(picture(*training, e, epoch));
    };
    report(0);
    for (Index epoch = 1; epoch <= last; ++epoch) {
        while (training->steps_done() < epoch * training->steps_per_epoch()) training->step();
        if (epoch <= 10 || epoch % 10 == 0) report(epoch);
    }
    const double least_digits = std::min(on_digits(at_end.of[0]), on_digits(at_end.of[1]));
    out.findings = {
        at_least("Attention starts near uniform", "entropy of position 0 over log 8 before training, Max", untrained.entropy[0], 0.9),
        at_least("... and is still near it after the first epoch", "entropy of position 0 over log 8 after epoch 1, Max", at_start.entropy[0], 0.9),
        at_least("... and becomes focused with training", "fall of that entropy from epoch 1 to the last one, Max", at_start.entropy[0] - at_end.entropy[0], 0.1),
        at_least("The trained model has learned the task", "held-out accuracy after the last epoch", accuracy, 0.99),
        at_least("Position 0 of Max and Min attends to the digits", "weight on the three digits, the lower of Max and Min", least_digits, 0.55),
        at_most("... and hardly to brackets and commas", "weight on the four syntax tokens, Max", on_syntax(at_end.of[0]), 0.25),
        between("... and to itself about as much as to a digit", "weight of position 0 on itself, Max", at_end.of[0][0], 0.15, 0.4),
        at_most("The three digits get about equal weight under Max", "most attended digit less the least, mean of Max",
                std::max({at_end.of[0][2], at_end.of[0][4], at_end.of[0][6]}) - std::min({at_end.of[0][2], at_end.of[0][4], at_end.of[0][6]}), 0.1),
        at_least("First attends to the first digit", "weight on the first digit, First", at_end.of[2][2], 0.5),
    };
    out.figures.push_back({"attention", figures::grid("Attention of the single head through training", pictures, 3)});
    out.figures.push_back({"entropy", figures::draw(figures::Chart{.title = "Entropy of what position 0 attends to", .x = {.label = "epoch", .logarithmic = true},
                                                                  .y = {.label = "entropy / log 8", .low = 0, .high = 1}, .lines = {entropies.begin(), entropies.end()}})});
    out.tables.push_back(std::move(table));
    out.tables.push_back({"answer", "Held-out Max and Min expressions whose most attended digit is the answer", {"share"}, {{at_end.largest_is_digit}}});
    return out;
}

}  // namespace gradproof::experiments
