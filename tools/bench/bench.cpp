// The benchmarks: tape overhead, training steps, ops, system allocations per step. tools/bench/run sets them beside PyTorch.
#include <benchmark/benchmark.h>

#include <fmt/format.h>

#include "gradproof/core/platform/threads.hpp"
#include "gradproof/core/random.hpp"
#include "gradproof/ops/activations.hpp"
#include "gradproof/ops/arithmetic.hpp"
#include "gradproof/ops/cross_entropy.hpp"
#include "gradproof/ops/kernels/blas.hpp"
#include "gradproof/ops/kernels/kernels.hpp"
#include "gradproof/ops/layer_norm.hpp"
#include "gradproof/ops/matmul.hpp"
#include "gradproof/ops/reduce.hpp"
#include "gradproof/ops/softmax.hpp"
#include "tools/bench/allocations.hpp"
#include "tools/bench/machine.hpp"

namespace gradproof {
namespace {

using bench::Allocations;
using benchmark::State;

constexpr int kLinks = 100;  // of scale and tanh: 200 nodes, then the sum

/// A chain of 200 nodes on a 4 x 4 tensor and its sum: forward and backward.
void tape_chain(State& state) {
    const Tensor<float> x0 = Random(1).normal<float>({4, 4});
    Tape<float> tape;
    const auto body = [&] {
        tape.reset();
        const Var<float> x = tape.leaf(x0);
        Var<float> y = x;
        for (int i = 0; i < kLinks; ++i) y = tanh(scale(y, {.factor = 1.01}));
        tape.backward(sum(y));
        benchmark::DoNotOptimize(tape.cotangent(x.node()).data());
    };
    body();
    const Allocations taken;
    for (auto _ : state) body();
    state.counters["allocations"] = taken.per(state);
}
BENCHMARK(tape_chain)->Name("tape/chain_of_200");

/// y = factor x, the same plain loop as in the op.
void scale_loop(const float* x, float factor, float* y, Index n) {
    for (Index i = 0; i < n; ++i) y[i] = factor * x[i];
}

/// Only the arithmetic of tape_chain: the same kernels and loops on existing buffers.
void chain_arithmetic(State& state) {
    constexpr Index n = 16;
    const Tensor<float> x0 = Random(1).normal<float>({4, 4});
    Tensor<float> s({kLinks, n}), y({kLinks + 1, n}), g({n});
    const Kernels<float>& k = kernels<float>();
    std::copy(x0.begin(), x0.end(), y.begin());
    for (auto _ : state) {
        for (Index i = 0; i < kLinks; ++i) {
            scale_loop(y.data() + i * n, 1.01f, s.data() + i * n, n);
            k.tanh(s.data() + i * n, y.data() + (i + 1) * n, n);
        }
        float total = 0;
        for (Index i = 0; i < n; ++i) total += y[kLinks * n + i];
        benchmark::DoNotOptimize(total);
        g.fill(1);
        for (Index i = kLinks; i-- > 0;) {
            k.tanh_backward(y.data() + (i + 1) * n, g.data(), g.data(), n);
            scale_loop(g.data(), 1.01f, g.data(), n);
        }
        benchmark::DoNotOptimize(g.data());
        benchmark::ClobberMemory();
    }
}
BENCHMARK(chain_arithmetic)->Name("tape/arithmetic_of_200");

/// Forward and backward of an op on leaves of the given shapes.
template <class F>
void both_ways(State& state, const std::vector<Shape>& shapes, F f) {
    Random rng(2);
    std::vector<Tensor<float>> xs;
    for (const Shape& s : shapes) xs.push_back(rng.normal<float>(s));
    Tape<float> tape;
    std::vector<Var<float>> leaves(xs.size());
    Tensor<float> dy;
    const auto body = [&] {
        tape.reset();
        for (std::size_t i = 0; i < xs.size(); ++i) leaves[i] = tape.leaf(xs[i]);
        const Var<float> y = f(leaves);
        if (!dy.defined()) dy = rng.normal<float>(y.shape());
        tape.backward(y, dy);
        benchmark::DoNotOptimize(tape.cotangent(0).data());
    };
    body();
    const Allocations taken;
    for (auto _ : state) body();
    state.counters["allocations"] = taken.per(state);
}
void softmax_op(State& s) {
    both_ways(s, {{s.range(0), s.range(1)}}, [](const auto& x) { return softmax(x[0]); });
}
void layer_norm_op(State& s) {
    both_ways(s, {{s.range(0), s.range(1)}, {s.range(1)}, {s.range(1)}},
              [](const auto& x) { return layer_norm(x[0], x[1], x[2]); });
}
void matmul_op(State& s) {
    both_ways(s, {{s.range(0), s.range(0)}, {s.range(0), s.range(0)}}, [](const auto& x) { return matmul(x[0], x[1]); });
    s.counters["GFLOP/s"] = benchmark::Counter(6.0 * static_cast<double>(s.range(0) * s.range(0) * s.range(0)) * 1e-9,
                                               benchmark::Counter::kIsIterationInvariantRate);
}
void gelu_op(State& s) {
    both_ways(s, {{s.range(0)}}, [](const auto& x) { return gelu(x[0]); });
}
void cross_entropy_op(State& s) {
    Tensor<Index> ids(Shape{s.range(0)});
    Random rng(4);
    for (Index& id : ids) id = rng.below(s.range(1));
    both_ways(s, {{s.range(0), s.range(1)}}, [&](const auto& x) { return cross_entropy(x[0], {.ids = ids}); });
}
void cross_entropy_readable(State& s) {
    const KernelScope reference("plain");
    cross_entropy_op(s);
}
BENCHMARK(cross_entropy_readable)->Name("cross_entropy/readable")->Args({64, 50000});
BENCHMARK(cross_entropy_op)->Name("cross_entropy")->Args({64, 10})->Args({64, 50000});
BENCHMARK(softmax_op)->Name("softmax")->Args({512, 8})->Args({64, 128})->Args({64, 1024});
BENCHMARK(layer_norm_op)->Name("layer_norm")->Args({512, 64})->Args({512, 768});
BENCHMARK(matmul_op)->Name("matmul")->Arg(64)->Arg(256)->Arg(512);
BENCHMARK(gelu_op)->Name("gelu")->Arg(1024)->Arg(65536);

}  // namespace
}  // namespace gradproof

int main(int argc, char** argv) {
    using namespace gradproof;
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    set_threads(1);
    benchmark::AddCustomContext("kernels", std::string(arch_name()));
    benchmark::AddCustomContext("BLAS core", blas_core());
    benchmark::AddCustomContext("threads", std::to_string(threads()));
    bench::Peak<float> peak_float;
    bench::Peak<double> peak_double;
    for (int i = 0; i < 200; ++i) peak_float.sample(), peak_double.sample();
    benchmark::AddCustomContext(
        "peak", fmt::format("float {:.0f} GFLOP/s, double {:.0f} GFLOP/s, copy {:.1f} GB/s; two threads reach {:.2f} of one",
                            peak_float.rate() * 1e-9, peak_double.rate() * 1e-9, bench::copy_gigabytes_per_second(),
                            bench::peak_of_threads(2) / bench::peak_of_threads(1)));
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}
