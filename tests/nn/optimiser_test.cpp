// Update rules against PyTorch 1.13 in float64, clipping, and schedules.
#include "gradproof/nn/optimiser.hpp"

#include <cmath>

#include <gtest/gtest.h>

using namespace gradproof;

namespace {

struct Vector {
    Parameter<double> w, unused;
    Vector() : w(Shape{3}, init::zeros()), unused(Shape{2}, init::ones()) {}
    void parameters(auto&& visit) {
        visit("w", w);
        visit("unused", unused);
    }
};

/// w after three updates from (1, -2, 0.5) with the gradients below.
Tensor<double> after_three(const OptimiserOptions& options) {
    Vector model;
    ParameterTree<double> tree(model, 1);
    model.w.value = Tensor<double>::from({3}, {1, -2, 0.5});
    Optimiser<double> optimiser(tree, options);
    Step<double> step(tree);
    for (const auto& g : {std::vector{0.5, -1.0, 0.25}, std::vector{-0.2, 0.3, 2.0}, std::vector{1.0, 0.0, -0.5}}) {
        step.begin();
        step.tape().backward(step(model.w), Tensor<double>::from({3}, std::span<const double>(g)));
        optimiser.update(step, tree, 0.1);
    }
    EXPECT_EQ(optimiser.updates(), 3);
    EXPECT_EQ(model.unused.value[0], 1) << "a parameter without a gradient moved";
    return model.w.value;
}

void expect_values(const Tensor<double>& w, const double (&golden)[3]) {
    for (Index i = 0; i < 3; ++i) EXPECT_NEAR(w[i], golden[i], 1e-14) << i;  // about 20 roundings of values near 1
}

}  // namespace

TEST(Optimiser, SgdWithMomentumFollowsPyTorch) {
    expect_values(after_three({.kind = OptimiserKind::sgd, .momentum = 0.9, .weight_decay = 0.01}),
                  {0.79706474899999991, -1.7751394979999999, 0.099742374499999967});
}

TEST(Optimiser, AdamFollowsPyTorch) {
    expect_values(after_three({.kind = OptimiserKind::adam, .weight_decay = 0.01}),
                  {0.79369612803192413, -1.8194114845187794, 0.27123516041086893});
}

TEST(Optimiser, AdamWFollowsPyTorch) {
    expect_values(after_three({.kind = OptimiserKind::adamw, .beta1 = 0.8, .beta2 = 0.95, .weight_decay = 0.01}),
                  {0.79634986491851534, -1.8283525605641957, 0.27103644696551532});
}

TEST(Optimiser, BadOptionsAndRatesAreRefused) {
    Vector model;
    ParameterTree<double> tree(model, 1);
    EXPECT_THROW(Optimiser<double>(tree, {.beta1 = 1}), ValueError);
    EXPECT_THROW(Optimiser<double>(tree, {.momentum = -0.1}), ValueError);
    EXPECT_THROW(Optimiser<double>(tree, {.epsilon = 0}), ValueError);
    EXPECT_THROW(Optimiser<double>(tree, {.weight_decay = std::nan("")}), ValueError);
    Optimiser<double> optimiser(tree, {});
    Step<double> step(tree);
    step.begin();
    EXPECT_THROW(optimiser.update(step, tree, -1), ValueError);
    EXPECT_THROW(optimiser.update(step, tree, std::nan("")), ValueError);
}

TEST(Clipping, TheGlobalNormIsBroughtDownToTheLimit) {
    Vector model;
    ParameterTree<double> tree(model, 1);
    Step<double> step(tree);
    step.begin();
    step.tape().backward(step(model.w), Tensor<double>::from({3}, {3, 0, 4}));
    EXPECT_EQ(gradient_norm(step, tree), 5);
    EXPECT_EQ(clip_factor(5, 1), 0.2);
    EXPECT_EQ(clip_factor(0.5, 1), 1);
    EXPECT_EQ(clip_factor(5, 0), 1);
    Optimiser<double> optimiser(tree, {.kind = OptimiserKind::sgd});
    optimiser.update(step, tree, 1, clip_factor(5, 1));
    EXPECT_NEAR(model.w.value[2], -0.8, 1e-16);
}

TEST(Schedule, WarmsUpLinearlyAndDecaysToItsFloor) {
    const Schedule s{.kind = Schedule::Kind::cosine, .rate = 2, .warmup = 10, .horizon = 110, .floor = 0.1};
    EXPECT_DOUBLE_EQ(s.at(1), 0.2);
    EXPECT_DOUBLE_EQ(s.at(10), 2);
    EXPECT_DOUBLE_EQ(s.at(60), 2 * (0.1 + 0.9 * 0.5));
    EXPECT_DOUBLE_EQ(s.at(110), 0.2);
    EXPECT_DOUBLE_EQ(s.at(500), 0.2);
    EXPECT_DOUBLE_EQ((Schedule{.rate = 3}).at(7), 3);
    EXPECT_DOUBLE_EQ((Schedule{.rate = 3, .warmup = 4}).at(1), 0.75);
}
