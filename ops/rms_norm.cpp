// Root-mean-square normalisation: formula, forward, backward, samples, registration.
#include "gradproof/ops/rms_norm.hpp"

#include "gradproof/ops/row_loops.hpp"

namespace gradproof {
namespace {

struct RmsNorm {
    static constexpr OpInfo info{
        .name = "rms_norm",
        .inputs = "x gain?",
        .forward = "xhat = x * rrms; rrms = 1/sqrt(mean(x^2) + eps); y = xhat * gain",
        .backward = "dxhat = dy * gain; dx = rrms * (dxhat - xhat * mean(dxhat * xhat)); dgain = sum(dy * xhat)",
        .saves = "x rrms gain",
        .source = "Zhang and Sennrich 2019",
    };
    using Attrs = RmsNormAttrs;
    template <Scalar T>
    struct Saved {
        Tensor<T> x, rrms, gain;
        static void fields(auto& s, auto&& f) {
            f("x", s.x);
            f("rrms", s.rrms);
            f("gain", s.gain);
        }
    };

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        if (in.size() < 1 || in.size() > 2 || !in.has(0))
            shape_error("rms_norm: takes 1 or 2 inputs ({}), got {}", info.inputs, in.size());
        const Tensor<T>& x = in[0];
        if (x.rank() == 0) shape_error("rms_norm: x is {}, expected rank 1 or more", x.shape());
        const RowLayout at(x.shape(), x.rank() - 1);
        const Index n = at.n;
        if (in.has(1) && !(in[1].shape() == Shape{n}))
            shape_error("rms_norm: gain does not fit x: gain is {}, x is {}, expected [{}]", in[1].shape(), x.shape(), n);
        if (!(a.eps >= 0) || !std::isfinite(a.eps)) value_error("rms_norm: eps is {}, expected a finite number >= 0", a.eps);
        saved.x = x;
        saved.rrms = Tensor<T>(Shape{at.rows()});
        if (in.has(1)) saved.gain = in[1];
        Tensor<T> y(x.shape());
        const T* gain = in.has(1) ? in[1].data() : nullptr;
        const T* xs = x.data();
        T *rs = saved.rrms.data(), *ys = y.data();
        const T eps(static_cast<base_t<T>>(a.eps)), size(static_cast<base_t<T>>(std::max<Index>(n, 1)));
        for_rows(at.rows(), n, [&](Index r) {
            const T* row = xs + r * n;
            T* out = ys + r * n;
            const T v = row_sum<T>(n, [&](Index i) { return row[i] * row[i]; }) / size + eps;
            const T rrms = primal(v) == 0 ? T(0) : T(T(1) / sqrt(v));
            rs[r] = rrms;
            if (gain)
                for (Index i = 0; i < n; ++i) out[i] = row[i] * rrms * gain[i];
            else
                for (Index i = 0; i < n; ++i) out[i] = row[i] * rrms;
        });
        return y;
    }

    // xhat = x * rrms: rrms depends on every x of the row, drrms/dx_i = -rrms^3 x_i / C.
    template <Scalar T>
    static void backward(const Attrs&, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const Index n = saved.x.shape().last(), rows = saved.rrms.size();
        const T *xs = saved.x.data(), *rs = saved.rrms.data(), *dys = dy.data();
        if (dx.needs(0)) {
            Tensor<T> g(saved.x.shape());
            T* gs = g.data();
            const T* gain = saved.gain.defined() ? saved.gain.data() : nullptr;
            const T size(static_cast<base_t<T>>(std::max<Index>(n, 1)));
            for_rows(rows, n, [&](Index r) {
                const T *row = xs + r * n, *dyr = dys + r * n;
                T* out = gs + r * n;
                for (Index i = 0; i < n; ++i) out[i] = gain ? T(dyr[i] * gain[i]) : dyr[i];
                const T slope = row_sum<T>(n, [&](Index i) { return out[i] * row[i]; }) * rs[r] * rs[r] / size;
                for (Index i = 0; i < n; ++i) out[i] = rs[r] * (out[i] - row[i] * slope);
            });
            dx.add(0, std::move(g));
        }
        gain_backward(saved, dy, dx);
    }

    // y = xhat * gain
    template <Scalar T>
    static void gain_backward(const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const Index n = saved.x.shape().last(), rows = saved.rrms.size();
        const T *xs = saved.x.data(), *rs = saved.rrms.data(), *dys = dy.data();
        if (dx.needs(1)) {
            Tensor<T> g(Shape{n}, T(0));
            T* gs = g.data();
            for (Index r = 0; r < rows; ++r)
                for (Index i = 0; i < n; ++i) gs[i] += dys[r * n + i] * (xs[r * n + i] * rs[r]);
            dx.add(1, std::move(g));
        }
    }

    static std::vector<Sample<RmsNorm>> samples() {
        return {
            {"plain", {}, {{3, 5}}},
            {"gain", {}, {{2, 3, 4}, {4}}},
            {"large eps", {.eps = 0.5}, {{3, 4}, {4}}},
            {"one row of more than eight", {}, {{19}, {19}}},
            {"size 1", {.eps = 0.1}, {{3, 1}, {1}}},
            {"no rows", {}, {{0, 4}, {4}}, {.zero_gradient = true, .why = "no entries"}},
            {"no columns", {}, {{3, 0}, {0}}, {.zero_gradient = true, .why = "no entries"}},
            {"a row of zeros",
             {.eps = 0},
             {Tensor<double>::from({2, 3}, {0, 0, 0, 1, -1, 3})},
             {.finite_differences = true, .why = "0/0: y is 0 by convention"}},
        };
    }
    static std::vector<ErrorSample<RmsNorm>> error_samples() {
        return {
            {"scalar", {}, {Arg(Shape{})}, "rms_norm: x is [], expected rank 1"},
            {"gain of another size", {}, {{2, 3}, {2}}, "rms_norm: gain does not fit x: gain is [2], x is [2, 3]"},
            {"eps not a number", {.eps = NAN}, {{2, 3}}, "rms_norm: eps is nan"},
            {"three inputs", {}, {{2, 3}, {3}, {3}}, "rms_norm: takes 1 or 2 inputs"},
        };
    }
};

}  // namespace

GRADPROOF_OP(RmsNorm);
GRADPROOF_FUNCTION_1(rms_norm, RmsNorm);
GRADPROOF_FUNCTION_2(rms_norm, RmsNorm);

}  // namespace gradproof
