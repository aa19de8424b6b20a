// A range of one axis: forward, backward, samples, registration.
#include "gradproof/ops/slice.hpp"

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

    /// x seen as [outer, size, inner], of which y takes `count` entries.
    struct Range {
        int axis;
        Index outer = 1, size, inner = 1, start, step, count;

        Range(const Attrs& a, const Shape& x) : axis(normal_axis("slice", a.axis, x.rank())), size(x[axis]), step(a.step) {
            for (int i = 0; i < x.rank(); ++i) (i < axis ? outer : inner) *= i == axis ? 1 : x[i];
            start = bound("start", a.start, x);
            const Index stop = bound("stop", a.stop.value_or(size), x);
            if (step < 1) value_error("slice: step is {}, expected at least 1", step);
            if (start > stop)
                value_error("slice: start is after stop: start is {}, stop is {}, axis {} of {}", start, stop, axis, x);
            count = (stop - start) / step + ((stop - start) % step != 0 ? 1 : 0);
        }
        Index bound(std::string_view name, Index value, const Shape& x) const {
            if (value < -size || value > size)
                value_error("slice: {} is {}, expected {} <= {} <= {} for axis {} of {}", name, value, -size, name, size, axis,
                            x);
            return value < 0 ? value + size : value;
        }
        /// Calls move(offset in x, offset in y) for each run of `inner` elements.
        template <class Move>
        void each(const Move& move) const {
            for (Index o = 0; o < outer; ++o)
                for (Index i = 0; i < count; ++i) move((o * size + start + i * step) * inner, (o * count + i) * inner);
        }
    };

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>&) {
        expect_inputs(info, in, 1);
        const Range r(a, in[0].shape());
        Shape shape = in[0].shape();
        shape[r.axis] = r.count;
        Tensor<T> y(shape);
        r.each([&](Index at_x, Index at_y) { std::copy_n(in[0].data() + at_x, r.inner, y.data() + at_y); });
        return y;
    }

    // y[i] = x[start + step i]: each entry of y has one source; the entries of x that were not taken have no effect.
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx) {
        if (!dx.needs(0)) return;
        const Range r(a, dx.shape(0));
        Tensor<T> g = zeros<T>(dx.shape(0));
        r.each([&](Index at_x, Index at_y) { std::copy_n(dy.data() + at_y, r.inner, g.data() + at_x); });
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
