// Mean squared error: formula, forward, backward, samples, registration.
#include "gradproof/ops/mse.hpp"

#include "gradproof/ops/row_loops.hpp"

namespace gradproof {
namespace {

struct Mse {
    static constexpr OpInfo info{
        .name = "mse",
        .inputs = "x target",
        .forward = "y = mean((x - target)^2)",
        .backward = "dx = 2 (x - target) dy/N; dtarget = -dx",
        .saves = "diff",
        .source = "Legendre 1805",
    };
    using Attrs = MseAttrs;
    template <Scalar T>
    struct Saved {
        Tensor<T> diff;
        static void fields(auto& s, auto&& f) { f("diff", s.diff); }
    };

    /// What each square is multiplied by.
    template <Scalar T>
    static T weight(const Attrs& a, Index n) {
        return a.reduction == Reduction::mean ? T(1) / T(static_cast<base_t<T>>(std::max<Index>(n, 1))) : T(1);
    }

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 2);
        const Tensor<T>&x = in[0], &target = in[1];
        if (!(x.shape() == target.shape())) shape_error("mse: shapes differ: x is {}, target is {}", x.shape(), target.shape());
        const Index n = x.size();
        saved.diff = Tensor<T>(x.shape());
        T* d = saved.diff.data();
        for (Index i = 0; i < n; ++i) d[i] = x[i] - target[i];
        if (a.reduction != Reduction::none)
            return Tensor<T>::scalar(weight<T>(a, n) * row_sum<T>(n, [&](Index i) { return d[i] * d[i]; }));
        Tensor<T> y(x.shape());
        for (Index i = 0; i < n; ++i) y[i] = d[i] * d[i];
        return y;
    }

    // y = mean(d^2), d = x - target
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const Index n = saved.diff.size();
        const bool each = a.reduction == Reduction::none;
        for (int side = 0; side < 2; ++side) {
            if (!dx.needs(side)) continue;
            const T slope = T(side == 0 ? 2 : -2) * weight<T>(a, n);
            Tensor<T> g(saved.diff.shape());
            T* gs = g.data();
            for (Index i = 0; i < n; ++i) gs[i] = slope * dy[each ? i : 0] * saved.diff[i];
            dx.add(side, std::move(g));
        }
    }

    static std::vector<Sample<Mse>> samples() {
        return {
            {"mean", {}, {{3, 5}, {3, 5}}},
            {"sum", {.reduction = Reduction::sum}, {{2, 3, 4}, {2, 3, 4}}},
            {"none", {.reduction = Reduction::none}, {{4, 3}, {4, 3}}},
            {"scalars", {}, {Arg(Shape{}), Arg(Shape{})}},
            {"size 1", {}, {{1}, {1}}},
            {"size 0", {}, {{0, 4}, {0, 4}}, {.zero_gradient = true, .why = "no entries"}},
        };
    }
    static std::vector<ErrorSample<Mse>> error_samples() {
        return {
            {"shapes differ", {}, {{2, 3}, {3}}, "mse: shapes differ: x is [2, 3], target is [3]"},
            {"one input", {}, {{2, 3}}, "mse: takes 2 inputs"},
        };
    }
};

}  // namespace

GRADPROOF_OP(Mse);
GRADPROOF_FUNCTION_2(mse, Mse);

}  // namespace gradproof
