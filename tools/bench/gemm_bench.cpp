// Matrix products of the block model and square ones: gemm and BLAS by turns, and the ratio of their times.
#include <benchmark/benchmark.h>

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <string>

#include "gradproof/core/random.hpp"
#include "gradproof/ops/kernels/gemm.hpp"
#include "gradproof/ops/kernels/kernels.hpp"

namespace gradproof {
namespace {

/// c [m, n] = op(a) [m, k] op(b) [k, n].
struct Product {
    bool ta, tb;
    Index m, k, n;
};

/// The time of `count` calls in seconds.
template <class F>
double seconds(int count, F f) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) f();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Measures gemm and, by turns, BLAS, which a ReferenceScope selects. The reported time is that of one call of gemm.
void in_turns(benchmark::State& state, Product x) {
    constexpr int kCalls = 20;
    Random rng(5);
    const Tensor<float> a = rng.normal<float>({x.m * x.k}), b = rng.normal<float>({x.k * x.n});
    Tensor<float> c({x.m * x.n});
    const auto call = [&] {
        gemm(x.ta, x.tb, x.m, x.n, x.k, 1.0f, a.data(), x.ta ? x.m : x.k, b.data(), x.tb ? x.k : x.n, 0.0f, c.data(), x.n);
        benchmark::ClobberMemory();
    };
    double ours = 0, blas = 0;
    for (auto _ : state) {
        const double once = seconds(kCalls, call);
        state.SetIterationTime(once / kCalls);
        ours += once;
        const KernelScope reference("plain");
        blas += seconds(kCalls, call);
    }
    state.counters["blas_over_ours"] = blas / ours;
}

[[maybe_unused]] const bool kProducts = [] {
    const auto add = [](bool ta, bool tb, Index m, Index k, Index n) {
        const std::string name = fmt::format("gemm/{}{}/{}x{}x{}", ta ? 't' : 'n', tb ? 't' : 'n', m, k, n);
        benchmark::RegisterBenchmark(name.c_str(),
                                     [=](benchmark::State& s) {
                                         in_turns(s, {ta, tb, m, k, n});
                                     })
            ->Unit(benchmark::kNanosecond)
            ->UseManualTime()
            ->MinTime(0.02);
    };
    for (const Index rows : {8, 512})  // B = 1 and 64, T = 8, C = 64
        for (const auto& [in, out] : {std::array<Index, 2>{64, 64}, {64, 128}, {128, 64}, {64, 10}}) {
            add(false, false, rows, in, out);
            add(false, true, rows, out, in);  // dx = dy wᵀ
            add(true, false, in, rows, out);  // dw = xᵀ dy
        }
    for (const auto& [m, k, n] : {std::array<Index, 3>{8, 16, 16}, {8, 64, 16}, {16, 64, 16}}) add(false, false, m, k, n);
    for (const Index n : {4, 8, 16, 24, 32, 48, 64, 80, 96, 100, 128, 200, 256, 320})
        for (int flags = 0; flags < 3; ++flags) add(flags == 2, flags == 1, n, n, n);
    for (const auto& [m, k, n] : {std::array<Index, 3>{4096, 64, 64}, {512, 256, 256}}) add(false, false, m, k, n);
    return true;
}();

}  // namespace
}  // namespace gradproof
