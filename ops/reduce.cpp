// Reductions over axes: formula, forward, backward, samples, registration of sum, mean, max, var, logsumexp.
#include "gradproof/ops/reduce.hpp"

#include "gradproof/core/algebra.hpp"

namespace gradproof {
namespace {

/// The axes of one call, and its results with them kept and as asked for.
struct Over {
    Axes axes;
    Shape kept, out;
    Index n;  ///< elements that make one of the result
    Over(const OpInfo& info, const Shape& x, const Axes& named, bool keep)
        : axes(normal_axes(info.name, named, x.rank())),
          kept(reduced_shape(x, axes, true)),
          out(reduced_shape(x, axes, keep)),
          n(1) {
        for (const Index axis : axes) n *= x[static_cast<int>(axis)];
    }
    Over(const OpInfo& info, const Shape& x, const ReduceAttrs& a) : Over(info, x, a.axes, a.keep_dims) {}
    void expect_elements(const OpInfo& info, const Shape& x) const {
        if (n == 0 && kept.size() > 0) shape_error("{}: nothing to reduce: x is {}, the axes hold 0 elements", info.name, x);
    }
};

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
        {"two inputs", {}, {{3}, {3}}, "takes 1 input"},
    };
}

struct Sum {
    static constexpr OpInfo info{"sum", "x", "y = sum(x)", "dx = dy", "", "elementary calculus; Higham 1993"};
    using Attrs = ReduceAttrs;
    template <Scalar T>
    using Saved = NoFields;

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>&) {
        expect_inputs(info, in, 1);
        const Over over(info, in[0].shape(), a);
        return sum(in[0], over.axes).reshape(over.out);
    }
    // y_j = sum_i x_ij, so  dx_ij = dy_j.
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx) {
        if (dx.needs(0)) dx.add(0, broadcast_to(dy.reshape(Over(info, dx.shape(0), a).kept), dx.shape(0)));
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
    static constexpr OpInfo info{"mean", "x", "y = sum(x) / n", "dx = dy / n", "", "elementary calculus; Higham 1993"};
    using Attrs = ReduceAttrs;
    template <Scalar T>
    using Saved = NoFields;

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>&) {
        expect_inputs(info, in, 1);
        const Over over(info, in[0].shape(), a);
        over.expect_elements(info, in[0].shape());
        return mean(in[0], over.axes).reshape(over.out);
    }
    // y_j = sum_i x_ij / n, so  dx_ij = dy_j / n.
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx) {
        if (!dx.needs(0)) return;
        const Over over(info, dx.shape(0), a);
        dx.add(0, broadcast_to((dy / over.n).reshape(over.kept), dx.shape(0)));
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

struct Max {
    static constexpr OpInfo info{
        "max", "x", "y = max(x)", "dx = dy / ties where x = y, else 0", "x y", "subgradient of the maximum"};
    using Attrs = ReduceAttrs;
    template <Scalar T>
    struct Saved {
        Tensor<T> x, y;
    };

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 1);
        const Over over(info, in[0].shape(), a);
        over.expect_elements(info, in[0].shape());
        saved = {in[0], amax(in[0], over.axes)};
        return saved.y.reshape(over.out);
    }
    // y_j = max_i x_ij, so  dx_ij = dy_j for the largest, 0 for the others; equal largest ones share dy_j.
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        if (!dx.needs(0)) return;
        const Over over(info, saved.x.shape(), a);
        const Tensor<bool> largest = equal(saved.x, saved.y);
        const Tensor<T> ties = sum(where(largest, ones<T>(saved.x.shape()), 0), over.axes);
        dx.add(0, where(largest, divide_or_zero(dy.reshape(over.kept), ties), 0));
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
    static constexpr OpInfo info{"var",
                                 "x",
                                 "y = sum((x - m)^2) / (n - correction), m = mean(x)",
                                 "dx = 2 (x - m) / (n - correction) dy",
                                 "x m",
                                 "Chan, Golub and LeVeque 1983"};
    using Attrs = VarAttrs;
    template <Scalar T>
    struct Saved {
        Tensor<T> x, m;
    };

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 1);
        if (!(a.correction >= 0) || !std::isfinite(a.correction))
            value_error("var: correction is {}, expected a finite number >= 0", a.correction);
        const Over over(info, in[0].shape(), a.axes, a.keep_dims);
        if (static_cast<double>(over.n) <= a.correction && over.kept.size() > 0)
            shape_error("var: too few elements: x is {}, the axes hold {}, correction is {}", in[0].shape(), over.n,
                        a.correction);
        saved = {in[0], mean(in[0], over.axes)};
        const Tensor<T> d = saved.x - saved.m;
        return (sum(d * d, over.axes) / (static_cast<double>(over.n) - a.correction)).reshape(over.out);
    }
    // y = sum_i (x_i - m)^2 / c;  m moves with x too, but sum_i (x_i - m) = 0, so  dx_i = 2 (x_i - m) / c dy.
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        if (!dx.needs(0)) return;
        const Over over(info, saved.x.shape(), a.axes, a.keep_dims);
        dx.add(0, (saved.x - saved.m) * dy.reshape(over.kept) * (2 / (static_cast<double>(over.n) - a.correction)));
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
    static constexpr OpInfo info{"logsumexp",
                                 "x",
                                 "y = m + log(s), s = sum(exp(x - m)), m = max(x)",
                                 "dx = exp(x - m) / s dy",
                                 "x m s",
                                 "Blanchard, Higham and Higham 2021"};
    using Attrs = ReduceAttrs;
    // Not y: in m + log(s) a large m swallows log(s), and exp(x - y) would not sum to 1.
    template <Scalar T>
    struct Saved {
        Tensor<T> x, m, s;
    };

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 1);
        const Over over(info, in[0].shape(), a);
        // The shift is a constant: y does not depend on it. An infinite one is the value itself: nothing finite can move it.
        const Tensor<T> m = constant(amax(in[0], over.axes)), s = sum(exp(in[0] - m), over.axes);
        saved = {in[0], m, s};
        return where(isinf(m), m, m + log(s)).reshape(over.out);
    }
    // y = log(sum_i exp(x_i)), so  dx_i = exp(x_i) / sum_k exp(x_k) dy = exp(x_i - m) / s dy.
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        if (!dx.needs(0)) return;
        const Tensor<T> each = dy.reshape(Over(info, saved.x.shape(), a).kept) / saved.s;
        dx.add(0, where(isinf(saved.m), 0, exp(saved.x - saved.m) * each));
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
