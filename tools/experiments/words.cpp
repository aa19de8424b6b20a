// Experiment 22: what 100 words cost against 10, in arithmetic, in memory and in time.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "gradproof/core/platform/threads.hpp"
#include "gradproof/core/random.hpp"
#include "gradproof/nn/attention_cost.hpp"
#include "gradproof/ops/attention.hpp"
#include "gradproof/ops/linear.hpp"
#include "gradproof/ops/rnn.hpp"
#include "tools/experiments/experiment.hpp"
#include "tools/figures/chart.hpp"

namespace gradproof::experiments {
namespace {

constexpr Index kHeads = 8;

struct Times {
    double attention = INFINITY, rnn = INFINITY;  ///< milliseconds, the least of several calls
};

/// What one call takes on the clock on the wall, since the claim is about work done side by side.
double milliseconds(auto&& call) {
    const auto start = std::chrono::steady_clock::now();
    call();
    return 1e3 * std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The forward passes of a layer of attention of 8 heads and of a recurrent network of the same width.
class Layers {
  public:
    Layers(Index width, std::uint64_t seed) : width_(width), random_(Random(seed).stream(2200)) {
        const double a = std::sqrt(3 / static_cast<double>(width));
        for (Tensor<float>& w : weights_) w = random_.uniform<float>({width, width}, -a, a);
    }
    void measure(Index n, double enough, Times& out) {
        const Tensor<float> x = random_.normal<float>({1, n, width_});
        AttentionAttrs heads;
        heads.q_heads = heads.kv_heads = kHeads;
        for (double all = 0; all <= enough;) {
            const double a = milliseconds([&] {
                linear(attention(linear(x, weights_[0]), linear(x, weights_[1]), linear(x, weights_[2]), heads), weights_[3]);
            });
            const double r = milliseconds([&] { rnn(x, weights_[4], weights_[5]); });
            out.attention = std::min(out.attention, a);
            out.rnn = std::min(out.rnn, r);
            all += a + r;
        }
    }

  private:
    Index width_;
    Random random_;
    std::array<Tensor<float>, 6> weights_;
};

figures::Figure picture(const std::vector<double>& words, const std::vector<Times>& times) {
    using figures::Line;
    Line attention{.name = "attention", .points = {}, .style = Line::Style::marked},
        rnn{.name = "RNN", .points = {}, .style = Line::Style::marked},
        same{.name = "if words were free", .points = {}, .style = Line::Style::dashed, .colour = 6},
        each{.name = "if each word cost the same", .points = {}, .style = Line::Style::dashed, .colour = 5};
    for (std::size_t i = 0; i < words.size(); ++i) {
        attention.points.emplace_back(words[i], times[i].attention);
        rnn.points.emplace_back(words[i], times[i].rnn);
        same.points.emplace_back(words[i], times[0].attention);
        each.points.emplace_back(words[i], times[0].attention * words[i] / words[0]);
    }
    return figures::draw(figures::Chart{.title = "A layer over more and more words",
                                        .x = {.label = "words", .logarithmic = true, .ticks = words},
                                        .y = {.label = "time of a forward", .unit = "ms", .logarithmic = true},
                                        .lines = {attention, rnn, same, each}});
}

Result run_words(const Context& context) {
    const Index width = context.pick<Index>(512, 512, 64);
    std::vector<double> words = {10, 20, 50, 100, 200, 500};
    if (context.effort == Effort::smoke) words.resize(4);
    Layers layers(width, context.seed);
    std::vector<Times> times(words.size());
    // In rounds over all lengths, so that a busy machine disturbs them alike.
    for (Index round = 0; round < context.pick<Index>(12, 5, 1); ++round)
        for (std::size_t i = 0; i < words.size(); ++i)
            layers.measure(static_cast<Index>(words[i]), context.pick(40.0, 15.0, 0.0), times[i]);
    Result out;
    const auto cost = [&](double n) { return attention_cost(static_cast<Index>(n), width, kHeads); };
    Table table{"words",
                fmt::format("One layer of {} channels, {} heads, float32, {} threads", width, kHeads, threads()),
                {"words", "multiplications (million)", "weights a head", "attention (ms)", "a word (ms)", "RNN (ms)"},
                {}};
    for (std::size_t i = 0; i < words.size(); ++i)
        table.rows.push_back({static_cast<Index>(words[i]), 1e-6 * cost(words[i]).multiplications(),
                              static_cast<Index>(cost(words[i]).weights) / kHeads, times[i].attention,
                              times[i].attention / words[i], times[i].rnn});
    const Times &ten = times[0], &hundred = times[3];
    out.findings = {
        at_most("100 words at once are barely slower than 10", "time of 100 words over that of 10",
                hundred.attention / ten.attention, 2),
        at_most("... a word among 100 costs less than one among 10", "time a word, 100 over 10",
                hundred.attention / ten.attention / 10, 0.9),
        between("They are ten times the arithmetic, since projections outweigh scores at these lengths",
                "multiplications of 100 words over those of 10", cost(100).multiplications() / cost(10).multiplications(), 9, 12),
        at_least("Attention is faster than a recurrent network at usual lengths",
                 "time of the RNN over that of attention, 100 words", hundred.rnn / hundred.attention, 1),
    };
    out.figures.push_back({"words", picture(words, times)});
    out.tables.push_back(std::move(table));
    return out;
}

const NewExperiment kExperiment(
    {.number = 22,
     .name = "words",
     .title = "100 words against 10",
     .setting =
         "Forward passes of one layer of attention (512 channels, 8 heads) and of a recurrent network of the same width, for 10 "
         "to 500 words, on the processor's threads; multiplications and weights counted.",
     .run = run_words});

}  // namespace

}  // namespace gradproof::experiments
