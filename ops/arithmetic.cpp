// Arithmetic on elements: formula, forward, backward, samples, registration of add, sub, mul, div, neg, scale, pow.
#include "gradproof/ops/arithmetic.hpp"

#include "gradproof/core/algebra.hpp"
#include "gradproof/ops/map.hpp"

namespace gradproof {
namespace {

/// Errors: ShapeError with the op's name, unless there are two that broadcast.
template <class T>
void expect_operands(const OpInfo& info, const Inputs<T>& in) {
    expect_inputs(info, in, 2);
    if (!(in[0].shape() == in[1].shape())) broadcast(info.name, in[0].shape(), in[1].shape());
}

struct Add {
    static constexpr OpInfo info{"add", "a b", "y = a + b", "da = dy; db = dy", "", "elementary calculus"};
    using Attrs = NoFields;
    template <Scalar T>
    using Saved = NoFields;

    template <Scalar T>
    static Tensor<T> forward(const Attrs&, Inputs<T> in, Saved<T>&) {
        expect_operands(info, in);
        return in[0] + in[1];
    }
    // y = a + b, so  da = dy;  db = dy.  Cotangents::add sums them over broadcast axes, here and below.
    template <Scalar T>
    static void backward(const Attrs&, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx) {
        if (dx.needs(0)) dx.add(0, dy);
        if (dx.needs(1)) dx.add(1, dy);
    }
    static std::vector<Sample<Add>> samples() { return binary_samples<Add>(); }
    static std::vector<ErrorSample<Add>> error_samples() { return binary_error_samples<Add>(); }
};

struct Sub {
    static constexpr OpInfo info{"sub", "a b", "y = a - b", "da = dy; db = -dy", "", "elementary calculus"};
    using Attrs = NoFields;
    template <Scalar T>
    using Saved = NoFields;

    template <Scalar T>
    static Tensor<T> forward(const Attrs&, Inputs<T> in, Saved<T>&) {
        expect_operands(info, in);
        return in[0] - in[1];
    }
    // y = a - b, so  da = dy;  db = -dy.
    template <Scalar T>
    static void backward(const Attrs&, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx) {
        if (dx.needs(0)) dx.add(0, dy);
        if (dx.needs(1)) dx.add(1, -dy);
    }
    static std::vector<Sample<Sub>> samples() { return binary_samples<Sub>(); }
    static std::vector<ErrorSample<Sub>> error_samples() { return binary_error_samples<Sub>(); }
};

struct Mul {
    static constexpr OpInfo info{"mul", "a b", "y = a b", "da = b dy; db = a dy", "a b", "elementary calculus"};
    using Attrs = NoFields;
    template <Scalar T>
    struct Saved {
        Tensor<T> a, b;
    };

    template <Scalar T>
    static Tensor<T> forward(const Attrs&, Inputs<T> in, Saved<T>& saved) {
        expect_operands(info, in);
        saved = {in[0], in[1]};
        return in[0] * in[1];
    }
    // y = a b, so  da = b dy;  db = a dy.
    template <Scalar T>
    static void backward(const Attrs&, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        if (dx.needs(0)) dx.add(0, dy * saved.b);
        if (dx.needs(1)) dx.add(1, dy * saved.a);
    }
    static std::vector<Sample<Mul>> samples() { return binary_samples<Mul>(); }
    static std::vector<ErrorSample<Mul>> error_samples() { return binary_error_samples<Mul>(); }
};

struct Div {
    static constexpr OpInfo info{"div", "a b", "y = a / b", "da = dy / b; db = -y dy / b", "b y", "elementary calculus"};
    using Attrs = NoFields;
    template <Scalar T>
    struct Saved {
        Tensor<T> b, y;
    };

    template <Scalar T>
    static Tensor<T> forward(const Attrs&, Inputs<T> in, Saved<T>& saved) {
        expect_operands(info, in);
        saved = {in[1], in[0] / in[1]};
        return saved.y;
    }
    // y = a / b, so  da = dy / b;  db = -a dy / b^2 = -y da.
    template <Scalar T>
    static void backward(const Attrs&, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const Tensor<T> da = dy / saved.b;
        if (dx.needs(1)) dx.add(1, -saved.y * da);
        if (dx.needs(0)) dx.add(0, da);
    }
    static std::vector<Sample<Div>> samples() { return binary_samples<Div>(Distribution::nonzero); }
    static std::vector<ErrorSample<Div>> error_samples() { return binary_error_samples<Div>(); }
};

struct Neg : Unary<Neg, Keep::nothing> {
    static constexpr OpInfo info{"neg", "x", "y = -x", "dx = -dy", "", "elementary calculus"};
    template <Scalar T>
    static T value(const T& x) {
        return -x;
    }
    template <Scalar T>
    static T slope() {
        return T(-1);
    }
    static std::vector<Sample<Neg>> samples() { return unary_samples<Neg>(); }
};

struct Scale : Unary<Scale, Keep::nothing, ScaleAttrs> {
    static constexpr OpInfo info{"scale", "x", "y = factor x", "dx = factor dy", "", "elementary calculus"};
    static void check(const Attrs& a) {
        if (!std::isfinite(a.factor)) value_error("scale: factor is {}, expected a finite number", a.factor);
    }
    template <Scalar T>
    static T value(const Attrs& a, const T& x) {
        return T(a.factor) * x;
    }
    template <Scalar T>
    static T slope(const Attrs& a) {
        return T(a.factor);
    }
    static std::vector<Sample<Scale>> samples() {
        auto out = unary_samples<Scale>(Distribution::normal, {.factor = -0.7});
        out.push_back({"by 1", {}, {{4}}});
        out.push_back({"by 0", {.factor = 0}, {{4, 3}}, {.zero_gradient = true, .why = "the op is constant"}});
        return out;
    }
    static std::vector<ErrorSample<Scale>> error_samples() {
        return {
            {"NaN factor", {.factor = NAN}, {{2, 3}}, "scale: factor is nan"},
            {"infinite factor", {.factor = INFINITY}, {{2, 3}}, "scale: factor is inf"},
            {"two inputs", {}, {{3}, {3}}, "scale: takes 1 input"},
        };
    }
};

struct Pow : Unary<Pow, Keep::input, PowAttrs> {
    static constexpr OpInfo info{"pow", "x", "y = x^p", "dx = p x^(p-1) dy, 0 for p = 0", "x", "elementary calculus"};
    static void check(const Attrs& a) {
        if (!std::isfinite(a.exponent)) value_error("pow: exponent is {}, expected a finite number", a.exponent);
    }
    template <Scalar T>
    static T value(const Attrs& a, const T& x) {
        if (a.exponent == 2) return x * x;
        return pow(x, base_t<T>(a.exponent));
    }
    // At x = 0: 0 for p > 1, 1 for p = 1, infinite for other p < 1, as PyTorch and JAX; p = 0 is constant, also at 0.
    template <Scalar T>
    static T slope(const Attrs& a, const T& x) {
        if (a.exponent == 0) return T(0);
        if (a.exponent == 2) return T(2) * x;
        return T(a.exponent) * pow(x, base_t<T>(a.exponent - 1));
    }
    static std::vector<Sample<Pow>> samples() {
        auto out = unary_samples<Pow>(Distribution::positive, {.exponent = 2.5});
        out.push_back({"square", {}, {{2, 3}}});
        out.push_back({"cube of either sign", {.exponent = 3}, {{2, 3}}});
        out.push_back({"reciprocal", {.exponent = -1}, {Arg({2, 3}, Distribution::nonzero)}});
        out.push_back({"root", {.exponent = 0.5}, {Arg({2, 3}, Distribution::positive)}});
        out.push_back({"p = 1", {.exponent = 1}, {{2, 3}}});
        out.push_back({"p = 0", {.exponent = 0}, {{2, 3}}, {.zero_gradient = true, .why = "x^0 is 1"}});
        out.push_back({"0 squared", {}, {Tensor<double>::from({3}, {0, 0, 1})}});
        return out;
    }
    static std::vector<ErrorSample<Pow>> error_samples() {
        return {
            {"NaN exponent", {.exponent = NAN}, {{2, 3}}, "pow: exponent is nan"},
            {"infinite exponent", {.exponent = -INFINITY}, {{2, 3}}, "pow: exponent is -inf"},
            {"no input", {}, {}, "pow: takes 1 input"},
        };
    }
};

}  // namespace

GRADPROOF_OP(Add);
GRADPROOF_OP(Sub);
GRADPROOF_OP(Mul);
GRADPROOF_OP(Div);
GRADPROOF_OP(Neg);
GRADPROOF_OP(Scale);
GRADPROOF_OP(Pow);
GRADPROOF_FUNCTION_2(add, Add);
GRADPROOF_FUNCTION_2(sub, Sub);
GRADPROOF_FUNCTION_2(mul, Mul);
GRADPROOF_FUNCTION_2(div, Div);
GRADPROOF_FUNCTION_1(neg, Neg);
GRADPROOF_FUNCTION_1(scale, Scale);
GRADPROOF_FUNCTION_1(pow, Pow);

}  // namespace gradproof
