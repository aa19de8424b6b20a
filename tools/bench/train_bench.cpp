// Training steps of the block model, and the update of its optimiser alone.
#include <benchmark/benchmark.h>

#include "nn/layers.hpp"
#include "nn/optimiser.hpp"
#include "nn/trainer.hpp"
#include "ops/reduce.hpp"
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
BENCHMARK(train_block)->Name("train/block")->Arg(256)->Arg(64)->Arg(1);

/// An update of AdamW alone, of one matrix of n x n and a bias.
void adamw_step(benchmark::State& state) {
    const Index n = state.range(0);
    Linear<float> layer(n, n);
    ParameterTree<float> tree(layer, 1);
    Step<float> step(tree);
    step.begin();
    step.backward(sum(layer.forward(step, Var<float>(ones<float>({1, n})))));
    Optimiser<float> optimiser(tree, {.kind = OptimiserKind::adamw, .weight_decay = 0.01});
    for (auto _ : state) {
        optimiser.update(step, tree, 1e-3);
        benchmark::ClobberMemory();
    }
}
BENCHMARK(adamw_step)->Name("adamw")->Arg(64)->Arg(1024);

}  // namespace
}  // namespace gradproof
