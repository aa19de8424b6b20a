// The tape: gradients, accumulation, the three gradient states, and its errors.
#include "core/tape.hpp"

#include <gtest/gtest.h>

#include "core/transforms.hpp"
#include "ops/softmax.hpp"

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

TEST(Transforms, JvpOfSoftmaxIsAdjointToItsVjp) {
    const auto f = [](const auto& x) { return softmax(x[0]); };
    const Tensors x{Tensor<double>::from({2, 3}, {0.1, 0.7, -0.4, 1.0, 0.0, 2.0})};
    const auto v = Tensor<double>::from({2, 3}, {1, -2, 0.5, 0.3, 0.9, -1});
    const auto u = Tensor<double>::from({2, 3}, {0.2, 0.4, -1, 2, 1, -0.7});
    EXPECT_NEAR(dot(u, jvp(f, x, {v}).second), dot(vjp(f, x, u).second[0], v), 1e-15);
}

}  // namespace
}  // namespace gradproof
