// Stack: forward, backward, samples, registration.
#include "gradproof/ops/stack.hpp"

#include "gradproof/ops/kernels/copy.hpp"

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
    /// The elements of one input below the new axis.
    static Index run(const Shape& x, int axis) {
        Index n = 1;
        for (int i = axis; i < x.rank(); ++i) n *= x[i];
        return n;
    }

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>&) {
        check(in);
        const Shape& x = in[0].shape();
        const int axis = normal_axis("stack", a.axis, x.rank() + 1);
        Shape shape;
        for (int i = 0; i < x.rank(); ++i) {
            if (i == axis) shape.push_back(in.size());
            shape.push_back(x[i]);
        }
        if (axis == x.rank()) shape.push_back(in.size());
        Tensor<T> y(shape);
        const Index length = run(x, axis);
        if (y.size() == 0) return y;
        for (int i = 0; i < in.size(); ++i)
            copy_runs(x.size() / length, length, in[i].data(), length, y.data() + i * length, in.size() * length);
        return y;
    }

    // y[..., i, ...] = x_i: each input takes its entry of dy.
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx) {
        const int axis = normal_axis("stack", a.axis, dy.rank());
        const Index count = dy.dim(axis);
        for (int i = 0; i < count; ++i) {
            if (!dx.needs(i)) continue;
            const Shape& x = dx.shape(i);
            Tensor<T> g(x);
            const Index length = run(x, axis);
            if (g.size() > 0) copy_runs(x.size() / length, length, dy.data() + i * length, count * length, g.data(), length);
            dx.add(i, std::move(g));
        }
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
