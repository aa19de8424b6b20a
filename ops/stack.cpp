// Stack: forward, backward, samples, registration.
#include "gradproof/ops/stack.hpp"

#include "gradproof/core/algebra.hpp"

namespace gradproof {
namespace {

struct Stack {
    static constexpr OpInfo info{
        .name = "stack",
        .inputs = "x...",
        .forward = "y[..., i, ...] = x_i",
        .backward = "dx_i = dy[..., i, ...]",
        .saves = "",
        .source = "numpy.stack",
    };
    using Attrs = StackAttrs;
    template <Scalar T>
    using Saved = NoFields;

    template <class T>
    static void check(const Inputs<T>& in) {
        if (in.size() == 0) shape_error("stack: takes at least 1 input, got 0");
        expect_inputs(info, in, in.size());
        if (in[0].rank() == kMaxRank)
            shape_error("stack: rank of the result is {}, at most {} is supported: x[0] is {}", kMaxRank + 1, kMaxRank,
                        in[0].shape());
        for (int i = 1; i < in.size(); ++i)
            if (!(in[i].shape() == in[0].shape()))
                shape_error("stack: shapes differ: x[0] is {}, x[{}] is {}", in[0].shape(), i, in[i].shape());
    }

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>&) {
        check(in);
        const Shape& x = in[0].shape();
        const int axis = normal_axis("stack", a.axis, x.rank() + 1);
        Shape shape;
        for (int i = 0; i <= x.rank(); ++i) shape.push_back(i == axis ? in.size() : x[i < axis ? i : i - 1]);
        Tensor<T> y(shape);
        for (int i = 0; i < in.size(); ++i) set_entry(y, axis, i, in[i]);
        return y;
    }

    // y[..., i, ...] = x_i: each input takes its entry of dy.
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx) {
        const int axis = normal_axis("stack", a.axis, dy.rank());
        for (int i = 0; i < dy.dim(axis); ++i)
            if (dx.needs(i)) dx.add(i, entry(dy, axis, i));
    }

    static std::vector<Sample<Stack>> samples() {
        return {
            {"first axis", {}, {{2, 3}, {2, 3}, {2, 3}, {2, 3}}},
            {"middle axis", {.axis = 1}, {{2, 3}, {2, 3}}},
            {"last axis", {.axis = -1}, {{2, 5}, {2, 5}, {2, 5}}},
            {"scalars", {}, {Arg(Shape{}), Arg(Shape{}), Arg(Shape{})}},
            {"one input", {.axis = 1}, {{3}}},
            {"size 0", {}, {{0, 3}, {0, 3}}, {.zero_gradient = true, .why = "no entries"}},
        };
    }
    static std::vector<ErrorSample<Stack>> error_samples() {
        return {
            {"shapes", {}, {{2, 3}, {2, 3}, {3, 2}}, "stack: shapes differ: x[0] is [2, 3], x[2] is [3, 2]"},
            {"axis out of range", {.axis = 3}, {{2, 3}, {2, 3}}, "stack: axis is 3"},
            {"rank 8", {}, {{1, 1, 1, 1, 1, 1, 1, 2}}, "stack: rank of the result is 9"},
            {"no inputs", {}, {}, "stack: takes at least 1 input"},
        };
    }
};

}  // namespace

GRADPROOF_OP(Stack);
GRADPROOF_FUNCTION_N(stack, Stack);

}  // namespace gradproof
