// where and masked_fill: forward, backward, samples, registration.
#include "gradproof/ops/select.hpp"

#include <cmath>

#include "gradproof/core/algebra.hpp"

namespace gradproof {
namespace {

Tensor<bool> mask_of(const Shape& shape, std::initializer_list<bool> values) { return Tensor<bool>::from(shape, values); }

struct Where {
    static constexpr OpInfo info{
        .name = "where",
        .inputs = "a b",
        .forward = "y = mask ? a : b",
        .backward = "da = mask ? dy : 0; db = mask ? 0 : dy",
        .saves = "",
        .source = "numpy.where",
    };
    using Attrs = WhereAttrs;
    template <Scalar T>
    using Saved = NoFields;

    template <Scalar T>
    static Tensor<T> forward(const Attrs& attrs, Inputs<T> in, Saved<T>&) {
        expect_inputs(info, in, 2);
        const Tensor<T>&a = in[0], &b = in[1];
        if (!attrs.mask.defined()) value_error("where: mask is missing; a is {}, b is {}", a.shape(), b.shape());
        const Shape both = broadcast("where", a.shape(), b.shape());
        if (!can_broadcast(attrs.mask.shape(), both))
            shape_error("where: mask does not broadcast with a and b: mask is {}, a is {}, b is {}", attrs.mask.shape(),
                        a.shape(), b.shape());
        return where(attrs.mask, a, b);
    }
    static bool can_broadcast(const Shape& a, const Shape& b) {
        for (int i = 0; i < std::min(a.rank(), b.rank()); ++i)
            if (a.last(i) != b.last(i) && a.last(i) != 1 && b.last(i) != 1) return false;
        return true;
    }

    // y = mask ? a : b: each entry of dy goes to the side that was taken.
    template <Scalar T>
    static void backward(const Attrs& attrs, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx) {
        if (dx.needs(0)) dx.add(0, where(attrs.mask, dy, 0));
        if (dx.needs(1)) dx.add(1, where(attrs.mask, 0, dy));
    }

    static std::vector<Sample<Where>> samples() {
        const auto mask = mask_of({2, 3}, {true, false, false, true, true, false});
        return {
            {"one shape", {.mask = mask}, {{2, 3}, {2, 3}}},
            {"mask of one row", {.mask = mask_of({3}, {true, false, true})}, {{2, 3}, {2, 3}}},
            {"a broadcast", {.mask = mask}, {{3}, {2, 3}}},
            {"all broadcast", {.mask = mask_of({2, 1, 1}, {true, false})}, {{3, 1}, {4}}},
            {"scalars under a mask", {.mask = mask}, {Arg(Shape{}), Arg(Shape{})}},
            {"size 1", {.mask = mask_of({1}, {true})}, {{1}, {1, 1}}},
            {"size 0", {.mask = mask_of({3}, {true, false, true})}, {{0, 3}, {3}}, {.zero_gradient = true, .why = "no entries"}},
        };
    }
    static std::vector<ErrorSample<Where>> error_samples() {
        const auto mask = mask_of({2}, {true, false});
        return {
            {"inputs", {.mask = mask}, {{2, 3}, {4, 3}}, "where: shapes do not broadcast: a is [2, 3], b is [4, 3]"},
            {"mask",
             {.mask = mask},
             {{2, 3}, {2, 3}},
             "where: mask does not broadcast with a and b: mask is [2], a is [2, 3], b is [2, 3]"},
            {"missing mask", {}, {{2, 3}, {2, 3}}, "where: mask is missing"},
            {"one input", {.mask = mask}, {{2}}, "where: takes 2 inputs"},
        };
    }
};

struct MaskedFill {
    static constexpr OpInfo info{
        .name = "masked_fill",
        .inputs = "x",
        .forward = "y = mask ? value : x",
        .backward = "dx = mask ? 0 : dy",
        .saves = "",
        .source = "elementary",
    };
    using Attrs = MaskedFillAttrs;
    template <Scalar T>
    using Saved = NoFields;

    template <Scalar T>
    static Tensor<T> forward(const Attrs& attrs, Inputs<T> in, Saved<T>&) {
        expect_inputs(info, in, 1);
        const Tensor<T>& x = in[0];
        if (!attrs.mask.defined()) value_error("masked_fill: mask is missing; x is {}", x.shape());
        if (!broadcasts_to(attrs.mask.shape(), x.shape()))
            shape_error("masked_fill: mask does not broadcast to x: mask is {}, x is {}", attrs.mask.shape(), x.shape());
        return where(attrs.mask, attrs.value, x);
    }

    // y = mask ? value : x: the value is a constant.
    template <Scalar T>
    static void backward(const Attrs& attrs, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx) {
        if (dx.needs(0)) dx.add(0, where(attrs.mask, 0, dy));
    }

    static Attrs with(const Tensor<bool>& mask, double value) { return {.mask = mask, .value = value}; }
    static std::vector<Sample<MaskedFill>> samples() {
        const auto mask = mask_of({2, 3}, {true, false, false, true, true, false});
        return {
            {"one shape", with(mask, 2.5), {{2, 3}}},
            {"mask of one column", with(mask_of({2, 1}, {false, true}), -1), {{4, 2, 3}}},
            {"minus infinity", with(mask, -INFINITY), {{2, 3}}, {.finite_differences = true, .why = "y holds -inf"}},
            {"size 1", with(mask_of({1}, {false}), 0), {{1}}},
            {"all masked", with(mask_of({}, {true}), 0), {{3}}, {.zero_gradient = true, .why = "y is constant"}},
            {"size 0", with(mask_of({3}, {true, false, true}), 0), {{0, 3}}, {.zero_gradient = true, .why = "no entries"}},
        };
    }
    static std::vector<ErrorSample<MaskedFill>> error_samples() {
        return {
            {"mask",
             with(mask_of({2}, {true, false}), 0),
             {{2, 3}},
             "masked_fill: mask does not broadcast to x: mask is [2], x is [2, 3]"},
            {"mask of higher rank", with(mask_of({2, 1}, {true, false}), 0), {{3}}, "mask is [2, 1], x is [3]"},
            {"missing mask", with({}, 0), {{2, 3}}, "masked_fill: mask is missing"},
        };
    }
};

}  // namespace

GRADPROOF_OP(Where);
GRADPROOF_FUNCTION_2(select, Where);
GRADPROOF_OP(MaskedFill);
GRADPROOF_FUNCTION_1(masked_fill, MaskedFill);

}  // namespace gradproof
