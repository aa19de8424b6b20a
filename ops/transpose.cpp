// Permutation of axes: forward, backward, samples, registration.
#include "gradproof/ops/transpose.hpp"

#include "gradproof/core/algebra.hpp"

namespace gradproof {
namespace {

struct Transpose {
    static constexpr OpInfo info{
        .name = "transpose",
        .inputs = "x",
        .forward = "y[i[perm[0]], i[perm[1]], ...] = x[i[0], i[1], ...]",
        .backward = "dx = dy with the axes put back",
        .saves = "",
        .source = "numpy.transpose",
    };
    using Attrs = TransposeAttrs;
    template <Scalar T>
    using Saved = NoFields;

    static Axes order(const Attrs& a, int rank) {
        Axes reversed;
        for (int i = rank - 1; i >= 0; --i) reversed.push_back(i);
        return a.perm.empty() ? reversed : a.perm;
    }

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>&) {
        expect_inputs(info, in, 1);
        return transpose(in[0], order(a, in[0].rank()));
    }

    // Axis i of y is axis perm[i] of x, so axis perm[i] of dx is axis i of dy.
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx) {
        if (!dx.needs(0)) return;
        const Axes perm = order(a, dy.rank());
        Axes inverse = perm;
        for (int i = 0; i < perm.rank(); ++i) inverse[normal_axis(info.name, perm[i], dy.rank())] = i;
        dx.add(0, transpose(dy, inverse));
    }

    static std::vector<Sample<Transpose>> samples() {
        return {
            {"matrix", {}, {{2, 3}}},
            {"tiles with edges", {}, {{19, 33}}},
            {"reversed", {}, {{2, 3, 4}}},
            {"heads before steps", {.perm = {0, 2, 1, 3}}, {{2, 3, 4, 5}}},
            {"cycle", {.perm = {1, 2, 0}}, {{2, 3, 4}}},
            {"negative axes", {.perm = {-1, 0, -2}}, {{2, 3, 4}}},
            {"identity", {.perm = {0, 1}}, {{2, 3}}},
            {"scalar", {}, {Arg(Shape{})}},
            {"rank 8", {.perm = {7, 0, 2, 1, 4, 3, 6, 5}}, {{2, 1, 3, 1, 2, 2, 1, 3}}},
            {"size 1", {}, {{1, 4}}},
            {"size 0", {}, {{3, 0, 2}}, {.zero_gradient = true, .why = "no entries"}},
        };
    }
    static std::vector<ErrorSample<Transpose>> error_samples() {
        return {
            {"too few axes", {.perm = {0}}, {{2, 3}}, "transpose: perm is [0], expected each of 2 axes once"},
            {"axis out of range", {.perm = {0, 2}}, {{2, 3}}, "transpose: axis is 2"},
            {"axis twice", {.perm = {1, -1}}, {{2, 3}}, "transpose: axis 1 is named twice: perm is [1, -1]"},
            {"two inputs", {}, {{2}, {2}}, "transpose: takes 1 input"},
        };
    }
};

}  // namespace

GRADPROOF_OP(Transpose);
GRADPROOF_FUNCTION_1(transpose, Transpose);

}  // namespace gradproof
