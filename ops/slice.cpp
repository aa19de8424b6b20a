// A range of one axis: forward, backward, samples, registration.
#include "gradproof/ops/slice.hpp"

#include "gradproof/core/algebra.hpp"

namespace gradproof {
namespace {

struct Slice {
    static constexpr OpInfo info{
        .name = "slice",
        .inputs = "x",
        .forward = "y[..., i, ...] = x[..., start + step i, ...]",
        .backward = "dx[..., start + step i, ...] = dy[..., i, ...], 0 elsewhere",
        .saves = "",
        .source = "NumPy basic indexing",
    };
    using Attrs = SliceAttrs;
    template <Scalar T>
    using Saved = NoFields;

    /// The entries of x that y takes.
    static AxisRange range(const Attrs& a, const Shape& x) {
        const int axis = normal_axis("slice", a.axis, x.rank());
        const auto bound = [&](std::string_view name, Index value) {
            const Index size = x[axis];
            if (value < -size || value > size)
                value_error("slice: {} is {}, expected {} <= {} <= {} for axis {} of {}", name, value, -size, name, size, axis,
                            x);
            return value < 0 ? value + size : value;
        };
        const Index start = bound("start", a.start), stop = bound("stop", a.stop.value_or(x[axis]));
        if (a.step < 1) value_error("slice: step is {}, expected at least 1", a.step);
        if (start > stop) value_error("slice: start is after stop: start is {}, stop is {}, axis {} of {}", start, stop, axis, x);
        return {axis, start, (stop - start) / a.step + ((stop - start) % a.step != 0 ? 1 : 0), a.step};
    }

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>&) {
        expect_inputs(info, in, 1);
        return part(in[0], range(a, in[0].shape()));
    }

    // y[i] = x[start + step i]: each entry of y has one source; the entries of x that were not taken have no effect.
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx) {
        if (!dx.needs(0)) return;
        Tensor<T> g = zeros<T>(dx.shape(0));
        set_part(g, range(a, g.shape()), dy);
        dx.add(0, std::move(g));
    }

    static std::vector<Sample<Slice>> samples() {
        const Excuse empty{.zero_gradient = true, .why = "no entries"};
        return {
            {"rows", {.start = 1, .stop = 3}, {{4, 3}}},
            {"to the end", {.axis = 1, .start = 2}, {{2, 5}}},
            {"middle axis in steps", {.axis = 1, .start = 1, .stop = 6, .step = 2}, {{2, 7, 3}}},
            {"a step beyond the last", {.start = 1, .step = 4}, {{7, 2}}},
            {"negative axis and bounds", {.axis = -1, .start = -4, .stop = -1}, {{3, 5}}},
            {"all of it", {}, {{3, 2}}},
            {"vector", {.start = 2, .stop = 5}, {{6}}},
            {"size 1", {.stop = 1}, {{1, 3}}},
            {"nothing", {.start = 2, .stop = 2}, {{4, 3}}, empty},
            {"size 0", {.axis = 1}, {{0, 3}}, empty},
        };
    }
    static std::vector<ErrorSample<Slice>> error_samples() {
        return {
            {"start beyond the end", {.start = 5}, {{4, 3}}, "slice: start is 5, expected -4 <= start <= 4 for axis 0 of [4, 3]"},
            {"stop beyond the end",
             {.axis = 1, .stop = 4},
             {{4, 3}},
             "slice: stop is 4, expected -3 <= stop <= 3 for axis 1 of [4, 3]"},
            {"stop before the beginning", {.stop = -5}, {{4, 3}}, "slice: stop is -5"},
            {"start after stop", {.start = 3, .stop = 1}, {{4, 3}}, "slice: start is after stop: start is 3, stop is 1"},
            {"step 0", {.step = 0}, {{4, 3}}, "slice: step is 0, expected at least 1"},
            {"axis out of range", {.axis = 2}, {{4, 3}}, "slice: axis is 2"},
            {"scalar", {}, {Arg(Shape{})}, "slice: axis is 0"},
        };
    }
};

}  // namespace

GRADPROOF_OP(Slice);
GRADPROOF_FUNCTION_1(slice, Slice);

}  // namespace gradproof
