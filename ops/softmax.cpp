// Softmax along one axis: formula, forward, backward, samples, registration.
#include "gradproof/ops/softmax.hpp"

#include "gradproof/core/xt.hpp"

namespace gradproof {
namespace {

struct Softmax {
    static constexpr OpInfo info{
        .name = "softmax",
        .inputs = "x",
        .forward = "y = exp(x/t - max(x/t)) / sum(exp(x/t - max(x/t)))",
        .backward = "dx = y * (dy - sum(dy * y)) / t",
        .saves = "y",
        .source = "Bridle 1990",
    };
    using Attrs = SoftmaxAttrs;
    template <Scalar T>
    struct Saved {
        Tensor<T> y;
        static void fields(auto& s, auto&& f) { f("y", s.y); }
    };

    static int check(const Attrs& a, const Shape& x) {
        if (!(a.temperature > 0) || !std::isfinite(a.temperature))
            value_error("softmax: temperature is {}, expected a positive finite number", a.temperature);
        return normal_axis("softmax", a.axis, x.rank());
    }

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 1);
        const Tensor<T>& x = in[0];
        const auto axis = static_cast<std::size_t>(check(a, x.shape()));
        Tensor<T> y(x.shape());
        saved.y = y;
        if (x.size() == 0) return y;
        Shape row = x.shape();
        row[static_cast<int>(axis)] = 1;
        Tensor<T> m(row), sum(row);
        auto&& xs = array(x);
        auto&& ys = array(y);
        xt::noalias(array(m)) = xt::amax(xs, {axis}, kKeep);
        // A row of -inf has no largest score: shifting by 0 keeps it at exp(-inf) = 0 instead of NaN.
        for (T& v : m) v = where(primal(v) > -std::numeric_limits<base_t<T>>::max(), v, T(0));
        xt::noalias(ys) = xt::exp((xs - array(m)) / T(a.temperature));
        xt::noalias(array(sum)) = xt::sum(ys, {axis}, kKeep);
        for (T& v : sum) v = where(primal(v) > 0, v, T(1));
        xt::noalias(ys) = ys / array(sum);
        return y;
    }

    // y = softmax(x / t):  dy_i/dx_j = y_i (delta_ij - y_j) / t, so  dx = y * (dy - sum(dy * y)) / t.
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        if (!dx.needs(0)) return;
        const Tensor<T>& y = saved.y;
        Tensor<T> g(y.shape());
        if (y.size() > 0) {
            const auto axis = static_cast<std::size_t>(normal_axis("softmax", a.axis, y.rank()));
            Shape row = y.shape();
            row[static_cast<int>(axis)] = 1;
            Tensor<T> inner(row);
            auto&& ys = array(y);
            auto&& dys = array(dy);
            xt::noalias(array(inner)) = xt::sum(dys * ys, {axis}, kKeep);
            xt::noalias(array(g)) = ys * (dys - array(inner)) / T(a.temperature);
        }
        dx.add(0, std::move(g));
    }

    static std::vector<Sample<Softmax>> samples() {
        return {
            {"rows", {}, {{3, 5}}},
            {"first axis", {.axis = 0}, {{4, 3}}},
            {"middle axis with temperature", {.axis = 1, .temperature = 0.7}, {{2, 3, 4}}},
            {"one row", {}, {{6}}},
            {"size 1", {}, {{3, 1}}, {.zero_gradient = true, .why = "a softmax of one score is constant"}},
            {"size 0", {}, {{0, 4}}, {.zero_gradient = true, .why = "no entries"}},
            {"masked row",
             {},
             {Tensor<double>::from({2, 3}, {0.3, -INFINITY, 1.1, -INFINITY, -INFINITY, -INFINITY})},
             {.finite_differences = true, .why = "scores of -inf have no neighbourhood"}},
            {"huge scores",
             {},
             {Tensor<double>::from({2, 3}, {1e30, 1e30, -1e30, -1e30, -1e30, 1e30})},
             {.finite_differences = true, .why = "a step of relative size 1e-3 moves a score of 1e30 by 1e27"}},
        };
    }
    static std::vector<ErrorSample<Softmax>> error_samples() {
        return {
            {"axis out of range", {.axis = 2}, {{2, 3}}, "softmax: axis is 2"},
            {"scalar", {}, {Arg(Shape{})}, "softmax: axis is -1"},
            {"zero temperature", {.temperature = 0}, {{3}}, "softmax: temperature is 0"},
            {"two inputs", {}, {{3}, {3}}, "softmax: takes 1 inputs"},
        };
    }
};

}  // namespace

GRADPROOF_OP(Softmax);
GRADPROOF_FUNCTION_1(softmax, Softmax);

template <Scalar T>
Tensor<T> softmax_jacobian(const Tensor<T>& p) {
    if (p.rank() != 1) shape_error("softmax_jacobian: p is {}, expected one row [n]", p.shape());
    const Index n = p.size();
    Tensor<T> j({n, n});
    for (Index i = 0; i < n; ++i)
        for (Index k = 0; k < n; ++k) j[i * n + k] = p[i] * (T(i == k ? 1 : 0) - p[k]);
    return j;
}
template Tensor<float> softmax_jacobian(const Tensor<float>&);
template Tensor<double> softmax_jacobian(const Tensor<double>&);
template Tensor<Dual<double>> softmax_jacobian(const Tensor<Dual<double>>&);

}  // namespace gradproof
