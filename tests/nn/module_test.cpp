// The parameter tree, the step and the initialisers.
#include "gradproof/nn/module.hpp"

#include <gtest/gtest.h>

using namespace gradproof;

namespace {

struct Pair {
    Parameter<double> weight, bias;
    Pair() : weight(Shape{3, 2}, init::xavier()), bias(Shape{2}, init::zeros()) {}
    void parameters(auto&& visit) {
        visit("weight", weight);
        visit("bias", bias);
    }
};
struct Nested {
    Pair head;
    Pair body;
    void parameters(auto&& visit) {
        visit("head", head);
        visit("body", body);
    }
};
struct Reordered {
    Pair other, head;
    void parameters(auto&& visit) {
        visit("other", other);
        visit("head", head);
    }
};
struct Twice {
    Pair a, b;
    void parameters(auto&& visit) {
        visit("a", a);
        visit("a", b);
    }
};

std::pair<double, double> mean_and_variance(const Initialiser& i, const Shape& shape) {
    const Tensor<double> x = i.make<double>(shape, parameter_stream(5, "x"));
    double sum = 0, squares = 0;
    for (const double v : x) {
        sum += v;
        squares += v * v;
    }
    const auto n = static_cast<double>(x.size());
    return {sum / n, squares / n - sum * sum / (n * n)};
}

}  // namespace

TEST(ParameterTree, NamesAreDottedAndInOrder) {
    Nested model;
    ParameterTree<double> tree(model, 1);
    ASSERT_EQ(tree.size(), 4);
    EXPECT_EQ(tree[0].name, "head.weight");
    EXPECT_EQ(tree[3].name, "body.bias");
    EXPECT_EQ(tree.count(), 16);
    EXPECT_EQ(&tree.find("body.weight"), &model.body.weight);
}

TEST(ParameterTree, UnknownNameSuggestsTheNearest) {
    Nested model;
    ParameterTree<double> tree(model, 1);
    try {
        tree.find("head.wieght");
        FAIL() << "no error";
    } catch (const ValueError& e) {
        EXPECT_STREQ(e.what(), "parameters: none is named head.wieght; did you mean head.weight");
    }
}

TEST(ParameterTree, ANameUsedTwiceIsRefused) {
    Twice model;
    EXPECT_THROW(ParameterTree<double>(model, 1), ValueError);
}

TEST(ParameterTree, AnotherModuleDoesNotShiftTheDraws) {
    Nested a;
    Reordered b;
    ParameterTree<double> ta(a, 9), tb(b, 9);
    for (Index i = 0; i < 6; ++i) EXPECT_EQ(a.head.weight.value[i], b.head.weight.value[i]);
    EXPECT_NE(a.head.weight.value[0], a.body.weight.value[0]);
    ta.initialise(10);
    EXPECT_NE(a.head.weight.value[0], b.head.weight.value[0]);
}

TEST(Step, ParametersAreLeavesOncePerStepAndTheirGradientsAreFound) {
    Nested model;
    ParameterTree<double> tree(model, 1);
    Step<double> step(tree);
    for (int repeat = 0; repeat < 3; ++repeat) {
        step.begin();
        EXPECT_EQ(step.tape().nodes(), 4);
        EXPECT_TRUE(step(model.head.bias).value().shares_buffer_with(model.head.bias.value));
        step.tape().backward(step(model.head.bias), Tensor<double>::from({2}, {3, 4}));
        EXPECT_EQ(step.grad(1)[1], 4);
        EXPECT_FALSE(step.grad(0).defined());
    }
    step.begin_evaluation();
    EXPECT_EQ(step.tape().nodes(), 0);
    EXPECT_FALSE(step(model.head.bias).on_tape());
}

TEST(Initialiser, SpreadsAreThoseOfTheFormulas) {
    // 60000 draws: the sample variance is within 5 sqrt(2 / n) = 3 % of the true one.
    const Shape shape{200, 300};
    const auto expect = [&](const Initialiser& i, double mean, double variance) {
        const auto [m, v] = mean_and_variance(i, shape);
        EXPECT_NEAR(m, mean, 5 * std::sqrt(variance / 60000)) << i.str();
        EXPECT_NEAR(v, variance, 0.03 * variance) << i.str();
    };
    expect(init::normal(0.02, 1.5), 1.5, 0.0004);
    expect(init::uniform(-1, 3), 1, 16.0 / 12);
    expect(init::xavier(), 0, 2.0 / 500);
    expect(init::xavier_normal(2), 0, 8.0 / 500);
    expect(init::kaiming(), 0, 2.0 / 200);
    expect(init::kaiming_normal(), 0, 2.0 / 200);
    EXPECT_EQ(mean_and_variance(init::ones(), shape), std::pair(1.0, 0.0));
}

TEST(Initialiser, ABadSpreadIsRefused) {
    EXPECT_THROW(init::normal(-1).make<float>({2}, Random(1)), ValueError);
    EXPECT_THROW(init::uniform(2, 1).make<float>({2}, Random(1)), ValueError);
    EXPECT_THROW(init::xavier(std::nan("")).make<float>({2}, Random(1)), ValueError);
}
