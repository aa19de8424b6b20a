// Decoding one token of a sequence of length S, compared with the memory traffic of its keys and values and with the whole
// forward.
#include <benchmark/benchmark.h>

#include <string>
#include <type_traits>

#include "gradproof/core/random.hpp"
#include "gradproof/nn/layers.hpp"
#include "tools/bench/allocations.hpp"
#include "tools/bench/machine.hpp"

namespace gradproof {
namespace {

using benchmark::State;

constexpr Index kChannels = 256, kHeads = 4;

template <class Layer>
Layer causal() {
    if constexpr (std::is_same_v<Layer, Block<float>>) {
        Layer block({.channels = kChannels, .heads = kHeads, .hidden = 4 * kChannels});
        block.attention.attrs.causal = true;
        return block;
    } else {
        Layer attention({.channels = kChannels, .heads = kHeads});
        attention.attrs.causal = true;
        return attention;
    }
}

template <class Layer>
struct Decoder {
    Layer layer = causal<Layer>();
    ParameterTree<float> tree{layer, 1};
    Step<float> step{tree};
    Decoder() { step.begin_evaluation(); }
};

double copy_speed() {
    static const double value = 1e9 * bench::copy_gigabytes_per_second();
    return value;
}

/// Repeatedly decodes the last token of a sequence of `length` tokens. The cache has room for `capacity`.
template <class Layer>
void token(State& state, Index length, Index capacity) {
    Decoder<Layer> decoder;
    KeyValueCache<float> cache = decoder.layer.cache(1, capacity);
    Random rng(2);
    const Tensor<float> x = rng.normal<float>({1, 1, kChannels});
    if (length > 1) {
        const Tensor<float> before = rng.normal<float>({1, length - 1, kChannels});
        cache.append(before, before);
    }
    const auto body = [&] {
        cache.truncate(length - 1);
        benchmark::DoNotOptimize(decoder.layer.decode(decoder.step, x, cache).data());
    };
    body();
    const bench::Allocations taken;
    for (auto _ : state) body();
    state.counters["allocations"] = taken.per(state);
    // The time for reading all keys and values once, as a share of the measured time.
    const double bytes = 2.0 * static_cast<double>(length * kChannels) * sizeof(float);
    state.counters["of_copy"] = benchmark::Counter(100 * bytes / copy_speed(), benchmark::Counter::kIsIterationInvariantRate);
}

/// A token without a cache: the whole forward.
template <class Layer>
void whole(State& state, Index length) {
    Decoder<Layer> decoder;
    const Tensor<float> x = Random(2).normal<float>({1, length, kChannels});
    for (auto _ : state) benchmark::DoNotOptimize(decoder.layer.forward(decoder.step, x).value().data());
}

[[maybe_unused]] const bool kRegistered = [] {
    const auto add = [](const std::string& name, auto f) {
        return benchmark::RegisterBenchmark(("decode/" + name).c_str(), f)->Unit(benchmark::kNanosecond);
    };
    for (const Index n : {512, 1024, 2048, 4096, 8192}) {
        add(std::to_string(n), [=](State& s) { token<MultiHeadAttention<float>>(s, n, n); });
        if (n == 512 || n == 2048 || n == 8192)
            add("whole/" + std::to_string(n), [=](State& s) { whole<MultiHeadAttention<float>>(s, n); });
    }
    for (const Index n : {1, 1024, 4096}) add("block/" + std::to_string(n), [=](State& s) { token<Block<float>>(s, n, n); });
    add("capacity/65536/1024", [](State& s) { token<MultiHeadAttention<float>>(s, 1024, 65536); });
    return true;
}();

}  // namespace
}  // namespace gradproof
