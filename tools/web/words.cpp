// What grows when a text has more words: a layer of attention as in experiment `words`, counted; and the time of its forward here.
#include <array>
#include <chrono>
#include <cmath>

#include "gradproof/core/platform/control.hpp"
#include "gradproof/core/random.hpp"
#include "gradproof/nn/attention_cost.hpp"
#include "gradproof/ops/attention.hpp"
#include "gradproof/ops/linear.hpp"
#include "tools/web/calls.hpp"

namespace gradproof::web {
namespace {

constexpr Index kChannels = 512, kHeads = 8, kFew = 10, kMostWords = 5000, kMostTimed = 500;

Index words_in(const Json& question, Index most) {
    const auto found = question.find("words");
    const Index n = found != question.end() && found->is_number_integer() ? found->get<Index>() : 0;
    if (n < 1 || n > most) value_error("words: expected a number from 1 to {}", most);
    return n;
}

AttentionCost cost(Index words) { return attention_cost(words, kChannels, kHeads); }

struct Counted {
    const char* what;
    double (*of)(const AttentionCost&);
};
constexpr auto kCounted = std::to_array<Counted>({{"parameters", [](const AttentionCost& c) { return c.parameters; }},
                                                  {"entries", [](const AttentionCost& c) { return c.entries; }},
                                                  {"weights", [](const AttentionCost& c) { return c.weights; }},
                                                  {"projecting", [](const AttentionCost& c) { return c.projecting; }},
                                                  {"attending", [](const AttentionCost& c) { return c.attending; }},
                                                  {"all", [](const AttentionCost& c) { return c.multiplications(); }}});

/// Milliseconds of a forward, the fastest of several.
double time_of_forward(Index n) {
    constexpr double kEnough = 30;  // ms of calls
    Random random(1);
    const double a = std::sqrt(3.0 / kChannels);
    std::array<Tensor<float>, 4> weights;
    for (Tensor<float>& w : weights) w = random.uniform<float>({kChannels, kChannels}, -a, a);
    const Tensor<float> x = random.normal<float>({1, n, kChannels});
    AttentionAttrs heads;
    heads.q_heads = heads.kv_heads = kHeads;
    double fastest = INFINITY;
    for (double all = 0; all <= kEnough;) {
        checkpoint();
        const auto start = std::chrono::steady_clock::now();
        linear(attention(linear(x, weights[0]), linear(x, weights[1]), linear(x, weights[2]), heads), weights[3]);
        const double ms = 1e3 * std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        fastest = std::min(fastest, std::max(ms, 0.1));  // clocks of browsers may stand still for that long
        all += std::max(ms, 0.1);
    }
    return fastest;
}

}  // namespace

Json words(const Json& question) {
    const Index many = words_in(question, kMostWords);
    Json rows = Json::array(), curves = Json::object();
    for (const auto& [what, of] : kCounted) {
        const double before = of(cost(kFew)), after = of(cost(many));
        rows.push_back({{"what", what}, {"few", before}, {"many", after}, {"times", after / before}});
    }
    for (const auto& [what, of] : std::span(kCounted).last(3))
        for (Index decade = 10; decade < kMostWords; decade *= 10)
            for (const Index n : {decade, 2 * decade, 5 * decade}) curves[what].push_back(Json::array({n, of(cost(n))}));
    return {{"few", kFew}, {"words", many}, {"rows", rows}, {"curves", curves}};
}

Json words_time(const Json& question) {
    const Index words = words_in(question, kMostTimed);
    const double few = time_of_forward(kFew), many = time_of_forward(words);
    return {{"few", few}, {"many", many}, {"times", many / few}};
}

}  // namespace gradproof::web
