// Experiment 1: what position 0 attends to for Max, Min and First, during training.
#include <array>

#include <fmt/format.h>

#include "gradproof/nn/tasks/expressions.hpp"
#include "gradproof/nn/train/expression_training.hpp"
#include "tools/experiments/measure.hpp"
#include "tools/figures/chart.hpp"
#include "tools/figures/heatmap.hpp"

namespace gradproof::experiments {
namespace {

constexpr Index kLength = kExpressionLength, kFunctions = 3;
constexpr Index kDigitPlaces[] = {2, 4, 6};
using Pattern = std::array<double, kLength>;

/// What position 0 attends to: the mean over held-out expressions of each function, and over heads.
struct Patterns {
    std::array<Pattern, kFunctions> of{};
    std::array<double, kFunctions> entropy{};  ///< mean entropy of the patterns of single expressions, divided by log 8
    double accuracy = 0;                       ///< held out
    double largest_is_digit = 0;               ///< share of Max and Min expressions whose most attended digit is the answer
};

Patterns measure(ExpressionTraining& training, Index rows_of_each) {
    const Examples data = all_expressions();
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
            for (Index j = 0; j < kLength; ++j)
                mean[static_cast<std::size_t>(j)] += w[h * kLength * kLength + j] / static_cast<double>(w.dim(0));
        for (std::size_t j = 0; j < mean.size(); ++j) out.of[f][j] += mean[j];
        out.entropy[f] += entropy(mean) / std::log(static_cast<double>(kLength));
        if (f > 1) continue;
        Index best = kDigitPlaces[0];
        for (const Index p : kDigitPlaces)
            if (mean[static_cast<std::size_t>(p)] > mean[static_cast<std::size_t>(best)]) best = p;
        hits += data.row(row)[static_cast<std::size_t>(best)] == data.answers[row];
        ++judged;
    }
    for (std::size_t f = 0; f < out.of.size(); ++f) {
        for (double& v : out.of[f]) v /= static_cast<double>(seen[f]);
        out.entropy[f] /= static_cast<double>(seen[f]);
    }
    out.accuracy = training.evaluate().accuracy;
    out.largest_is_digit = static_cast<double>(hits) / static_cast<double>(judged);
    return out;
}

double on_digits(const Pattern& p) { return p[2] + p[4] + p[6]; }
double on_syntax(const Pattern& p) { return p[1] + p[3] + p[5] + p[7]; }

double spread_of_digits(const Pattern& p) { return std::max({p[2], p[4], p[6]}) - std::min({p[2], p[4], p[6]}); }

/// The patterns of each seed, before training, after the first epoch and after the last.
struct Ages {
    std::vector<Patterns> untrained{}, at_start{}, at_end{};
};

Estimate over_seeds(const std::vector<Patterns>& all, auto&& number) {
    std::vector<double> out;
    for (const Patterns& p : all) out.push_back(number(p));
    return estimate(out);
}

std::vector<Finding> findings_of(const Ages& ages) {
    const auto entropy_of_max = [](const Patterns& p) { return p.entropy[0]; };
    std::vector<double> fall;
    for (std::size_t n = 0; n < ages.at_end.size(); ++n) fall.push_back(ages.at_start[n].entropy[0] - ages.at_end[n].entropy[0]);
    const auto at_end = [&](auto&& number) { return over_seeds(ages.at_end, number); };
    return {
        at_least("Attention starts near uniform", "entropy of position 0 over log 8 before training, Max, mean over seeds",
                 over_seeds(ages.untrained, entropy_of_max), 0.9),
        at_least("... and is still near it after the first epoch",
                 "entropy of position 0 over log 8 after epoch 1, Max, mean over seeds",
                 over_seeds(ages.at_start, entropy_of_max), 0.9),
        at_least("... and becomes focused with training",
                 "fall of that entropy from epoch 1 to the last one, Max, mean over seeds", estimate(fall), 0.1),
        at_least("The trained model has learned the task", "held-out accuracy after the last epoch, mean over seeds",
                 at_end([](const Patterns& p) { return p.accuracy; }), 0.99),
        at_least("Position 0 of Max and Min attends to the digits",
                 "weight on the three digits, the lower of Max and Min, mean over seeds",
                 at_end([](const Patterns& p) { return std::min(on_digits(p.of[0]), on_digits(p.of[1])); }), 0.55),
        at_most("... and hardly to brackets and commas", "weight on the four syntax tokens, Max, mean over seeds",
                at_end([](const Patterns& p) { return on_syntax(p.of[0]); }), 0.25),
        between("... and to itself about as much as to a digit", "weight of position 0 on itself, Max, mean over seeds",
                at_end([](const Patterns& p) { return p.of[0][0]; }), 0.15, 0.4),
        at_most("The three digits get about equal weight under Max",
                "most attended digit less the least, mean of Max, mean over seeds",
                at_end([](const Patterns& p) { return spread_of_digits(p.of[0]); }), 0.1),
        at_least("First attends to the first digit", "weight on the first digit, First, mean over seeds",
                 at_end([](const Patterns& p) { return p.of[2][2]; }), 0.5),
    };
}

figures::Figure picture(ExpressionTraining& training, const std::string& expression) {
    const Index row = find_expression(expression);
    const Tensor<double> w = training.attention(row);
    const std::vector<std::string> tokens = token_texts(all_expressions().row(row));
    return figures::draw(figures::Heatmap{.title = expression,
                                          .values = w.reshape({kLength, kLength}),
                                          .row_labels = tokens,
                                          .column_labels = tokens,
                                          .row_axis = "query",
                                          .column_axis = "key",
                                          .unit = "weight",
                                          .cell_size = 30});
}

/// One figure an epoch: nine heat maps in one cannot be read on a slide.
NamedFigure pictures(ExpressionTraining& training, Index epoch) {
    std::vector<figures::Figure> panels;
    for (const char* e : {"Max(1,6,2)", "Min(1,6,2)", "First(1,6,2)"}) panels.push_back(picture(training, e));
    return {fmt::format("attention-epoch-{}", epoch),
            figures::grid(fmt::format("Attention of the single head after epoch {}", epoch), panels, 3)};
}

Result run_patterns(const Context& context) {
    const Index last = context.pick<Index>(100, 100, 2), middle = std::min<Index>(10, last);
    const Index rows = context.pick<Index>(200, 60, 3);
    Result out;
    Table table{"patterns",
                "What position 0 attends to: mean over held-out expressions, single head, first seed",
                {"epoch", "function", "accuracy", "entropy / log 8", "function token", "digit 1", "digit 2", "digit 3",
                 "all digits", "syntax"},
                {}};
    std::array<figures::Line, 3> entropies;
    for (std::size_t f = 0; f < 3; ++f)
        entropies[f] = {.name = std::string(kTokens[10 + f]), .points = {}, .style = figures::Line::Style::marked};
    const auto report = [&](ExpressionTraining& training, Index epoch, const Patterns& p) {
        for (std::size_t f = 0; f < 3; ++f) {
            if (epoch > 0) entropies[f].points.emplace_back(static_cast<double>(epoch), p.entropy[f]);
            if (epoch > 1 && epoch != middle && epoch != last) continue;
            const Pattern& w = p.of[f];
            table.rows.push_back({epoch, std::string(kTokens[10 + f]), p.accuracy, p.entropy[f], w[0], w[2], w[4], w[6],
                                  on_digits(w), on_syntax(w)});
        }
        if (epoch == 1 || epoch == middle || epoch == last) out.figures.push_back(pictures(training, epoch));
    };
    Ages ages;
    for (Index n = 0; n < context.repeats(); ++n) {
        // The rate falls over all epochs, since the documents look at one run at three moments.
        auto training = make_expression_training(
            {.model = ModelKind::single_head, .epochs = last, .seed = context.repeat(n).seed, .decay_epochs = last});
        for (Index epoch = 0; epoch <= last; ++epoch) {
            training->train({.until = epoch * training->steps_per_epoch()});
            const bool aged = epoch <= 1 || epoch == last;
            if (!aged && (n > 0 || (epoch > 10 && epoch % 10 != 0))) continue;
            const Patterns p = measure(*training, rows);
            if (n == 0) report(*training, epoch, p);
            if (epoch == 0) ages.untrained.push_back(p);
            if (epoch == 1) ages.at_start.push_back(p);
            if (epoch == last) ages.at_end.push_back(p);
        }
    }
    out.findings = findings_of(ages);
    out.figures.push_back({"entropy", figures::draw(figures::Chart{.title = "Entropy of what position 0 attends to",
                                                                   .x = {.label = "epoch", .logarithmic = true},
                                                                   .y = {.label = "entropy / log 8", .low = 0, .high = 1},
                                                                   .lines = {entropies.begin(), entropies.end()}})});
    out.tables.push_back(std::move(table));
    out.tables.push_back({"answer",
                          "Held-out Max and Min expressions whose most attended digit is the answer, first seed",
                          {"share"},
                          {{ages.at_end.front().largest_is_digit}}});
    return out;
}

const NewExperiment kExperiment({.number = 1,
                                 .name = "patterns",
                                 .title = "Attention patterns through training",
                                 .setting = "The single-head model on Max, Min and First: what position 0 attends to on held-out "
                                            "expressions after epochs 1, 10 and 100, and the entropy of it.",
                                 .run = run_patterns});

}  // namespace

}  // namespace gradproof::experiments
