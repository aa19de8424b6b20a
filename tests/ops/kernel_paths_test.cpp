// Ops with a fast path give the same values and gradients on their readable path.
#include <gtest/gtest.h>

#include "gradproof/core/random.hpp"
#include "gradproof/core/registry.hpp"
#include "gradproof/ops/kernels/kernels.hpp"

namespace gradproof {
namespace {

/// The largest |a - b| relative to the largest |b| (or 1).
template <class T>
double path_distance(const Tensor<T>& a, const Tensor<T>& b) {
    EXPECT_EQ(a.shape(), b.shape());
    double worst = 0, scale = 1;
    for (Index i = 0; i < a.size(); ++i) {
        if (isnan(a[i]) && isnan(b[i])) continue;
        if (a[i] == b[i]) continue;
        scale = std::max(scale, static_cast<double>(abs(b[i])));
        worst = std::max(worst, isfinite(a[i]) && isfinite(b[i]) ? static_cast<double>(abs(a[i] - b[i])) : HUGE_VAL);
    }
    return worst / scale;
}

template <class T>
struct Run {
    Tensor<T> y;
    std::vector<Tensor<T>> dx;
};

template <class T>
Run<T> run(const OpEntry& entry, const SampleCase& sample) {
    Random rng(11);
    Tape<T> tape;
    std::vector<Var<T>> xs;
    for (const Arg& arg : sample.args) {
        Tensor<double> x = arg.values;
        if (!arg.present) {
            xs.emplace_back();
            continue;
        }
        if (!x.defined())
            x = arg.draw == Distribution::normal ? rng.normal<double>(arg.shape) : rng.uniform<double>(arg.shape, 0.5, 0.9);
        xs.push_back(tape.leaf(cast<T>(x)));
    }
    std::vector<const Var<T>*> pointers;
    for (const auto& x : xs) pointers.push_back(&x);
    const Var<T> y = call(entry.table<T>(), sample.attrs.get(), std::span<const Var<T>* const>(pointers));
    tape.backward(y, rng.normal<T>(y.shape()));
    Run<T> out{y.value(), {}};
    for (const auto& x : xs)
        if (x.on_tape()) out.dx.push_back(tape.grad(x));
    return out;
}

template <class T>
void expect_same_paths(std::string_view op) {
    const OpEntry& entry = registry().find(op);
    for (const SampleCase& sample : entry.samples())
        for (const std::string& arch : archs()) {
            SCOPED_TRACE(std::string(op) + ", " + sample.name + ", " + arch);
            const ArchScope on(arch);
            const Run<T> fast = run<T>(entry, sample);
            const KernelScope reference("plain");
            const Run<T> plain = run<T>(entry, sample);
            // Both paths are within some 30 roundings of the truth on samples of at most a few hundred terms.
            const double tolerance = 128 * static_cast<double>(std::numeric_limits<T>::epsilon());
            EXPECT_LE(path_distance(fast.y, plain.y), tolerance);
            for (std::size_t i = 0; i < fast.dx.size(); ++i)
                EXPECT_LE(path_distance(fast.dx[i], plain.dx[i]), tolerance) << "input " << i;
        }
}

/// Every op in the registry: those without a fast path pass trivially, those that gain one are held to it at once.
TEST(KernelPaths, AgreeWithTheReadablePathOnEverySample) {
    for (const auto& entry : registry().all()) {
        expect_same_paths<float>(entry->info.name);
        expect_same_paths<double>(entry->info.name);
    }
}

}  // namespace
}  // namespace gradproof
