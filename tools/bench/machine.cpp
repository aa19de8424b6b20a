// Peaks by loops over the widest registers of the instruction set in use.
#include "tools/bench/machine.hpp"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <vector>

#include <benchmark/benchmark.h>

#include "ops/kernels/kernels.hpp"

namespace gradproof::bench {
namespace {

/// Processor time of this process: other work on the machine does not count.
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Twelve independent chains hide the latency of two units. An attribute per function, so that this file runs anywhere.
#define GRADPROOF_PEAK(name, T, bytes, attribute)                                                        \
    attribute double name() {                                                                            \
        typedef T Vec __attribute__((vector_size(bytes)));                                               \
        constexpr int kChains = 12;                                                                      \
        constexpr long kRounds = 2'000'000;                                                              \
        Vec c[kChains], a{}, b{};                                                                        \
        for (Vec& v : c) v = a + T(1);                                                                   \
        a = a + T(0.999), b = b + T(1e-3);                                                               \
        benchmark::DoNotOptimize(a);                                                                     \
        benchmark::DoNotOptimize(b);                                                                     \
        const double start = processor_seconds();                                             \
        for (long i = 0; i < kRounds; ++i)                                                               \
            _Pragma("GCC unroll 12") for (int j = 0; j < kChains; ++j) c[j] = c[j] * a + b;               \
        const double seconds = (processor_seconds() - start);                                                     \
        for (Vec& v : c) benchmark::DoNotOptimize(v);                                                    \
        return 2.0 * kChains * kRounds * static_cast<double>(bytes / sizeof(T)) / seconds * 1e-9;        \
    }
#if defined(__x86_64__)
GRADPROOF_PEAK(peak_float_avx512, float, 64, __attribute__((target("avx512f,fma"))))
GRADPROOF_PEAK(peak_double_avx512, double, 64, __attribute__((target("avx512f,fma"))))
GRADPROOF_PEAK(peak_float_avx2, float, 32, __attribute__((target("avx2,fma"))))
GRADPROOF_PEAK(peak_double_avx2, double, 32, __attribute__((target("avx2,fma"))))
#endif
GRADPROOF_PEAK(peak_float_baseline, float, 16, )
GRADPROOF_PEAK(peak_double_baseline, double, 16, )

double best_of(double (*peak)()) {
    double best = 0;
    for (int i = 0; i < 5; ++i) best = std::max(best, peak());
    return best;
}

}  // namespace

double peak_gflops_float() {
#if defined(__x86_64__)
    if (arch_name() == "avx512") return best_of(peak_float_avx512);
    if (arch_name() == "avx2") return best_of(peak_float_avx2);
#endif
    return best_of(peak_float_baseline);
}
double peak_gflops_double() {
#if defined(__x86_64__)
    if (arch_name() == "avx512") return best_of(peak_double_avx512);
    if (arch_name() == "avx2") return best_of(peak_double_avx2);
#endif
    return best_of(peak_double_baseline);
}

double copy_gigabytes_per_second() {
    constexpr std::size_t kBytes = std::size_t{256} << 20;
    std::vector<char> from(kBytes, 1), to(kBytes, 2);
    double best = 0;
    for (int i = 0; i < 5; ++i) {
        const double start = processor_seconds();
        std::memcpy(to.data(), from.data(), kBytes);
        benchmark::DoNotOptimize(to.data());
        best = std::max(best, 2.0 * static_cast<double>(kBytes) / (processor_seconds() - start) * 1e-9);
    }
    return best;
}

}  // namespace gradproof::bench
