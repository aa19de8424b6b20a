// The tape: gradients, accumulation, the three gradient states, and its errors.
#include "gradproof/core/tape.hpp"

#include <gtest/gtest.h>

#include "gradproof/core/registry.hpp"
#include "gradproof/core/transforms.hpp"
#include "gradproof/ops/arithmetic.hpp"
#include "gradproof/ops/softmax.hpp"

namespace gradproof {
namespace {

TEST(Tape, SoftmaxGradientMatchesTheJacobian) {
    const auto x = Tensor<double>::from({4}, {0.3, -1.2, 0.8, 2.0});
    const auto dy = Tensor<double>::from({4}, {1.0, -2.0, 0.5, 0.25});
    Tape<double> tape;
    const auto v = tape.leaf(x, "x");
    const auto y = softmax(v);
    tape.backward(y, dy);
    const Tensor<double> j = softmax_jacobian(y.value());
    for (Index k = 0; k < 4; ++k) {
        double expected = 0;
        for (Index i = 0; i < 4; ++i) expected += dy[i] * j[i * 4 + k];
        EXPECT_NEAR(tape.grad(v)[k], expected, 1e-15);
    }
}

TEST(Tape, DistinguishesNotComputedFromNoPath) {
    Tape<double> tape;
    const auto x = tape.leaf(ones<double>({2}));
    const auto unused = tape.leaf(ones<double>({3}));
    const auto y = softmax(x);
    EXPECT_EQ(tape.gradient(x).state, GradientState::not_computed);
    EXPECT_THROW(tape.grad(x), TapeError);
    tape.backward(y, ones<double>({2}));
    EXPECT_EQ(tape.gradient(x).state, GradientState::reached);
    EXPECT_EQ(tape.gradient(unused).state, GradientState::no_path);
    EXPECT_EQ(tape.grad(unused)[2], 0.0);
    EXPECT_THROW(tape.backward(y, ones<double>({2})), TapeError);
}

TEST(Tape, RefusesVarsOfAnotherOrAResetTape) {
    Tape<double> a, b;
    const auto x = a.leaf(ones<double>({2}));
    EXPECT_THROW(b.backward(x, ones<double>({2})), TapeError);
    a.reset();
    EXPECT_THROW(softmax(x), TapeError);
}

TEST(Tape, AValueUsedTwiceGetsBothCotangents) {
    Tape<double> tape;
    const auto x = tape.leaf(Tensor<double>::from({2}, {3, -2}));
    tape.backward(add(mul(x, x), x), Tensor<double>::from({2}, {1, 10}));
    EXPECT_EQ(tape.grad(x)[0], 7);  // 2 x + 1
    EXPECT_EQ(tape.grad(x)[1], -30);
}

TEST(Tape, AccumulationNeverWritesIntoSharedBuffers) {
    // add hands dy itself to both inputs: the cotangents of a, b and y share one buffer until one of them grows.
    Tape<double> tape;
    tape.keep_cotangents(true);
    const auto a = tape.leaf(ones<double>({3})), b = tape.leaf(ones<double>({3}));
    const auto y = add(a, b);
    const auto dy = Tensor<double>::from({3}, {1, 2, 3});
    tape.backward(add(y, a), dy);
    EXPECT_EQ(tape.grad(a)[2], 6);
    EXPECT_EQ(tape.grad(b)[2], 3);
    EXPECT_EQ(tape.grad(y)[2], 3);
    EXPECT_EQ(dy[2], 3);
}

TEST(Tape, BroadcastInputsGetSummedCotangents) {
    Tape<double> tape;
    const auto x = tape.leaf(ones<double>({2, 3})), b = tape.leaf(ones<double>({3})), s = tape.leaf(ones<double>({}));
    tape.backward(mul(add(x, b), s), Tensor<double>::from({2, 3}, {1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(tape.grad(b)[0], 5);
    EXPECT_EQ(tape.grad(b)[2], 9);
    EXPECT_EQ(tape.grad(s).item(), 42);
}

TEST(Tape, RefusesWhatIsNotThere) {
    Tape<double> tape;
    const auto x = tape.leaf(ones<double>({2}));
    const Var<double> constant(ones<double>({2}));
    const auto y = mul(x, constant);
    EXPECT_THROW(tape.backward(constant, ones<double>({2})), TapeError);
    EXPECT_THROW(tape.backward(y), ShapeError);  // not a scalar
    EXPECT_THROW(tape.backward(y, ones<double>({3})), ShapeError);
    EXPECT_THROW(tape.leaf(Tensor<double>()), ValueError);
    tape.backward(y, ones<double>({2}));
    EXPECT_THROW(tape.gradient(y), TapeError);  // inner cotangents were not kept
    EXPECT_THROW(mul(x, x), TapeError);         // consumed
    EXPECT_THROW(tape.gradient(constant), TapeError);
}

/// The identity, whose backward adds dy, or nothing at all, as the cotangent of an input that the attribute names.
struct Misplaced {
    static constexpr OpInfo info{"misplaced", "x", "y = x", "dx = dy", "", "a test"};
    struct Attrs {
        Index input = 0;
        bool undefined = false;
        static void fields(auto&, auto&&) {}
    };
    template <Scalar T>
    using Saved = NoFields;
    template <Scalar T>
    static Tensor<T> forward(const Attrs&, Inputs<T> x, Saved<T>&) {
        return x[0].clone();
    }
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx) {
        dx.add(static_cast<int>(a.input), a.undefined ? Tensor<T>() : dy);
    }
};

TEST(Tape, ACotangentOfNoInputOrOfNothingIsAnErrorThatSaysSo) {
    const auto error_of = [](const Misplaced::Attrs& attrs) -> std::string {
        Tape<double> tape;
        const auto x = tape.leaf(ones<double>({2}));
        try {
            tape.backward(call<Misplaced, double>(attrs, {&x}), ones<double>({2}));
        } catch (const std::logic_error& e) {
            return e.what();
        }
        return "no error";
    };
    EXPECT_EQ(error_of({}), "no error");
    EXPECT_EQ(error_of({.input = 1}), "misplaced: backward uses input 1, the call has 1 inputs (x)");
    EXPECT_EQ(error_of({.input = -1}), "misplaced: backward uses input -1, the call has 1 inputs (x)");
    EXPECT_EQ(error_of({.undefined = true}), "misplaced: backward adds an undefined tensor as the cotangent of input 0 (x)");
}

TEST(Tape, AnOpIsCalledByItsPageAlone) {
    Tape<double> tape;
    const auto x = tape.leaf(ones<double>({2}));
    EXPECT_EQ(call<Misplaced>(x).value()[1], 1);
    EXPECT_EQ(call<Misplaced>({.input = 1}, x.value())[1], 1);
    EXPECT_THROW(call<Misplaced>(Var<double>()), ShapeError);
}

TEST(Tape, AFailedOpLeavesNoNode) {
    Tape<double> tape;
    const auto x = tape.leaf(ones<double>({2})), z = tape.leaf(ones<double>({3}));
    EXPECT_THROW(add(x, z), ShapeError);
    EXPECT_EQ(tape.nodes(), 2);
    tape.backward(mul(x, x), ones<double>({2}));
    EXPECT_EQ(tape.grad(x)[0], 2);
}

TEST(Tape, PrintsNodesFormulasBytesValuesAndCotangents) {
    Tape<double> tape;
    tape.keep_values(true);
    tape.keep_cotangents(true);
    const auto x = tape.leaf(Tensor<double>::from({2}, {1, 3}), "x");
    const auto y = softmax(mul(x, Var<double>(Tensor<double>::scalar(2))));
    EXPECT_EQ(tape.saved_bytes(), 2 * 8u + 8u + 2 * 8u);  // a and b of mul, y of softmax
    const std::string before = describe(tape);
    EXPECT_NE(before.find("%0  leaf"), std::string::npos) << before;
    EXPECT_NE(before.find("%0 const"), std::string::npos) << before;
    EXPECT_NE(before.find("axis=-1"), std::string::npos) << before;
    EXPECT_NE(before.find("value     [2, 6]"), std::string::npos) << before;
    tape.backward(y, Tensor<double>::from({2}, {1, 0}));
    EXPECT_NE(describe(tape).find("cotangent [1, 0]"), std::string::npos) << describe(tape);
    EXPECT_EQ(tape.saved_bytes(), 0u);  // payloads are gone right after their backward
}

TEST(Tape, ResetKeepsTheMemoryAndFreesNothingTwice) {
    Tape<double> tape;
    const auto step = [&] {
        tape.reset();
        auto x = tape.leaf(ones<double>({4}), "a parameter with a long name");
        auto y = x;
        for (int i = 0; i < 300; ++i) y = scale(y, {.factor = 1.001});
        tape.backward(y, ones<double>({4}));
        return tape.grad(x)[0];
    };
    const double first = step();
    const auto before = pool::system_allocations();
    for (int i = 0; i < 5; ++i) EXPECT_EQ(step(), first);
    if (pool::keeps_blocks()) {
        EXPECT_EQ(pool::system_allocations(), before);
    }
    EXPECT_NEAR(first, std::pow(1.001, 300), 1e-12);
}

TEST(Transforms, HvpOfACubicIsItsHessian) {
    // f = sum of (x y)^2 x: the Hessian is known by hand.
    const auto f = [](const auto& v) {
        const auto xy = mul(v[0], v[1]);
        return mul(mul(xy, xy), v[0]);
    };
    const double x = 1.5, y = -0.7, u = 0.3, w = 2.0;
    const auto [g, h] =
        hvp(f, {Tensor<double>::scalar(x), Tensor<double>::scalar(y)}, {Tensor<double>::scalar(u), Tensor<double>::scalar(w)});
    EXPECT_NEAR(g[0].item(), 3 * x * x * y * y, 1e-14);
    EXPECT_NEAR(g[1].item(), 2 * x * x * x * y, 1e-14);
    EXPECT_NEAR(h[0].item(), 6 * x * y * y * u + 6 * x * x * y * w, 1e-13);
    EXPECT_NEAR(h[1].item(), 6 * x * x * y * u + 2 * x * x * x * w, 1e-13);
}

TEST(Transforms, TangentsThatDoNotFitAreRefused) {
    const auto f = [](const auto& v) { return softmax(v[0]); };
    const Tensors x{ones<double>({3})};
    EXPECT_THROW(jvp(f, x, {ones<double>({4})}), ShapeError);
    EXPECT_THROW(jvp(f, x, {}), ShapeError);
    EXPECT_THROW(hvp(f, x, {ones<double>({1, 3})}), ShapeError);
}

TEST(Transforms, JvpOfSoftmaxIsAdjointToItsVjp) {
    const auto f = [](const auto& x) { return softmax(x[0]); };
    const Tensors x{Tensor<double>::from({2, 3}, {0.1, 0.7, -0.4, 1.0, 0.0, 2.0})};
    const auto v = Tensor<double>::from({2, 3}, {1, -2, 0.5, 0.3, 0.9, -1});
    const auto u = Tensor<double>::from({2, 3}, {0.2, 0.4, -1, 2, 1, -0.7});
    EXPECT_NEAR(dot(u, jvp(f, x, {v}).second), dot(vjp(f, x, u).second[0], v), 1e-15);
}

}  // namespace
}  // namespace gradproof
