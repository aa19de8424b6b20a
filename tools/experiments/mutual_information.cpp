// Experiment 21: mutual information through an attention channel. Does attention add information, or move it?
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "gradproof/core/random.hpp"
#include "gradproof/nn/tasks/expressions.hpp"
#include "gradproof/ops/softmax.hpp"
#include "tools/experiments/measure.hpp"
#include "tools/experiments/probe.hpp"
#include "tools/experiments/svd.hpp"
#include "tools/figures/chart.hpp"
#include "tools/figures/heatmap.hpp"

namespace gradproof::experiments {
namespace {

constexpr Index kPositions = 8, kAnswers = 10;
constexpr double kNoise = 0.5;  // standard deviation of what is added to each output; the inputs have 1

double bits(double ratio) { return 0.5 * std::log2(ratio); }

/// Independent standard normal inputs X, outputs Y = W X + noise, so every information below is exact.
struct Channel {
    double own = 0;      ///< I(Y_i; X_i), mean over positions
    double others = 0;   ///< Σ_{j≠i} I(Y_i; X_j), mean over positions
    double outputs = 0;  ///< I(Y_i; Y_k), mean over pairs
    double total = 0;    ///< I(Y; X) of all positions together
};

double entry(const Tensor<double>& w, Index i, Index j) { return w[i * w.dim(1) + j]; }
double product(const Tensor<double>& w, Index i, Index k) {
    double out = 0;
    for (Index j = 0; j < w.dim(1); ++j) out += entry(w, i, j) * entry(w, k, j);
    return out;
}

/// I(Y_i; X_j) in bits.
double information(const Tensor<double>& w, Index i, Index j) {
    const double power = product(w, i, i) + kNoise * kNoise, signal = entry(w, i, j) * entry(w, i, j);
    return -bits(1 - signal / power);
}

Channel channel(const Tensor<double>& w) {
    Channel out;
    const double n = static_cast<double>(kPositions);
    for (Index i = 0; i < kPositions; ++i)
        for (Index j = 0; j < kPositions; ++j) {
            (i == j ? out.own : out.others) += information(w, i, j) / n;
            if (j >= i) continue;
            const double a = product(w, i, i) + kNoise * kNoise, b = product(w, j, j) + kNoise * kNoise, c = product(w, i, j);
            out.outputs += -bits(1 - c * c / (a * b)) / (n * (n - 1) / 2);
        }
    for (const double s : singular_values(w)) out.total += bits(1 + s * s / (kNoise * kNoise));
    return out;
}

/// Attention weights of random scores with this standard deviation.
Tensor<double> weights_of(double sharpness, Random random) {
    Tensor<double> scores = random.normal<double>({kPositions, kPositions}, 0, sharpness);
    return softmax(scores);
}
Tensor<double> identity() {
    Tensor<double> out({kPositions, kPositions}, 0.0);
    for (Index i = 0; i < kPositions; ++i) out[i * kPositions + i] = 1;
    return out;
}

/// I(a; b) in bits of two lists of small whole numbers, each pair equally likely.
double information(std::span<const Index> a, std::span<const Index> b) {
    std::map<Index, double> in_a, in_b;
    std::map<std::pair<Index, Index>, double> both;
    const double one = 1 / static_cast<double>(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) in_a[a[i]] += one, in_b[b[i]] += one, both[{a[i], b[i]}] += one;
    double out = 0;
    for (const auto& [pair, p] : both) out += p * std::log2(p / (in_a[pair.first] * in_b[pair.second]));
    return std::max(out, 0.0);  // rounding
}

/// What the answers of a model, read from position 0, tell about the digits of the 1000 expressions of one function, in bits.
struct Told {
    std::array<double, 3> digits{};
    double answer = 0;  ///< about the right answer
    double needed = 0;  ///< the entropy of the right answer
};
Told told(const Probe& model, Index function) {
    const Examples all = all_expressions();
    std::vector<Index> rows;
    for (Index r = 0; r < 1000; ++r) rows.push_back(1000 * function + r);
    const Examples some = all.rows(rows);
    const Tensor<double> p = probabilities(model, some.ids);
    std::vector<Index> said, right;
    std::array<std::vector<Index>, 3> digits;
    for (Index r = 0; r < 1000; ++r) {
        const double* row = p.data() + r * kAnswers;
        said.push_back(std::max_element(row, row + kAnswers) - row);
        right.push_back(some.answers[r]);
        for (std::size_t d = 0; d < 3; ++d) digits[d].push_back(some.row(r)[2 + 2 * d]);
    }
    Told out{.answer = information(said, right), .needed = information(right, right)};
    for (std::size_t d = 0; d < 3; ++d) out.digits[d] = information(said, digits[d]);
    return out;
}

figures::Figure channel_chart(const Context& context, Table& table) {
    const Index draws = context.pick<Index>(200, 100, 5);
    figures::Chart chart{.title = "Information through attention of 8 positions",
                         .x = {.label = "standard deviation of the scores"},
                         .y = {.label = "information", .unit = "bits", .logarithmic = true},
                         .lines = {{.name = "all outputs about all inputs"},
                                   {.name = "without attention", .style = figures::Line::Style::dashed},
                                   {.name = "an output about its own input"},
                                   {.name = "an output about the other seven, summed"},
                                   {.name = "two outputs about each other"}}};
    const double before = channel(identity()).total;
    for (const double sharpness : {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0}) {
        Channel sum;
        for (Index n = 0; n < draws; ++n) {
            const Channel c =
                channel(weights_of(sharpness, Random(context.seed).stream(2100).stream(static_cast<std::uint64_t>(n))));
            sum.own += c.own, sum.others += c.others, sum.outputs += c.outputs, sum.total += c.total;
        }
        const double share = 1 / static_cast<double>(draws);
        table.rows.push_back({sharpness, sum.total * share, before, sum.own * share, sum.others * share, sum.outputs * share});
        for (std::size_t line = 0; line < 5; ++line)
            chart.lines[line].points.emplace_back(sharpness, std::get<double>(table.rows.back()[line + 1]));
    }
    return figures::draw(chart);
}

figures::Figure channel_map(const Tensor<double>& w) {
    Tensor<double> map({kPositions, kPositions});
    double largest = 0;
    for (Index i = 0; i < map.size(); ++i) largest = std::max(largest, map[i] = information(w, i / kPositions, i % kPositions));
    for (double& v : map) v /= largest;
    return figures::draw(figures::Heatmap{.title = fmt::format("I(output; input) over the largest, {:.2f} bits", largest),
                                          .values = map,
                                          .row_axis = "output",
                                          .column_axis = "input",
                                          .unit = "share"});
}

/// What a trained model tells, of one seed; rows for both moments go into the table if there is one.
struct ToldByModel {
    double answer = 0;     ///< Max: bits about the right answer over its entropy
    double unneeded = 0;   ///< First: bits about the digit of the other two that it tells more about
    double untrained = 0;  ///< as answer, before training
};
ToldByModel told_by_model(const Context& context, Table* table) {
    const Task task = expression_task(context);
    Probe model({}, context.seed);
    const auto report = [&](const char* when) {
        std::array<Told, 3> all;
        for (Index f = 0; f < 3; ++f) {
            const Told& t = all[static_cast<std::size_t>(f)] = told(model, f);
            if (table)
                table->rows.push_back({std::string(kTokens[static_cast<std::size_t>(10 + f)]), std::string(when), t.digits[0],
                                       t.digits[1], t.digits[2], t.answer, t.needed});
        }
        return all;
    };
    const std::array<Told, 3> before = report("before training");
    train(model, task.training, {.epochs = context.pick<Index>(40, 15, 1)}, context.seed);
    const std::array<Told, 3> after = report("after training");
    return {after[0].answer / after[0].needed, std::max(after[2].digits[1], after[2].digits[2]),
            before[0].answer / before[0].needed};
}

Result run_mutual_information(const Context& context) {
    Result out;
    Table channels{
        "channel",
        fmt::format("Attention weights of random scores, 8 independent normal inputs, noise of {} on each output; bits", kNoise),
        {"standard deviation of the scores", "all outputs, all inputs", "without attention", "own input", "other inputs, summed",
         "two outputs"},
        {}};
    const figures::Figure chart = channel_chart(context, channels);
    Table models{"told",
                 "What the answer read from position 0 tells, in bits, over the 1000 expressions of a function; first seed",
                 {"function", "when", "digit 1", "digit 2", "digit 3", "right answer", "entropy of the right answer"},
                 {}};
    std::vector<ToldByModel> all;
    for (Index n = 0; n < context.repeats(); ++n) all.push_back(told_by_model(context.repeat(n), n == 0 ? &models : nullptr));
    double most_total = 0, least_others = INFINITY, most_own = 0;
    const Channel before = channel(identity());
    for (const auto& row : channels.rows) {
        most_total = std::max(most_total, std::get<double>(row[1]) / before.total);
        least_others = std::min(least_others, std::get<double>(row[4]));
        most_own = std::max(most_own, std::get<double>(row[3]) / before.own);
    }
    out.findings = {
        at_least("Attention adds information between positions that had none of each other",
                 "bits of an output about the other inputs, least over the sharpness of the weights (0 before)", least_others,
                 0.1),
        at_most("... but all outputs together tell no more of the input than before: it is moved, not made",
                "information of all outputs over that without attention, most over the sharpness", most_total, 1),
        at_most("... and each position pays with what it told of itself",
                "information about the own input over that without attention, most over the sharpness", most_own, 0.5),
        at_least("Trained, position 0 tells of the other positions what the answer needs",
                 "Max: information about the right answer over its entropy, mean over seeds", estimate(all, &ToldByModel::answer),
                 0.95),
        at_most("... of which it told nothing before", "the same before training, mean over seeds",
                estimate(all, &ToldByModel::untrained), 0.1),
        at_most("... and nothing that it does not need", "First: bits about the second or third digit, mean over seeds",
                estimate(all, &ToldByModel::unneeded), 0.05),
    };
    out.figures.push_back(
        {"information", figures::grid("Mutual information through an attention channel",
                                      {chart, channel_map(weights_of(2, Random(context.seed).stream(2100).stream(0)))}, 2)});
    out.tables = {std::move(channels), std::move(models)};
    return out;
}

const NewExperiment kExperiment(
    {.number = 21,
     .name = "mutual-information",
     .title = "Mutual information through attention",
     .setting =
         "Independent normal inputs, attention weights of random scores and noise on the outputs, where mutual information has "
         "a closed form; then the answers of the single-head model over all expressions, where it is counted.",
     .run = run_mutual_information});

}  // namespace

}  // namespace gradproof::experiments
