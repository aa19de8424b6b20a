// Expectations shared by the tests of elementwise ops and reductions.
#pragma once

#include <gtest/gtest.h>

#include "gradproof/core/tape.hpp"
#include "gradproof/core/transforms.hpp"
#include "tests/support.hpp"

namespace gradproof {

/// Each entry within `ulps` roundings of max(1, |expected|).
template <class T>
void expect_near(const Tensor<T>& got, const Shape& shape, const std::vector<double>& expected, double ulps = 4) {
    ASSERT_EQ(got.shape().str(), shape.str());
    ASSERT_EQ(got.size(), static_cast<Index>(expected.size()));
    const double eps = static_cast<double>(std::numeric_limits<T>::epsilon());
    for (Index i = 0; i < got.size(); ++i) {
        const double e = expected[static_cast<std::size_t>(i)];
        if (std::isinf(e))
            EXPECT_EQ(static_cast<double>(got[i]), e) << "entry " << i;
        else
            EXPECT_NEAR(static_cast<double>(got[i]), e, ulps * eps * std::max(1.0, std::abs(e))) << "entry " << i;
    }
}

/// The cotangents of the inputs of f for the cotangent dy.
template <class F>
Tensors pullback(F f, const Tensors& x, const Tensor<double>& dy) {
    return vjp([&](const auto& v) { return f(v); }, x, dy).second;
}

using testing::error_of;

}  // namespace gradproof
