// Reshape: forward, backward, samples, registration.
#include "gradproof/ops/reshape.hpp"

namespace gradproof {
namespace {

struct Reshape {
    static constexpr OpInfo info{
        .name = "reshape",
        .inputs = "x",
        .forward = "y = x as shape",
        .backward = "dx = dy as the shape of x",
        .saves = "",
        .source = "numpy.reshape",
    };
    using Attrs = ReshapeAttrs;
    template <Scalar T>
    using Saved = NoFields;

    /// The wanted shape with -1 filled in.
    static Shape target(const Shape& wanted, const Shape& x) {
        Shape out = wanted;
        int open = -1;
        for (int i = 0; i < out.rank(); ++i) {
            if (out[i] < -1) shape_error("reshape: negative size: shape is {}, x is {}", wanted, x);
            if (out[i] != -1) continue;
            if (open >= 0) shape_error("reshape: more than one -1: shape is {}, x is {}", wanted, x);
            open = i;
            out[i] = 1;
        }
        const Index known = checked_size(out), size = x.size();
        if (open >= 0 && known == 0) shape_error("reshape: -1 stands beside a size of 0: shape is {}, x is {}", wanted, x);
        if (open >= 0) out[open] = size / known;
        if (out.size() != size)
            shape_error("reshape: sizes differ: x is {} ({} elements), shape is {} ({} {})", x, size, wanted,
                        open >= 0 ? "a multiple of" : "in all", known);
        return out;
    }

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>&) {
        expect_inputs(info, in, 1);
        return in[0].reshape(target(a.shape, in[0].shape()));
    }

    // y holds the values of x in their order, so dx holds those of dy in theirs.
    template <Scalar T>
    static void backward(const Attrs&, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx) {
        if (dx.needs(0)) dx.add(0, dy.reshape(dx.shape(0)));
    }

    static std::vector<Sample<Reshape>> samples() {
        return {
            {"rows to columns", {.shape = {3, 4}}, {{2, 6}}},
            {"one size left open", {.shape = {2, -1, 3}}, {{4, 6}}},
            {"flattened", {.shape = {-1}}, {{2, 3, 4}}},
            {"axes of size 1", {.shape = {1, 5, 1}}, {{5}}},
            {"to a scalar", {}, {{1, 1}}},
            {"from a scalar", {.shape = {1, -1}}, {Arg(Shape{})}},
            {"rank 8", {.shape = {1, 2, 1, 3, 1, 2, 1, 2}}, {{4, 6}}},
            {"size 0", {.shape = {5, 0}}, {{0, 3}}, {.zero_gradient = true, .why = "no entries"}},
        };
    }
    static std::vector<ErrorSample<Reshape>> error_samples() {
        return {
            {"number of elements",
             {.shape = {4, 2}},
             {{2, 3}},
             "reshape: sizes differ: x is [2, 3] (6 elements), shape is [4, 2] (in all 8)"},
            {"no multiple", {.shape = {-1, 4}}, {{2, 3}}, "shape is [-1, 4] (a multiple of 4)"},
            {"two open sizes", {.shape = {-1, -1}}, {{2, 3}}, "reshape: more than one -1: shape is [-1, -1]"},
            {"negative size", {.shape = {-2, 3}}, {{2, 3}}, "reshape: negative size: shape is [-2, 3]"},
            {"open beside 0", {.shape = {0, -1}}, {{0, 3}}, "reshape: -1 stands beside a size of 0"},
        };
    }
};

}  // namespace

GRADPROOF_OP(Reshape);
GRADPROOF_FUNCTION_1(reshape, Reshape);

}  // namespace gradproof
