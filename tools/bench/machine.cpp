// Measures peaks with loops over the widest registers of the instruction set in use.
#include "tools/bench/machine.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>

#include "gradproof/ops/kernels/kernels.hpp"

namespace gradproof::bench {
namespace {

/// Processor time of this thread, which does not grow while other work runs.
double processor_seconds() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Twelve independent chains hide the latency of two units. The instruction set is an attribute of each function, so the rest of
// this file runs on any processor. Each function returns the number of operations it has done.
#define GRADPROOF_PEAK(name, T, bytes, attribute)                                                                         \
    attribute double name(long rounds) {                                                                                  \
        typedef T Vec __attribute__((vector_size(bytes)));                                                                \
        constexpr int kChains = 12;                                                                                       \
        Vec c[kChains], a{}, b{};                                                                                         \
        for (Vec & v : c) v = a + T(1);                                                                                   \
        a = a + T(0.999), b = b + T(1e-3);                                                                                \
        benchmark::DoNotOptimize(a);                                                                                      \
        benchmark::DoNotOptimize(b);                                                                                      \
        for (long i = 0; i < rounds; ++i) _Pragma("GCC unroll 12") for (int j = 0; j < kChains; ++j) c[j] = c[j] * a + b; \
        for (Vec & v : c) benchmark::DoNotOptimize(v);                                                                    \
        return 2.0 * kChains * static_cast<double>(rounds) * static_cast<double>(bytes / sizeof(T));                      \
    }
#if defined(__x86_64__)
GRADPROOF_PEAK(peak_float_avx512, float, 64, __attribute__((target("avx512f,fma"))))
GRADPROOF_PEAK(peak_double_avx512, double, 64, __attribute__((target("avx512f,fma"))))
GRADPROOF_PEAK(peak_float_avx2, float, 32, __attribute__((target("avx2,fma"))))
GRADPROOF_PEAK(peak_double_avx2, double, 32, __attribute__((target("avx2,fma"))))
#endif
GRADPROOF_PEAK(peak_float_baseline, float, 16, )
GRADPROOF_PEAK(peak_double_baseline, double, 16, )

using Loop = double (*)(long rounds);
template <class T>
Loop peak_loop() {
    constexpr bool is_float = sizeof(T) == 4;
#if defined(__x86_64__)
    if (arch_name() == "avx512") return is_float ? peak_float_avx512 : peak_double_avx512;
    if (arch_name() == "avx2") return is_float ? peak_float_avx2 : peak_double_avx2;
#endif
    return is_float ? peak_float_baseline : peak_double_baseline;
}

}  // namespace

template <class T>
void Peak<T>::sample() {
    const double start = processor_seconds();
    operations_ += peak_loop<T>()(50'000);
    seconds_ += processor_seconds() - start;
}
template class Peak<float>;
template class Peak<double>;

double peak_of_threads(int count) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::jthread> threads;
    for (int n = 0; n < count; ++n) threads.emplace_back([] { peak_loop<float>()(20'000'000); });
    threads.clear();
    return count * 1.0 / std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
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
