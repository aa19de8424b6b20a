// Convolution: golden values, the same from shifted inputs, and what causal and same mean.
#include "gradproof/ops/conv1d.hpp"

#include <gtest/gtest.h>

#include "gradproof/core/random.hpp"
#include "gradproof/ops/arithmetic.hpp"
#include "gradproof/ops/concat.hpp"
#include "gradproof/ops/linear.hpp"
#include "gradproof/ops/reshape.hpp"
#include "gradproof/ops/slice.hpp"
#include "tests/ops/waves.hpp"

namespace gradproof {
namespace {

using testing::D;
using V = Var<double>;
using Vars = std::vector<V>;

const std::vector<D> kInputs{testing::wave({2, 7, 3}, 1), testing::wave({3, 3, 4}, 2), testing::wave({4}, 3)};
constexpr double kConvRoundings = 200 * 50 * testing::kEps;  // of up to 200 numbers of size 1

auto convolution(const Conv1dAttrs& attrs) {
    return [attrs](const Vars& x) { return conv1d(x[0], x[1], x[2], attrs); };
}

/// y = b + Σ_k (x moved by k dilation - left) w_k, from ops that know nothing of convolutions.
auto shifted_products(Index dilation, Index left, Index right) {
    return [=](const Vars& x) {
        const Shape& s = x[0].shape();
        const V padded =
            concat(Vars{V(zeros<double>({s[0], left, s[2]})), x[0], V(zeros<double>({s[0], right, s[2]}))}, {.axis = 1});
        const Index K = x[1].shape()[0], steps = s[1] + left + right - dilation * (K - 1);
        V sum;
        for (Index k = 0; k < K; ++k) {
            const V w = reshape(slice(x[1], {.axis = 0, .start = k, .stop = k + 1}), {.shape = {s[2], x[1].shape()[2]}});
            const V y = linear(slice(padded, {.axis = 1, .start = k * dilation, .stop = k * dilation + steps}), w);
            sum = k == 0 ? y : add(sum, y);
        }
        return add(sum, x[2]);
    };
}

TEST(Conv1d, MatchesPyTorch) {
    testing::expect_golden(convolution({}), kInputs,
                           {-1.356431004752045, 8.704619677706063, 7.113632022163817, -1.518701244401176}, kConvRoundings);
    testing::expect_golden(convolution({.dilation = 2, .left = 3, .right = 1}), kInputs,
                           {18.6158005764045, 0.6564640268682814, -14.15167483310653, 0.1075008043483635}, kConvRoundings);
}

TEST(Conv1d, IsASumOfProductsWithShiftedInputs) {
    for (const Index dilation : {1, 2, 3})
        for (const Index left : {0, 2, 5})
            for (const Index right : {0, 1, 9}) {
                if (7 + left + right <= 2 * dilation) continue;
                SCOPED_TRACE(fmt::format("dilation {}, left {}, right {}", dilation, left, right));
                testing::expect_same(convolution({.dilation = dilation, .left = left, .right = right}),
                                     shifted_products(dilation, left, right), kInputs, kConvRoundings);
            }
}

TEST(Conv1d, LongSequencesInSeveralTasksAreTheSame) {
    const std::vector<D> x{testing::wave({2, 500, 40}, 1), testing::wave({3, 40, 30}, 2, 0.1), testing::wave({30}, 3)};
    testing::expect_same(convolution({.padding = Padding::same}), shifted_products(1, 1, 1), x, 1e-10);
}

TEST(Conv1d, CausalSeesNothingLaterAndSameSeesBothSides) {
    const auto reach = [](const Conv1dAttrs& attrs, Index of, Index window = 3) {
        Tape<double> tape;
        const V x = tape.leaf(testing::wave({1, 9, 1}, 1));
        const V y = conv1d(x, V(D({window, 1, 1}, 1.0)), attrs);
        EXPECT_EQ(y.shape(), (Shape{1, 9, 1}));
        D dy({1, 9, 1}, 0.0);
        dy[of] = 1;
        tape.backward(y, dy);
        std::vector<Index> seen;
        for (Index t = 0; t < 9; ++t)
            if (tape.grad(x)[t] != 0) seen.push_back(t);
        return seen;
    };
    using Steps = std::vector<Index>;
    EXPECT_EQ(reach({.padding = Padding::causal}, 4), (Steps{2, 3, 4}));
    EXPECT_EQ(reach({.dilation = 2, .padding = Padding::causal}, 4), (Steps{0, 2, 4}));
    EXPECT_EQ(reach({.dilation = 3, .padding = Padding::causal}, 4), (Steps{1, 4}));
    EXPECT_EQ(reach({.padding = Padding::same}, 4), (Steps{3, 4, 5}));
    EXPECT_EQ(reach({.padding = Padding::same}, 8), (Steps{7, 8}));
    EXPECT_EQ(reach({.padding = Padding::same}, 4, 4), (Steps{3, 4, 5, 6}));  // no middle: the step before it
}

}  // namespace
}  // namespace gradproof
