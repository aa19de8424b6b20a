// Dropout with a given mask: forward, backward, samples, registration.
#include "gradproof/ops/dropout.hpp"

#include <cmath>

#include "gradproof/core/algebra.hpp"

namespace gradproof {
namespace {

struct Dropout {
    static constexpr OpInfo info{
        .name = "dropout",
        .inputs = "x",
        .forward = "y = mask ? x/(1-p) : 0",
        .backward = "dx = mask ? dy/(1-p) : 0",
        .saves = "",
        .source = "Srivastava et al. 2014, scaled at training time",
    };
    using Attrs = DropoutAttrs;
    template <Scalar T>
    using Saved = NoFields;

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>&) {
        expect_inputs(info, in, 1);
        if (!(a.p >= 0 && a.p < 1)) value_error("dropout: p is {}, expected 0 <= p < 1", a.p);
        if (!a.mask.defined()) value_error("dropout: mask is missing; x is {}", in[0].shape());
        if (!(a.mask.shape() == in[0].shape()))
            shape_error("dropout: mask is {}, x is {}: their shapes differ", a.mask.shape(), in[0].shape());
        return where(a.mask, in[0] * (1 / (1 - a.p)), 0);
    }

    // y = mask ? x/(1-p) : 0 is linear in x and diagonal, so dx is the same map of dy.
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx) {
        if (dx.needs(0)) dx.add(0, where(a.mask, dy * (1 / (1 - a.p)), 0));
    }

    static Attrs with(const Tensor<bool>& mask, double p) { return {.mask = mask, .p = p}; }
    static std::vector<Sample<Dropout>> samples() {
        const auto mask = [](const Shape& shape, std::initializer_list<bool> kept) { return Tensor<bool>::from(shape, kept); };
        return {
            {"a third dropped", with(mask({2, 3}, {true, false, true, true, true, false}), 0.3), {{2, 3}}},
            {"p = 0 with a full mask", with(mask({4}, {true, true, true, true}), 0), {{4}}},
            {"scalar", with(mask({}, {true}), 0.9), {Arg(Shape{})}},
            {"size 1", with(mask({1, 1}, {true}), 0.25), {{1, 1}}},
            {"all dropped", with(mask({3}, {false, false, false}), 0.5), {{3}}, {.zero_gradient = true, .why = "y is constant"}},
            {"size 0", with(mask({0, 3}, {}), 0.5), {{0, 3}}, {.zero_gradient = true, .why = "no entries"}},
        };
    }
    static std::vector<ErrorSample<Dropout>> error_samples() {
        const Tensor<bool> mask({2, 3}, true);
        return {
            {"p = 1", with(mask, 1), {{2, 3}}, "dropout: p is 1, expected 0 <= p < 1"},
            {"negative p", with(mask, -0.1), {{2, 3}}, "dropout: p is -0.1"},
            {"NaN", with(mask, NAN), {{2, 3}}, "dropout: p is nan"},
            {"mask of another shape", with(mask, 0.5), {{3}}, "dropout: mask is [2, 3], x is [3]"},
            {"missing mask", with({}, 0.5), {{3}}, "dropout: mask is missing"},
        };
    }
};

}  // namespace

GRADPROOF_OP(Dropout);
GRADPROOF_FUNCTION_1(dropout, Dropout);

}  // namespace gradproof
