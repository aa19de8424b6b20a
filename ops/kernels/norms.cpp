// The kernels of layer_norm and rms_norm: rows in parallel, gains and biases added up over them pairwise.
#include <algorithm>
#include <cmath>

#include "gradproof/core/algebra.hpp"
#include "gradproof/core/kernel.hpp"
#include "gradproof/core/platform/threads.hpp"
#include "gradproof/ops/kernels/row_loops.hpp"
#include "gradproof/ops/layer_norm.hpp"
#include "gradproof/ops/rms_norm.hpp"

namespace gradproof {
namespace {

/// Whether x has entries and what comes after it, where given, has as many as x has columns.
bool is_normed(double eps, const InputShapes& x) {
    if (!(eps >= 0) || !std::isfinite(eps) || x[0].rank() == 0 || x[0].last() == 0) return false;
    for (int i = 1; i < x.size(); ++i)
        if (x.has(i) && !(x[i] == Shape{x[0].last()})) return false;
    return true;
}
template <class T>
const T* data_of(const Tensor<T>& x) {
    return x.defined() ? x.data() : nullptr;
}

struct LayerNormRows {
    static constexpr KernelInfo info{.op = "layer_norm", .name = "simd"};
    using Attrs = LayerNormAttrs;
    static bool fits(const Attrs& a, const InputShapes& x) { return is_normed(a.eps, x); }

    template <class T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, SavedTensors<T>& saved) {
        const Tensor<T>& x = in[0];
        const Index n = x.shape().last(), rows = x.size() / n;
        const bool affine = in.has(1) || in.has(2);
        Tensor<T> xhat(x.shape()), rstd(reduced_shape(x.shape(), {x.rank() - 1}, true)), y = affine ? Tensor<T>(x.shape()) : xhat;
        const T *gain = in.has(1) ? in[1].data() : nullptr, *bias = in.has(2) ? in[2].data() : nullptr;
        parallel_for(rows, row_grain(n), [&](Index begin, Index end) {
            const Index at = begin * n;
            kernels<T>().layer_norm(x.data() + at, gain, bias, y.data() + at, affine ? xhat.data() + at : nullptr,
                                    rstd.data() + begin, end - begin, n, T(a.eps));
        });
        saved["xhat"] = xhat;
        saved["rstd"] = rstd;
        if (gain) saved["gain"] = in[1];
        return y;
    }

    template <class T>
    static void backward(const Attrs&, const SavedTensors<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const Tensor<T>&xhat = saved["xhat"], &rstd = saved["rstd"], &gain = saved["gain"];
        const Index n = xhat.shape().last(), rows = rstd.size();
        if (dx.needs(0)) {
            Tensor<T> g(xhat.shape());
            parallel_for(rows, row_grain(n), [&](Index begin, Index end) {
                const Index at = begin * n;
                kernels<T>().layer_norm_backward(xhat.data() + at, rstd.data() + begin, data_of(gain), dy.data() + at,
                                                 g.data() + at, nullptr, nullptr, end - begin, n);
            });
            dx.add(0, std::move(g));
        }
        if (!dx.needs(1) && !dx.needs(2)) return;
        Tensor<T> both({2, n});  // dgain and dbias
        add_up_rows(0, rows, 2 * n, both.data(), [&](Index first, Index count, T* to) {
            const Index at = first * n;
            std::fill_n(to, 2 * n, T(0));
            kernels<T>().layer_norm_backward(xhat.data() + at, rstd.data() + first, nullptr, dy.data() + at, nullptr,
                                             dx.needs(1) ? to : nullptr, dx.needs(2) ? to + n : nullptr, count, n);
        });
        for (const int i : {1, 2})
            if (dx.needs(i)) dx.add(i, entry(both, 0, i - 1));
    }
};

struct RmsNormRows {
    static constexpr KernelInfo info{.op = "rms_norm", .name = "simd"};
    using Attrs = RmsNormAttrs;
    static bool fits(const Attrs& a, const InputShapes& x) { return is_normed(a.eps, x); }

    template <class T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, SavedTensors<T>& saved) {
        const Tensor<T>& x = in[0];
        const Index n = x.shape().last(), rows = x.size() / n;
        Tensor<T> rrms(reduced_shape(x.shape(), {x.rank() - 1}, true)), y(x.shape());
        const T* gain = in.has(1) ? in[1].data() : nullptr;
        parallel_for(rows, row_grain(n), [&](Index begin, Index end) {
            const Index at = begin * n;
            kernels<T>().rms_norm(x.data() + at, gain, y.data() + at, rrms.data() + begin, end - begin, n, T(a.eps));
        });
        saved["x"] = x;
        saved["rrms"] = rrms;
        if (gain) saved["gain"] = in[1];
        return y;
    }

    template <class T>
    static void backward(const Attrs&, const SavedTensors<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const Tensor<T>&x = saved["x"], &rrms = saved["rrms"], &gain = saved["gain"];
        const Index n = x.shape().last(), rows = rrms.size();
        if (dx.needs(0)) {
            Tensor<T> g(x.shape());
            parallel_for(rows, row_grain(n), [&](Index begin, Index end) {
                const Index at = begin * n;
                kernels<T>().rms_norm_backward(x.data() + at, rrms.data() + begin, data_of(gain), dy.data() + at, g.data() + at,
                                               nullptr, end - begin, n);
            });
            dx.add(0, std::move(g));
        }
        if (!dx.needs(1)) return;
        Tensor<T> dgain({n});
        add_up_rows(0, rows, n, dgain.data(), [&](Index first, Index count, T* to) {
            std::fill_n(to, n, T(0));
            kernels<T>().rms_norm_backward(x.data() + first * n, rrms.data() + first, nullptr, dy.data() + first * n, nullptr, to,
                                           count, n);
        });
        dx.add(1, std::move(dgain));
    }
};

}  // namespace

GRADPROOF_KERNEL(LayerNormRows, float, double);
GRADPROOF_KERNEL(RmsNormRows, float, double);

}  // namespace gradproof
