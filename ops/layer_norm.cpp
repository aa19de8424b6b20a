// Layer normalisation: formula, forward, backward, samples, registration.
#include "gradproof/ops/layer_norm.hpp"

#include "gradproof/ops/row_loops.hpp"

namespace gradproof {
namespace {

struct LayerNorm {
    static constexpr OpInfo info{
        .name = "layer_norm",
        .inputs = "x gain? bias?",
        .forward = "xhat = (x - mean(x)) * rstd; rstd = 1/sqrt(var(x) + eps); y = xhat * gain + bias",
        .backward =
            "dxhat = dy * gain; dx = rstd * (dxhat - mean(dxhat) - xhat * mean(dxhat * xhat)); "
            "dgain = sum(dy * xhat); dbias = sum(dy)",
        .saves = "xhat rstd gain",
        .source = "Ba et al. 2016",
    };
    using Attrs = LayerNormAttrs;
    template <Scalar T>
    struct Saved {
        Tensor<T> xhat, rstd, gain;
        static void fields(auto& s, auto&& f) {
            f("xhat", s.xhat);
            f("rstd", s.rstd);
            f("gain", s.gain);
        }
    };

    template <Scalar T>
    static void check(const Attrs& a, const Inputs<T>& in) {
        if (in.size() < 1 || in.size() > 3 || !in.has(0))
            shape_error("layer_norm: takes 1 to 3 inputs ({}), got {}", info.inputs, in.size());
        const Shape& x = in[0].shape();
        if (x.rank() == 0) shape_error("layer_norm: x is {}, expected rank 1 or more", x);
        for (int i = 1; i < 3; ++i)
            if (in.has(i) && !(in[i].shape() == Shape{x.last()}))
                shape_error("layer_norm: {} does not fit x: {} is {}, x is {}, expected [{}]", i == 1 ? "gain" : "bias",
                            i == 1 ? "gain" : "bias", in[i].shape(), x, x.last());
        if (!(a.eps >= 0) || !std::isfinite(a.eps)) value_error("layer_norm: eps is {}, expected a finite number >= 0", a.eps);
    }

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        check(a, in);
        const Tensor<T>& x = in[0];
        const RowLayout at(x.shape(), x.rank() - 1);
        const Index n = at.n;
        saved.xhat = Tensor<T>(x.shape());
        saved.rstd = Tensor<T>(Shape{at.rows()});
        if (in.has(1)) saved.gain = in[1];
        const bool affine = in.has(1) || in.has(2);
        Tensor<T> y = affine ? Tensor<T>(x.shape()) : saved.xhat;
        const T* gain = in.has(1) ? in[1].data() : nullptr;
        const T* bias = in.has(2) ? in[2].data() : nullptr;
        const T* xs = x.data();
        T *hats = saved.xhat.data(), *rstds = saved.rstd.data(), *ys = y.data();
        const T eps(static_cast<base_t<T>>(a.eps)), size(static_cast<base_t<T>>(std::max<Index>(n, 1)));
        for_rows(at.rows(), n, [&](Index r) {
            const T* row = xs + r * n;
            T *hat = hats + r * n, *out = ys + r * n;
            // The mean of the distances to the first element: far from 0 they are exact where a mean of x would be rounded.
            const T first = n > 0 ? row[0] : T(0);
            const T mean = row_sum<T>(n, [&](Index i) { return T(row[i] - first); }) / size;
            for (Index i = 0; i < n; ++i) hat[i] = (row[i] - first) - mean;
            // The centred sum of squares: no cancellation, however far from 0 the row lies.
            const T v = row_sum<T>(n, [&](Index i) { return hat[i] * hat[i]; }) / size + eps;
            const T rstd = primal(v) == 0 ? T(0) : T(T(1) / sqrt(v));
            rstds[r] = rstd;
            for (Index i = 0; i < n; ++i) hat[i] *= rstd;
            if (gain && bias)
                for (Index i = 0; i < n; ++i) out[i] = hat[i] * gain[i] + bias[i];
            else if (gain)
                for (Index i = 0; i < n; ++i) out[i] = hat[i] * gain[i];
            else if (bias)
                for (Index i = 0; i < n; ++i) out[i] = hat[i] + bias[i];
        });
        return y;
    }

    template <Scalar T>
    static void backward(const Attrs&, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const Tensor<T>& xhat = saved.xhat;
        const Index n = xhat.shape().last(), rows = saved.rstd.size();
        const T *hats = xhat.data(), *rstds = saved.rstd.data(), *dys = dy.data();
        // xhat = (x - mean(x)) * rstd: the mean and rstd depend on every x of the row; each gives one of the subtracted terms.
        if (dx.needs(0)) {
            Tensor<T> g(xhat.shape());
            T* gs = g.data();
            const T* gain = saved.gain.defined() ? saved.gain.data() : nullptr;
            const T size(static_cast<base_t<T>>(std::max<Index>(n, 1)));
            for_rows(rows, n, [&](Index r) {
                const T *hat = hats + r * n, *dyr = dys + r * n;
                T* out = gs + r * n;
                for (Index i = 0; i < n; ++i) out[i] = gain ? T(dyr[i] * gain[i]) : dyr[i];
                const T mean = row_sum<T>(n, [&](Index i) { return out[i]; }) / size;
                const T slope = row_sum<T>(n, [&](Index i) { return out[i] * hat[i]; }) / size;
                for (Index i = 0; i < n; ++i) out[i] = rstds[r] * (out[i] - mean - hat[i] * slope);
            });
            dx.add(0, std::move(g));
        }
        // y = xhat * gain + bias
        if (dx.needs(1)) {
            Tensor<T> g(Shape{n}, T(0));
            T* gs = g.data();
            for (Index r = 0; r < rows; ++r)
                for (Index i = 0; i < n; ++i) gs[i] += dys[r * n + i] * hats[r * n + i];
            dx.add(1, std::move(g));
        }
        if (dx.needs(2)) {
            Tensor<T> g(Shape{n}, T(0));
            T* gs = g.data();
            for (Index r = 0; r < rows; ++r)
                for (Index i = 0; i < n; ++i) gs[i] += dys[r * n + i];
            dx.add(2, std::move(g));
        }
    }

    static std::vector<Sample<LayerNorm>> samples() {
        return {
            {"plain", {}, {{3, 5}}},
            {"gain and bias", {}, {{2, 3, 4}, {4}, {4}}},
            {"gain only", {.eps = 0.1}, {{3, 4}, {4}}},
            {"bias only", {}, {{3, 4}, Arg::absent(), {4}}},
            {"one row of more than eight", {}, {{19}, {19}, {19}}},
            {"size 1", {}, {{3, 1}, {1}, {1}}},
            {"size 1, plain", {}, {{3, 1}}, {.zero_gradient = true, .why = "one value is its own mean"}},
            {"no rows", {}, {{0, 4}, {4}, {4}}, {.zero_gradient = true, .why = "no entries"}},
            {"no columns", {}, {{3, 0}, {0}, {0}}, {.zero_gradient = true, .why = "no entries"}},
            {"far from 0",
             {},
             {Tensor<double>::from({2, 3}, {1000.3, 1000.1, 999.2, -500.5, -499.9, -500.2})},
             {.finite_differences = true, .why = "a step of relative size 1e-3 is larger than the deviation"}},
            {"no variance",
             {.eps = 0},
             {Tensor<double>::from({2, 3}, {2, 2, 2, 1, -1, 3})},
             {.finite_differences = true, .why = "0/0: xhat is 0 by convention"}},
        };
    }
    static std::vector<ErrorSample<LayerNorm>> error_samples() {
        return {
            {"scalar", {}, {Arg(Shape{})}, "layer_norm: x is [], expected rank 1"},
            {"gain of another size", {}, {{2, 3}, {2}}, "layer_norm: gain does not fit x: gain is [2], x is [2, 3]"},
            {"bias of another rank", {}, {{2, 3}, {3}, {1, 3}}, "layer_norm: bias does not fit x: bias is [1, 3]"},
            {"negative eps", {.eps = -1e-5}, {{2, 3}}, "layer_norm: eps is -1e-05"},
            {"four inputs", {}, {{2, 3}, {3}, {3}, {3}}, "layer_norm: takes 1 to 3 inputs"},
        };
    }
};

}  // namespace

GRADPROOF_OP(LayerNorm);
GRADPROOF_FUNCTION_1(layer_norm, LayerNorm);
GRADPROOF_FUNCTION_2(layer_norm, LayerNorm);
GRADPROOF_FUNCTION_3(layer_norm, LayerNorm);

}  // namespace gradproof
