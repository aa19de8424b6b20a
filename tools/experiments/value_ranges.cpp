// Experiment 15: the range of the numbers at each stage of the single head, before and after training, beside what is written.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "gradproof/ops/matmul.hpp"
#include "gradproof/ops/softmax.hpp"
#include "tools/experiments/measure.hpp"
#include "tools/experiments/probe.hpp"
#include "tools/figures/ranges.hpp"

namespace gradproof::experiments {
namespace {

constexpr std::size_t kStages = 8;
constexpr std::array<const char*, kStages> kStageNames = {"input X",       "Q",       "K",     "V", "scores Q Kᵀ",
                                                          "scaled scores", "weights", "output"};
/// As the first document has them, for d_k = 16 and 8 positions.
constexpr std::array<std::pair<double, double>, kStages> kWritten = {
    {{-2, 2}, {-3, 3}, {-3, 3}, {-3, 3}, {-10, 10}, {-2.5, 2.5}, {0, 1}, {-3, 3}}};
using Stages = std::array<Tensor<double>, kStages>;

/// Every stage for some rows, [rows, 8, ...].
Stages stages_of(const Probe& model, const Tensor<Index>& ids) {
    Step<Real> step(model.tree());
    step.begin_evaluation();
    const Probe::Layer& layer = model.layer(0);
    const Tensor<double> x = cast<double>(model.embedded(step, ids).value());
    const auto project = [&](const Parameter<Real>& w) { return matmul(x, cast<double>(w.value)); };
    const Tensor<double> q = project(layer.wq), k = project(layer.wk), v = project(layer.wv);
    const Tensor<double> scores = matmul(q, k, {.transpose_b = true});
    Tensor<double> scaled(scores.shape());
    for (Index i = 0; i < scaled.size(); ++i) scaled[i] = scores[i] / std::sqrt(static_cast<double>(q.shape().last(0)));
    const Tensor<double> weights = softmax(scaled);
    return {x, q, k, v, scores, scaled, weights, matmul(weights, v)};
}

double share_within(const Tensor<double>& x, double low, double high) {
    const auto within = std::count_if(x.begin(), x.end(), [&](double v) { return v >= low && v <= high; });
    return static_cast<double>(within) / static_cast<double>(x.size());
}

double spread(const Tensor<double>& x) { return std::sqrt(moments(x.values()).variance); }

figures::Range range_of(std::size_t stage, const Tensor<double>& x) {
    std::vector<double> v(x.begin(), x.end());
    std::sort(v.begin(), v.end());
    const auto at = [&](double share) { return v[static_cast<std::size_t>(share * static_cast<double>(v.size() - 1))]; };
    return {.name = kStageNames[stage],
            .low = v.front(),
            .from = at(0.05),
            .middle = at(0.5),
            .to = at(0.95),
            .high = v.back(),
            .expected = kWritten[stage],
            .kind = static_cast<int>(stage)};
}

/// In units of the upper end of what is written, so that all frames end at 1.
figures::Range over_written(figures::Range r) {
    const double unit = r.expected->second;
    for (double* v : {&r.low, &r.from, &r.middle, &r.to, &r.high, &r.expected->first, &r.expected->second}) *v /= unit;
    return r;
}

figures::Figure picture(const std::string& title, const Stages& stages) {
    figures::Ranges ranges{.title = title,
                           .axis = {.label = "value over the end of the written range"},
                           .ranges = {},
                           .bar = "the middle 90 %, its median white",
                           .frame = "as written",
                           .width = 330};
    for (std::size_t s = 0; s < kStages; ++s) ranges.ranges.push_back(over_written(range_of(s, stages[s])));
    return figures::draw(ranges);
}

/// The numbers that decide, of one seed.
struct RangesOfSeed {
    std::array<double, kStages> within{};  ///< share of the values within what is written, after training
    double first_spread = 0;               ///< standard deviation of the scaled scores before training
    double spread = 0;                     ///< and after
    double projected = 0;                  ///< mean standard deviation of Q, K and V, before training
    double typical = 0;                    ///< share of the weights in 0.05 to 0.30, after training
    double first_typical = 0;
    double centred = 0;  ///< |mean| over the standard deviation of the output, after training
};

RangesOfSeed numbers_of(const Stages& before, const Stages& after) {
    RangesOfSeed out{.first_spread = spread(before[5]),
                     .spread = spread(after[5]),
                     .projected = (spread(before[1]) + spread(before[2]) + spread(before[3])) / 3,
                     .typical = share_within(after[6], 0.05, 0.30),
                     .first_typical = share_within(before[6], 0.05, 0.30),
                     .centred = std::abs(mean(after[7].values())) / spread(after[7])};
    for (std::size_t s = 0; s < kStages; ++s) out.within[s] = share_within(after[s], kWritten[s].first, kWritten[s].second);
    return out;
}

std::vector<Finding> findings_of(const std::vector<RangesOfSeed>& all) {
    std::vector<Finding> out;
    for (std::size_t s = 0; s < kStages; ++s)
        out.push_back(
            at_least(fmt::format("{}: values lie about within {} to {}", kStageNames[s], kWritten[s].first, kWritten[s].second),
                     "share within, after training, mean over seeds",
                     estimate(all, [s](const RangesOfSeed& r) { return r.within[s]; }), 0.99));
    out.push_back(between("Q, K and V have a standard deviation of about 1", "before training, mean over the three and seeds",
                          estimate(all, &RangesOfSeed::projected), 0.5, 1.5));
    out.push_back(between("Scaled scores have a standard deviation of about 1", "before training, mean over seeds",
                          estimate(all, &RangesOfSeed::first_spread), 0.5, 1.5));
    out.push_back(between("... and keep it", "after training, mean over seeds", estimate(all, &RangesOfSeed::spread), 0.5, 1.5));
    out.push_back(at_least("Most weights of 8 positions lie between 0.05 and 0.30",
                           "share of them before training, mean over seeds", estimate(all, &RangesOfSeed::first_typical), 0.5));
    out.push_back(at_least("... and stay there", "share of them after training, mean over seeds",
                           estimate(all, &RangesOfSeed::typical), 0.5));
    out.push_back(at_most("The output has a mean close to 0", "|mean| over standard deviation, after training, mean over seeds",
                          estimate(all, &RangesOfSeed::centred), 0.2));
    return out;
}

Result run_value_ranges(const Context& context) {
    const Index epochs = context.pick<Index>(40, 15, 1);
    std::vector<RangesOfSeed> all;
    Result out;
    Table table{"ranges",
                fmt::format("Values of the held-out expressions, first seed, before training and after {} epochs", epochs),
                {"stage", "when", "least", "5 %", "median", "95 %", "largest", "mean", "standard deviation", "share as written"},
                {}};
    for (Index n = 0; n < context.repeats(); ++n) {
        const Context one = context.repeat(n);
        const Task task = expression_task(one);
        Probe model({}, one.seed);
        const Stages before = stages_of(model, task.validation.ids);
        train(model, task.training, {.epochs = epochs}, one.seed);
        const Stages after = stages_of(model, task.validation.ids);
        all.push_back(numbers_of(before, after));
        if (n > 0) continue;
        for (std::size_t s = 0; s < kStages; ++s)
            for (const auto& [when, values] : {std::pair("before", &before[s]), std::pair("after", &after[s])}) {
                const figures::Range r = range_of(s, *values);
                table.rows.push_back({std::string(kStageNames[s]), std::string(when), r.low, r.from, r.middle, r.to, r.high,
                                      mean(values->values()), spread(*values),
                                      share_within(*values, kWritten[s].first, kWritten[s].second)});
            }
        out.figures.push_back(
            {"ranges",
             figures::grid("The numbers at each stage of the single head",
                           {picture("Before training", before), picture(fmt::format("After {} epochs", epochs), after)}, 2)});
    }
    out.findings = findings_of(all);
    out.tables.push_back(std::move(table));
    return out;
}

const NewExperiment kExperiment(
    {.number = 15,
     .name = "value-ranges",
     .title = "Value ranges at each stage",
     .setting =
         "The single-head model (64 to 16) on held-out expressions: input, queries, keys, values, scores, weights and output, "
         "before and after training, beside the ranges that the first document gives.",
     .run = run_value_ranges});

}  // namespace

}  // namespace gradproof::experiments
