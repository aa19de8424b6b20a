// Singular values: known ones are found, the factors multiply to the matrix and are orthonormal, ranks are counted.
#include <gtest/gtest.h>

#include <cmath>

#include "gradproof/core/random.hpp"
#include "gradproof/ops/matmul.hpp"
#include "tests/support.hpp"
#include "tools/experiments/svd.hpp"

namespace gradproof::experiments {
namespace {

double largest_difference(const Tensor<double>& a, const Tensor<double>& b) {
    double worst = 0;
    for (Index i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
    return worst;
}

Tensor<double> identity(Index n) {
    Tensor<double> out({n, n}, 0.0);
    for (Index i = 0; i < n; ++i) out[i * n + i] = 1;
    return out;
}

Tensor<double> product(const Svd& s) {
    Tensor<double> scaled = s.left.clone();
    const Index r = s.left.dim(1);
    for (Index i = 0; i < scaled.size(); ++i) scaled[i] *= s.values[static_cast<std::size_t>(i % r)];
    return matmul(scaled, s.right, {.transpose_b = true});
}

TEST(Svd, ValuesOfAMatrixWorkedOutByHand) {
    // AᵀA = [[25, 20], [20, 25]] has the eigenvalues 45 and 5.
    const auto s = singular_values(Tensor<double>::from({2, 2}, {3, 0, 4, 5}));
    EXPECT_NEAR(s[0], std::sqrt(45), 1e-14);
    EXPECT_NEAR(s[1], std::sqrt(5), 1e-14);
}

TEST(Svd, FactorsMultiplyToTheMatrixAndAreOrthonormal) {
    for (const Shape& shape : {Shape{1, 1}, Shape{7, 7}, Shape{64, 16}, Shape{5, 33}, Shape{1, 9}}) {
        const Tensor<double> a = Random(3).normal<double>(shape);
        const Svd s = svd(a);
        const Index r = std::min(shape[0], shape[1]);
        ASSERT_EQ(static_cast<Index>(s.values.size()), r) << shape.str();
        // Rounding of some hundred rotations, each of a few eps of the norm (about 30 here).
        EXPECT_LT(largest_difference(product(s), a), 1e-13) << shape.str();
        EXPECT_LT(largest_difference(matmul(s.left, s.left, {.transpose_a = true}), identity(r)), 1e-13) << shape.str();
        EXPECT_LT(largest_difference(matmul(s.right, s.right, {.transpose_a = true}), identity(r)), 1e-13) << shape.str();
        EXPECT_TRUE(std::is_sorted(s.values.rbegin(), s.values.rend()));
    }
}

TEST(Svd, AMatrixOfLowRankHasThatManyValues) {
    const Tensor<double> a = matmul(Random(4).normal<double>({20, 3}), Random(5).normal<double>({3, 12}));
    const auto s = singular_values(a);
    EXPECT_EQ(numerical_rank(s, 1e-10), 3);
    EXPECT_LT(s[3], 1e-13 * s[0]);
    EXPECT_EQ(numerical_rank(singular_values(Tensor<double>({3, 4}, 0.0))), 0);
}

TEST(Svd, EffectiveRankIsTheNumberOfEqualValues) {
    EXPECT_NEAR(effective_rank(std::vector<double>{2, 2, 2, 2}), 4, 1e-12);
    EXPECT_NEAR(effective_rank(std::vector<double>{5, 0, 0}), 1, 1e-12);
    EXPECT_EQ(rank_of_energy(std::vector<double>{3, 1, 1}, 0.8), 1);  // 9 of 11
    EXPECT_EQ(rank_of_energy(std::vector<double>{3, 1, 1}, 0.9), 2);  // 10 of 11
}

TEST(Svd, WhatIsNoMatrixIsAnError) {
    EXPECT_NE(gradproof::testing::error_of([] { svd(Tensor<double>({3}, 1.0)); }).find("expected [m, n]"), std::string::npos);
    EXPECT_NE(gradproof::testing::error_of([] { svd(Tensor<double>({1, 1}, NAN)); }).find("finite"), std::string::npos);
}

}  // namespace
}  // namespace gradproof::experiments
