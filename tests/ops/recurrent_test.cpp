// The recurrent ops: golden values, the same step by step from smaller ops, and what reaches how far through time.
#include <gtest/gtest.h>

#include "gradproof/core/random.hpp"
#include "gradproof/ops/activations.hpp"
#include "gradproof/ops/arithmetic.hpp"
#include "gradproof/ops/linear.hpp"
#include "gradproof/ops/lstm.hpp"
#include "gradproof/ops/reshape.hpp"
#include "gradproof/ops/rnn.hpp"
#include "gradproof/ops/slice.hpp"
#include "gradproof/ops/stack.hpp"
#include "tests/ops/waves.hpp"

namespace gradproof {
namespace {

using testing::D;
using V = Var<double>;
using Vars = std::vector<V>;

std::vector<D> recurrent_inputs(Index gates, Index B, Index T, Index I, Index H) {
    std::vector<Shape> shapes{{B, T, I}, {I, gates * H}, {H, gates * H}, {gates * H}, {B, H}};
    if (gates == 4) shapes.push_back({B, H});
    std::vector<D> x;
    for (const Shape& s : shapes) x.push_back(testing::wave(s, 1 + static_cast<double>(x.size()), 0.7));
    return x;
}
V whole_rnn(const Vars& x) { return rnn(x[0], x[1], x[2], {.bias = x[3], .state = x[4]}); }
V whole_lstm(const Vars& x) { return lstm(x[0], x[1], x[2], {.bias = x[3], .state = x[4], .cell = x[5]}); }

/// Step t of x [B, T, I] as [B, I].
V step_of(const V& x, Index t) {
    return reshape(slice(x, {.axis = 1, .start = t, .stop = t + 1}), {.shape = {x.shape()[0], x.shape()[2]}});
}
V unrolled_rnn(const Vars& x) {
    Vars h;
    for (Index t = 0; t < x[0].shape()[1]; ++t)
        h.push_back(tanh(add(linear(step_of(x[0], t), x[1], x[3]), linear(t == 0 ? x[4] : h.back(), x[2]))));
    return stack(h, {.axis = 1});
}
V unrolled_lstm(const Vars& x) {
    const Index H = x[2].shape()[0];
    Vars hs;
    V c = x[5];
    for (Index t = 0; t < x[0].shape()[1]; ++t) {
        const V u = add(linear(step_of(x[0], t), x[1], x[3]), linear(t == 0 ? x[4] : hs.back(), x[2]));
        const auto gate = [&](Index n) { return slice(u, {.axis = 1, .start = n * H, .stop = (n + 1) * H}); };
        c = add(mul(sigmoid(gate(1)), c), mul(sigmoid(gate(0)), tanh(gate(2))));
        hs.push_back(mul(sigmoid(gate(3)), tanh(c)));
    }
    return stack(hs, {.axis = 1});
}

// Up to 100 numbers of size 1, each through some 50 roundings.
constexpr double kStepRoundings = 100 * 50 * testing::kEps;

TEST(Recurrent, RnnMatchesPyTorch) {
    testing::expect_golden(
        whole_rnn, recurrent_inputs(1, 2, 5, 3, 4),
        {2.194590022663975, -2.755474201482333, -3.881360896503098, 0.4967472862628906, 0.9891431363699408, 0.321394894442749},
        kStepRoundings);
}

TEST(Recurrent, LstmMatchesPyTorch) {
    testing::expect_golden(whole_lstm, recurrent_inputs(4, 2, 5, 3, 4),
                           {-0.2857138976110954, 1.280231317817439, 0.9847087506003391, 0.09577332597492491, -0.6379207222616819,
                            -0.2282021575411243, 0.4101193701564987},
                           kStepRoundings);
}

TEST(Recurrent, TheWholeSequenceIsTheStepsOneByOne) {
    testing::expect_same(whole_rnn, unrolled_rnn, recurrent_inputs(1, 3, 7, 2, 5), kStepRoundings);
    testing::expect_same(whole_lstm, unrolled_lstm, recurrent_inputs(4, 3, 7, 2, 5), kStepRoundings);
    // More entries than one task takes, and steps of one.
    testing::expect_same(whole_rnn, unrolled_rnn, recurrent_inputs(1, 70, 2, 3, 4), 10 * kStepRoundings);
    testing::expect_same(whole_lstm, unrolled_lstm, recurrent_inputs(4, 70, 1, 3, 4), 10 * kStepRoundings);
}

TEST(Recurrent, AnAbsentStateOrBiasIsZero) {
    const auto with_zeros = [](Vars x, std::size_t from) {
        for (std::size_t i = from; i < x.size(); ++i) x[i] = V(zeros<double>(x[i].shape()));
        return x;
    };
    for (const std::size_t from : {3u, 4u, 5u}) {
        auto x = recurrent_inputs(4, 2, 4, 3, 2);
        testing::expect_same([&](const Vars& v) { return whole_lstm(with_zeros(v, from)); },
                             [&](Vars v) {
                                 for (std::size_t i = from; i < v.size(); ++i) v[i] = V();
                                 return whole_lstm(v);
                             },
                             std::vector<D>(x.begin(), x.end()), 0);
    }
}

TEST(Recurrent, ALstmThatForgetsNothingCarriesItsCellUnchanged) {
    // Forget gate open (s(40) = 1 - 4e-18), input gate shut: c stays c0 and h = tanh(c0) s(0) at every step.
    D b({8}, 0.0);
    for (Index k = 0; k < 2; ++k) b[k] = -800, b[2 + k] = 40;
    const D c0 = D::from({1, 2}, {0.7, -1.3});
    const D y = lstm(zeros<double>({1, 50, 3}), zeros<double>({3, 8}), zeros<double>({2, 8}), {.bias = b, .cell = c0});
    for (Index t = 0; t < 50; ++t)
        for (Index k = 0; k < 2; ++k) EXPECT_NEAR(y[t * 2 + k], 0.5 * std::tanh(c0[k]), 1e-15);
}

TEST(Recurrent, TheGradientOfALinearRnnDecaysAsPowersOfItsMatrix) {
    // Near 0 tanh is the identity: d h_T / d x_t = wx wh^(T - t), here 0.5^(T - t).
    const Index T = 12;
    Tape<double> tape;
    const V x = tape.leaf(zeros<double>({1, T, 1}));
    const V h = rnn(x, V(D({1, 1}, 1.0)), V(D({1, 1}, 0.5)));
    D dy({1, T, 1}, 0.0);
    dy[T - 1] = 1;
    tape.backward(h, dy);
    for (Index t = 0; t < T; ++t) EXPECT_DOUBLE_EQ(tape.grad(x)[t], std::pow(0.5, static_cast<double>(T - 1 - t)));
}

}  // namespace
}  // namespace gradproof
