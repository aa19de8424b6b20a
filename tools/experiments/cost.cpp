// Experiment 5: time and memory of attention and its rivals against the length of the sequence, with fitted exponents.
#include <cmath>
#include <ctime>
#include <functional>

#include <fmt/format.h>

#include "gradproof/core/platform/threads.hpp"
#include "gradproof/core/random.hpp"
#include "gradproof/core/tape.hpp"
#include "gradproof/ops/attention.hpp"
#include "gradproof/ops/conv1d.hpp"
#include "gradproof/ops/linear_attention.hpp"
#include "gradproof/ops/rnn.hpp"
#include "tools/experiments/measure.hpp"
#include "tools/figures/chart.hpp"

namespace gradproof::experiments {
namespace {

constexpr Index kWidth = 64, kWindow = 64;
using Sequence = std::vector<Var<float>>;  // q, k, v [1, 1, n, kWidth], x [1, n, kWidth]

struct Method {
    std::string name{};
    double time_exponent = 1, memory_exponent = 1;  ///< of the theory, in n
    std::function<Var<float>(const Sequence&)> forward{};
    Index shorter = 1;  ///< measured only up to the longest length divided by this
};

std::vector<Method> methods(std::uint64_t seed) {
    Random random = Random(seed).stream(500);
    const double a = 1 / std::sqrt(static_cast<double>(kWidth));
    const Var<float> wx(random.uniform<float>({kWidth, kWidth}, -a, a)), wh(random.uniform<float>({kWidth, kWidth}, -a, a)),
        kernel(random.uniform<float>({3, kWidth, kWidth}, -a, a));
    const auto attend = [](AttentionKernel kernel_, Index window) {
        AttentionAttrs attrs;
        attrs.kernel = kernel_;
        attrs.window_left = attrs.window_right = window;
        return [attrs](const Sequence& x) { return attention(x[0], x[1], x[2], attrs); };
    };
    return {
        {"attention, reference", 2, 2, attend(AttentionKernel::reference, -1), 2},
        {"attention, fused", 2, 1, attend(AttentionKernel::fused, -1)},
        {fmt::format("window of {}", 2 * kWindow + 1), 1, 1, attend(AttentionKernel::fused, kWindow)},
        {"linear attention", 1, 1, [](const Sequence& x) { return linear_attention(x[0], x[1], x[2]); }},
        {"RNN", 1, 1, [wx, wh](const Sequence& x) { return rnn(x[3], wx, wh); }},
        {"convolution of 3", 1, 1, [kernel](const Sequence& x) { return conv1d(x[3], kernel, {.padding = Padding::causal}); }},
    };
}

/// Processor time of this thread, which does not grow while other work runs.
double processor_milliseconds() {
    std::timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

struct Cost {
    double milliseconds = INFINITY;  ///< forward and backward, the minimum over calls, since other load only adds to it
    double megabytes = 0;            ///< kept by the forward for the backward
};

/// Repeats the calls until they have taken `enough` milliseconds together.
void measure(const Method& method, Index n, double enough, std::uint64_t seed, Cost& out) {
    Random random = Random(seed).stream(static_cast<std::uint64_t>(n));
    std::vector<Tensor<float>> values;
    for (int i = 0; i < 3; ++i) values.push_back(random.normal<float>({1, 1, n, kWidth}));
    values.push_back(random.normal<float>({1, n, kWidth}));
    Tape<float> tape;
    for (double all = 0; all <= enough;) {
        tape.reset();
        Sequence x;
        for (const Tensor<float>& v : values) x.push_back(tape.leaf(v));
        const double start = processor_milliseconds();
        const Var<float> y = method.forward(x);
        out.megabytes = static_cast<double>(tape.saved_bytes()) / 1e6;
        tape.backward(y, Tensor<float>(y.shape(), 1.0F));
        const double taken = processor_milliseconds() - start;
        out.milliseconds = std::min(out.milliseconds, taken);
        all += taken;
    }
}

Result run_cost(const Context& context) {
    using figures::Line;
    const Index last = context.pick<Index>(8192, 4096, 128), first = context.pick<Index>(256, 256, 32);
    const int rounds = context.pick(9, 4, 1);
    const std::vector<Method> all = methods(context.seed);
    std::vector<double> ticks;
    for (Index n = first; n <= last; n *= 2) ticks.push_back(static_cast<double>(n));
    const ThreadScope one(1);  // a clock of this thread
    std::vector<std::vector<Cost>> costs(all.size(), std::vector<Cost>(ticks.size()));
    // In rounds over everything, so that a busy machine disturbs all lengths alike.
    for (int round = 0; round < rounds; ++round)
        for (std::size_t m = 0; m < all.size(); ++m)
            for (std::size_t i = 0; i < ticks.size(); ++i)
                if (const auto n = static_cast<Index>(ticks[i]); n * all[m].shorter <= last)
                    measure(all[m], n, context.pick(30.0, 15.0, 0.0), context.seed, costs[m][i]);

    std::vector<std::vector<std::pair<double, double>>> times(all.size()), memory(all.size());
    Table table{"cost",
                "One head of 64 channels, float32, forward and backward, processor time of one thread",
                {"method", "length (tokens)", "time (ms)", "kept for backward (MB)"},
                {},
                true};
    for (std::size_t m = 0; m < all.size(); ++m)
        for (std::size_t i = 0; i < ticks.size(); ++i) {
            const Cost& c = costs[m][i];
            if (c.megabytes == 0) continue;  // not measured
            times[m].emplace_back(ticks[i], c.milliseconds);
            memory[m].emplace_back(ticks[i], c.megabytes);
            table.rows.push_back({all[m].name, static_cast<Index>(ticks[i]), c.milliseconds, c.megabytes});
        }
    Result out;
    Table exponents{"exponents",
                    fmt::format("Growth with the length n, fitted to the longest {} lengths n of each method",
                                std::min<std::size_t>(3, ticks.size())),
                    {"method", "time ~ n^", "theory", "memory ~ n^", "theory ", "longest n", "time (ms)", "kept (MB)"},
                    {}};
    const figures::Axis lengths{.label = "sequence length n", .unit = "tokens", .logarithmic = true, .ticks = ticks};
    figures::Chart time_chart{.title = "Forward and backward",
                              .x = lengths,
                              .y = {.label = "processor time", .unit = "ms", .logarithmic = true},
                              .lines = {},
                              .width = 330};
    figures::Chart memory_chart{.title = "Kept for the backward pass",
                                .x = lengths,
                                .y = {.label = "memory", .unit = "MB", .logarithmic = true},
                                .lines = {},
                                .width = 330};
    for (std::size_t m = 0; m < all.size(); ++m) {
        // The growth is fitted to the long sequences, since the overhead of a call dominates the short ones.
        const auto tail = [](const auto& points) { return std::span(points).last(std::min<std::size_t>(3, points.size())); };
        const double t = power_law(tail(times[m])).exponent, s = power_law(tail(memory[m])).exponent;
        exponents.rows.push_back({all[m].name, t, all[m].time_exponent, s, all[m].memory_exponent, times[m].back().first,
                                  times[m].back().second, memory[m].back().second});
        time_chart.lines.push_back(
            {.name = fmt::format("{}: n^{:.2f}", all[m].name, t), .points = times[m], .style = Line::Style::marked});
        memory_chart.lines.push_back(
            {.name = fmt::format("{}: n^{:.2f}", all[m].name, s), .points = memory[m], .style = Line::Style::marked});
        // 0.3 on both sides, since terms of lower order still count at these lengths.
        out.findings.push_back(between(fmt::format("The time of {} grows as n^{}", all[m].name, all[m].time_exponent),
                                       "fitted exponent of time", t, all[m].time_exponent - 0.3, all[m].time_exponent + 0.3));
        out.findings.push_back(between(fmt::format("... and its memory as n^{}", all[m].memory_exponent),
                                       "fitted exponent of memory", s, all[m].memory_exponent - 0.3,
                                       all[m].memory_exponent + 0.3));
    }
    out.findings.push_back(at_least("Linear attention is the cheaper one at long sequences",
                                    fmt::format("time of fused attention over that of linear, n = {}", last),
                                    times[1].back().second / times[3].back().second, 1));
    out.figures.push_back({"cost", figures::grid("Cost against the length of the sequence",
                                                 {figures::draw(time_chart), figures::draw(memory_chart)}, 2)});
    out.tables = {std::move(exponents), std::move(table)};
    return out;
}

const NewExperiment kExperiment(
    {.number = 5,
     .name = "cost",
     .title = "Cost against sequence length",
     .setting = "Processor time of forward and backward on one thread and memory kept between them, for growing lengths; "
                "exponents fitted to the longest ones, beside those of the theory.",
     .run = run_cost});

}  // namespace

}  // namespace gradproof::experiments
