// Running sums and products: formulas, forward, backward, samples, registration.
#include "gradproof/ops/scan.hpp"

#include "gradproof/core/algebra.hpp"

namespace gradproof {
namespace {

/// Calls f(i) for the entries of an axis, from the first or from the last.
template <class F>
void along(Index n, bool backwards, F f) {
    for (Index k = 0; k < n; ++k) f(backwards ? n - 1 - k : k);
}

/// Sums of the entries up to each one; backwards, of those from it on.
template <class T>
Tensor<T> running_sum(const Tensor<T>& x, int axis, bool backwards) {
    Tensor<T> y(x.shape()), total;
    along(x.shape()[axis], backwards, [&](Index i) {
        total = total.defined() ? total + entry(x, axis, i) : entry(x, axis, i);
        set_entry(y, axis, i, total);
    });
    return y;
}

template <class Op>
std::vector<Sample<Op>> scans() {
    const Excuse empty{.zero_gradient = true, .why = "no entries"};
    return {
        {"rows", {}, {{3, 5}}},
        {"first axis", {.axis = 0}, {{4, 3}}},
        {"middle axis", {.axis = 1}, {{2, 3, 4}}},
        {"one row", {}, {{6}}},
        {"size 1", {}, {{3, 1}}},
        {"size 0", {}, {{0, 4}}, empty},
        {"no steps", {}, {{3, 0}}, empty},
    };
}
template <class Op>
std::vector<ErrorSample<Op>> scan_error_samples() {
    static const std::string name(Op::info.name), high = name + ": axis is 2", low = name + ": axis is -1",
                                                  two = name + ": takes 1 input (x), got 2";
    return {
        {"axis out of range", {.axis = 2}, {{2, 3}}, high},
        {"scalar", {}, {Arg(Shape{})}, low},
        {"two inputs", {}, {{3}, {3}}, two},
    };
}

struct Cumsum {
    static constexpr OpInfo info{
        .name = "cumsum",
        .inputs = "x",
        .forward = "y[i] = Σ_{j ≤ i} x[j]",
        .backward = "dx[i] = Σ_{j ≥ i} dy[j]",
        .saves = "",
        .source = "numpy.cumsum",
    };
    using Attrs = ScanAttrs;
    template <Scalar T>
    using Saved = NoFields;

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>&) {
        expect_inputs(info, in, 1);
        return running_sum(in[0], normal_axis(info.name, a.axis, in[0].rank()), false);
    }

    // x[i] stands in every y[j] with j ≥ i:  dx[i] = Σ_{j ≥ i} dy[j].
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx) {
        if (dx.needs(0)) dx.add(0, running_sum(dy, normal_axis(info.name, a.axis, dy.rank()), true));
    }

    static std::vector<Sample<Cumsum>> samples() { return scans<Cumsum>(); }
    static std::vector<ErrorSample<Cumsum>> error_samples() { return scan_error_samples<Cumsum>(); }
};

struct Cumprod {
    static constexpr OpInfo info{
        .name = "cumprod",
        .inputs = "x",
        .forward = "y[i] = Π_{j ≤ i} x[j]",
        .backward = "dx[i] = y[i-1] s[i], s[i] = dy[i] + x[i+1] s[i+1]",
        .saves = "x y",
        .source = "numpy.cumprod",
    };
    using Attrs = ScanAttrs;
    template <Scalar T>
    struct Saved {
        Tensor<T> x, y;
    };

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 1);
        const int axis = normal_axis(info.name, a.axis, in[0].rank());
        saved.x = in[0];
        saved.y = Tensor<T>(in[0].shape());
        Tensor<T> product;
        along(in[0].shape()[axis], false, [&](Index i) {
            product = product.defined() ? product * entry(in[0], axis, i) : entry(in[0], axis, i);
            set_entry(saved.y, axis, i, product);
        });
        return saved.y;
    }

    // x[i] stands in every y[j] with j ≥ i, beside the other factors:  dx[i] = y[i-1] Σ_{j ≥ i} dy[j] Π_{i < k ≤ j} x[k],
    // whose sum is s[i] = dy[i] + x[i+1] s[i+1].  Nothing is divided by x, which may be 0.
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        if (!dx.needs(0)) return;
        const int axis = normal_axis(info.name, a.axis, dy.rank());
        Tensor<T> out(dy.shape()), s, next;
        along(dy.shape()[axis], true, [&](Index i) {
            s = s.defined() ? entry(dy, axis, i) + next * s : entry(dy, axis, i);
            next = entry(saved.x, axis, i);
            set_entry(out, axis, i, i > 0 ? entry(saved.y, axis, i - 1) * s : s);
        });
        dx.add(0, out);
    }

    static std::vector<Sample<Cumprod>> samples() {
        auto out = scans<Cumprod>();
        out.push_back({"with zeros", {}, {Tensor<double>::from({2, 4}, {2, 0, 3, -1, 0, 0, 1, 2})}});
        return out;
    }
    static std::vector<ErrorSample<Cumprod>> error_samples() { return scan_error_samples<Cumprod>(); }
};

}  // namespace

GRADPROOF_OP(Cumsum);
GRADPROOF_FUNCTION_1(cumsum, Cumsum);
GRADPROOF_OP(Cumprod);
GRADPROOF_FUNCTION_1(cumprod, Cumprod);

}  // namespace gradproof
