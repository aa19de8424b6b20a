// Log-softmax along one axis: formula, forward, backward, samples, registration.
#include "gradproof/ops/log_softmax.hpp"

#include "gradproof/ops/row_loops.hpp"

namespace gradproof {
namespace {

template <class T>
bool minus_infinite(const T& x) {
    return primal(x) == -std::numeric_limits<base_t<T>>::infinity();
}

struct LogSoftmax {
    static constexpr OpInfo info{
        .name = "log_softmax",
        .inputs = "x",
        .forward = "y = (x - max(x))/t - log(sum(exp((x - max(x))/t)))",
        .backward = "dx = (dy - exp(y) * sum(dy)) / t",
        .saves = "y",
        .source = "Bridle 1990",
    };
    using Attrs = LogSoftmaxAttrs;
    template <Scalar T>
    struct Saved {
        Tensor<T> y;
        static void fields(auto& s, auto&& f) { f("y", s.y); }
    };

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 1);
        const Tensor<T>& x = in[0];
        if (!(a.temperature > 0) || !std::isfinite(a.temperature))
            value_error("log_softmax: temperature is {}, expected a positive finite number", a.temperature);
        const RowLayout at(x.shape(), normal_axis("log_softmax", a.axis, x.rank()));
        const T t(static_cast<base_t<T>>(a.temperature));
        Tensor<T> y(x.shape());
        saved.y = y;
        const T* xs = x.data();
        T* ys = y.data();
        for_rows(at.rows(), at.n, [&](Index r) {
            const T* row = xs + at.start(r);
            T* out = ys + at.start(r);
            const auto m = row_max<T>(at.n, [&](Index i) { return row[i * at.inner]; });
            // A score of -inf is a constant: y = -inf whatever the others are. The shift is one too: its tangent would cancel.
            const T masked(-std::numeric_limits<base_t<T>>::infinity());
            for (Index i = 0; i < at.n * at.inner; i += at.inner)
                out[i] = minus_infinite(row[i]) ? masked : T((row[i] - T(m)) / t);
            if (minus_infinite(m)) return;
            const T log_sum = log(row_sum<T>(at.n, [&](Index i) { return T(exp(out[i * at.inner])); }));
            for (Index i = 0; i < at.n * at.inner; i += at.inner) out[i] = minus_infinite(out[i]) ? masked : T(out[i] - log_sum);
        });
        return y;
    }

    // y_i = x_i/t - log(sum_j exp(x_j/t)):  dy_i/dx_j = (delta_ij - exp(y_j)) / t.
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        if (!dx.needs(0)) return;
        const Tensor<T>& y = saved.y;
        const RowLayout at(y.shape(), normal_axis("log_softmax", a.axis, y.rank()));
        const T t(static_cast<base_t<T>>(a.temperature));
        Tensor<T> g(y.shape());
        const T *ys = y.data(), *dys = dy.data();
        T* gs = g.data();
        for_rows(at.rows(), at.n, [&](Index r) {
            const Index start = at.start(r);
            const T *yr = ys + start, *dyr = dys + start;
            T* out = gs + start;
            // Where y = -inf it is constant: its dy leads nowhere.
            const T total =
                row_sum<T>(at.n, [&](Index i) { return minus_infinite(yr[i * at.inner]) ? T(0) : dyr[i * at.inner]; });
            for (Index i = 0; i < at.n * at.inner; i += at.inner)
                out[i] = minus_infinite(yr[i]) ? T(0) : T((dyr[i] - exp(yr[i]) * total) / t);
        });
        dx.add(0, std::move(g));
    }

    static std::vector<Sample<LogSoftmax>> samples() {
        return {
            {"rows", {}, {{3, 5}}},
            {"first axis", {.axis = 0}, {{4, 3}}},
            {"middle axis with temperature", {.axis = -2, .temperature = 0.7}, {{2, 3, 4}}},
            {"more than eight scores", {.temperature = 2.5}, {{2, 19}}},
            {"size 1", {}, {{3, 1}}, {.zero_gradient = true, .why = "a softmax of one score is constant"}},
            {"size 0", {}, {{4, 0}}, {.zero_gradient = true, .why = "no entries"}},
            {"masked rows",
             {},
             {Tensor<double>::from({2, 3}, {0.3, -INFINITY, 1.1, -INFINITY, -INFINITY, -INFINITY})},
             {.finite_differences = true, .why = "scores of -inf have no neighbourhood"}},
            {"huge scores",
             {},
             {Tensor<double>::from({2, 3}, {1e30, 1e30, -1e30, -1e30, -1e30, 1e30})},
             {.finite_differences = true, .why = "a step of relative size 1e-3 moves a score of 1e30 by 1e27"}},
        };
    }
    static std::vector<ErrorSample<LogSoftmax>> error_samples() {
        return {
            {"axis out of range", {.axis = -3}, {{2, 3}}, "log_softmax: axis is -3"},
            {"scalar", {}, {Arg(Shape{})}, "log_softmax: axis is -1"},
            {"negative temperature", {.temperature = -1}, {{3}}, "log_softmax: temperature is -1"},
            {"infinite temperature", {.temperature = INFINITY}, {{3}}, "log_softmax: temperature is inf"},
            {"two inputs", {}, {{3}, {3}}, "log_softmax: takes 1 inputs"},
        };
    }
};

}  // namespace

GRADPROOF_OP(LogSoftmax);
GRADPROOF_FUNCTION_1(log_softmax, LogSoftmax);

}  // namespace gradproof
