// x W + b as one product over all rows: forward, backward, samples, registration.
#include "ops/linear.hpp"

#include "ops/kernels/gemm.hpp"
#include "ops/kernels/kernels.hpp"

namespace gradproof {
namespace {

struct Linear {
    static constexpr OpInfo info{
        .name = "linear",
        .inputs = "x w b?",
        .forward = "y = x w + b",
        .backward = "dx = dy wᵀ; dw = xᵀ dy; db = sum of dy over rows",
        .saves = "x w",
        .source = "Giles 2008, section 2.2.1",
    };
    using Attrs = NoFields;
    template <Scalar T>
    struct Saved {
        Tensor<T> x, w;
        static void fields(auto& s, auto&& f) {
            f("x", s.x);
            f("w", s.w);
        }
    };

    template <Scalar T>
    static Tensor<T> forward(const Attrs&, Inputs<T> in, Saved<T>& saved) {
        if (in.size() != 3) expect_inputs(info, in, 2);
        else if (!in.has(0) || !in.has(1)) shape_error("linear: x and w must be given");
        const Tensor<T>&x = in[0], &w = in[1];
        if (x.rank() == 0) shape_error("linear: x is a scalar, expected [..., in]; w is {}", w.shape());
        if (w.rank() != 2) shape_error("linear: w is {}, expected [in, out]; x is {}", w.shape(), x.shape());
        const Index inner = w.dim(0), n = w.dim(1);
        if (x.shape().last() != inner)
            shape_error("linear: inner sizes differ: x is {}, w is {} ({} != {})", x.shape(), w.shape(), x.shape().last(), inner);
        if (in.has(2) && !(in[2].shape() == Shape{n}))
            shape_error("linear: b is {}, expected [{}] for w {}", in[2].shape(), n, w.shape());
        saved.x = x;
        saved.w = w;

        Shape shape = x.shape();
        shape[shape.rank() - 1] = n;
        Tensor<T> y(shape);
        const Index m = rows(x.shape());
        if (in.has(2))
            for (Index r = 0; r < m; ++r) std::copy(in[2].begin(), in[2].end(), y.data() + r * n);
        gemm(false, false, m, n, inner, T(1), x.data(), inner, w.data(), n, T(in.has(2) ? 1 : 0), y.data(), n);
        return y;
    }

    // y = x w + b over rows:  dx = dy wᵀ,  dw = xᵀ dy,  db = sum of the rows of dy.
    template <Scalar T>
    static void backward(const Attrs&, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const Tensor<T>&x = saved.x, &w = saved.w;
        const Index m = rows(x.shape()), n = w.dim(1), inner = w.dim(0);
        if (dx.needs(0)) {
            Tensor<T> g(x.shape());
            gemm(false, true, m, inner, n, T(1), dy.data(), n, w.data(), n, T(0), g.data(), inner);
            dx.add(0, std::move(g));
        }
        if (dx.needs(1)) {
            Tensor<T> g(w.shape());
            gemm(true, false, inner, n, m, T(1), x.data(), inner, dy.data(), n, T(0), g.data(), n);
            dx.add(1, std::move(g));
        }
        if (dx.needs(2)) {
            Tensor<T> g = zeros<T>({n});
            sum_columns(dy.data(), g.data(), m, n);
            dx.add(2, std::move(g));
        }
    }

    template <Scalar T>
    static void sum_columns(const T* x, T* sum, Index m, Index n) {
        if constexpr (has_kernels<T>)
            if (use_kernels<T>()) return kernels<T>().sum_columns(x, sum, m, n);
        for (Index r = 0; r < m; ++r)
            for (Index j = 0; j < n; ++j) sum[j] += x[r * n + j];
    }

    /// All axes but the last, flattened.
    static Index rows(const Shape& x) {
        Index m = 1;
        for (int i = 0; i + 1 < x.rank(); ++i) m *= x[i];
        return m;
    }

    static std::vector<Sample<Linear>> samples() {
        const Excuse empty{.zero_gradient = true, .why = "no entries"};
        return {
            {"rows", {}, {{4, 3}, {3, 5}, {5}}},
            {"no bias", {}, {{4, 3}, {3, 5}}},
            {"absent bias", {}, {{4, 3}, {3, 5}, Arg::absent()}},
            {"one row", {}, {{3}, {3, 2}, {2}}},
            {"batch", {}, {{2, 4, 3}, {3, 5}, {5}}},
            {"rank 5", {}, {{2, 1, 3, 2, 4}, {4, 6}, {6}}},
            {"size 1", {}, {{1, 1}, {1, 1}, {1}}},
            {"no input features: y is the bias", {}, {{4, 0}, {0, 3}, {3}}},
            {"no rows", {}, {{0, 3}, {3, 2}, {2}}, empty},
            {"no output features", {}, {{4, 3}, {3, 0}, {0}}, empty},
        };
    }
    static std::vector<ErrorSample<Linear>> error_samples() {
        return {
            {"inner sizes", {}, {{4, 3}, {2, 5}}, "linear: inner sizes differ: x is [4, 3], w is [2, 5] (3 != 2)"},
            {"rank of w", {}, {{4, 3}, {3}}, "linear: w is [3], expected [in, out]"},
            {"scalar", {}, {Arg(Shape{}), {3, 2}}, "linear: x is a scalar"},
            {"size of b", {}, {{4, 3}, {3, 5}, {3}}, "linear: b is [3], expected [5]"},
            {"rank of b", {}, {{4, 3}, {3, 5}, {1, 5}}, "linear: b is [1, 5], expected [5]"},
            {"one input", {}, {{4, 3}}, "linear: takes 2 inputs"},
        };
    }
};

}  // namespace

GRADPROOF_OP(Linear);

template <Operand X>
X linear(const X& x, const X& w) {
    return call<Linear, typename X::value_type>(NoFields{}, {&x, &w});
}
template <Operand X>
X linear(const X& x, const X& w, const X& b) {
    return call<Linear, typename X::value_type>(NoFields{}, {&x, &w, &b});
}
#define GRADPROOF_LINEAR(X)                   \
    template X linear(const X&, const X&); \
    template X linear(const X&, const X&, const X&);
GRADPROOF_FOR_OPERANDS(GRADPROOF_LINEAR)
#undef GRADPROOF_LINEAR

}  // namespace gradproof
