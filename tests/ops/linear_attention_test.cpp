// Linear attention: the normalised products of features written out, and that time is linear in the length.
#include "gradproof/ops/linear_attention.hpp"

#include <gtest/gtest.h>

#include "gradproof/core/random.hpp"
#include "gradproof/ops/activations.hpp"
#include "gradproof/ops/arithmetic.hpp"
#include "gradproof/ops/functions.hpp"
#include "gradproof/ops/matmul.hpp"
#include "gradproof/ops/reduce.hpp"
#include "gradproof/ops/select.hpp"
#include "tests/ops/waves.hpp"

namespace gradproof {
namespace {

using testing::D;
using V = Var<double>;
using Vars = std::vector<V>;

/// elu(x) + 1 = exp(min(x, 0)) + max(x, 0)
V feature(const V& x) { return add(exp(neg(relu(neg(x)))), relu(x)); }

/// w = p(q) p(k)ᵀ, 0 where masked;  y = w v / rowsum(w): all pairs, no running sums.
auto pair_by_pair(bool causal) {
    return [causal](const Vars& x) {
        V w = matmul(feature(x[0]), feature(x[1]), {.transpose_b = true});
        if (causal) {
            const Index L = w.shape().last(1), S = w.shape().last();
            Tensor<bool> later({L, S}, false);
            for (Index i = 0; i < L; ++i)
                for (Index j = i + 1; j < S; ++j) later[i * S + j] = true;
            w = masked_fill(w, {.mask = later, .value = 0});
        }
        return div(matmul(w, x[2]), sum(w, {.axes = {-1}, .keep_dims = true}));
    };
}
auto running(bool causal) {
    return [causal](const Vars& x) { return linear_attention(x[0], x[1], x[2], {.causal = causal}); };
}

std::vector<D> drawn(Index L, Index S, Index D_, Index E) {
    const Random random(5);
    return {random.stream(1).normal<double>({2, 3, L, D_}), random.stream(2).normal<double>({2, 3, S, D_}),
            random.stream(3).normal<double>({2, 3, S, E})};
}

TEST(LinearAttention, IsTheNormalisedProductOfFeatures) {
    for (const bool causal : {false, true}) {
        testing::expect_same(running(causal), pair_by_pair(causal), drawn(4, 6, 5, 7), 1e-13);
        testing::expect_same(running(causal), pair_by_pair(causal), drawn(9, 3, 2, 1), 1e-13);
        // Blocks of 64: lengths on, before and after their ends.
        for (const Index length : {63, 64, 65, 128, 150})
            testing::expect_same(running(causal), pair_by_pair(causal), drawn(length, length, 3, 4), 1e-12);
        testing::expect_same(running(causal), pair_by_pair(causal), drawn(70, 140, 3, 4), 1e-12);
        testing::expect_same(running(causal), pair_by_pair(causal), drawn(140, 70, 3, 4), 1e-12);
    }
}

TEST(LinearAttention, WithoutAKeyTheOutputIsZero) {
    const D y = linear_attention(zeros<double>({2, 3, 4}), zeros<double>({2, 0, 4}), zeros<double>({2, 0, 5}));
    EXPECT_TRUE(testing::near(y, zeros<double>({2, 3, 5}), 0));
    const D far({1, 1, 2}, -1000.0);  // its features are exp(-1000) = 0
    EXPECT_EQ(linear_attention(far, far, ones<double>({1, 1, 1}))[0], 0);
}

TEST(LinearAttention, FeaturesFarBelowZeroKeepTheirRatios) {
    // Below 0 features are exp: a shift of all numbers of a query, or of all keys, cancels.
    // Shifted so far, their products underflow.
    auto x = drawn(5, 5, 3, 2);
    for (const int i : {0, 1})
        for (double& a : x[static_cast<std::size_t>(i)]) a = -0.1 - std::abs(a);
    for (const auto& [query, key] : {std::pair{600.0, 500.0}, {700.0, 0.0}, {0.0, 700.0}})
        for (const bool causal : {false, true})
            testing::expect_same(
                [&, query = query, key = key](const Vars& v) {
                    return linear_attention(add(v[0], V(D({1}, -query))), add(v[1], V(D({1}, -key))), v[2], {.causal = causal});
                },
                running(causal), x, 1e-10);
    // Of one feature the query cancels whole, even where that is denormal and the inverse of the normaliser would be infinite.
    const D k = D::from({1, 1, 2, 1}, {-0.5, -1.5}), v = D::from({1, 1, 2, 1}, {1, 2});
    for (const double q : {-740.0, -744.0})
        testing::expect_same(
            [&](const Vars& y) {
                return linear_attention(V(D({1, 1, 1, 1}, q)), y[0], y[1]);
            },
            [&](const Vars& y) {
                return linear_attention(V(D({1, 1, 1, 1}, -1.0)), y[0], y[1]);
            },
            {k, v}, 1e-13);
}

TEST(LinearAttention, NoLaterPositionReachesACausalOne) {
    auto x = drawn(100, 100, 3, 4);
    const D before = linear_attention(x[0], x[1], x[2], {.causal = true});
    for (const std::size_t i : {1u, 2u})
        for (Index r = 0; r < x[i].size(); ++r)
            if (r / x[i].dim(3) % 100 >= 70) x[i][r] += 1;
    const D after = linear_attention(x[0], x[1], x[2], {.causal = true});
    for (Index r = 0; r < after.size(); ++r) {
        if (r / 4 % 100 < 70) {
            EXPECT_EQ(after[r], before[r]);
        } else {
            EXPECT_NE(after[r], before[r]);
        }
    }
}

}  // namespace
}  // namespace gradproof
