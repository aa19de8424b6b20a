// Reductions over axes: formula, forward, backward, samples, registration of sum, mean, max, var, logsumexp.
#include "gradproof/ops/reduce.hpp"

#include "gradproof/core/rows.hpp"
#include "gradproof/ops/map.hpp"

namespace gradproof {
namespace {

/// The result of a reduction back over the shape of x: g[i] = f(i, j) for each element i of each row j.
template <class T, class F>
Tensor<T> spread(const Shape& x, std::string_view op, const Axes& axes, F f) {
    Tensor<T> g(x);
    const Shape kept = reduced_shape(x, normal_axes(op, axes, x.rank()), true);
    T* out = g.data();
    for_each_broadcast(x, x, kept, [=](Index, Index i, Index j) { out[i] = f(i, j); });
    return g;
}

template <class T>
void expect_elements(std::string_view op, const Rows<T>& rows, const Shape& x) {
    if (rows.n == 0 && rows.outer * rows.inner > 0)
        shape_error("{}: nothing to reduce: x is {}, the axes hold 0 elements", op, x);
}

template <class Op>
std::vector<Sample<Op>> reduce_samples() {
    constexpr Excuse no_entries{.zero_gradient = true, .why = "no entries"};
    return {
        {"all axes", {}, {Arg({3, 5}, Distribution::distinct)}},
        {"last axis", {.axes = {-1}}, {Arg({2, 3, 4}, Distribution::distinct)}},
        {"first axis", {.axes = {0}}, {Arg({4, 3}, Distribution::distinct)}},
        {"middle axis, kept", {.axes = {1}, .keep_dims = true}, {Arg({2, 4, 3}, Distribution::distinct)}},
        {"neighbours", {.axes = {2, 1}}, {Arg({3, 2, 4, 5}, Distribution::distinct)}},
        {"outer two", {.axes = {0, 2}}, {Arg({3, 2, 4}, Distribution::distinct)}},
        {"alternating, kept", {.axes = {-1, 1}, .keep_dims = true}, {Arg({2, 3, 5, 4}, Distribution::distinct)}},
        {"across an axis of size 1", {.axes = {0, 2}}, {Arg({3, 1, 4}, Distribution::distinct)}},
        {"long row", {}, {Arg({517}, Distribution::normal)}},
        {"long column", {.axes = {0}}, {Arg({131, 2}, Distribution::normal)}},
        {"no rows", {.axes = {1}}, {{0, 4}}, no_entries},
    };
}
template <class Op>
std::vector<ErrorSample<Op>> reduce_error_samples() {
    static const std::string name(Op::info.name);
    static const std::string high = name + ": axis is 2", low = name + ": axis is -3", twice = name + ": axis 1 is named twice";
    return {
        {"axis too high", {.axes = {2}}, {{2, 3}}, high},
        {"axis too low", {.axes = {0, -3}}, {{2, 3}}, low},
        {"axis named twice", {.axes = {1, -1}}, {{2, 3}}, twice},
        {"two inputs", {}, {{3}, {3}}, "takes 1 inputs"},
    };
}

struct Sum {
    static constexpr OpInfo info{.name = "sum",
                                 .inputs = "x",
                                 .forward = "y = sum(x)",
                                 .backward = "dx = dy",
                                 .saves = "",
                                 .source = "elementary calculus; Higham 1993"};
    using Attrs = ReduceAttrs;
    template <Scalar T>
    using Saved = NoFields;

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>&) {
        expect_inputs(info, in, 1);
        const Rows<T> rows(in[0], axis_set(info.name, a.axes, in[0].rank()), a.keep_dims);
        Tensor<T> y(rows.out);
        sum_rows(rows, y, [x = rows.x.data()](Index i, Index) { return x[i]; });
        return y;
    }
    // y_j = sum_i x_ij, so  dx_ij = dy_j.
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx) {
        if (!dx.needs(0)) return;
        dx.add(0, spread<T>(dx.shape(0), info.name, a.axes, [d = dy.data()](Index, Index j) { return d[j]; }));
    }
    static std::vector<Sample<Sum>> samples() {
        auto out = reduce_samples<Sum>();
        out.push_back({"scalar", {}, {Arg(Shape{})}});
        out.push_back({"size 0", {.axes = {0}}, {{0, 4}}, {.zero_gradient = true, .why = "no entries"}});
        return out;
    }
    static std::vector<ErrorSample<Sum>> error_samples() { return reduce_error_samples<Sum>(); }
};

struct Mean {
    static constexpr OpInfo info{.name = "mean",
                                 .inputs = "x",
                                 .forward = "y = sum(x) / n",
                                 .backward = "dx = dy / n",
                                 .saves = "",
                                 .source = "elementary calculus; Higham 1993"};
    using Attrs = ReduceAttrs;
    template <Scalar T>
    using Saved = NoFields;

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>&) {
        expect_inputs(info, in, 1);
        const Rows<T> rows(in[0], axis_set(info.name, a.axes, in[0].rank()), a.keep_dims);
        expect_elements(info.name, rows, in[0].shape());
        Tensor<T> y(rows.out);
        sum_rows(rows, y, [x = rows.x.data()](Index i, Index) { return x[i]; });
        for (T& v : y) v /= T(static_cast<base_t<T>>(rows.n));
        return y;
    }
    // y_j = sum_i x_ij / n, so  dx_ij = dy_j / n.
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx) {
        if (!dx.needs(0)) return;
        const Index n = dy.size() > 0 ? dx.shape(0).size() / dy.size() : 1;
        const T each = T(1) / T(static_cast<base_t<T>>(n));
        dx.add(0, spread<T>(dx.shape(0), info.name, a.axes, [d = dy.data(), each](Index, Index j) { return d[j] * each; }));
    }
    static std::vector<Sample<Mean>> samples() {
        auto out = reduce_samples<Mean>();
        out.push_back({"scalar", {}, {Arg(Shape{})}});
        return out;
    }
    static std::vector<ErrorSample<Mean>> error_samples() {
        auto out = reduce_error_samples<Mean>();
        out.push_back({"no elements", {.axes = {0}}, {{0, 4}}, "mean: nothing to reduce: x is [0, 4]"});
        return out;
    }
};

/// The largest element of each row, -inf for none. NaN wins.
template <class T>
Tensor<T> largest(const Rows<T>& rows) {
    constexpr Index kLanes = 16;
    constexpr T lowest = -std::numeric_limits<T>::infinity();
    Tensor<T> m(rows.out, lowest);
    T* out = m.data();
    for (Index o = 0; o < rows.outer; ++o) {
        const T* x = rows.x.data() + o * rows.n * rows.inner;
        if (rows.inner > 1) {
            for (Index k = 0; k < rows.n; ++k)
                for (Index c = 0; c < rows.inner; ++c)
                    out[o * rows.inner + c] = max(out[o * rows.inner + c], x[k * rows.inner + c]);
            continue;
        }
        std::array<T, kLanes> lanes;
        lanes.fill(lowest);
        Index k = 0;
        for (; k + kLanes <= rows.n; k += kLanes)
            for (Index l = 0; l < kLanes; ++l)
                lanes[static_cast<std::size_t>(l)] = max(lanes[static_cast<std::size_t>(l)], x[k + l]);
        for (; k < rows.n; ++k) lanes[0] = max(lanes[0], x[k]);
        for (const T& lane : lanes) out[o] = max(out[o], lane);
    }
    return m;
}

struct Max {
    static constexpr OpInfo info{.name = "max",
                                 .inputs = "x",
                                 .forward = "y = max(x)",
                                 .backward = "dx = dy / ties where x = y, else 0",
                                 .saves = "x y",
                                 .source = "subgradient of the maximum"};
    using Attrs = ReduceAttrs;
    template <Scalar T>
    struct Saved {
        Tensor<T> x, y;
        static void fields(auto& s, auto&& f) {
            f("x", s.x);
            f("y", s.y);
        }
    };

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 1);
        const Rows<T> rows(in[0], axis_set(info.name, a.axes, in[0].rank()), a.keep_dims);
        expect_elements(info.name, rows, in[0].shape());
        Tensor<T> y = largest(rows);
        if constexpr (is_dual<T>) share_tangents(rows, y);
        saved = {in[0], y};
        return y;
    }
    /// Equal largest elements share their tangents as they share the cotangent: y = m + mean over ties of (x - m).
    template <class T>
    static void share_tangents(const Rows<T>& rows, Tensor<T>& y) {
        const T* x = rows.x.data();
        Tensor<T> ties(y.shape()), tangents(y.shape());
        sum_rows(rows, ties, [=, m = y.data()](Index i, Index j) { return T(x[i] == m[j] ? 1 : 0); });
        sum_rows(rows, tangents, [=, m = y.data()](Index i, Index j) { return T(x[i] == m[j] ? x[i].tangent : 0); });
        for (Index j = 0; j < y.size(); ++j)
            if (ties[j].value > 0) y[j].tangent = tangents[j].value / ties[j].value;
    }
    // y_j = max_i x_ij, so  dx_ij = dy_j for the largest, 0 for the others; equal largest ones share dy_j.
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        if (!dx.needs(0)) return;
        const T* x = saved.x.data();
        const T* y = saved.y.data();
        const Rows<T> rows(saved.x, axis_set(info.name, a.axes, saved.x.rank()), false);
        Tensor<T> share(dy.shape());
        sum_rows(rows, share, [=, in = rows.x.data()](Index i, Index j) { return T(in[i] == y[j] ? 1 : 0); });
        for (Index j = 0; j < dy.size(); ++j) share[j] = share[j] > T(0) ? dy[j] / share[j] : T(0);
        dx.add(0, spread<T>(saved.x.shape(), info.name, a.axes,
                            [=, d = share.data()](Index i, Index j) { return x[i] == y[j] ? d[j] : T(0); }));
    }
    static std::vector<Sample<Max>> samples() {
        auto out = reduce_samples<Max>();
        out.push_back({"scalar", {}, {Arg(Shape{})}});
        constexpr Excuse kink{.finite_differences = true, .why = "the maximum has a kink where elements tie"};
        out.push_back({"ties", {.axes = {1}}, {Tensor<double>::from({2, 3}, {1, 3, 3, -2, -2, -2})}, kink});
        out.push_back({"row of -inf", {.axes = {1}}, {Tensor<double>::from({2, 2}, {-INFINITY, -INFINITY, 1, -INFINITY})}, kink});
        return out;
    }
    static std::vector<ErrorSample<Max>> error_samples() {
        auto out = reduce_error_samples<Max>();
        out.push_back({"no elements", {.axes = {0}}, {{0, 4}}, "max: nothing to reduce: x is [0, 4]"});
        return out;
    }
};

struct Variance {
    static constexpr OpInfo info{.name = "var",
                                 .inputs = "x",
                                 .forward = "y = sum((x - m)^2) / (n - correction), m = mean(x)",
                                 .backward = "dx = 2 (x - m) / (n - correction) dy",
                                 .saves = "x m",
                                 .source = "Chan, Golub and LeVeque 1983"};
    using Attrs = VarAttrs;
    template <Scalar T>
    struct Saved {
        Tensor<T> x, m;
        static void fields(auto& s, auto&& f) {
            f("x", s.x);
            f("m", s.m);
        }
    };

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 1);
        if (!(a.correction >= 0) || !std::isfinite(a.correction))
            value_error("var: correction is {}, expected a finite number >= 0", a.correction);
        const Rows<T> rows(in[0], axis_set(info.name, a.axes, in[0].rank()), a.keep_dims);
        if (static_cast<double>(rows.n) <= a.correction && rows.outer * rows.inner > 0)
            shape_error("var: too few elements: x is {}, the axes hold {}, correction is {}", in[0].shape(), rows.n,
                        a.correction);
        const T* x = rows.x.data();
        Tensor<T> m(rows.out), y(rows.out);
        sum_rows(rows, m, [=](Index i, Index) { return x[i]; });
        for (T& v : m) v /= T(static_cast<base_t<T>>(rows.n));
        sum_rows(rows, y, [=, mean = m.data()](Index i, Index j) { return (x[i] - mean[j]) * (x[i] - mean[j]); });
        for (T& v : y) v /= T(static_cast<double>(rows.n) - a.correction);
        saved = {in[0], m};
        return y;
    }
    // y = sum_i (x_i - m)^2 / c;  m moves with x too, but sum_i (x_i - m) = 0, so  dx_i = 2 (x_i - m) / c dy.
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        if (!dx.needs(0)) return;
        const Index n = dy.size() > 0 ? saved.x.size() / dy.size() : 0;
        const T factor = T(2 / (static_cast<double>(n) - a.correction));
        dx.add(0, spread<T>(saved.x.shape(), info.name, a.axes,
                            [=, x = saved.x.data(), m = saved.m.data(), d = dy.data()](Index i, Index j) {
                                return factor * (x[i] - m[j]) * d[j];
                            }));
    }
    static std::vector<Sample<Variance>> samples() {
        auto out = reduce_samples<Variance>();
        out.push_back({"sample variance", {.axes = {0}, .correction = 1}, {{4, 3}}});
        out.push_back({"large mean", {}, {Tensor<double>::from({4}, {101, 102, 104, 103})}});
        out.push_back({"scalar", {}, {Arg(Shape{})}, {.zero_gradient = true, .why = "one value has variance 0"}});
        return out;
    }
    static std::vector<ErrorSample<Variance>> error_samples() {
        auto out = reduce_error_samples<Variance>();
        out.push_back({"no elements", {.axes = {0}}, {{0, 4}}, "var: too few elements: x is [0, 4]"});
        out.push_back(
            {"one element, sample variance", {.axes = {0}, .correction = 1}, {{1, 4}}, "var: too few elements: x is [1, 4]"});
        out.push_back({"negative correction", {.correction = -1}, {{3}}, "var: correction is -1"});
        return out;
    }
};

struct LogSumExp {
    static constexpr OpInfo info{.name = "logsumexp",
                                 .inputs = "x",
                                 .forward = "y = m + log(s), s = sum(exp(x - m)), m = max(x)",
                                 .backward = "dx = exp(x - m) / s dy",
                                 .saves = "x m s",
                                 .source = "Blanchard, Higham and Higham 2021"};
    using Attrs = ReduceAttrs;
    // Not y: in m + log(s) a large m swallows log(s), and exp(x - y) would not sum to 1.
    template <Scalar T>
    struct Saved {
        Tensor<T> x, m, s;
        static void fields(auto& saved, auto&& f) {
            f("x", saved.x);
            f("m", saved.m);
            f("s", saved.s);
        }
    };

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 1);
        const Rows<T> rows(in[0], axis_set(info.name, a.axes, in[0].rank()), a.keep_dims);
        // The shift is a constant: y does not depend on it.
        Tensor<T> m = map(largest(rows), [](const T& v) { return T(primal(v)); });
        Tensor<T> y(rows.out), s(rows.out);
        sum_rows(rows, s, [x = rows.x.data(), shift = m.data()](Index i, Index j) { return exp(x[i] - shift[j]); });
        // An infinite shift is the value itself (s is NaN): nothing finite can move it.
        for (Index j = 0; j < y.size(); ++j) y[j] = isfinite(m[j]) ? m[j] + log(s[j]) : m[j];
        saved = {in[0], m, s};
        return y;
    }
    // y = log(sum_i exp(x_i)), so  dx_i = exp(x_i) / sum_k exp(x_k) dy = exp(x_i - m) / s dy.
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        if (!dx.needs(0)) return;
        Tensor<T> each(dy.shape());
        for (Index j = 0; j < dy.size(); ++j) each[j] = isinf(saved.m[j]) ? T(0) : dy[j] / saved.s[j];
        dx.add(0, spread<T>(saved.x.shape(), info.name, a.axes,
                            [x = saved.x.data(), m = saved.m.data(), d = each.data()](Index i, Index j) {
                                return isinf(m[j]) ? T(0) : exp(x[i] - m[j]) * d[j];
                            }));
    }
    static std::vector<Sample<LogSumExp>> samples() {
        auto out = reduce_samples<LogSumExp>();
        out.push_back({"scalar", {}, {Arg(Shape{})}});
        out.push_back({"size 0", {.axes = {0}}, {{0, 4}}, {.zero_gradient = true, .why = "no entries"}});
        out.push_back({"huge",
                       {.axes = {1}},
                       {Tensor<double>::from({2, 3}, {1e30, 1e30, -1e30, 800, 801, -900})},
                       {.finite_differences = true, .why = "a step of relative size 1e-3 moves 1e30 by 1e27"}});
        out.push_back({"rows with infinities",
                       {.axes = {1}},
                       {Tensor<double>::from({3, 2}, {-INFINITY, -INFINITY, 0.3, -INFINITY, INFINITY, 1})},
                       {.finite_differences = true, .why = "an infinite element has no neighbourhood"}});
        return out;
    }
    static std::vector<ErrorSample<LogSumExp>> error_samples() { return reduce_error_samples<LogSumExp>(); }
};

}  // namespace

GRADPROOF_OP(Sum);
GRADPROOF_OP(Mean);
GRADPROOF_OP(Max);
GRADPROOF_OP(Variance);
GRADPROOF_OP(LogSumExp);
GRADPROOF_FUNCTION_1(sum, Sum);
GRADPROOF_FUNCTION_1(mean, Mean);
GRADPROOF_FUNCTION_1(max, Max);
GRADPROOF_FUNCTION_1(var, Variance);
GRADPROOF_FUNCTION_1(logsumexp, LogSumExp);

}  // namespace gradproof
