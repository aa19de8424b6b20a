// The kernel of cross_entropy: exponentials of a row at a time, rows in parallel.
#include "gradproof/ops/cross_entropy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gradproof/core/kernel.hpp"
#include "gradproof/core/rows.hpp"
#include "gradproof/ops/kernels/kernels.hpp"
#include "gradproof/ops/kernels/row_loops.hpp"

namespace gradproof {
namespace {

struct CrossEntropyRows {
    static constexpr KernelInfo info{.op = "cross_entropy", .name = "simd"};
    using Attrs = CrossEntropyAttrs;

    static bool ignored(const Attrs& a, Index r) { return a.ignore_index && a.ids[r] == *a.ignore_index; }

    /// What each row's loss is multiplied by: 1, or one over the rows that count.
    static double weight(const Attrs& a, Index rows) {
        if (a.reduction != Reduction::mean) return 1;
        Index counted = rows;
        for (Index r = 0; r < rows && a.ids.defined(); ++r) counted -= ignored(a, r);
        return counted > 0 ? 1 / static_cast<double>(counted) : 0;
    }

    static bool fits(const Attrs& a, const InputShapes& x) {
        if (x[0].rank() == 0 || x.has(1) == a.ids.defined()) return false;
        if (x.has(1)) return x[1] == x[0] && !a.ignore_index;
        if (!(a.ids.shape() == reduced_shape(x[0], {x[0].rank() - 1}, false))) return false;
        for (Index r = 0; r < a.ids.size(); ++r)
            if (!ignored(a, r) && (a.ids[r] < 0 || a.ids[r] >= x[0].last())) return false;
        return true;
    }

    /// t (lse - s), summed; 0 for a score of -inf that no target asks for.
    template <class T>
    static T soft_loss(const T* s, const T* t, Index n, T shift, T lse) {
        const T masked = -std::numeric_limits<T>::infinity();
        return row_sum<T>(n, [=](Index i) { return s[i] == masked && t[i] == T(0) ? T(0) : T(t[i] * (lse - (s[i] - shift))); });
    }

    template <class T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, SavedTensors<T>& saved) {
        const Index n = in[0].shape().last();
        Tensor<T> losses(reduced_shape(in[0].shape(), {in[0].rank() - 1}, false));
        const Index rows = losses.size();
        Tensor<T> max(reduced_shape(in[0].shape(), {in[0].rank() - 1}, true)), sum(max.shape());
        const T* targets = in.has(1) ? in[1].data() : nullptr;
        for_rows(rows, n, [&, scores = in[0].data(), out = losses.data(), m = max.data(), z = sum.data()](Index r) {
            const T *s = scores + r * n, *t = targets ? targets + r * n : nullptr;
            kernels<T>().sum_exp(s, m + r, z + r, n);
            if (std::isnan(z[r])) m[r] = row_max<T>(n, [=](Index i) { return s[i]; });  // the vectors' maximum loses NaN
            if (z[r] == T(0)) {  // every score is -inf: else the largest adds 1
                const bool asked = targets ? std::any_of(t, t + n, [](T v) { return v != T(0); }) : !ignored(a, r);
                out[r] = asked ? std::numeric_limits<T>::infinity() : T(0);
            } else if (targets) {
                out[r] = soft_loss(s, t, n, m[r], std::log(z[r]));
            } else {
                out[r] = ignored(a, r) ? T(0) : T(std::log(z[r]) - (s[a.ids[r]] - m[r]));
            }
        });
        saved["scores"] = in[0];
        saved["max"] = max;
        saved["sum"] = sum;
        if (targets) saved["targets"] = in[1];
        if (a.reduction == Reduction::none) return losses;
        return Tensor<T>::scalar(row_sum<T>(rows, [&](Index r) { return losses[r]; }) * static_cast<T>(weight(a, rows)));
    }

    // loss = sum(t * (lse(s) - s)):  dloss/ds_i = sum(t) softmax(s)_i - t_i,  dloss/dt_i = lse(s) - s_i.
    template <class T>
    static void backward(const Attrs& a, const SavedTensors<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const Tensor<T>&scores = saved["scores"], &max = saved["max"], &sum = saved["sum"], &targets = saved["targets"];
        const Index rows = sum.size(), n = scores.shape().last();
        const T w = static_cast<T>(weight(a, rows));
        const auto cotangent = [&, each = a.reduction == Reduction::none](Index r) { return dy[each ? r : 0] * w; };
        if (dx.needs(0)) {
            Tensor<T> g(scores.shape());
            for_rows(rows, n, [&, all = g.data()](Index r) {
                T* out = all + r * n;
                const T* t = targets.defined() ? targets.data() + r * n : nullptr;
                if (sum[r] == T(0) || (!t && ignored(a, r))) {
                    std::fill_n(out, n, T(0));
                    return;
                }
                const T d = cotangent(r), mass = t ? row_sum<T>(n, [=](Index i) { return t[i]; }) : T(1);
                kernels<T>().scaled_exp(scores.data() + r * n, max[r], d * mass / sum[r], out, n);
                for (Index i = 0; t && i < n; ++i) out[i] -= d * t[i];
                if (!t) out[a.ids[r]] -= d;
            });
            dx.add(0, std::move(g));
        }
        if (!dx.needs(1)) return;
        Tensor<T> g(scores.shape());
        for_rows(rows, n, [&, all = g.data()](Index r) {
            const T d = cotangent(r), lse = std::log(sum[r]), masked = -std::numeric_limits<T>::infinity();
            for (Index i = r * n; i < (r + 1) * n; ++i) all[i] = scores[i] == masked ? T(0) : T(d * (lse - (scores[i] - max[r])));
        });
        dx.add(1, std::move(g));
    }
};

}  // namespace

GRADPROOF_KERNEL(CrossEntropyRows, float, double);

}  // namespace gradproof
