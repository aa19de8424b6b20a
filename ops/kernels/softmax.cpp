// Softmax and log-softmax over the last axis, row by row: the kernels of both.
#include "gradproof/ops/softmax.hpp"

#include <cmath>

#include "gradproof/core/kernel.hpp"
#include "gradproof/core/platform/threads.hpp"
#include "gradproof/ops/kernels/kernels.hpp"
#include "gradproof/ops/log_softmax.hpp"

namespace gradproof {
namespace {

/// A kernel over rows whose page saves y. K picks its two directions out of the table: `value(kernels)`, `slope(kernels)`.
template <class K, class OpAttrs>
struct RowsKernel {
    using Attrs = OpAttrs;

    static bool fits(const Attrs& a, const InputShapes& x) {
        const bool last = a.axis == -1 || a.axis == x[0].rank() - 1;
        return x[0].rank() > 0 && last && x[0].size() > 0 && a.temperature > 0 && std::isfinite(a.temperature);
    }
    template <class T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, SavedTensors<T>& saved) {
        const Tensor<T>& x = in[0];
        Tensor<T> y(x.shape());
        const Index n = x.shape().last();
        parallel_for(x.size() / n, row_grain(n), [&](Index begin, Index end) {
            K::value(kernels<T>())(x.data() + begin * n, y.data() + begin * n, end - begin, n, T(a.temperature));
        });
        return saved["y"] = y;
    }
    template <class T>
    static void backward(const Attrs& a, const SavedTensors<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        if (!dx.needs(0)) return;
        const Tensor<T>& y = saved["y"];
        Tensor<T> g(y.shape());
        const Index n = y.shape().last();
        parallel_for(y.size() / n, row_grain(n), [&](Index begin, Index end) {
            const Index at = begin * n;
            K::slope(kernels<T>())(y.data() + at, dy.data() + at, g.data() + at, end - begin, n, T(a.temperature));
        });
        dx.add(0, std::move(g));
    }
};

struct SoftmaxRows : RowsKernel<SoftmaxRows, SoftmaxAttrs> {
    static constexpr KernelInfo info{.op = "softmax", .name = "simd"};
    static auto value(const auto& k) { return k.softmax; }
    static auto slope(const auto& k) { return k.softmax_backward; }
};
struct LogSoftmaxRows : RowsKernel<LogSoftmaxRows, LogSoftmaxAttrs> {
    static constexpr KernelInfo info{.op = "log_softmax", .name = "simd"};
    static auto value(const auto& k) { return k.log_softmax; }
    static auto slope(const auto& k) { return k.log_softmax_backward; }
};

}  // namespace

GRADPROOF_KERNEL(SoftmaxRows, float, double);
GRADPROOF_KERNEL(LogSoftmaxRows, float, double);

}  // namespace gradproof
