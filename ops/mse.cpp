// Mean squared error: formula, forward, backward, samples, registration.
#include "gradproof/ops/mse.hpp"

#include "gradproof/core/algebra.hpp"

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
    };

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 2);
        const Tensor<T>&x = in[0], &target = in[1];
        if (!(x.shape() == target.shape())) shape_error("mse: shapes differ: x is {}, target is {}", x.shape(), target.shape());
        saved.diff = x - target;
        const Tensor<T> squares = saved.diff * saved.diff;
        if (a.reduction == Reduction::none) return squares;
        return (a.reduction == Reduction::sum ? sum(squares, Axes{}) : mean(squares, Axes{})).reshape({});
    }

    // y = mean(d^2), d = x - target
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const double n = static_cast<double>(std::max<Index>(saved.diff.size(), 1));
        const Tensor<T> g = saved.diff * dy * (a.reduction == Reduction::mean ? 2 / n : 2);
        if (dx.needs(0)) dx.add(0, g);
        if (dx.needs(1)) dx.add(1, -g);
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
