// The mechanisms at sizes that take several tasks: the same bits for every thread count, and what the readable path gives.
#include <gtest/gtest.h>

#include <functional>

#include "gradproof/core/platform/threads.hpp"
#include "gradproof/core/random.hpp"
#include "gradproof/ops/additive_attention.hpp"
#include "gradproof/ops/alibi.hpp"
#include "gradproof/ops/bilinear_attention.hpp"
#include "gradproof/ops/conv1d.hpp"
#include "gradproof/ops/hard_attention.hpp"
#include "gradproof/ops/kernels/kernels.hpp"
#include "gradproof/ops/linear_attention.hpp"
#include "gradproof/ops/lstm.hpp"
#include "gradproof/ops/relative_attention.hpp"
#include "gradproof/ops/rnn.hpp"
#include "gradproof/ops/rotary.hpp"
#include "gradproof/ops/sigmoid_attention.hpp"
#include "tests/ops/waves.hpp"

namespace gradproof {
namespace {

template <class T>
using VarsOf = std::vector<Var<T>>;

/// A mechanism, and shapes of inputs that are worth several tasks.
template <class T>
struct Path {
    std::string name;
    std::vector<Shape> shapes;
    std::function<Var<T>(const VarsOf<T>&)> run;
};
template <class T>
std::vector<Path<T>> paths() {
    const Shape q{2, 8, 40, 16}, k{2, 8, 50, 16}, v{2, 8, 50, 12};
    return {
        {"rnn",
         {{40, 12, 32}, {32, 40}, {40, 40}, {40}, {40, 40}},
         [](const auto& x) { return rnn(x[0], x[1], x[2], {.bias = x[3], .state = x[4]}); }},
        {"lstm",
         {{40, 9, 32}, {32, 96}, {24, 96}, {96}, {40, 24}, {40, 24}},
         [](const auto& x) { return lstm(x[0], x[1], x[2], {.bias = x[3], .state = x[4], .cell = x[5]}); }},
        {"conv1d",
         {{3, 300, 24}, {5, 24, 32}, {32}},
         [](const auto& x) { return conv1d(x[0], x[1], x[2], {.padding = Padding::same}); }},
        {"linear_attention",
         {{2, 8, 200, 16}, {2, 8, 200, 16}, {2, 8, 200, 12}},
         [](const auto& x) { return linear_attention(x[0], x[1], x[2], {.causal = true}); }},
        {"rotary", {{2, 8, 100, 16}}, [](const auto& x) { return rotary(x[0], {.pairs = RotaryPairs::half}); }},
        {"alibi", {{12}}, [](const auto& x) { return alibi(x[0], {.queries = 70, .keys = 80}); }},
        {"relative_attention",
         {q, k, v, {9, 16}, {9, 12}},
         [](const auto& x) { return relative_attention(x[0], x[1], x[2], x[3], x[4], {.causal = true}); }},
        {"additive_attention", {q, k, v, {16}}, [](const auto& x) { return additive_attention(x[0], x[1], x[2], x[3]); }},
        {"bilinear_attention",
         {q, k, v, {16, 16}},
         [](const auto& x) { return bilinear_attention(x[0], x[1], x[2], x[3], {.scale = 0.2}); }},
        {"sigmoid_attention", {q, k, v}, [](const auto& x) { return sigmoid_attention(x[0], x[1], x[2]); }},
        {"hard_attention", {q, k, v}, [](const auto& x) { return hard_attention(x[0], x[1], x[2]); }},
    };
}

/// y and every gradient, one after the other.
template <class T>
std::vector<Tensor<T>> results(const Path<T>& c) {
    Tape<T> tape;
    VarsOf<T> x;
    for (const Shape& s : c.shapes)
        x.push_back(tape.leaf(cast<T>(Random(3).stream(x.size()).template normal<double>(s, 0, 0.3))));
    const Var<T> y = c.run(x);
    tape.backward(y, cast<T>(Random(4).template normal<double>(y.shape())));
    std::vector<Tensor<T>> out{y.value()};
    for (const auto& leaf : x) out.push_back(tape.grad(leaf));
    return out;
}

TEST(Mechanisms, GiveTheSameBitsForEveryThreadCount) {
    const int before = threads();
    for (const Path<float>& c : paths<float>()) {
        set_threads(1);
        const auto alone = results(c);
        for (const int n : {2, 5}) {
            set_threads(n);
            const auto shared = results(c);
            for (std::size_t i = 0; i < alone.size(); ++i)
                EXPECT_TRUE(std::equal(alone[i].begin(), alone[i].end(), shared[i].begin())) << c.name << ' ' << i;
        }
    }
    set_threads(before);
}

TEST(Mechanisms, FastAndReadablePathsAgree) {
    for (const Path<double>& c : paths<double>()) {
        const auto fast = results(c);
        const KernelScope readable("plain");
        const auto plain = results(c);
        for (std::size_t i = 0; i < fast.size(); ++i) {
            double largest = 0;
            for (const double x : plain[i]) largest = std::max(largest, std::abs(x));
            // Sums of some thousand terms, each off by a few roundings.
            EXPECT_TRUE(testing::near(fast[i], plain[i], 1e-13 * (1 + largest))) << c.name << ' ' << i;
        }
    }
}

}  // namespace
}  // namespace gradproof
