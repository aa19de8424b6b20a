// Attention: forward and backward as a share of the peak of the machine, and the cases that tools/bench/run gives to PyTorch too.
#include <benchmark/benchmark.h>

#include <fstream>
#include <string>

#include "gradproof/core/platform/memory.hpp"
#include "gradproof/core/platform/threads.hpp"
#include "gradproof/core/random.hpp"
#include "gradproof/core/tape.hpp"
#include "gradproof/ops/attention.hpp"
#include "gradproof/ops/kernels/gemm.hpp"
#include "tools/bench/machine.hpp"

namespace gradproof {
namespace {

using benchmark::State;

/// The size of a call: B batch entries, H heads, length n, width d.
struct Size {
    Index B = 1, H = 1, n, d = 64;
    Shape shape() const { return {B, H, n, d}; }
    /// Operations of q kᵀ, two for each multiply-add; half of them for causal attention, those of the window for a window.
    double product(const AttentionAttrs& attrs) const {
        const Index keys = attrs.window_left >= 0 ? attrs.window_left + 1 : n;
        return (attrs.causal && attrs.window_left < 0 ? 1.0 : 2.0) * static_cast<double>(B * H * n * keys * d);
    }
};

/// A call of attention on leaves of a tape, for repeated forward and backward passes.
template <class T>
struct Call {
    Tensor<T> q, k, v, dy;
    AttentionAttrs attrs;
    Tape<T> tape{};
    Var<T> y{};

    Call(const Size& size, const AttentionAttrs& options) : attrs(options) {
        Random rng(3);
        for (Tensor<T>* x : {&q, &k, &v, &dy}) *x = rng.normal<T>(size.shape());
    }
    void forward() {
        tape.reset();
        const Var<T> leaf_q = tape.leaf(q), leaf_k = tape.leaf(k), leaf_v = tape.leaf(v);
        y = attention(leaf_q, leaf_k, leaf_v, attrs);
        benchmark::DoNotOptimize(y.value().data());
    }
    void backward() {
        tape.backward(y, dy);
        benchmark::DoNotOptimize(tape.cotangent(0).data());
    }
};

/// Times f; reports the operations of a call as percent of the peak of one core in that time.
template <class T, class F>
void measure(State& state, double operations, F f) {
    bench::Peak<T> peak;
    for (auto _ : state) {
        f();
        state.PauseTiming();
        for (int i = 0; i < 10; ++i) peak.sample();
        state.ResumeTiming();
    }
    state.counters["of_peak"] = benchmark::Counter(100 * operations / peak.rate(), benchmark::Counter::kIsIterationInvariantRate);
}

template <class T>
void forward(State& state, Size size, bool causal) {
    Call<T> call(size, {.causal = causal});
    measure<T>(state, 2 * size.product(call.attrs), [&] { call.forward(); });
}
template <class T>
void backward(State& state, Size size, bool causal) {
    Call<T> call(size, {.causal = causal});
    measure<T>(state, 5 * size.product(call.attrs), [&] {
        state.PauseTiming();
        call.forward();
        state.ResumeTiming();
        call.backward();
    });
}
void both(State& state, Size size, AttentionAttrs attrs) {
    Call<float> call(size, attrs);
    measure<float>(state, 7 * size.product(attrs), [&] { call.forward(), call.backward(); });
}
/// The matrix products alone that a call's forward and backward consist of: two and five of [n, n, d].
void products(State& state, Size size) {
    Random rng(3);
    const Tensor<float> rows = rng.normal<float>({size.n, size.d}), square = rng.normal<float>({size.n, size.n});
    Tensor<float> scores({size.n, size.n}), result({size.n, size.d});
    const float *x = rows.data(), *s = square.data();
    measure<float>(state, 7 * size.product({}), [&] {
        for (int i = 0; i < 3; ++i) gemm_tiles(false, true, size.n, size.n, size.d, x, x, scores.data());
        for (int i = 0; i < 2; ++i) gemm_tiles(false, false, size.n, size.d, size.n, s, x, result.data());
        for (int i = 0; i < 2; ++i) gemm_tiles(true, false, size.n, size.d, size.n, s, x, result.data());
    });
}
/// Measured by wall-clock time, since threads share the work.
void threaded(State& state, Size size, int count) {
    set_threads(count);
    both(state, size, {});
    set_threads(1);
}

/// Resident memory of this process in bytes: now (VmRSS) or at its maximum so far (VmHWM).
double resident(const char* field) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(field)) return 1024 * std::stod(line.substr(line.find(':') + 1));
    return 0;
}
/// Reports the memory that a call needs in addition to inputs, output and gradients, in MiB; only if it runs first, since later
/// calls reuse memory blocks.
void memory(State& state, Size size, AttentionAttrs attrs) {
    const bool first = pool::system_allocations() == 0;
    Call<float> call(size, attrs);
    std::ofstream("/proc/self/clear_refs") << 5;  // resets the maximum
    const double before = resident("VmRSS");
    measure<float>(state, 7 * size.product(attrs), [&] { call.forward(), call.backward(); });
    const double results = 4.0 * sizeof(float) * static_cast<double>(size.shape().size());
    if (first) state.counters["MiB"] = (resident("VmHWM") - before - results) / (1 << 20);
}

[[maybe_unused]] const bool kRegistered = [] {
    const auto add = [](const std::string& name, auto f) {
        return benchmark::RegisterBenchmark(("attention/" + name).c_str(), f)->Unit(benchmark::kNanosecond);
    };
    for (const bool causal : {false, true}) {
        const std::string kind = causal ? "causal" : "full";
        for (const Index d : {32, 64, 80, 128}) {
            const Size size{.n = 2048, .d = d};
            const std::string end = "/" + kind + "/2048/" + std::to_string(d);
            add("forward" + end, [=](State& s) { forward<float>(s, size, causal); });
            add("backward" + end, [=](State& s) { backward<float>(s, size, causal); });
        }
        add("double/forward/" + kind, [=](State& s) { forward<double>(s, {.n = 2048}, causal); });
        add("double/backward/" + kind, [=](State& s) { backward<double>(s, {.n = 2048}, causal); });
        for (const Index n : {512, 2048, 8192})
            add(kind + "/" + std::to_string(n), [=](State& s) { both(s, {.n = n}, {.causal = causal}); });
    }
    // Pairs for tools/bench/smoke.
    add("fused/1024", [](State& s) { both(s, {.n = 1024}, {.kernel = AttentionKernel::fused}); });
    add("products/1024", [](State& s) { products(s, {.n = 1024}); });
    add("causal/4096", [](State& s) { both(s, {.n = 4096}, {.causal = true}); });
    add("window/4096", [](State& s) { both(s, {.n = 4096}, {.causal = true, .window_left = 63}); });
    add("short/64x4x8x16", [](State& s) { both(s, {64, 4, 8, 16}, {}); });
    add("short/8x8x128x64", [](State& s) { both(s, {8, 8, 128, 64}, {}); });
    for (const int n : {1, 2}) add("threads/" + std::to_string(n), [=](State& s) { threaded(s, {.n = 4096}, n); })->UseRealTime();
    for (const Index n : {8192, 65536})
        add("window/" + std::to_string(n), [=](State& s) { both(s, {.n = n}, {.causal = true, .window_left = 511}); });
    add("long/65536", [](State& s) { memory(s, {.n = 65536}, {}); })->Iterations(1);
    return true;
}();

}  // namespace
}  // namespace gradproof
