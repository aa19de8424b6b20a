// Concat: forward, backward, samples, registration.
#include "gradproof/ops/concat.hpp"

#include "gradproof/core/algebra.hpp"

namespace gradproof {
namespace {

struct Concat {
    static constexpr OpInfo info{
        .name = "concat",
        .inputs = "x...",
        .forward = "y[..., offset_i + j, ...] = x_i[..., j, ...]",
        .backward = "dx_i[..., j, ...] = dy[..., offset_i + j, ...]",
        .saves = "count",
        .source = "numpy.concatenate",
    };
    using Attrs = ConcatAttrs;
    template <Scalar T>
    struct Saved {
        int count = 0;  ///< of inputs
    };

    /// The shape of y.
    template <class T>
    static Shape check(const Attrs& a, const Inputs<T>& in) {
        if (in.size() == 0) shape_error("concat: takes at least 1 input, got 0");
        expect_inputs(info, in, in.size());
        Shape y = in[0].shape();
        const int axis = normal_axis("concat", a.axis, y.rank());
        for (int i = 1; i < in.size(); ++i) {
            Shape other = in[i].shape();
            const Index size = axis < other.rank() ? other[axis] : 0;
            if (axis < other.rank()) other[axis] = in[0].dim(axis);
            if (!(other == in[0].shape()))
                shape_error("concat: shapes differ outside axis {}: x[0] is {}, x[{}] is {}", axis, in[0].shape(), i,
                            in[i].shape());
            y[axis] += size;
        }
        return y;
    }

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>& saved) {
        Tensor<T> y(check(a, in));
        saved.count = in.size();
        const int axis = normal_axis("concat", a.axis, y.rank());
        Index offset = 0;
        for (int i = 0; i < in.size(); ++i) {
            set_part(y, {.axis = axis, .start = offset, .count = in[i].dim(axis)}, in[i]);
            offset += in[i].dim(axis);
        }
        return y;
    }

    // y[offset_i + j] = x_i[j]: each input takes its own range of dy.
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const int axis = normal_axis("concat", a.axis, dy.rank());
        Index offset = 0;
        for (int i = 0; i < saved.count; ++i) {
            const Index size = dx.shape(i)[axis];
            if (dx.needs(i)) dx.add(i, part(dy, {.axis = axis, .start = offset, .count = size}));
            offset += size;
        }
    }

    static std::vector<Sample<Concat>> samples() {
        return {
            {"rows", {}, {{2, 3}, {4, 3}}},
            {"last axis", {.axis = -1}, {{2, 3}, {2, 1}, {2, 5}}},
            {"middle axis", {.axis = 1}, {{2, 3, 4}, {2, 5, 4}}},
            {"one input", {.axis = 1}, {{2, 3}}},
            {"vectors", {}, {{3}, {1}, {4}, {2}}},
            {"an input of size 0", {}, {{2, 3}, {0, 3}, {1, 3}}},
            {"size 0", {}, {{2, 0}, {3, 0}}, {.zero_gradient = true, .why = "no entries"}},
        };
    }
    static std::vector<ErrorSample<Concat>> error_samples() {
        return {
            {"other sizes", {}, {{2, 3}, {4, 5}}, "concat: shapes differ outside axis 0: x[0] is [2, 3], x[1] is [4, 5]"},
            {"ranks", {.axis = 1}, {{2, 3}, {2, 3}, {2}}, "x[0] is [2, 3], x[2] is [2]"},
            {"axis out of range", {.axis = 2}, {{2, 3}, {2, 3}}, "concat: axis is 2"},
            {"scalars", {}, {Arg(Shape{}), Arg(Shape{})}, "concat: axis is 0"},
            {"no inputs", {}, {}, "concat: takes at least 1 input"},
        };
    }
};

}  // namespace

GRADPROOF_OP(Concat);
GRADPROOF_FUNCTION_N(concat, Concat);

}  // namespace gradproof
