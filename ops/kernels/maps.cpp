// The kernels of ops that work element by element: activations, exp, and add, sub and mul of one shape.
#include "gradproof/core/algebra/products.hpp"
#include "gradproof/core/kernel.hpp"
#include "gradproof/core/platform/threads.hpp"
#include "gradproof/ops/activations.hpp"
#include "gradproof/ops/kernels/kernels.hpp"

namespace gradproof {
namespace {

/// Calls run(first, count) on ranges that cover n elements, in parallel where there are many.
template <class Run>
void over_elements(Index n, Run run) {
    parallel_for(n, row_grain(1), [&](Index begin, Index end) { run(begin, end - begin); });
}

enum class Kept { x, y };

/// A kernel of an op of one input whose page saves x or y. K picks its maps out of the table: `value(attrs, kernels)`,
/// `slope(attrs, kernels)`.
template <class K, Kept kept, class OpAttrs = NoFields>
struct UnaryKernel {
    using Attrs = OpAttrs;
    static constexpr std::string_view kSaved = kept == Kept::x ? "x" : "y";

    template <class T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, SavedTensors<T>& saved) {
        const Tensor<T>& x = in[0];
        Tensor<T> y(x.shape());
        const auto run = K::value(a, kernels<T>());
        over_elements(y.size(), [&](Index at, Index n) { run(x.data() + at, y.data() + at, n); });
        saved[kSaved] = kept == Kept::x ? x : y;
        return y;
    }
    template <class T>
    static void backward(const Attrs& a, const SavedTensors<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        if (!dx.needs(0)) return;
        const Tensor<T>& x = saved[kSaved];
        Tensor<T> g(dy.shape());
        const auto run = K::slope(a, kernels<T>());
        over_elements(g.size(), [&](Index at, Index n) { run(x.data() + at, dy.data() + at, g.data() + at, n); });
        dx.add(0, std::move(g));
    }
};

struct ExpKernel : UnaryKernel<ExpKernel, Kept::y> {
    static constexpr KernelInfo info{.op = "exp", .name = "simd"};
    static auto value(const Attrs&, const auto& k) { return k.exp; }
    static auto slope(const Attrs&, const auto& k) { return k.mul; }
};
struct TanhKernel : UnaryKernel<TanhKernel, Kept::y> {
    static constexpr KernelInfo info{.op = "tanh", .name = "simd"};
    static auto value(const Attrs&, const auto& k) { return k.tanh; }
    static auto slope(const Attrs&, const auto& k) { return k.tanh_backward; }
};
struct SigmoidKernel : UnaryKernel<SigmoidKernel, Kept::y> {
    static constexpr KernelInfo info{.op = "sigmoid", .name = "simd"};
    static auto value(const Attrs&, const auto& k) { return k.sigmoid; }
    static auto slope(const Attrs&, const auto& k) { return k.sigmoid_backward; }
};
struct ReluKernel : UnaryKernel<ReluKernel, Kept::y> {
    static constexpr KernelInfo info{.op = "relu", .name = "simd"};
    static auto value(const Attrs&, const auto& k) { return k.relu; }
    static auto slope(const Attrs&, const auto& k) { return k.relu_backward; }
};
struct SiluKernel : UnaryKernel<SiluKernel, Kept::x> {
    static constexpr KernelInfo info{.op = "silu", .name = "simd"};
    static auto value(const Attrs&, const auto& k) { return k.silu; }
    static auto slope(const Attrs&, const auto& k) { return k.silu_backward; }
};
struct GeluKernel : UnaryKernel<GeluKernel, Kept::x, GeluAttrs> {
    static constexpr KernelInfo info{.op = "gelu", .name = "simd"};
    static auto value(const Attrs& a, const auto& k) { return a.form == GeluForm::tanh ? k.gelu_tanh : k.gelu; }
    static auto slope(const Attrs& a, const auto& k) { return a.form == GeluForm::tanh ? k.gelu_tanh_backward : k.gelu_backward; }
};

/// y = run(a, b) of two tensors of one shape.
template <class T>
Tensor<T> zipped(typename Kernels<T>::Zip run, const Tensor<T>& a, const Tensor<T>& b) {
    Tensor<T> y(a.shape());
    over_elements(y.size(), [&](Index at, Index n) { run(a.data() + at, b.data() + at, y.data() + at, n); });
    return y;
}

/// A kernel of an op of two inputs, of one shape here. Broadcasting is left to the page.
struct BinaryKernel {
    using Attrs = NoFields;
    static bool fits(const Attrs&, const InputShapes& x) { return x[0] == x[1]; }
};
struct AddKernel : BinaryKernel {
    static constexpr KernelInfo info{.op = "add", .name = "simd"};
    template <class T>
    static Tensor<T> forward(const Attrs&, Inputs<T> in, SavedTensors<T>&) {
        return zipped(kernels<T>().add, in[0], in[1]);
    }
};
struct SubKernel : BinaryKernel {
    static constexpr KernelInfo info{.op = "sub", .name = "simd"};
    template <class T>
    static Tensor<T> forward(const Attrs&, Inputs<T> in, SavedTensors<T>&) {
        return zipped(kernels<T>().sub, in[0], in[1]);
    }
};
struct MulKernel : BinaryKernel {
    static constexpr KernelInfo info{.op = "mul", .name = "simd"};
    template <class T>
    static Tensor<T> forward(const Attrs&, Inputs<T> in, SavedTensors<T>& saved) {
        saved["a"] = in[0];
        saved["b"] = in[1];
        return zipped(kernels<T>().mul, in[0], in[1]);
    }
    template <class T>
    static void backward(const Attrs&, const SavedTensors<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        if (dx.needs(0)) dx.add(0, zipped(kernels<T>().mul, dy, saved["b"]));
        if (dx.needs(1)) dx.add(1, zipped(kernels<T>().mul, dy, saved["a"]));
    }
};

/// The same functions for the words of core/algebra.
template <class T>
FastMaps<T> maps_of_words() {
    return {
        .exp = [](const T* x, T* y,
                  Index n) { over_elements(n, [=](Index at, Index m) { kernels<T>().exp(x + at, y + at, m); }); },
        .tanh = [](const T* x, T* y,
                   Index n) { over_elements(n, [=](Index at, Index m) { kernels<T>().tanh(x + at, y + at, m); }); },
        .sigmoid = [](const T* x, T* y,
                      Index n) { over_elements(n, [=](Index at, Index m) { kernels<T>().sigmoid(x + at, y + at, m); }); },
    };
}
[[maybe_unused]] const bool kOffered =
    (fast_maps<float> = maps_of_words<float>(), fast_maps<double> = maps_of_words<double>(), true);

}  // namespace

GRADPROOF_KERNEL(ExpKernel, float, double);
GRADPROOF_KERNEL(TanhKernel, float, double);
GRADPROOF_KERNEL(SigmoidKernel, float, double);
GRADPROOF_KERNEL(ReluKernel, float, double);
GRADPROOF_KERNEL(SiluKernel, float, double);
GRADPROOF_KERNEL(GeluKernel, float, double);
GRADPROOF_KERNEL(AddKernel, float, double);
GRADPROOF_KERNEL(SubKernel, float, double);
GRADPROOF_KERNEL(MulKernel, float, double);

}  // namespace gradproof
