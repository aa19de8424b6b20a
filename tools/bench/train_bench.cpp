// Training steps of the block model and of a language model, and the update of an optimiser alone.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "gradproof/core/platform/threads.hpp"
#include "gradproof/nn/layers.hpp"
#include "gradproof/nn/optimiser.hpp"
#include "gradproof/nn/train/expression_training.hpp"
#include "gradproof/nn/train/text_training.hpp"
#include "gradproof/ops/reduce.hpp"
#include "tools/bench/allocations.hpp"

namespace gradproof {
namespace {

/// One training step of the block model: batch, forward, backward, gradient norm, Adam.
void train_block(benchmark::State& state) {
    const auto training = make_expression_training(
        {.model = ModelKind::block, .epochs = 1, .batch = state.range(0), .optimiser = {.kind = OptimiserKind::adam}});
    for (int i = 0; i < 3; ++i) training->step();
    const bench::Allocations taken;
    for (auto _ : state) benchmark::DoNotOptimize(training->step().loss);
    state.counters["allocations"] = taken.per(state);
}
BENCHMARK(train_block)->Name("train/block")->Arg(256)->Arg(64)->Arg(1);

/// A random text of 73 symbols, since the time of a step does not depend on the text.
class AnyText {
  public:
    AnyText() : path_(std::filesystem::temp_directory_path() / fmt::format("gradproof_bench_{}.txt", ::getpid())) {
        Random random(1);
        std::ofstream out(path_);
        for (int i = 0; i < 200000; ++i) out << static_cast<char>('0' + random.below(73));
    }
    ~AnyText() {
        std::error_code error;
        std::filesystem::remove(path_, error);
    }
    AnyText(const AnyText&) = delete;
    AnyText& operator=(const AnyText&) = delete;
    std::string path() const { return path_.string(); }

  private:
    std::filesystem::path path_;
};

/// One training step of a language model of a million parameters: 16 windows of 128 symbols, 5 blocks of 4 heads, width 128.
void train_language_model(benchmark::State& state, int thread_count) {
    const AnyText text;
    const auto training = make_text_training(
        {.data = text.path(), .model = {.context = 128, .layers = 5, .heads = 4, .channels = 128}, .batch = 16});
    set_threads(thread_count);
    for (int i = 0; i < 2; ++i) training->step();
    const bench::Allocations taken;
    for (auto _ : state) benchmark::DoNotOptimize(training->step().loss);
    state.counters["allocations"] = taken.per(state);
    state.counters["symbols"] = benchmark::Counter(16 * 128, benchmark::Counter::kIsIterationInvariantRate);
    set_threads(1);
}
BENCHMARK_CAPTURE(train_language_model, one, 1)->Name("train/language_model");
BENCHMARK_CAPTURE(train_language_model, two, 2)->Name("train/language_model_2_threads")->UseRealTime();

/// Only an update of AdamW, for a matrix of n x n and a bias.
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
