// Training steps of the block model.
#include <benchmark/benchmark.h>

#include "nn/trainer.hpp"
#include "tools/bench/allocations.hpp"

namespace gradproof {
namespace {

/// One training step of the block model: batch, forward, backward, gradient norm, Adam.
void train_block(benchmark::State& state) {
    const auto training = make_training({.model = ModelKind::block, .epochs = 1, .batch = state.range(0), .optimiser = {.kind = OptimiserKind::adam}});
    for (int i = 0; i < 3; ++i) training->step();
    const bench::Allocations taken;
    for (auto _ : state) benchmark::DoNotOptimize(training->step().loss);
    state.counters["allocations"] = taken.per(state);
}
BENCHMARK(train_block)->Name("train/block")->Arg(64)->Arg(1);

}  // namespace
}  // namespace gradproof
