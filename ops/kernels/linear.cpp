// The kernel of linear: product, bias and activation in blocks of rows that stay in the cache, in parallel.
#include "gradproof/ops/linear.hpp"

#include <algorithm>

#include "gradproof/core/kernel.hpp"
#include "gradproof/core/platform/threads.hpp"
#include "gradproof/ops/kernels/gemm.hpp"
#include "gradproof/ops/kernels/kernels.hpp"
#include "gradproof/ops/kernels/row_loops.hpp"

namespace gradproof {
namespace {

/// y = f(u); null for none.
template <class T>
auto value_of(Activation f, const Kernels<T>& k) -> typename Kernels<T>::Map {
    switch (f) {
        case Activation::relu: return k.relu;
        case Activation::gelu: return k.gelu;
        case Activation::gelu_tanh: return k.gelu_tanh;
        case Activation::silu: return k.silu;
        case Activation::tanh: return k.tanh;
        case Activation::sigmoid: return k.sigmoid;
        case Activation::none: break;
    }
    return nullptr;
}
/// du = f'(kept) dy, kept y or u, whichever the slope is a function of; null for none.
template <class T>
auto slope_of(Activation f, const Kernels<T>& k) -> typename Kernels<T>::Zip {
    switch (f) {
        case Activation::relu: return k.relu_backward;
        case Activation::gelu: return k.gelu_backward;
        case Activation::gelu_tanh: return k.gelu_tanh_backward;
        case Activation::silu: return k.silu_backward;
        case Activation::tanh: return k.tanh_backward;
        case Activation::sigmoid: return k.sigmoid_backward;
        case Activation::none: break;
    }
    return nullptr;
}
bool slope_is_of_output(Activation f) { return f == Activation::relu || f == Activation::tanh || f == Activation::sigmoid; }

/// Rows whose u and y stay in the second-level cache between the product and the activation, and enough of them that
/// BLAS packs w seldom. The size of a block is that of a task too.
Index block_rows(Index n) { return std::max<Index>(128, (Index{1} << 16) / std::max<Index>(n, 1)); }

/// All axes but the last, flattened.
Index rows_of(const Shape& x) {
    Index m = 1;
    for (int i = 0; i + 1 < x.rank(); ++i) m *= x[i];
    return m;
}

struct BlockedLinear {
    static constexpr KernelInfo info{.op = "linear", .name = "simd"};
    using Attrs = LinearAttrs;

    static bool fits(const Attrs& a, const InputShapes& x) {
        const auto f = static_cast<std::size_t>(a.activation);
        return f < names(a.activation).size() && x[0].rank() > 0 && x[1].rank() == 2 && x[0].last() == x[1][0] &&
               (!x.has(2) || x[2] == Shape{x[1][1]});
    }

    template <class T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, SavedTensors<T>& saved) {
        const Index m = rows_of(in[0].shape()), n = in[1].dim(1), inner = in[1].dim(0);
        Shape shape = in[0].shape();
        shape[shape.rank() - 1] = n;
        const auto value = value_of(a.activation, kernels<T>());
        const bool keep_u = value && !slope_is_of_output(a.activation);
        Tensor<T> y(shape), u = keep_u ? Tensor<T>(shape) : y;
        const T* b = in.has(2) ? in[2].data() : nullptr;
        parallel_for(m, block_rows(n), [&, x = in[0].data(), w = in[1].data(), sums = u.data()](Index begin, Index end) {
            const Index first = begin * n, count = end - begin;
            if (b)
                for (Index r = begin; r < end; ++r) std::copy(b, b + n, sums + r * n);
            gemm(false, false, count, n, inner, T(1), x + begin * inner, inner, w, n, T(b ? 1 : 0), sums + first, n);
            if (value) value(sums + first, y.data() + first, count * n);
        });
        saved["x"] = in[0];
        saved["w"] = in[1];
        if (value) saved[keep_u ? "u" : "y"] = u;
        return y;
    }

    // y = f(u):          du = f'(u) dy, made once for all three
    // u = x w + b:       dx = du wᵀ,  dw = xᵀ du,  db = sum of the rows of du
    template <class T>
    static void backward(const Attrs& a, const SavedTensors<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const Tensor<T>&x = saved["x"], &w = saved["w"], &kept = saved[slope_is_of_output(a.activation) ? "y" : "u"];
        const Index m = rows_of(x.shape()), n = w.dim(1), inner = w.dim(0);
        const auto slope = slope_of(a.activation, kernels<T>());
        Tensor<T> made = slope ? Tensor<T>(dy.shape()) : Tensor<T>(), gx = dx.needs(0) ? Tensor<T>(x.shape()) : Tensor<T>();
        const T* du = slope ? made.data() : dy.data();
        parallel_for(m, block_rows(n), [&](Index begin, Index end) {
            const Index first = begin * n, count = end - begin;
            if (slope) slope(kept.data() + first, dy.data() + first, made.data() + first, count * n);
            if (gx.defined())
                gemm(false, true, count, inner, n, T(1), du + first, n, w.data(), n, T(0), gx.data() + begin * inner, inner);
        });
        if (gx.defined()) dx.add(0, std::move(gx));
        if (dx.needs(1)) {
            Tensor<T> g(w.shape());
            gemm_tiles(true, false, inner, n, m, x.data(), du, g.data());
            dx.add(1, std::move(g));
        }
        if (dx.needs(2)) {
            Tensor<T> g({n});
            sum_columns(du, g.data(), m, n);
            dx.add(2, std::move(g));
        }
    }
};

}  // namespace

GRADPROOF_KERNEL(BlockedLinear, float, double);

}  // namespace gradproof
