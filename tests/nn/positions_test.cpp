// Position encodings: the formula, a hand-worked table, shifts as rotations, and errors.
#include "gradproof/nn/positions.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace gradproof {
namespace {

// sin and cos of an angle below 50, itself the product of two rounded numbers: 50 eps plus a rounding.
constexpr double kTolerance = 2e-14;

TEST(PositionEncoding, AlternatesSinesAndCosines) {
    const auto y = position_encoding<double>(3, 4);
    EXPECT_EQ(y.shape(), (Shape{3, 4}));
    const double expected[] = {0,
                               1,
                               0,
                               1,
                               std::sin(1.0),
                               std::cos(1.0),
                               std::sin(0.01),
                               std::cos(0.01),
                               std::sin(2.0),
                               std::cos(2.0),
                               std::sin(0.02),
                               std::cos(0.02)};
    for (Index i = 0; i < 12; ++i) EXPECT_NEAR(y[i], expected[i], kTolerance);
}

TEST(PositionEncoding, OfAnOddWidthEndsWithASine) {
    const auto y = position_encoding<double>(2, 3);
    EXPECT_NEAR(y[3 + 2], std::sin(std::pow(10000.0, -2.0 / 3)), kTolerance);
    EXPECT_EQ(position_encoding<float>(1, 1)[0], 0.0F);
}

TEST(PositionEncoding, OfAShiftedPositionIsAFixedRotation) {
    constexpr Index kLength = 50, kWidth = 16;
    const auto y = position_encoding<double>(kLength, kWidth);
    for (const Index shift : {1, 7, 20})
        for (Index i = 0; i < kWidth / 2; ++i) {
            const double angle = static_cast<double>(shift) * std::pow(10000.0, -2.0 * static_cast<double>(i) / kWidth);
            const double c = std::cos(angle), s = std::sin(angle);
            for (Index p = 0; p + shift < kLength; ++p) {
                const double sine = y.at({p, 2 * i}), cosine = y.at({p, 2 * i + 1});
                EXPECT_NEAR(y.at({p + shift, 2 * i}), c * sine + s * cosine, kTolerance);
                EXPECT_NEAR(y.at({p + shift, 2 * i + 1}), c * cosine - s * sine, kTolerance);
            }
        }
}

TEST(PositionEncoding, DotProductDependsOnTheDistanceOnly) {
    const auto y = position_encoding<double>(40, 32);
    const auto dot = [&](Index p, Index q) {
        double sum = 0;
        for (Index i = 0; i < 32; ++i) sum += y.at({p, i}) * y.at({q, i});
        return sum;
    };
    for (Index p = 0; p < 30; ++p) EXPECT_NEAR(dot(p, p + 9), dot(0, 9), 32 * kTolerance);
    EXPECT_NEAR(dot(5, 5), 16, 32 * kTolerance);
}

TEST(PositionEncoding, RefusesSizesBelowOne) {
    EXPECT_THROW(position_encoding<double>(0, 4), ValueError);
    EXPECT_THROW(position_encoding<double>(3, -1), ValueError);
}

}  // namespace
}  // namespace gradproof
